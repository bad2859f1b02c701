// Rows in groups, in three ways. Pure: the same rows give the same groups in the same order.

import { byStanding, type MemoryType, type Row, type Scope } from "./row";

export const GROUPINGS = ["scope", "category", "file"] as const;
export type Grouping = (typeof GROUPINGS)[number];

export interface Group {
  /** Stable while the group exists, unique among its siblings and their children. */
  readonly key: string;
  readonly kind: "scope" | "type" | "category" | "file";
  /** The scope, type, category or path; empty for memories that have none. */
  readonly value: string;
  readonly label: string;
  readonly count: number;
  readonly groups: readonly Group[];
  readonly rows: readonly Row[];
}

const SCOPES: readonly Scope[] = ["project", "personal", "global"];
const TYPES: readonly MemoryType[] = ["project", "feedback", "user", "reference"];
const CATEGORIES = [
  "blocker",
  "directive",
  "plan",
  "decision",
  "procedure",
  "fact",
  "idea",
  "event",
  "conversation",
  "reminder",
];

export const SCOPE_LABELS: Readonly<Record<Scope, string>> = {
  project: "Project",
  personal: "Personal",
  global: "Global",
};
export const TYPE_LABELS: Readonly<Record<MemoryType, string>> = {
  project: "About the project",
  feedback: "Feedback and patterns",
  user: "Preferences",
  reference: "References",
};
const CATEGORY_LABELS: Readonly<Record<string, string>> = {
  blocker: "Blockers",
  directive: "Directives",
  plan: "Plans",
  decision: "Decisions",
  procedure: "Procedures",
  fact: "Facts",
  idea: "Ideas",
  event: "Events",
  conversation: "Conversations",
  reminder: "Reminders",
};

/** Groups without empty ones. By file, a memory about several files stands under each of them. */
export function grouped(rows: readonly Row[], by: Grouping): Group[] {
  switch (by) {
    case "scope":
      return split(rows, (row) => [row.scope])
        .map(([scope, held]) => {
          const inner = split(held, (row) => [row.type]).map(([type, some]) =>
            leaf(`${scope}/${type}`, "type", type, labelled(TYPE_LABELS, type), some),
          );
          return {
            key: scope,
            kind: "scope",
            value: scope,
            label: labelled(SCOPE_LABELS, scope),
            count: held.length,
            groups: inner.sort(ordered(TYPES)),
            rows: [],
          } satisfies Group;
        })
        .sort(ordered(SCOPES));
    case "category":
      return split(rows, (row) => [row.category ?? ""])
        .map(([name, held]) =>
          leaf(
            `category:${name}`,
            "category",
            name,
            name === "" ? "No category" : labelled(CATEGORY_LABELS, name),
            held,
          ),
        )
        .sort(ordered(CATEGORIES));
    case "file":
      return split(rows, (row) => (row.files.length > 0 ? row.files : [""]))
        .map(([path, held]) => leaf(`file:${path}`, "file", path, path === "" ? "No file" : path, held))
        .sort(byPath);
  }
}

function leaf(key: string, kind: Group["kind"], value: string, label: string, rows: Row[]): Group {
  return { key, kind, value, label, count: rows.length, groups: [], rows: rows.sort(byStanding) };
}

function split(rows: readonly Row[], keys: (row: Row) => readonly string[]): [string, Row[]][] {
  const found = new Map<string, Row[]>();
  for (const row of rows) {
    for (const key of keys(row)) {
      const held = found.get(key);
      if (held) held.push(row);
      else found.set(key, [row]);
    }
  }
  return [...found];
}

function labelled(labels: Readonly<Record<string, string>>, name: string): string {
  return labels[name] ?? name;
}

/** By place in `order`; what it does not name comes after, what has no name last. */
function ordered(order: readonly string[]): (one: Group, other: Group) => number {
  const place = ({ value }: Group): number =>
    value === "" ? order.length + 1 : order.includes(value) ? order.indexOf(value) : order.length;
  return (one, other) => place(one) - place(other) || (one.value < other.value ? -1 : 1);
}

function byPath(one: Group, other: Group): number {
  if (one.value === "" || other.value === "") return one.value === "" ? 1 : -1;
  return one.value < other.value ? -1 : 1;
}

// A memory in words: the line, the icon's name, what a screen reader says, and the page that hovering shows. Pure.

import type { LinkedMemory, Memory, Reference } from "../../protocol";
import { escaped, fenced } from "../text/markdown";
import { age, day, oneLine, shortAge, titleOf } from "../text/words";
import { expired, type Row } from "./row";

/** A theme icon and, where it warns, a theme colour. */
export interface Sign {
  readonly icon: string;
  readonly color: string | undefined;
}

const CATEGORY_ICONS: Readonly<Record<string, string>> = {
  blocker: "circle-slash",
  conversation: "comment-discussion",
  decision: "law",
  directive: "megaphone",
  event: "calendar",
  fact: "info",
  idea: "lightbulb",
  plan: "checklist",
  procedure: "list-ordered",
  reminder: "bell",
};
const TYPE_ICONS: Readonly<Record<Row["type"], string>> = {
  feedback: "feedback",
  project: "note",
  reference: "link",
  user: "account",
};

/** What needs attention goes before what it is. */
export function signOf(row: Row, contradicted: boolean): Sign {
  if (row.status === "archived") return { icon: "archive", color: "disabledForeground" };
  if (row.status === "resolved") return { icon: "pass", color: "testing.iconPassed" };
  if (contradicted) return { icon: "git-compare", color: "list.errorForeground" };
  if (row.status === "suspect") return { icon: "warning", color: "list.warningForeground" };
  if (row.pinned) return { icon: "pinned", color: undefined };
  return { icon: iconOf(row), color: undefined };
}

/** The icon of what a memory is, whatever its state. */
export function iconOf(row: {
  readonly category?: Memory["category"] | undefined;
  readonly type: Memory["type"];
}): string {
  return (row.category && CATEGORY_ICONS[row.category]) || TYPE_ICONS[row.type];
}

/** What stands behind the title: states, age, description. */
export function asideOf(row: Row, contradicted: boolean, now: number): string {
  return [...statesOf(row, contradicted, now), shortAge(row.updatedAt, now), row.description]
    .filter((part) => part !== "")
    .join(" · ");
}

/** The same for a screen reader, in whole words. */
export function spokenOf(row: Row, contradicted: boolean, now: number): string {
  const kind = `${row.category ?? row.type} memory, ${row.scope}`;
  const parts = [row.title, kind, ...statesOf(row, contradicted, now), `changed ${age(row.updatedAt, now)}`];
  return [...parts, row.description].filter((part) => part !== "").join(", ");
}

function statesOf(row: Row, contradicted: boolean, now: number): string[] {
  const states: string[] = [];
  if (contradicted) states.push("contradicted");
  if (row.status !== "active") states.push(row.status);
  if (expired(row, now)) states.push("expired");
  if (row.pinned) states.push("pinned");
  if (row.agent !== undefined) states.push(`for ${oneLine(row.agent, 30)}`);
  return states;
}

/** The words that menus ask for: `;pinned=no;status=active;…`, each ended by a semicolon. */
export function contextOf(row: Row): string {
  const words = [
    "memory",
    `status=${row.status}`,
    `pinned=${row.pinned ? "yes" : "no"}`,
    `scope=${row.scope}`,
    `category=${row.category ?? "none"}`,
  ];
  return `;${words.join(";")};`;
}

export const KIND_WORDS: Readonly<Record<Memory["type"], string>> = {
  feedback: "feedback",
  project: "about the project",
  reference: "reference",
  user: "preference",
};
export const AUDIENCES: Readonly<Record<Memory["scope"], string>> = {
  global: "you, in every workspace",
  personal: "you, in this workspace",
  project: "everyone on this project",
};

/** A memory as a page of Markdown; what was recorded stands in it as text and can do nothing. */
export function pageOf(memory: Memory, links: readonly LinkedMemory[], now: number): string {
  const parts = [`**${escaped(titleOf(memory.name, memory.content), 200)}**`];
  if (memory.description) parts.push(escaped(memory.description, 500));
  parts.push(fenced(memory.content, 2_000));
  const facts = [
    `${memory.category ?? KIND_WORDS[memory.type]}, for ${AUDIENCES[memory.scope]}`,
    `recorded ${day(memory.createdAt)} (${age(memory.createdAt, now)}) by ${escaped(memory.source, 80)}`,
  ];
  if (memory.version > 1) {
    facts.push(`changed ${day(memory.updatedAt)} (${age(memory.updatedAt, now)}), version ${memory.version}`);
  }
  if (memory.verifiedAt) facts.push(`verified ${day(memory.verifiedAt)}`);
  if (memory.expiresAt) {
    facts.push(`${memory.expiresAt <= now ? "expired" : "expires"} ${day(memory.expiresAt)}`);
  }
  facts.push(
    memory.accessCount === 0 ? "not shown to an agent yet" : `shown in ${memory.accessCount} sessions`,
    ...(memory.pinned ? ["pinned: never grows old"] : []),
    ...(memory.agent ? [`only for the agent ${escaped(memory.agent, 80)}`] : []),
    ...(memory.tags.length > 0 ? [`tags: ${memory.tags.map((tag) => escaped(tag, 40)).join(", ")}`] : []),
  );
  parts.push(facts.map((fact) => `- ${fact}`).join("\n"));
  const state = stateOf(memory);
  if (state) parts.push(state);
  const references = memory.references.slice(0, 12).map(referenceOf);
  if (references.length > 0) parts.push(`Names:\n\n${references.map((one) => `- ${one}`).join("\n")}`);
  const linked = links.slice(0, 8).map((one) => `- ${linkOf(one, memory.id)}`);
  if (linked.length > 0) parts.push(`Links:\n\n${linked.join("\n")}`);
  return parts.join("\n\n");
}

const ARCHIVED_FOR: Readonly<Record<NonNullable<Memory["archivedFor"]>, string>> = {
  faded: "it had faded",
  old: "it was old",
  merged: "it was merged",
  promoted: "it was promoted",
  left: "the repository's file holds it no more",
};

function stateOf(memory: Memory): string | undefined {
  switch (memory.status) {
    case "suspect":
      return "**Suspect**: what it names has changed since. Verify it, change it, or archive it.";
    case "archived":
      return `**Archived**${memory.archivedFor ? ` because ${ARCHIVED_FOR[memory.archivedFor]}` : ""}: agents do not see it.`;
    case "resolved":
      return "**Resolved**: agents do not see it.";
    case "deleted":
      return "**Deleted**: an undo brings it back.";
    case "active":
      return undefined;
  }
}

function referenceOf(one: Reference): string {
  const where =
    one.kind === "symbol" && one.path && !one.text.includes(one.path) ? ` in ${escaped(one.path, 120)}` : "";
  const hash = one.kind === "path" || (one.kind === "symbol" && one.path);
  const state = one.gone
    ? " — **is gone**"
    : one.stale
      ? " — **has changed**"
      : hash && one.hash
        ? " — as it was recorded"
        : "";
  return `${one.kind} ${escaped(one.text, 120)}${where}${state}`;
}

const LINK_WORDS: Readonly<Record<LinkedMemory["link"]["kind"], readonly [string, string]>> = {
  related: ["related to", "related to"],
  extends: ["extends", "is extended by"],
  supersedes: ["supersedes", "is superseded by"],
  contradicts: ["stands against", "stands against"],
  sameEntity: ["is about the same as", "is about the same as"],
  sequence: ["comes before", "comes after"],
};

function linkOf(one: LinkedMemory, self: string): string {
  return `${linkWords(one, self)} ${escaped(one.name, 120)}`;
}

/** What a link says of the memory `self`: `supersedes`, `is superseded by`. */
export function linkWords(one: LinkedMemory, self: string): string {
  return LINK_WORDS[one.link.kind][one.link.from === self ? 0 : 1];
}

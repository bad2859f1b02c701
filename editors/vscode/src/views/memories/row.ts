// What the tree keeps of a memory: enough for a line of it, not its text. Ten thousand of them are a few megabytes.

import type { Memory } from "../../protocol";
import { titleOf, oneLine } from "../text/words";

export type Scope = Memory["scope"];
export type MemoryType = Memory["type"];
export type Status = Memory["status"];
export type Category = NonNullable<Memory["category"]>;

export interface Row {
  readonly id: string;
  /** The workspace folder it was asked of; global memories are asked of the first. */
  readonly folder: string;
  readonly scope: Scope;
  readonly type: MemoryType;
  readonly category: Category | undefined;
  readonly status: Status;
  readonly title: string;
  readonly description: string;
  readonly agent: string | undefined;
  readonly pinned: boolean;
  readonly files: readonly string[];
  readonly updatedAt: number;
  readonly expiresAt: number | undefined;
  readonly version: number;
}

/** A row for a memory that `folder`, a workspace URI, was asked for. */
export function rowOf(memory: Memory, folder: string): Row {
  const paths = memory.references.flatMap((one) => (one.kind === "path" && one.path ? [one.path] : []));
  const title = titleOf(memory.name, memory.content);
  const said = oneLine(memory.content.replaceAll("`", ""), 160);
  // What a memory says stands behind its name, unless the name says it already.
  const aside = memory.description ? oneLine(memory.description, 160) : said;
  return {
    id: memory.id,
    folder,
    scope: memory.scope,
    type: memory.type,
    category: memory.category ?? undefined,
    status: memory.status,
    title,
    description: behind(title, aside),
    agent: memory.agent ?? undefined,
    pinned: memory.pinned,
    files: [...new Set([...memory.files, ...paths])],
    updatedAt: memory.updatedAt,
    expiresAt: memory.expiresAt ?? undefined,
    version: memory.version,
  };
}

/** What a text says beyond the title that it may begin with. */
function behind(title: string, text: string): string {
  const begun = title.replace(/…$/, "");
  if (!text.startsWith(begun)) return text;
  const rest = text.slice(begun.length);
  return /[\p{L}\p{N}]/u.test(rest) && !title.endsWith("…") ? `…${rest.replace(/^[\s.,;:!?]+/, " ")}` : "";
}

/** Whether a memory's time is over. */
export function expired(row: Row, now: number): boolean {
  return row.expiresAt !== undefined && row.expiresAt <= now;
}

/** Pinned first, then the newest change, ties by id: the order inside a group. */
export function byStanding(one: Row, other: Row): number {
  return (
    Number(other.pinned) - Number(one.pinned) ||
    other.updatedAt - one.updatedAt ||
    (one.id < other.id ? 1 : one.id > other.id ? -1 : 0)
  );
}

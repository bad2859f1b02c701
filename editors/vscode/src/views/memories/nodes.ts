// The nodes of the Memory view, from rows. Pure: what is shown where, and how much of it.

import type { Row } from "./row";
import { grouped, type Group, type Grouping } from "./grouping";
import type { Shelf } from "./shelf";

/** Memories of one group that are shown before somebody asks for more. */
export const SHOWN = 100;

export type Node = FolderNode | GroupNode | MemoryNode | MoreNode;

export interface FolderNode {
  readonly kind: "folder";
  readonly key: string;
  readonly label: string;
  readonly shelf: Shelf;
}

export interface GroupNode {
  readonly kind: "group";
  readonly key: string;
  readonly group: Group;
  readonly folder: string;
  /** Whether there may be more memories of it than were read. */
  readonly partial: boolean;
}

export interface MemoryNode {
  readonly kind: "memory";
  readonly key: string;
  readonly row: Row;
  /** Why a search found it. */
  readonly reasons?: readonly string[];
}

export interface MoreNode {
  readonly kind: "more";
  readonly key: string;
  readonly label: string;
  /** The group that is to show more; without one the shelves are to read more. */
  readonly group?: string;
  readonly shelves?: readonly Shelf[];
}

/** What decides what is shown. `shown` has how many memories of a group are, where it is not `SHOWN`. */
export interface Look {
  readonly grouping: Grouping;
  readonly shown: ReadonlyMap<string, number>;
}

/** The nodes of some shelves together, below `prefix`. */
export function nodesOf(shelves: readonly Shelf[], prefix: string, look: Look): Node[] {
  const rows = shelves.flatMap((shelf) => shelf.rows);
  const partial = shelves.some((shelf) => shelf.more);
  const folder = shelves[0]?.folder ?? "";
  const nodes: Node[] = grouped(rows, look.grouping).map((group) =>
    groupNode(group, prefix, folder, partial),
  );
  if (partial && rows.length > 0) {
    nodes.push({ kind: "more", key: `${prefix}more`, label: `Load more (${rows.length} read)`, shelves });
  }
  return nodes;
}

/** What is below a group. */
export function below(node: GroupNode, prefix: string, look: Look): Node[] {
  const { group, folder, partial } = node;
  const inner: Node[] = group.groups.map((one) => groupNode(one, prefix, folder, partial));
  const most = look.shown.get(node.key) ?? SHOWN;
  for (const row of group.rows.slice(0, most))
    inner.push({ kind: "memory", key: `${node.key}|${row.id}`, row });
  const hidden = group.rows.length - most;
  if (hidden > 0) {
    inner.push({
      kind: "more",
      key: `${node.key}|more`,
      label: `Show ${Math.min(hidden, SHOWN)} more of ${hidden}`,
      group: node.key,
    });
  }
  return inner;
}

function groupNode(group: Group, prefix: string, folder: string, partial: boolean): GroupNode {
  return { kind: "group", key: `${prefix}${group.key}`, group, folder, partial };
}

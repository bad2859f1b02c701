// Which memories stand against another one. Asked for the rows that are shown, many at once, and remembered.

import * as vscode from "vscode";
import type { SidecarClient } from "../../common/client";
import type { LinkedMemory } from "../../protocol";
import type { Row } from "./row";

/** Rows of one question, and how long their groups are waited for: VS Code asks for the children of each by itself. */
const AT_ONCE = 500;
const SOON_MS = 50;
const MOST_KEPT = 20_000;

export class Doubts implements vscode.Disposable {
  private readonly found = new vscode.EventEmitter<void>();
  /** Some of the rows that were asked about are contradicted, or no more. */
  readonly onDidFind = this.found.event;

  private readonly known = new Map<string, boolean>();
  private readonly current = new Set<string>();
  private waiting = new Map<string, Row>();
  private timer: NodeJS.Timeout | undefined;
  private readonly owned: readonly { dispose(): unknown }[];

  constructor(private readonly client: SidecarClient) {
    this.owned = [
      this.found,
      // A link says nothing of its two memories' versions: what is new may stand against any.
      client.onDidChangeMemory(() => this.current.clear()),
    ];
  }

  has(row: Row): boolean {
    return this.known.get(row.id) === true;
  }

  /** Look at these rows, unless that was done. */
  ask(rows: readonly Row[]): void {
    for (const row of rows) if (!this.current.has(row.id)) this.waiting.set(row.id, row);
    if (this.waiting.size > 0) this.timer ??= setTimeout(() => void this.work(), SOON_MS);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.waiting.clear();
    for (const one of this.owned) one.dispose();
  }

  /** One folder after the other; rows that come meanwhile are the next round's. */
  private async work(): Promise<void> {
    let news = false;
    const all = [...this.waiting.values()];
    this.waiting = new Map();
    try {
      for (const folder of new Set(all.map((row) => row.folder))) {
        const rows = all.filter((row) => row.folder === folder);
        for (let at = 0; at < rows.length; at += AT_ONCE) {
          news = (await this.look(rows.slice(at, at + AT_ONCE), folder)) || news;
        }
      }
    } catch {
      // The sidecar is gone, or memory is off here: whoever shows the rows is told by other ways.
      for (const { id } of all) this.current.delete(id);
      this.waiting.clear();
    }
    this.timer = undefined;
    this.ask([]);
    if (news) this.found.fire();
  }

  private async look(rows: readonly Row[], folder: string): Promise<boolean> {
    const ids = rows.map((row) => row.id);
    for (const id of ids) this.current.add(id);
    const links = await this.client.request("memory/links", {
      ids,
      kinds: ["contradicts"],
      workspaceUri: folder,
    });
    const against = new Set(
      links.items.filter(contradicts).map(({ id, link }) => (link.from === id ? link.to : link.from)),
    );
    if (this.known.size > MOST_KEPT) this.known.clear();
    const before = ids.filter((id) => this.known.get(id) === true);
    for (const id of ids) this.known.set(id, against.has(id));
    return before.length !== against.size || before.some((id) => !against.has(id));
  }
}

/** Whether a link says that two memories in force stand against each other. */
export function contradicts(one: LinkedMemory): boolean {
  return one.link.kind === "contradicts" && (one.status === "active" || one.status === "suspect");
}

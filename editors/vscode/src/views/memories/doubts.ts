// Which memories stand against another one. Asked for the rows that are shown, a few at a time, and remembered.

import * as vscode from "vscode";
import type { SidecarClient } from "../../common/client";
import type { LinkedMemory } from "../../protocol";
import type { Row } from "./row";

const AT_ONCE = 4;
const MOST_KEPT = 20_000;

export class Doubts implements vscode.Disposable {
  private readonly found = new vscode.EventEmitter<void>();
  /** Some of the rows that were asked about are contradicted, or no more. */
  readonly onDidFind = this.found.event;

  private readonly known = new Map<string, boolean>();
  private readonly current = new Set<string>();
  private waiting: Row[] = [];
  private working = 0;
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
    const waiting = new Set(this.waiting.map((row) => row.id));
    this.waiting.push(...rows.filter((row) => !this.current.has(row.id) && !waiting.has(row.id)));
    while (this.working < AT_ONCE && this.waiting.length > 0) {
      this.working += 1;
      void this.work();
    }
  }

  dispose(): void {
    this.waiting = [];
    for (const one of this.owned) one.dispose();
  }

  private async work(): Promise<void> {
    let news = false;
    for (let row = this.waiting.shift(); row !== undefined; row = this.waiting.shift()) {
      try {
        const links = await this.client.request("memory/links", { id: row.id, workspaceUri: row.folder });
        const against = links.items.some(contradicts);
        news ||= against !== this.has(row);
        if (this.known.size > MOST_KEPT) this.known.clear();
        this.known.set(row.id, against);
        this.current.add(row.id);
      } catch {
        this.waiting = []; // gone meanwhile, or the sidecar is: whoever shows the rows is told by other ways
      }
    }
    this.working -= 1;
    if (news) this.found.fire();
  }
}

/** Whether a link says that two memories in force stand against each other. */
export function contradicts(one: LinkedMemory): boolean {
  return one.link.kind === "contradicts" && (one.status === "active" || one.status === "suspect");
}

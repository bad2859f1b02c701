// The candidates of the window's folders, kept current while the sidecar runs.

import * as vscode from "vscode";
import type { SidecarClient } from "../../common/client";
import { answers, uriOf } from "../../common/folders";
import type { Candidate } from "../../protocol";
import { wordsOf } from "../../common/errors";

const SOON_MS = 100;
const MOST = 200;

/** A candidate, and the folder whose sidecar is asked for it. */
export interface Entry {
  readonly candidate: Candidate;
  readonly folder: string;
}

export type Shown = "waiting" | "rejected";

export class CandidateList implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;

  private found: readonly Entry[] = [];
  private failure: string | undefined;
  private status: Shown = "waiting";
  private timer: NodeJS.Timeout | undefined;
  private round = 0;
  /** Put off, with the time of the last words: said again they are shown again. */
  private readonly later = new Map<string, number>();
  private readonly owned: readonly { dispose(): unknown }[];

  constructor(private readonly client: SidecarClient) {
    this.owned = [
      this.changed,
      client.onDidChangeCandidates(() => this.soon()),
      client.onDidChangeState((state) => {
        if (state === "running") this.soon();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        if (client.state === "running") this.soon();
      }),
    ];
  }

  /** Those that are shown, the best supported of a folder first. */
  get entries(): readonly Entry[] {
    return this.found.filter(({ candidate }) => this.later.get(candidate.id) !== candidate.updatedAt);
  }

  get shown(): Shown {
    return this.status;
  }

  /** Why they could not be read, in words for a person. */
  get problem(): string | undefined {
    return this.failure;
  }

  /** Show those that wait, or those that were rejected. */
  async show(status: Shown): Promise<void> {
    this.status = status;
    this.found = [];
    await this.reload();
  }

  /** Leave these for another time: until they are said again, or the window is opened again. */
  putOff(entries: readonly Entry[]): void {
    for (const { candidate } of entries) this.later.set(candidate.id, candidate.updatedAt);
    this.changed.fire();
  }

  /** Show those again that were put off. */
  async refresh(): Promise<void> {
    this.later.clear();
    await this.reload();
  }

  /** Read them anew; starts the sidecar. A failure is kept in `problem`. */
  async reload(): Promise<void> {
    const round = ++this.round;
    const status = [this.status];
    try {
      const found = await answers(async (one) => {
        const folder = uriOf(one);
        const asked = { status, limit: MOST, workspaceUri: folder };
        const { items } = await this.client.request("memory/candidates", asked);
        return items.map((candidate) => ({ candidate, folder }));
      });
      if (round !== this.round) return;
      this.found = found.flat();
      this.failure = undefined;
    } catch (error) {
      if (round !== this.round) return;
      this.failure = wordsOf(error);
    }
    this.changed.fire();
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const one of this.owned) one.dispose();
  }

  private soon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.reload();
    }, SOON_MS);
  }
}

// The memories of the window's folders, kept current while somebody looks.

import * as vscode from "vscode";
import { SidecarError, type SidecarClient } from "../../common/client";
import { wordsOf } from "../../common/errors";
import { ERROR_CODES, type DidChangeMemories, type DidInvalidateFiles, type Memory } from "../../protocol";
import { expired, rowOf, type Row } from "./row";
import { Shelf, type Ask, type Filter } from "./shelf";

/** Changed memories that are asked for one by one; more of them, and everything is read anew. */
const ONE_BY_ONE = 40;
const SOON_MS = 150;

export const USUAL: Filter = { statuses: ["active", "suspect"], expired: false };

export class Library implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;

  private shelvesNow: Shelf[] = [];
  private failure: string | undefined;
  private asked = false;
  private answered = false;
  private watched = false;
  private timer: NodeJS.Timeout | undefined;
  private readonly dirty = new Map<string, Set<string>>();
  private reloading: Promise<void> | undefined;
  private readonly owned: readonly { dispose(): unknown }[];

  constructor(
    private readonly client: SidecarClient,
    private filterNow: Filter,
  ) {
    this.owned = [
      this.changed,
      client.onDidChangeMemory((told) => this.memoriesChanged(told)),
      client.onDidInvalidateFiles((told) => this.filesChanged(told)),
      client.onDidChangeState((state) => {
        if (state === "running" && this.watched) void this.reload();
        else this.changed.fire();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        this.place();
        if (this.watched) void this.reload();
      }),
    ];
    this.place();
  }

  get shelves(): readonly Shelf[] {
    return this.shelvesNow;
  }

  get filter(): Filter {
    return this.filterNow;
  }

  /** Why the memories could not be read, in words for a person. */
  get problem(): string | undefined {
    return this.failure;
  }

  /** Whether an answer came since the folders were opened. */
  get ready(): boolean {
    return this.answered;
  }

  get size(): number {
    return this.shelvesNow.reduce((sum, shelf) => sum + shelf.size, 0);
  }

  /** Somebody looks: from now on the memories are read, and followed. */
  watch(): void {
    this.watched = true;
    if (!this.asked) void this.reload();
  }

  async setFilter(filter: Filter): Promise<void> {
    this.filterNow = filter;
    await this.reload();
  }

  /** Resolves when the memories were read for the first time, or could not be. */
  async firstAnswer(): Promise<void> {
    this.watch();
    await this.reloading;
  }

  /** Read everything anew. Failures are kept in `problem`. */
  async reload(): Promise<void> {
    this.asked = true;
    this.dirty.clear();
    const run = this.reading(this.shelvesNow, (shelf) => shelf.reload(this.filterNow, () => this.told()));
    this.reloading = run;
    await run;
    if (this.reloading === run) this.reloading = undefined;
  }

  /** Read another batch of each shelf that has more. */
  async loadMore(shelves: readonly Shelf[]): Promise<void> {
    const some = shelves.filter((shelf) => shelf.more);
    await this.reading(some, (shelf) => shelf.next(this.filterNow, () => this.told()));
  }

  /** Ask for one memory again, and show it as it is now. */
  async refresh(id: string, folder: string): Promise<void> {
    try {
      this.take(await this.client.request("memory/get", { id, workspaceUri: folder }), folder);
    } catch (error) {
      if (!(error instanceof SidecarError) || error.code !== ERROR_CODES.MEMORY_NOT_FOUND) throw error;
      this.remove(id);
    }
  }

  /** Take in a memory that somebody has been answered. */
  take(memory: Memory, folder: string): void {
    const row = rowOf(memory, folder);
    const home = this.shelfOf(row);
    let changed = false;
    for (const shelf of this.shelvesNow) {
      const stays = shelf === home && this.passes(row);
      const placed = { ...row, folder: shelf.folder };
      changed = (stays ? shelf.put(placed) : this.drops(shelf, row, home)) || changed;
    }
    if (changed) this.changed.fire();
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const one of this.owned) one.dispose();
  }

  /** A memory of one folder is never on another's shelf; only a global one can have come from any of them. */
  private drops(shelf: Shelf, row: Row, home: Shelf | undefined): boolean {
    return shelf.folder === row.folder || home?.scopes.includes("global") === true
      ? shelf.drop(row.id)
      : false;
  }

  private remove(id: string): void {
    const dropped = this.shelvesNow.map((shelf) => shelf.drop(id));
    if (dropped.includes(true)) this.changed.fire();
  }

  private place(): void {
    const ask: Ask = (params) => this.client.request("memory/list", params);
    const folders = (vscode.workspace.workspaceFolders ?? []).filter((one) => one.uri.scheme === "file");
    this.shelvesNow = folders.map((one) => new Shelf(one.uri.toString(), ["project", "personal"], ask));
    const first = folders[0];
    if (first) this.shelvesNow.push(new Shelf(first.uri.toString(), ["global"], ask));
    this.asked = false;
    this.answered = false;
    this.failure = undefined;
    this.changed.fire();
  }

  private async reading(shelves: readonly Shelf[], read: (shelf: Shelf) => Promise<void>): Promise<void> {
    const done = await Promise.allSettled(shelves.map(read));
    const bad = done.find((one) => one.status === "rejected");
    this.failure = bad === undefined ? undefined : wordsOf(bad.reason);
    this.answered ||= bad === undefined;
    this.changed.fire();
  }

  private told(): void {
    this.answered = true;
    this.changed.fire();
  }

  private passes(row: Row): boolean {
    return (
      this.filterNow.statuses.includes(row.status) && (this.filterNow.expired || !expired(row, Date.now()))
    );
  }

  private shelfOf(row: Row): Shelf | undefined {
    return this.shelvesNow.find(
      (shelf) =>
        shelf.scopes.includes(row.scope) && (row.scope === "global" || sameFolder(shelf.folder, row.folder)),
    );
  }

  private memoriesChanged(told: DidChangeMemories): void {
    if (!this.watched) return;
    const folder = this.shelvesNow.find((shelf) => sameFolder(shelf.folder, told.workspaceUri))?.folder;
    if (folder === undefined) return;
    this.later(folder, told.changes.length === 0 ? ["*"] : told.changes.map((one) => one.id));
  }

  /** A memory that names a changed file may be in doubt now, or no more. */
  private filesChanged(told: DidInvalidateFiles): void {
    if (!this.watched) return;
    const paths = new Set(told.files.flatMap((one) => (one.newPath ? [one.path, one.newPath] : [one.path])));
    for (const shelf of this.shelvesNow.filter((one) => sameFolder(one.folder, told.workspaceUri))) {
      const concerned = shelf.rows.filter((row) => row.files.some((path) => paths.has(path)));
      if (concerned.length > 0)
        this.later(
          shelf.folder,
          concerned.map((row) => row.id),
        );
    }
  }

  private later(folder: string, ids: readonly string[]): void {
    const known = this.dirty.get(folder) ?? new Set<string>();
    for (const id of ids) known.add(id);
    this.dirty.set(folder, known);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.catchUp();
    }, SOON_MS);
  }

  private async catchUp(): Promise<void> {
    await this.reloading;
    const todo = [...this.dirty].flatMap(([folder, ids]) => [...ids].map((id) => ({ folder, id })));
    this.dirty.clear();
    if (todo.length > ONE_BY_ONE || todo.some((one) => one.id === "*")) {
      await this.reload();
      return;
    }
    const done = await Promise.allSettled(todo.map(({ id, folder }) => this.refresh(id, folder)));
    if (done.some((one) => one.status === "rejected") && this.client.state === "running") await this.reload();
  }
}

/** Whether two URIs mean one folder: they may differ in how they are written. */
export function sameFolder(one: string, other: string): boolean {
  return one === other || vscode.Uri.parse(one).fsPath === vscode.Uri.parse(other).fsPath;
}

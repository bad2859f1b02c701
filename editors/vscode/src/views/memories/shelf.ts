// The memories of one folder, or the global ones, page by page. Knows the sidecar only by one function.

import type { ListParams, ListResult } from "../../protocol";
import { rowOf, type Row, type Scope, type Status } from "./row";

/** Memories asked for at once, and rows after which somebody must ask for more. */
export const PAGE = 200;
export const BATCH = 1_000;

export type Ask = (params: ListParams) => Promise<ListResult>;

/** Which memories are looked at. `expired`: those whose time is over too. */
export interface Filter {
  readonly statuses: readonly Status[];
  readonly expired: boolean;
}

export class Shelf {
  private readonly held = new Map<string, Row>();
  private cursor: string | undefined;
  private begun = false;
  private round = 0;

  constructor(
    /** The URI of the workspace folder that is asked. */
    readonly folder: string,
    readonly scopes: readonly Scope[],
    private readonly ask: Ask,
  ) {}

  get rows(): readonly Row[] {
    return [...this.held.values()];
  }

  get size(): number {
    return this.held.size;
  }

  /** Whether there are memories that were not asked for yet. */
  get more(): boolean {
    return !this.begun || this.cursor !== undefined;
  }

  has(id: string): boolean {
    return this.held.has(id);
  }

  /**
   * Begin anew and read one batch; what is held stays until the first page is there. `told` is called after each page.
   * A later call overtakes this one, which then changes nothing any more. Rejects with what `ask` rejects with.
   */
  async reload(filter: Filter, told: () => void): Promise<void> {
    const wanted = Math.max(BATCH, this.held.size);
    await this.pages(filter, wanted, ++this.round, true, told);
  }

  /** Read another batch. */
  async next(filter: Filter, told: () => void): Promise<void> {
    if (this.more) await this.pages(filter, this.held.size + BATCH, ++this.round, !this.begun, told);
  }

  /** Take in one memory; true when that changes anything that is held, which an answer of before does not. */
  put(row: Row): boolean {
    const before = this.held.get(row.id);
    if (before !== undefined && row.version < before.version) return false;
    this.held.set(row.id, row);
    return JSON.stringify(before) !== JSON.stringify(row);
  }

  /** Drop one; true when it was held. */
  drop(id: string): boolean {
    return this.held.delete(id);
  }

  private async pages(
    filter: Filter,
    wanted: number,
    round: number,
    anew: boolean,
    told: () => void,
  ): Promise<void> {
    let cursor = anew ? undefined : this.cursor;
    for (let first = anew; ; first = false) {
      const page = await this.ask({
        scopes: [...this.scopes],
        status: [...filter.statuses],
        include: filter.expired ? ["expired"] : [],
        agent: "*",
        limit: PAGE,
        cursor: cursor ?? null,
        workspaceUri: this.folder,
      });
      if (round !== this.round) return;
      if (first) this.held.clear();
      for (const memory of page.items) this.held.set(memory.id, rowOf(memory, this.folder));
      cursor = page.cursor ?? undefined;
      this.cursor = cursor;
      this.begun = true;
      told();
      if (cursor === undefined || this.held.size >= wanted) return;
    }
  }
}

import { EventEmitter } from "node:events";
import type { Transport } from "./transport";

export interface CacheOptions {
  maxEntries: number;
  ttlMs: number;
  staleWhileRevalidate?: boolean;
}

interface Entry<T> {
  value: T;
  storedAt: number;
}

export class RequestCache<T> extends EventEmitter {
  private entries = new Map<string, Entry<T>>();
  private inFlight = new Map<string, Promise<T>>();

  constructor(
    private readonly transport: Transport<T>,
    private readonly options: CacheOptions,
    private readonly now: () => number = Date.now,
  ) {
    super();
  }

  async fetch(url: string): Promise<T> {
    const entry = this.entries.get(url);
    if (entry && !this.isStale(entry)) return entry.value;
    if (entry && this.options.staleWhileRevalidate) {
      void this.load(url).catch((error) => this.emit("refreshFailed", url, error));
      return entry.value;
    }
    return this.load(url);
  }

  private load(url: string): Promise<T> {
    const pending = this.inFlight.get(url);
    if (pending) return pending;
    const promise = this.transport
      .get(url)
      .then((value) => {
        this.store(url, value);
        return value;
      })
      .finally(() => this.inFlight.delete(url));
    this.inFlight.set(url, promise);
    return promise;
  }

  private store(url: string, value: T): void {
    this.entries.delete(url);
    this.entries.set(url, { value, storedAt: this.now() });
    while (this.entries.size > this.options.maxEntries) {
      const oldest = this.entries.keys().next().value as string;
      this.entries.delete(oldest);
      this.emit("evicted", oldest);
    }
  }

  private isStale(entry: Entry<T>): boolean {
    return this.now() - entry.storedAt > this.options.ttlMs;
  }

  invalidate(prefix: string): number {
    let removed = 0;
    for (const key of [...this.entries.keys()]) {
      if (key.startsWith(prefix)) {
        this.entries.delete(key);
        removed += 1;
      }
    }
    return removed;
  }
}

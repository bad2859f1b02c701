// How long to wait before a process that ended is started again, and when to give up.

const WAITS = [250, 1_000, 4_000, 10_000];
const WINDOW = 180_000;

/** Four restarts in three minutes, each later than the one before; then a person is asked. */
export class Patience {
  private ended: number[] = [];

  /** Milliseconds to wait after an end at `now` (epoch ms); undefined: give up. */
  next(now: number): number | undefined {
    this.ended = [...this.ended.filter((at) => now - at < WINDOW), now];
    return WAITS[this.ended.length - 1];
  }

  /** A person has asked for a restart. */
  forget(): void {
    this.ended = [];
  }
}

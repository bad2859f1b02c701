// One thing at a time, and no more often than needed.

/** Runs jobs one after another. */
export class Serial {
  private last: Promise<unknown> = Promise.resolve();

  /** Run after all that was asked for before. */
  run<T>(job: () => Promise<T>): Promise<T> {
    const next = this.last.then(job, job);
    this.last = next.catch(() => undefined); // whoever asked is told; the next job runs all the same
    return next;
  }
}

/** A job that many may ask for: those who ask while it waits to begin share one run. */
export class Shared<T> {
  private waiting: Promise<T> | undefined;

  constructor(
    private readonly serial: Serial,
    private readonly job: () => Promise<T>,
  ) {}

  run(): Promise<T> {
    this.waiting ??= this.serial.run(() => {
      this.waiting = undefined;
      return this.job();
    });
    return this.waiting;
  }
}

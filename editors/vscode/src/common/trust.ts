// What must not happen in a workspace that is not trusted.
import { WRITES } from "../protocol";

const SLOW_WRITES: ReadonlySet<string> = new Set([
  "memory/maintain",
  "memory/import",
  "memory/bootstrap",
  "session/import",
  "hooks/run",
]);

/** Whether a request changes what is kept or starts programs. A dry run does not. */
export function changesMemory(method: string, params: unknown): boolean {
  if (WRITES.has(method)) {
    return true;
  }
  const dryRun = (params as { dryRun?: unknown } | null | undefined)?.dryRun === true;
  return SLOW_WRITES.has(method) && !dryRun;
}

// What can be wrong with a sidecar that was found, or not found.
import type { Found, Offer } from "./finder";

/** A reason why there is no sidecar. */
export type Problem =
  | { readonly kind: "missing"; readonly looked: readonly string[]; readonly offer?: Offer | undefined }
  | { readonly kind: "failed"; readonly found: Found; readonly said: string; readonly errors: string }
  | { readonly kind: "old" | "new"; readonly found: Found; readonly version: string }
  | { readonly kind: "other"; readonly found: Found; readonly name: string }
  | { readonly kind: "crashes"; readonly errors: string };

/** The extension works with versions from the first up to below the second. */
export const SUPPORTED = { from: "0.1.0", below: "0.2.0" } as const;

/** What is wrong with what answered `initialize`, if anything. */
export function versionProblem(
  found: Found,
  info: { readonly name: string; readonly version?: string | undefined } | undefined,
): Problem | undefined {
  if (info?.name !== "memory-sidecar") {
    return { kind: "other", found, name: info?.name ?? "something without a name" };
  }
  const version = info.version ?? "0";
  if (compare(version, SUPPORTED.from) < 0) {
    return { kind: "old", found, version };
  }
  return compare(version, SUPPORTED.below) >= 0 ? { kind: "new", found, version } : undefined;
}

/** By the numbers of the release alone; `0.2.0a1` counts as `0.2.0`. */
export function compare(one: string, other: string): number {
  const [left, right] = [numbers(one), numbers(other)];
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) {
      return difference;
    }
  }
  return 0;
}

function numbers(version: string): number[] {
  const release = /^\d+(\.\d+)*/.exec(version)?.[0] ?? "0";
  return release.split(".").map(Number);
}

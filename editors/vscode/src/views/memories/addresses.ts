// Addresses of memories as documents. Pure.

/** Memories that are edited. */
export const EDITED = "memory-sidecar";
/** Earlier versions, which are only read. */
export const EARLIER = "memory-sidecar-version";

export interface Address {
  readonly id: string;
  readonly folder: string;
  /** Of an earlier version. */
  readonly version?: number;
}

/** The path and the query of a memory's URI: a name for people in the path, what it means in the query. */
export function addressed(address: Address, title: string): { path: string; query: string } {
  const name = title
    .replace(/[^\p{L}\p{N} ._-]+/gu, " ")
    .replace(/\s+/g, " ")
    .replace(/\.{2,}/g, ".")
    .replace(/^[. ]+/, "")
    .trim();
  const short = Array.from(name || "memory")
    .slice(0, 50)
    .join("")
    .trim();
  const version = address.version === undefined ? "" : ` (version ${address.version})`;
  const query = JSON.stringify({
    folder: address.folder,
    ...(address.version ? { version: address.version } : {}),
  });
  return { path: `/${address.id}/${short}${version}.md`, query };
}

/** What a URI means; undefined when it is no memory's. */
export function addressOf(path: string, query: string): Address | undefined {
  const id = path.split("/")[1];
  if (!id) return undefined;
  try {
    const given = JSON.parse(query) as { folder?: unknown; version?: unknown };
    if (typeof given.folder !== "string") return undefined;
    const version = typeof given.version === "number" ? { version: given.version } : {};
    return { id, folder: given.folder, ...version };
  } catch {
    return undefined; // somebody made it up
  }
}

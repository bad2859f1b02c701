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

/** What all of them seem to lie in: it stands in front of the name where VS Code shows the path. */
const FOLDER = "Memory";

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
    id: address.id,
    folder: address.folder,
    ...(address.version ? { version: address.version } : {}),
  });
  return { path: `/${FOLDER}/${short}${version}.md`, query };
}

/** What the query of a URI means; undefined when it is no memory's. */
export function addressOf(query: string): Address | undefined {
  try {
    const { id, folder, version } = JSON.parse(query) as Record<string, unknown>;
    if (typeof id !== "string" || id === "" || typeof folder !== "string") return undefined;
    return { id, folder, ...(typeof version === "number" ? { version } : {}) };
  } catch {
    return undefined; // somebody made it up
  }
}

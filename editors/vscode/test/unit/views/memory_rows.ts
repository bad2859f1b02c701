// Rows and memories for tests.
import type { Memory } from "../../../src/protocol";
import type { Row } from "../../../src/views/memories/row";

/** A memory with what a test names. */
export function memory(given: Partial<Memory> = {}): Memory {
  return {
    id: "01a2018a-bd7b-7332-b94f-781368f6428f",
    scope: "project",
    type: "project",
    name: "Tokens",
    content: "Tokens live an hour.",
    tags: [],
    files: [],
    entities: [],
    references: [],
    relevance: 1,
    accessCount: 0,
    pinned: false,
    status: "active",
    source: "user",
    createdAt: Date.UTC(2026, 0, 1),
    updatedAt: Date.UTC(2026, 0, 1),
    version: 1,
    ...given,
  };
}

/** A row with what a test names. */
export function row(id: string, given: Partial<Row> = {}): Row {
  return {
    id,
    folder: "file:///w",
    scope: "project",
    type: "project",
    category: undefined,
    status: "active",
    title: id,
    description: "",
    agent: undefined,
    pinned: false,
    files: [],
    updatedAt: 0,
    expiresAt: undefined,
    version: 1,
    ...given,
  };
}

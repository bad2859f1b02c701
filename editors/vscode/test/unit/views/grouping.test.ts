import assert from "node:assert/strict";
import { test } from "node:test";
import { grouped, type Group } from "../../../src/views/memories/grouping";
import type { Memory } from "../../../src/protocol";
import { rowOf } from "../../../src/views/memories/row";
import { memory, row } from "./memory_rows";

const names = (groups: readonly Group[]): string[] => groups.map((one) => `${one.label} ${one.count}`);

test("by scope, then type, in an order of their own and without empty groups", () => {
  const groups = grouped(
    [
      row("a", { scope: "global", type: "user" }),
      row("b", { scope: "project", type: "reference" }),
      row("c", { scope: "project", type: "project" }),
      row("d", { scope: "project", type: "project", updatedAt: 5 }),
    ],
    "scope",
  );
  assert.deepEqual(names(groups), ["Project 3", "Global 1"]);
  assert.deepEqual(names(groups[0]?.groups ?? []), ["About the project 2", "References 1"]);
  assert.deepEqual(
    groups[0]?.groups[0]?.rows.map((one) => one.id),
    ["d", "c"],
    "newest first",
  );
});

test("pinned memories stand first in their group", () => {
  const [group] = grouped(
    [row("new", { updatedAt: 9 }), row("kept", { pinned: true, updatedAt: 1 })],
    "category",
  );
  assert.deepEqual(
    group?.rows.map((one) => one.id),
    ["kept", "new"],
  );
});

test("by category: blockers first, what has none last, an unknown one is shown as it is", () => {
  const groups = grouped(
    [
      row("a"),
      row("b", { category: "fact" }),
      row("c", { category: "blocker" }),
      row("d", { category: "novel" as "fact" }),
    ],
    "category",
  );
  assert.deepEqual(names(groups), ["Blockers 1", "Facts 1", "novel 1", "No category 1"]);
});

test("by file: a memory stands under each of its files", () => {
  const groups = grouped(
    [row("a", { files: ["src/b.py", "src/a.py"] }), row("b", { files: ["src/b.py"] }), row("c")],
    "file",
  );
  assert.deepEqual(names(groups), ["src/a.py 1", "src/b.py 2", "No file 1"]);
  assert.equal(new Set(groups.map((one) => one.key)).size, 3);
});

test("behind a name stands what the memory says, unless the name says it", () => {
  const of = (given: Partial<Memory>): string => rowOf(memory(given), "file:///w").description;
  assert.equal(of({ name: "Expiry", content: "Tokens live `TTL` seconds." }), "Tokens live TTL seconds.");
  assert.equal(of({ name: "Expiry", description: "how long", content: "Tokens live." }), "how long");
  assert.equal(of({ name: "Tokens", content: "Tokens live `TTL` seconds." }), "… live TTL seconds.");
  assert.equal(of({ name: "Tokens live TTL seconds", content: "Tokens live `TTL` seconds." }), "");
  assert.equal(of({ name: "Tokens… (c63bee)", content: "Tokens live an hour." }), "");
});

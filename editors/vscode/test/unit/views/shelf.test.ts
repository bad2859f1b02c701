import assert from "node:assert/strict";
import { test } from "node:test";
import type { ListParams, ListResult } from "../../../src/protocol";
import { below, nodesOf, SHOWN } from "../../../src/views/memories/nodes";
import { BATCH, PAGE, Shelf, type Filter } from "../../../src/views/memories/shelf";
import { memory, row } from "./memory_rows";

const FILTER: Filter = { statuses: ["active"], expired: false };

/** A store of `size` memories that answers pages as the sidecar does. */
function store(size: number): { asked: ListParams[]; ask: (params: ListParams) => Promise<ListResult> } {
  const asked: ListParams[] = [];
  return {
    asked,
    ask: (params) => {
      asked.push(params);
      const from = Number(params.cursor ?? 0);
      const to = Math.min(size, from + (params.limit ?? 50));
      const items = Array.from({ length: to - from }, (_, at) =>
        memory({ id: `m${from + at}`, name: `m${from + at}` }),
      );
      return Promise.resolve(to < size ? { items, cursor: String(to) } : { items });
    },
  };
}

test("a large store is read in batches, page by page", async () => {
  const { asked, ask } = store(10_000);
  const shelf = new Shelf("file:///w", ["project"], ask);
  let told = 0;
  await shelf.reload(FILTER, () => {
    told += 1;
  });
  assert.equal(shelf.size, BATCH);
  assert.equal(asked.length, BATCH / PAGE);
  assert.equal(told, BATCH / PAGE, "what is there is shown after each page");
  assert.ok(shelf.more);
  assert.ok(asked.every((one) => one.agent === "*" && one.workspaceUri === "file:///w"));
  await shelf.next(FILTER, () => undefined);
  assert.equal(shelf.size, 2 * BATCH);
  assert.equal(new Set(shelf.rows.map((row) => row.id)).size, 2 * BATCH);
});

test("reading anew keeps as much as was there, and drops what is gone", async () => {
  let size = 1_500;
  const shelf = new Shelf("file:///w", ["project"], (params) => store(size).ask(params));
  await shelf.reload(FILTER, () => undefined);
  await shelf.next(FILTER, () => undefined);
  assert.equal(shelf.size, 1_500);
  assert.ok(!shelf.more);
  size = 3;
  await shelf.reload(FILTER, () => undefined);
  assert.deepEqual(
    shelf.rows.map((row) => row.id),
    ["m0", "m1", "m2"],
  );
});

test("what held stays when the sidecar fails, and the failure comes through", async () => {
  let fail = false;
  const { ask } = store(5);
  const shelf = new Shelf("file:///w", ["project"], (params) =>
    fail ? Promise.reject(new Error("away")) : ask(params),
  );
  await shelf.reload(FILTER, () => undefined);
  fail = true;
  await assert.rejects(
    shelf.reload(FILTER, () => undefined),
    /away/,
  );
  assert.equal(shelf.size, 5);
});

test("an answer that was overtaken changes nothing", async () => {
  const waiting: ((result: ListResult) => void)[] = [];
  const shelf = new Shelf("file:///w", ["project"], () => new Promise((answer) => waiting.push(answer)));
  const slow = shelf.reload(FILTER, () => undefined);
  const fast = shelf.reload(FILTER, () => undefined);
  waiting[1]?.({ items: [memory({ id: "new" })] });
  await fast;
  waiting[0]?.({ items: [memory({ id: "old" })] });
  await slow;
  assert.deepEqual(
    shelf.rows.map((row) => row.id),
    ["new"],
  );
});

test("an answer that comes late does not take the place of a newer one", () => {
  const shelf = new Shelf("file:///w", ["project"], store(0).ask);
  assert.ok(shelf.put(row("one", { version: 1 })));
  assert.ok(shelf.put(row("one", { version: 2, pinned: true })));
  assert.ok(!shelf.put(row("one", { version: 1 })), "asked for before the change, answered after it");
  assert.deepEqual(
    shelf.rows.map(({ version, pinned }) => [version, pinned]),
    [[2, true]],
  );
  assert.ok(shelf.put(row("one", { version: 2, pinned: true, status: "suspect" })));
});

test("a group shows a hundred and then a hundred more; the shelf says when there is more to read", async () => {
  const shelf = new Shelf("file:///w", ["project"], store(10_000).ask);
  await shelf.reload(FILTER, () => undefined);
  const look = { grouping: "category" as const, shown: new Map<string, number>() };
  const [group, more] = nodesOf([shelf], "", look);
  assert.equal(group?.kind, "group");
  assert.deepEqual(more && { kind: more.kind, label: "label" in more ? more.label : "" }, {
    kind: "more",
    label: "Load more (1000 read)",
  });
  const shown = below(group, "", look);
  assert.equal(shown.length, SHOWN + 1);
  const last = shown.at(-1);
  assert.ok(last?.kind === "more" && last.group === group.key);
  look.shown.set(group.key, 2 * SHOWN);
  assert.equal(below(group, "", look).length, 2 * SHOWN + 1);
});

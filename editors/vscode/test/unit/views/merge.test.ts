import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldsOf } from "../../../src/views/memories/document";
import { merged, mergedText } from "../../../src/views/memories/merge";
import { memory } from "./memory_rows";

const BASE = fieldsOf(memory({ tags: ["a", "b"], content: "One.\nTwo.\nThree." }));

test("fields that one side changed are that side's", () => {
  const mine = { ...BASE, content: "One!\nTwo.\nThree.", tags: ["b", "c"] };
  const theirs = {
    ...BASE,
    pinned: true,
    name: "Other",
    content: "One.\nTwo.\nThree.\nFour.",
    tags: ["a", "b", "d"],
  };
  assert.deepEqual(merged(BASE, mine, theirs), {
    ...BASE,
    pinned: true,
    name: "Other",
    content: "One!\nTwo.\nThree.\nFour.",
    tags: ["b", "d", "c"],
  });
  assert.deepEqual(merged(BASE, BASE, theirs), theirs);
  assert.deepEqual(merged(BASE, mine, BASE), mine);
});

test("what both changed, each in another way, is a conflict", () => {
  assert.equal(merged(BASE, { ...BASE, name: "Mine" }, { ...BASE, name: "Theirs" }), undefined);
  assert.deepEqual(merged(BASE, { ...BASE, name: "Same" }, { ...BASE, name: "Same" })?.name, "Same");
  assert.equal(mergedText("One.\nTwo.", "One, mine.\nTwo.", "One, theirs.\nTwo."), undefined);
  assert.equal(mergedText("One.\nTwo.", "One.", "One.\nTwo, changed."), undefined);
});

test("lines are taken from both", () => {
  assert.equal(mergedText("a\nb\nc\nd", "a\nB\nc\nd", "a\nb\nc\nD"), "a\nB\nc\nD");
  assert.equal(mergedText("a\nb\nc", "b\nc", "a\nb\nc\nd"), "b\nc\nd");
  assert.equal(mergedText("a\nb", "a\nnew\nb", "a\nnew\nb"), "a\nnew\nb");
  assert.equal(mergedText("", "x", ""), "x");
  assert.equal(mergedText("a\r\nb", "a\nb\nc", "a\nb"), "a\nb\nc");
});

/** Whatever the texts are: what one side alone changed is that side's text, and a merge does not depend on the order. */
test("a merge of any texts holds to its rules", () => {
  let seed = 7;
  const random = (most: number): number => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % most;
  const some = (): string => Array.from({ length: random(7) }, () => "abc"[random(3)]).join("\n");
  for (let round = 0; round < 3_000; round++) {
    const [base, mine, theirs] = [some(), some(), some()];
    assert.equal(mergedText(base, mine, base), mine);
    assert.equal(mergedText(base, base, theirs), theirs);
    assert.equal(mergedText(base, mine, mine), mine);
    assert.equal(mergedText(base, mine, theirs), mergedText(base, theirs, mine));
  }
});

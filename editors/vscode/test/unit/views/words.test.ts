import assert from "node:assert/strict";
import { test } from "node:test";
import { escaped, fenced } from "../../../src/views/text/markdown";
import { age, counted, grouped, oneLine, shortAge, titleOf } from "../../../src/views/text/words";

const DAY = 86_400_000;

test("an age is counted in days of UTC", () => {
  const midnight = Date.UTC(2026, 2, 10);
  assert.equal(age(midnight - 1, midnight), "yesterday");
  assert.equal(age(midnight, midnight + DAY - 1), "today");
  assert.equal(age(midnight - 20 * DAY, midnight), "2 weeks ago");
  assert.equal(age(midnight + DAY, midnight), "today", "a clock that runs behind is no error");
});

test("a short age fits beside a title", () => {
  assert.deepEqual(
    [0, 59_999, 60_000, 3_600_000, 3 * DAY, 30 * DAY, 100 * DAY, 1_000 * DAY].map((ms) => shortAge(0, ms)),
    ["now", "now", "1m", "1h", "3d", "4w", "3mo", "2y"],
  );
});

test("counts have their word and their commas", () => {
  assert.equal(counted(1, "memory", "memories"), "1 memory");
  assert.equal(counted(12_345, "token"), "12,345 tokens");
  assert.equal(grouped(999), "999");
  assert.equal(grouped(1_000_000), "1,000,000");
});

test("one line holds nothing that hides, reorders or breaks it", () => {
  assert.equal(oneLine("a\u202eb\u200bc\n\td\u0007"), "a b c d");
  assert.equal(oneLine("日本語 😀"), "日本語 😀");
  assert.equal(oneLine("😀😀😀", 4), "😀…", "no half of a pair");
});

test("a name made from the text gives way to how the text begins", () => {
  assert.equal(
    titleOf("Tokens are compared with… (c63bee)", "Tokens are compared with `time` always."),
    "Tokens are compared with time always.",
  );
  assert.equal(titleOf("Expiry", "Tokens…"), "Expiry");
  assert.equal(titleOf("", ""), "(no name)");
});

test("escaped text is no Markdown, no HTML and no icon", () => {
  const text = escaped("[x](command:evil) <b>**b**</b> $(zap) `c` https://e.example");
  assert.doesNotMatch(text, /[[\]()<>*`$:]/);
  assert.equal(
    text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))),
    "[x](command:evil) <b>**b**</b> $(zap) `c` https://e.example",
  );
});

test("a fence is longer than any in the text", () => {
  const text = "before\n````\n[x](command:evil)\n````\nafter";
  const [first = ""] = fenced(text).split("\n");
  assert.match(first, /^`{5,}text$/);
  assert.ok(fenced(text).endsWith(`\n${first.replace("text", "")}`));
});

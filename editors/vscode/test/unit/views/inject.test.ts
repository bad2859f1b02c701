import assert from "node:assert/strict";
import { test } from "node:test";
import type { InjectResult } from "../../../src/protocol";
import { answerOf, idsIn, readable, segmentsOf } from "../../../src/views/inject/answer";
import { budgetOf, fromPage, questionOf, toPage, type ShownItem } from "../../../src/views/inject/messages";
import { pageHtml, policyOf } from "../../../src/views/inject/page";

const ID = "01a2018a-bd7b-7332-b94f-781368f6428f";
const OTHER = "01a2018a-bd7b-7332-b94f-781368f64290";
const QUESTION = { prompt: "p", files: ["a.py"], budget: 500, format: "markdown", folder: "file:///w" };

function item(section: string, tokens: number): ShownItem {
  return { kind: "memory", target: ID, title: "t", section, score: 1, tokens, reasons: [] };
}

test("the bar's parts make up what is used, and never more than the bar", () => {
  const parts = segmentsOf(
    [item("Directives", 30), item("Project Knowledge", 50), item("Directives", 20)],
    150,
    1_000,
  );
  assert.deepEqual(
    parts.map((one) => [one.label, one.tokens, one.tone]),
    [
      ["Directives", 50, 0],
      ["Project Knowledge", 50, 2],
      ["Head and titles", 50, 8],
    ],
  );
  assert.ok(Math.abs(parts.reduce((sum, one) => sum + one.share, 0) - 0.15) < 1e-9);
});

test("parts that were counted from above are made smaller alike", () => {
  const parts = segmentsOf([item("Directives", 120), item("Reference", 80)], 100, 100);
  assert.deepEqual(
    parts.map((one) => one.tokens),
    [60, 40],
  );
  assert.ok(parts.reduce((sum, one) => sum + one.share, 0) <= 1);
});

test("nothing injected is an empty bar", () => {
  assert.deepEqual(segmentsOf([], 0, 5_000), []);
});

test("ids give way to names in reasons", () => {
  const names = new Map([[OTHER, "Use `pnpm`"]]);
  assert.equal(readable(`supersedes ${OTHER}`, names), "supersedes “Use `pnpm`”");
  assert.equal(readable(`recorded beside ${ID}`, names), "recorded beside another memory");
});

test("an answer tells what is in the block, what is not, and why", () => {
  const result: InjectResult = {
    text: "block",
    tokens: 40,
    etag: "1",
    items: [
      {
        kind: "memory",
        section: "Directives",
        score: 0.9,
        tokens: 20,
        reasons: [`newer than ${OTHER}, which it contradicts`],
        id: ID,
      },
      { kind: "file", section: "Files in Play", score: 0.5, tokens: 10, reasons: [], path: "src/a.py" },
    ],
    omitted: [
      { id: OTHER, reason: "contradicted" },
      { id: "gone.bin", reason: "fileUnavailable" },
    ],
  };
  assert.deepEqual(idsIn(result).sort(), [ID, OTHER]);
  const answer = answerOf(
    result,
    100,
    new Map([
      [ID, "New"],
      [OTHER, "Old"],
    ]),
  );
  assert.equal(answer.text, "block");
  assert.deepEqual(
    answer.items.map((one) => [one.kind, one.title]),
    [
      ["memory", "New"],
      ["file", "src/a.py"],
    ],
  );
  assert.deepEqual(answer.items[0]?.reasons, ["newer than “Old”, which it contradicts"]);
  assert.deepEqual(
    answer.leftOut.map((one) => [one.kind, one.title, one.why]),
    [
      ["memory", "Old", "a newer memory says the contrary"],
      ["file", "gone.bin", "the file has no briefing"],
    ],
  );
});

test("a hundred of many that were left out are listed", () => {
  const omitted = Array.from({ length: 150 }, (_, at) => ({ id: `f${at}`, reason: "budget" as const }));
  const answer = answerOf({ text: "", tokens: 0, etag: "", items: [], omitted }, 10, new Map());
  assert.deepEqual([answer.leftOut.length, answer.more], [100, 50]);
});

test("only messages of the page are taken", () => {
  assert.deepEqual(fromPage({ type: "ask", question: QUESTION, more: 1 }), {
    type: "ask",
    question: QUESTION,
  });
  for (const bad of [
    null,
    7,
    "ready",
    {},
    { type: "run" },
    { type: "ask" },
    { type: "ask", question: { ...QUESTION, files: [1] } },
    { type: "open", kind: "shell", target: "x" },
    { type: "open", kind: "file" },
  ]) {
    assert.equal(fromPage(bad), undefined, JSON.stringify(bad));
  }
  assert.equal(toPage({ type: "answer", answer: { text: 1 } }), undefined);
  assert.equal(toPage({ type: "problem", message: "no" })?.type, "problem");
});

test("a question's values are brought inside their bounds", () => {
  assert.equal(budgetOf(Number.NaN), 5_000);
  assert.equal(budgetOf(3), 100);
  assert.equal(questionOf({ ...QUESTION, budget: 1e12, format: "html" })?.format, "markdown");
  assert.equal(questionOf({ ...QUESTION, budget: 1e12 })?.budget, 1_000_000);
  assert.equal(
    questionOf({ ...QUESTION, files: Array.from({ length: 500 }, (_, at) => `f${at}`) })?.files.length,
    100,
  );
});

test("the page allows its own script and style sheet and nothing else", () => {
  const html = pageHtml({
    source: "https://own",
    nonce: "n0nce",
    style: "https://own/s.css",
    script: "https://own/s.js",
  });
  assert.match(
    policyOf({ source: "https://own", nonce: "n0nce" }),
    /^default-src 'none'; style-src https:\/\/own; script-src 'nonce-n0nce';/,
  );
  assert.doesNotMatch(html, /unsafe-|style=|\son[a-z]+=|javascript:/);
  assert.equal(html.match(/<script/g)?.length, 1);
  assert.match(html, /<script nonce="n0nce" src=/);
  for (const id of ["prompt", "budget", "format", "folder"])
    assert.match(html, new RegExp(`<label for="${id}">`), id);
  assert.match(html, /role="status" aria-live="polite"/);
});

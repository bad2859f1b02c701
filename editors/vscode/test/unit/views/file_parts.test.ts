import assert from "node:assert/strict";
import { test } from "node:test";
import type { SummaryResult } from "../../../src/protocol";
import { linesOf, partsOf, proseOf, savingOf, type Part } from "../../../src/views/file/parts";
import { filePage } from "../../../src/views/file/page";
import { memory, row } from "./memory_rows";

const SUMMARY: SummaryResult = {
  path: "src/auth.py",
  hash: "6e",
  origin: "structural",
  fresh: true,
  partial: false,
  language: "python",
  summary: "src/auth.py (python, 23 lines): Signing in: tokens\nclass TokenStore L9-23",
  facets: [
    { text: "`check` never raises.", symbols: ["TokenStore.check", "TokenStore"], identifiers: ["check"] },
  ],
  outline: [
    {
      kind: "class",
      name: "TokenStore",
      startLine: 9,
      endLine: 23,
      signature: "class TokenStore",
      children: [{ kind: "method", name: "check", startLine: 21, endLine: 23, signature: "def check(self)" }],
    },
  ],
  lines: 23,
  tokens: 100,
  fileTokens: 400,
  advice: "Read the file itself.",
};

const named = (parts: readonly unknown[], key: string): Part => {
  const found = (parts as Part[]).find((one) => one.key === key);
  assert.ok(found, key);
  return found;
};

test("the prose is what the view does not say elsewhere", () => {
  assert.equal(proseOf(SUMMARY), "Signing in: tokens");
  assert.equal(proseOf({ ...SUMMARY, summary: "src/auth.py (python, 23 lines)" }), "python, 23 lines");
  assert.equal(
    proseOf({ ...SUMMARY, origin: "model", summary: "It signs in.\nAnd out." }),
    "It signs in.\nAnd out.",
  );
});

test("a fact goes to the line of the first symbol it rests on, and to each of them", () => {
  const facts = named(partsOf(SUMMARY, [], false), "facts").children as Part[];
  assert.equal(facts[0]?.line, 21);
  assert.deepEqual(
    (facts[0].children as Part[]).map((one) => [one.label, one.line]),
    [
      ["TokenStore.check", 21],
      ["TokenStore", 9],
    ],
  );
  const bare = partsOf({ ...SUMMARY, facets: [{ text: "x", symbols: ["gone"] }] }, [], false);
  assert.equal((named(bare, "facts").children[0] as Part).line, undefined);
});

test("symbols are found alone and behind their class", () => {
  const lines = linesOf(SUMMARY.outline);
  assert.deepEqual([lines.get("check"), lines.get("TokenStore.check")], [21, 21]);
});

test("freshness says partial, unsaved and out of date in words", () => {
  assert.equal(named(partsOf(SUMMARY, [], false), "fresh").label, "Fresh");
  assert.match(named(partsOf(SUMMARY, [], true), "fresh").description ?? "", /unsaved/);
  assert.match(named(partsOf({ ...SUMMARY, partial: true }, [], false), "fresh").label, /Partial/);
  assert.match(named(partsOf({ ...SUMMARY, fresh: false }, [], false), "fresh").label, /Out of date/);
});

test("tokens tell what is saved, or that nothing is", () => {
  assert.deepEqual(savingOf(100, 400), { label: "Briefing 100 of 400 tokens", saved: "saves 300 (75 %)" });
  assert.equal(savingOf(500, 400).saved, "saves nothing");
  assert.equal(savingOf(0, 0).saved, "saves nothing");
});

test("memories about the file stand among its parts; keys are unique", () => {
  const parts = partsOf(SUMMARY, [row("m1"), row("m2")], false);
  assert.equal(named(parts, "memories").children.length, 2);
  const keys: string[] = [];
  const walk = (nodes: readonly unknown[]): void => {
    for (const node of nodes as Part[]) {
      keys.push(node.key);
      walk((node as Partial<Part>).children ?? []);
    }
  };
  walk(parts);
  assert.equal(new Set(keys).size, keys.length);
});

test("the page has whole facts and memories, as text that can do nothing", () => {
  const long = `It **never** raises ${"and never ".repeat(60)}ends.`;
  const summary = { ...SUMMARY, facets: [{ text: long, symbols: [] }], formerFacets: SUMMARY.facets };
  const page = filePage(summary, [memory({ content: "One\n```\nTwo [x](y)", status: "suspect" })], 0);
  assert.match(page, /^# src&#47;|^# src\/auth&#46;py\n\nSigning in&#58; tokens\n/);
  assert.match(page, /## 1 fact\n\n- It &#42;&#42;never.*ends&#46; {2}\n {2}rests on the whole file/);
  assert.match(page, /## Facts of earlier contents[^]*rests on TokenStore&#46;check, TokenStore/);
  assert.match(page, /## 1 memory about it\n\n### Tokens\n\nproject, project, changed [^\n]*\*\*suspect\*\*/);
  assert.match(page, /````text\nOne\n```\nTwo \[x\]\(y\)\n````/);
  assert.match(
    filePage({ ...SUMMARY, facets: [] }, [], 0),
    /None yet: agents learn[^]*0 memories about it\n\nNone yet\./,
  );
});

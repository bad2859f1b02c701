import assert from "node:assert/strict";
import { test } from "node:test";
import type { Candidate } from "../../../src/protocol";
import { asideOf, candidatePage, sayingOf, whyPage, wrapped } from "../../../src/views/candidates/wording";
import { memory } from "./memory_rows";

const NOW = Date.UTC(2026, 5, 3);
const SAID = { at: Date.UTC(2026, 5, 1), speaker: "user" as const, words: "never squash", sessionId: "s-1" };

function candidate(given: Partial<Candidate> = {}): Candidate {
  return {
    id: "1",
    status: "waiting",
    rule: "rule",
    content: "Never squash.",
    type: "feedback",
    scope: "project",
    files: [],
    evidence: [SAID],
    sessions: 1,
    createdAt: SAID.at,
    updatedAt: SAID.at,
    ...given,
  };
}

test("a line says what it would be, for whom, how often it was said and when", () => {
  assert.equal(asideOf(candidate(), NOW), "feedback · project · 2d");
  assert.equal(asideOf(candidate({ type: "project", sessions: 3 }), NOW), "project · 3 sessions · 2d");
  assert.equal(sayingOf(SAID), "the user, 2026-06-01, session s-1");
});

test("a page has the words, what stood before them, and when it is forgotten", () => {
  const before = "Shall I squash them?";
  const page = candidatePage(
    candidate({ evidence: [{ ...SAID, before }], expiresAt: Date.UTC(2026, 6, 1) }),
    NOW,
  );
  assert.match(page, /forgotten on 2026-07-01[^]*## the user[^]*Shall I squash[^]*never squash/);
  assert.match(whyPage(memory(), [candidate()], NOW), /by user\.[^]*# From[^]*never squash/);
  assert.match(whyPage(memory({ sessionId: "s-2" }), [], NOW), /in session s[^]*never a candidate/);
});

test("nothing that was said leaves its place in a page", () => {
  const evil = "```\n[click](command:workbench.action.quit)\n<img src=x onerror=alert(1)>\n```";
  const said = { ...SAID, words: evil, before: evil, sessionId: evil };
  const page = candidatePage(
    candidate({ content: evil, name: evil, rule: evil, files: [evil], evidence: [said] }),
    NOW,
  );
  const outside = page.replace(/(`{3,})text\n[\s\S]*?\n\1(?!`)/g, "");
  assert.doesNotMatch(outside, /\]\(|<img|```/);
});

test("a long text becomes rows, the last of which says that there is more", () => {
  assert.deepEqual(wrapped("one two three\n\nfour", 8, 9), ["one two", "three", "four"]);
  assert.deepEqual(wrapped("abcdefghij", 4, 2), ["abcd", "efgh …"]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { asideOf, contextOf, pageOf, signOf, spokenOf } from "../../../src/views/memories/wording";
import { memory, row } from "./memory_rows";

const NOW = Date.UTC(2026, 5, 1);

test("what needs attention goes before what it is", () => {
  const pinned = row("a", { pinned: true, category: "decision" });
  assert.equal(signOf(pinned, false).icon, "pinned");
  assert.equal(signOf({ ...pinned, status: "suspect" }, false).icon, "warning");
  assert.equal(signOf({ ...pinned, status: "suspect" }, true).icon, "git-compare");
  assert.equal(signOf({ ...pinned, status: "archived" }, true).icon, "archive");
  assert.equal(signOf(row("b", { category: "decision" }), false).icon, "law");
  assert.equal(signOf(row("c", { type: "user" }), false).icon, "account");
});

test("states are said in words, not by colour or icon alone", () => {
  const suspect = row("a", {
    status: "suspect",
    pinned: true,
    updatedAt: NOW - 3 * 86_400_000,
    description: "why",
  });
  assert.equal(asideOf(suspect, true, NOW), "contradicted · suspect · pinned · 3d · why");
  assert.equal(
    spokenOf(suspect, false, NOW),
    "a, project memory, project, suspect, pinned, changed 3 days ago, why",
  );
  assert.match(asideOf(row("b", { expiresAt: NOW }), false, NOW), /expired/);
});

test("menus can ask for whole words", () => {
  const context = contextOf(row("a", { category: "blocker", pinned: true }));
  for (const word of ["memory", "pinned=yes", "status=active", "category=blocker", "scope=project"]) {
    assert.match(context, new RegExp(`;${word};`));
  }
  assert.doesNotMatch(context, /;pinned=no;/);
});

test("a page tells dates, references and their freshness, and links", () => {
  const page = pageOf(
    memory({
      status: "suspect",
      version: 2,
      references: [
        { kind: "path", text: "src/a.py", path: "src/a.py", hash: "1", stale: true },
        { kind: "symbol", text: "f", path: "src/b.py", symbol: "f", hash: "2" },
        { kind: "url", text: "https://e.example" },
      ],
    }),
    [
      {
        id: "2",
        name: "Other",
        scope: "project",
        status: "active",
        link: {
          from: "2",
          to: "01a2018a-bd7b-7332-b94f-781368f6428f",
          kind: "supersedes",
          strength: 1,
          createdAt: 0,
          source: "user",
        },
      },
    ],
    NOW,
  );
  assert.match(page, /path src&#47;a&#46;py|path src\/a&#46;py/);
  assert.match(page, /has changed/);
  assert.match(page, /symbol f in .* — as it was recorded/);
  assert.doesNotMatch(page, /https:\/\/e/, "no link is made of what was recorded");
  assert.match(page, /is superseded by Other/);
  assert.match(page, /Suspect/);
});

test("nothing that was recorded leaves its place in a page", () => {
  const evil = "```\n[click](command:workbench.action.quit)\n<img src=x onerror=alert(1)>\n```";
  const page = pageOf(
    memory({ name: evil, description: evil, content: evil, source: evil, tags: [evil], agent: evil }),
    [],
    NOW,
  );
  const outside = page.replace(/(`{3,})text\n[\s\S]*?\n\1(?!`)/g, "");
  assert.doesNotMatch(outside, /\]\(|<img|```/);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { addressed, addressOf } from "../../../src/views/memories/addresses";
import {
  changed,
  DocumentProblem,
  fieldsOf,
  read,
  written,
  type Fields,
} from "../../../src/views/memories/document";
import { memory } from "./memory_rows";

const AWKWARD: Partial<Parameters<typeof memory>[0]>[] = [
  {},
  { content: "---\nname: not a field\n---\n\n  indented\n\n\ntrailing\n" },
  { content: "\n\nlines before" },
  {
    name: '"Quoted" name: with a colon',
    description: "two\nlines",
    tags: ["a,b", "[c]", "d"],
    files: ["src/a b.py"],
  },
  {
    category: "blocker",
    type: "feedback",
    agent: "claude: code",
    pinned: true,
    expiresAt: Date.UTC(2030, 4, 6, 7, 8, 9),
  },
  { name: "名前 😀", description: " spaced ", content: "日本語\r\nwith two line ends\n" },
];

test("what is written is read back, and changes nothing", () => {
  for (const given of AWKWARD) {
    const fields = fieldsOf(memory(given));
    assert.deepEqual(changed(fields, read(written(fields))), {}, JSON.stringify(given));
  }
});

test("an edit says only what it changed; an emptied field is cleared", () => {
  const before = fieldsOf(memory({ category: "fact", description: "old", tags: ["x"] }));
  const text = written(before)
    .replace("category: fact", "category: decision")
    .replace("description: old", "description:")
    .replace("tags: x\n", "")
    .replace("an hour", "two hours");
  assert.deepEqual(changed(before, read(text)), {
    category: "decision",
    description: null,
    tags: [],
    content: "Tokens live two hours.",
  });
});

test("line ends of Windows and a byte order mark are no edit", () => {
  const before: Fields = fieldsOf(memory({ content: "one\ntwo" }));
  assert.deepEqual(changed(before, read(`\ufeff${written(before).replaceAll("\n", "\r\n")}`)), {});
});

test("what is wrong is said with its line, and nothing is guessed", () => {
  const good = written(fieldsOf(memory()));
  const problems: [string, RegExp][] = [
    ["no fields at all", /^Line 1: the text begins/],
    [good.replace("---\n\nTokens", "Tokens"), /a second line of ---/],
    [good.replace("type: project", "type: oddity"), /^Line 4: the type is one of project/],
    [good.replace("type: project", "typ: project"), /^Line 4: “typ” is no field/],
    [good.replace("pinned: no", "pinned: maybe"), /pinned/],
    [good.replace("expires:", "expires: soon"), /date such as/],
    [good.replace("tags:", "tags: [oops"), /list in brackets/],
    [good.replace("category:", "name: again"), /twice/],
    [good.replace("Tokens live an hour.", "   "), /some content/],
    [good.replace("name: Tokens", "name:"), /has a name/],
  ];
  for (const [text, words] of problems) {
    assert.throws(
      () => read(text),
      (error) => error instanceof DocumentProblem && words.test(error.message),
      String(words),
    );
  }
});

test("an address comes back from its parts, whatever the title", () => {
  for (const title of ["Plain", "../../etc/passwd", "a?b#c/d\\e", "名前 😀", "", "."]) {
    const address = { id: "01a2", folder: "file:///w%20x" };
    const { path, query } = addressed(address, title);
    assert.equal(path.split("/").length, 3, title);
    assert.doesNotMatch(path, /\.\.|[?#\\]/);
    assert.deepEqual(addressOf(query), address);
  }
  const earlier = addressed({ id: "01a2", folder: "file:///w", version: 3 }, "Tokens");
  assert.equal(addressOf(earlier.query)?.version, 3);
  assert.equal(addressOf("not json"), undefined);
  assert.equal(addressOf('{"id":"01a2","folder":7}'), undefined);
});

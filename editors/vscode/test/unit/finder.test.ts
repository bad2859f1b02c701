import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { describe, it } from "node:test";
import { type Found, type NotFound, type Places, find, isFound } from "../../src/common/finder";

const ROOT = mkdtempSync(path.join(tmpdir(), "finder-"));

function program(...parts: string[]): string {
  const file = path.join(ROOT, ...parts);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, "#!/bin/sh\n");
  chmodSync(file, 0o755);
  return file;
}

function places(more: Partial<Places>): Places {
  return { setting: [], path: "", home: ROOT, distrusted: [], uvx: { may: "run", from: "" }, ...more };
}

function looked(found: Found | NotFound): readonly string[] {
  assert.ok(!isFound(found), JSON.stringify(found));
  return found.looked;
}

describe("the finder", () => {
  const own = program("bin", "memory-sidecar");
  const environment = program("env", "bin", "memory-sidecar");
  const python = program("env", "bin", "python");
  const uvx = program("uv", "uvx");
  const everywhere = [path.join(ROOT, "uv"), path.join(ROOT, "bin")].join(":");

  it("takes the setting before all else, with its arguments", async () => {
    const found = await find(places({ setting: [own, "-v"], interpreter: python, path: everywhere }));
    assert.deepEqual(found, { source: "setting", command: own, args: ["-v", "serve", "--stdio"] });
  });

  it("understands home, workspace folder and a bare name in the setting", async () => {
    for (const word of [
      "~/bin/memory-sidecar",
      "${userHome}/bin/memory-sidecar",
      "${workspaceFolder}/memory-sidecar",
    ]) {
      const found = await find(places({ setting: [word], workspaceFolder: path.join(ROOT, "bin") }));
      assert.equal(isFound(found) && found.command, own, word);
    }
    const named = await find(places({ setting: ["memory-sidecar"], path: path.join(ROOT, "bin") }));
    assert.equal(isFound(named) && named.command, own);
  });

  it("starts nothing else when the setting names no program", async () => {
    writeFileSync(path.join(ROOT, "text"), "no program");
    for (const word of [
      path.join(ROOT, "none"),
      path.join(ROOT, "text"),
      ROOT,
      "./bin/memory-sidecar",
      "none",
    ]) {
      const lines = looked(await find(places({ setting: [word], path: everywhere })));
      assert.equal(lines.length, 1);
      assert.match(lines[0] ?? "", /memorySidecar\.command names/);
    }
  });

  it("looks beside the interpreter, then on PATH, then for uvx", async () => {
    const beside = await find(places({ interpreter: python, path: everywhere }));
    assert.deepEqual(beside, { source: "interpreter", command: environment, args: ["serve", "--stdio"] });
    const bare = program("bare", "bin", "python");
    const onPath = await find(places({ interpreter: bare, path: everywhere }));
    assert.deepEqual(onPath, { source: "PATH", command: own, args: ["serve", "--stdio"] });
    const byUvx = await find(places({ interpreter: bare, path: path.join(ROOT, "uv") }));
    assert.deepEqual(byUvx, {
      source: "uvx",
      command: uvx,
      args: ["--from", "memory-sidecar>=0.1.0,<0.2.0", "memory-sidecar", "serve", "--stdio"],
    });
  });

  it("has uvx take it from where the setting says", async () => {
    for (const [from, given] of [
      ["git+https://example.org/sidecar", "git+https://example.org/sidecar"],
      ["~/sidecar", path.join(ROOT, "sidecar")],
      ["${workspaceFolder}/x", "${workspaceFolder}/x"], // a folder's content does not decide what is run
    ] as const) {
      const found = await find(places({ path: path.join(ROOT, "uv"), uvx: { may: "run", from } }));
      const args = ["--from", given, "memory-sidecar", "serve", "--stdio"];
      assert.deepEqual(found, { source: "uvx", command: uvx, args });
    }
  });

  it("only offers uvx until somebody allows it, and only where there is nothing else", async () => {
    const ask = { may: "ask", from: "" } as const;
    const offered = await find(places({ path: path.join(ROOT, "uv"), uvx: ask }));
    assert.deepEqual(offered, {
      looked: ["memory-sidecar on PATH", `${uvx}, which is not run before somebody allows it`],
      offer: { from: "" },
    });
    assert.ok(!("offer" in (await find(places({ path: "/nowhere", uvx: ask })))));
    const found = await find(places({ path: everywhere, uvx: ask }));
    assert.equal(isFound(found) && found.source, "PATH");
    const forbidden = await find(places({ path: path.join(ROOT, "uv"), uvx: { may: "no", from: "" } }));
    assert.deepEqual(forbidden, {
      looked: ["memory-sidecar on PATH", "nothing for uvx to run, because memorySidecar.uvx is never"],
    });
    const distrusted = [path.join(ROOT, "uv")];
    assert.ok(!("offer" in (await find(places({ path: path.join(ROOT, "uv"), distrusted, uvx: ask })))));
  });

  it("says where it looked when there is none", async () => {
    const bare = program("bare", "bin", "python");
    const lines = looked(await find(places({ interpreter: bare, path: "/nowhere" })));
    assert.deepEqual(lines, [
      `${path.join(ROOT, "bare", "bin", "memory-sidecar")} (beside the selected Python interpreter)`,
      "memory-sidecar on PATH",
      "uvx on PATH",
    ]);
  });

  it("takes no relative entry of PATH, and no program of a folder that is not trusted", async () => {
    const distrusted = [path.join(ROOT, "env")];
    looked(await find(places({ path: "bin:.", interpreter: python, distrusted })));
    const found = await find(
      places({ path: `${ROOT}/env/bin:${ROOT}/bin`, interpreter: python, distrusted }),
    );
    assert.equal(isFound(found) && found.command, own);
    const sibling = await find(places({ path: `${ROOT}/bin`, distrusted: [path.join(ROOT, "bi")] }));
    assert.equal(
      isFound(sibling) && sibling.command,
      own,
      "a folder whose name begins alike is another folder",
    );
  });
});

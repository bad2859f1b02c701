import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { describe, it } from "node:test";
import { gitCommonDir, isKnown } from "../../src/common/known";
import { Patience } from "../../src/common/patience";
import { importReport, maintenanceReport, statsReport, statusReport } from "../../src/common/reports";
import { Serial, Shared } from "../../src/common/serial";
import { counted, statusShown } from "../../src/common/status_text";
import { changesMemory } from "../../src/common/trust";
import { anyGone, names, put, type Values } from "../../src/common/values";
import { compare, versionProblem } from "../../src/common/version";
import { age, called, escaped, oneLine, plural, short } from "../../src/common/wording";
import { WRITES, type StatusResult, type WorkspaceStatus } from "../../src/protocol";

const FOLDER: WorkspaceStatus = {
  uri: "file:///work/my%20flask",
  id: "0",
  memories: { project: 2, personal: 1 },
  files: 80,
  facets: 1,
  watcher: { state: "client" },
  warmup: { state: "done", done: 80, total: 80 },
  stores: [],
};

const STATUS: StatusResult = {
  version: "0.1.0",
  pid: 7,
  uptimeMs: 120_000,
  enabled: true,
  queues: {},
  hitRates: { summary: 0.5 },
  tokensSaved: 34_567,
  settingsProblems: [],
  workspaces: [FOLDER],
};

describe("restarts", () => {
  it("share a run while it waits, and run one at a time", async () => {
    const serial = new Serial();
    let running = 0;
    let runs = 0;
    const shared = new Shared(serial, async () => {
      assert.equal(++running, 1);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
      return ++runs;
    });
    const first = shared.run();
    const same = shared.run();
    await new Promise((resolve) => setTimeout(resolve, 1));
    const second = shared.run();
    assert.deepEqual(await Promise.all([first, same, second, shared.run()]), [1, 1, 2, 2]);
  });

  it("go on after one that failed", async () => {
    const serial = new Serial();
    await assert.rejects(
      serial.run(() => Promise.reject(new Error("no"))),
      /no/,
    );
    assert.equal(await serial.run(() => Promise.resolve(1)), 1);
  });

  it("wait longer each time and end after the fourth in three minutes", () => {
    const patience = new Patience();
    const waits = [0, 1_000, 2_000, 3_000, 4_000].map((at) => patience.next(at));
    assert.deepEqual(waits, [250, 1_000, 4_000, 10_000, undefined]);
    assert.equal(patience.next(200_000), 250, "long after that it begins anew");
    patience.forget();
    assert.equal(patience.next(200_001), 250);
  });
});

describe("settings", () => {
  it("become a tree, and what is gone is seen", () => {
    const values: Values = {};
    put(values, "files.warmUp", false);
    put(values, "files.ignore", ["a"]);
    put(values, "memory.enabled", true);
    assert.deepEqual(values, { files: { warmUp: false, ignore: ["a"] }, memory: { enabled: true } });
    assert.deepEqual(names(values).sort(), ["files.ignore", "files.warmUp", "memory.enabled"]);
    assert.equal(anyGone(values, { ...values, log: { level: "debug" } }), false);
    assert.equal(anyGone(values, { memory: { enabled: true } }), true);
    // What is set for single folders is sent whole, so that nothing of it can be gone.
    const folders = { "file:///a": { memory: { enabled: false } } };
    assert.equal(anyGone({ ...values, folders }, { ...values, folders: {} }), false);
  });
});

describe("trust", () => {
  it("knows what changes memory", () => {
    for (const method of WRITES) assert.ok(changesMemory(method, {}), method);
    for (const method of ["memory/maintain", "memory/import", "memory/bootstrap"]) {
      assert.ok(changesMemory(method, undefined), method);
      assert.ok(!changesMemory(method, { dryRun: true }), method);
    }
    for (const method of [
      "memory/search",
      "memory/inject",
      "file/summary",
      "sidecar/status",
      "memory/export",
    ]) {
      assert.ok(!changesMemory(method, {}), method);
    }
  });
});

describe("versions", () => {
  const found = { source: "PATH", command: "/bin/x", args: [] } as const;

  it("are compared by number", () => {
    assert.ok(compare("0.10.0", "0.9.9") > 0);
    assert.equal(compare("0.1", "0.1.0"), 0);
    assert.equal(compare("0.2.0a1", "0.2.0"), 0);
  });

  it("outside of the range are a problem, and so is another program", () => {
    const of = (name: string, version?: string): string | undefined =>
      versionProblem(found, { name, version })?.kind;
    assert.equal(of("memory-sidecar", "0.1.0"), undefined);
    assert.equal(of("memory-sidecar", "0.1.9"), undefined);
    assert.equal(of("memory-sidecar", "0.0.9"), "old");
    assert.equal(of("memory-sidecar"), "old");
    assert.equal(of("memory-sidecar", "0.2.0"), "new");
    assert.equal(of("pylsp", "0.1.0"), "other");
    assert.equal(versionProblem(found, undefined)?.kind, "other");
  });
});

describe("words", () => {
  it("are for one line and mean nothing to Markdown", () => {
    assert.equal(oneLine("a\n\u0007b\u202ec  d"), "a b c d");
    assert.equal(oneLine("x".repeat(300)).length, 200);
    assert.equal(called("a\nb"), "“a b”");
    assert.equal(escaped("[x](command:y) <b> $(bug)"), "\\[x\\]\\(command:y\\) \\<b\\> \\$\\(bug\\)");
  });

  it("count", () => {
    assert.deepEqual([plural(1, "fact"), plural(2, "memory", "memories")], ["1 fact", "2 memories"]);
    assert.deepEqual([0, 999, 1_000, 1_250, 34_567, 1_200_000].map(short), [
      "0",
      "999",
      "1k",
      "1.3k",
      "34k",
      "1.2M",
    ]);
    const day = 86_400_000;
    assert.deepEqual(
      [0, 60_000, 7_200_000, day, 90 * day, 800 * day].map((past) => age(0, past)),
      ["just now", "1 minute ago", "2 hours ago", "1 day ago", "3 months ago", "2 years ago"],
    );
    assert.equal(age(5, 0), "just now", "a clock that was set back");
  });
});

describe("the status bar", () => {
  it("says its state and what was saved, to eyes and ears", () => {
    assert.equal(statusShown("running", true, STATUS).text, "$(book) 34k tokens saved");
    assert.match(statusShown("running", true, STATUS).label, /my flask: 3 memories, 1 fact, 80 files known/);
    assert.equal(statusShown("running", true, { ...STATUS, tokensSaved: 0 }).text, "$(book) Memory");
    assert.match(statusShown("running", false, STATUS).label, /not trusted/);
    assert.match(statusShown("running", false, STATUS).text, /^\$\(lock\)/);
    const off = { ...FOLDER, enabled: false };
    assert.match(
      statusShown("running", true, { ...STATUS, workspaces: [off] }).label,
      /^Memory is switched off/,
    );
    const some = statusShown("running", true, { ...STATUS, workspaces: [FOLDER, off] });
    assert.match(some.label, /is running.*3 memories.*memory is switched off/);
    assert.match(statusShown("running", true, { ...STATUS, enabled: false, workspaces: [] }).label, /off/);
    assert.ok(statusShown("running", true, { ...STATUS, settingsProblems: ["files.warmUp is odd"] }).warns);
    assert.ok(statusShown("missing", true, undefined).warns);
    for (const state of ["starting", "stopped", "missing", "running"] as const) {
      assert.ok(statusShown(state, true, undefined).label.length > 10);
    }
    assert.match(counted({ ...FOLDER, uri: "odd" }), /^odd: /);
    assert.match(counted({ ...FOLDER, candidates: 2 }), /known, 2 candidates to review$/);
  });
});

describe("reports", () => {
  it("tell of an import item by item, and let no name draw anything", () => {
    const text = importReport({
      format: "markdown",
      dryRun: true,
      counts: { created: 1, duplicate: 0, refused: 1 },
      items: [
        { outcome: "created", name: "a | [b](command:x)", where: "AGENTS.md", scope: "project" },
        { outcome: "refused", name: "c", where: "AGENTS.md", reason: "too long" },
      ],
      more: 2,
    });
    assert.match(text, /^# Import, not done yet\n\nFormat: markdown\. 1 created, 1 refused\./);
    assert.match(text, /\| created \| a \\\| \\\[b\\\]\\\(command:x\\\) \| project \|/);
    assert.match(text, /too long/);
    assert.match(text, /And 2 more items\./);
  });

  it("draws statistics with bars that fit their column", () => {
    const week = { start: Date.UTC(2026, 10, 18), recorded: 1, learned: 2, imported: 0, shown: 0 };
    const weeks = [{ ...week, recorded: 0, learned: 0, shown: 8 }, week];
    const most = [{ id: "1", name: "a | b", scope: "project" as const, shown: 8, useful: 2, notUseful: 1 }];
    const text = statsReport("shop", {
      memories: 3,
      archived: 1,
      bySource: { learned: 2, recorded: 1 },
      byType: { project: 3 },
      candidates: {},
      shown: 8,
      unseen: 2,
      useful: 2,
      notUseful: 1,
      weeks,
      mostShown: most,
    });
    assert.match(text, /3 memories: 2 learned, 1 recorded; shown 8 times, 2 never; useful 2, not 1\./);
    assert.match(text, /\| 2026\\-11\\-18 \| 3 █{24} \| 0 \|/);
    assert.match(text, /\| a \\\| b \| 8 \| 2 \| 1 \|/);
  });

  it("tell of maintenance and of the sidecar", () => {
    const done = maintenanceReport({
      state: "done",
      dryRun: false,
      counts: {},
      actions: [{ step: "age", id: "1", name: "old", scope: "project", reason: "resolved long ago" }],
      left: [],
      proposals: [
        { id: "p", kind: "merge", keep: "1", keepName: "one", other: "2", otherName: "two", score: 0.95 },
      ],
      switchedOff: ["promotion"],
    });
    assert.match(done, /resolved long ago/);
    assert.match(done, /\| merge \| one \| two \| 95 % \|/);
    assert.match(done, /Switched off by settings: promotion\./);
    const status = statusReport(STATUS, "/bin/memory-sidecar (PATH)");
    assert.match(status, /2 project, 1 personal/);
    assert.match(status, /hit rate, summary \| 50 %/);
  });
});

describe("a folder with memory", () => {
  it("is known by its memory file, or by what lies in the git folder that its worktrees share", async () => {
    const root = mkdtempSync(path.join(tmpdir(), "known-"));
    const make = (...parts: string[]): string => {
      const folder = path.join(root, ...parts);
      mkdirSync(folder, { recursive: true });
      return folder;
    };
    const plain = make("plain");
    assert.equal(await isKnown(plain), false);
    mkdirSync(path.join(plain, ".agents"));
    writeFileSync(path.join(plain, ".agents", "MEMORY.md"), "");
    assert.equal(await isKnown(plain), true);

    const repository = make("repository");
    const common = make("repository", ".git");
    const inside = make("repository", "packages", "a");
    assert.equal(await gitCommonDir(inside), common);
    assert.equal(await isKnown(inside), false);
    const worktree = make("worktree");
    const own = make("repository", ".git", "worktrees", "worktree");
    writeFileSync(path.join(worktree, ".git"), `gitdir: ${own}\n`);
    writeFileSync(path.join(own, "commondir"), "../..\n");
    assert.equal(await gitCommonDir(worktree), common);
    assert.equal(await isKnown(worktree), false);
    mkdirSync(path.join(common, "memory-sidecar"));
    writeFileSync(path.join(common, "memory-sidecar", "id"), "0");
    assert.equal(await isKnown(repository), true);
    assert.equal(await isKnown(inside), true);
    assert.equal(await isKnown(worktree), true);
  });
});

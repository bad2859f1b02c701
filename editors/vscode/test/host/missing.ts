// A window in which there is no sidecar at first, then one of another version, then the real one.
import assert from "node:assert/strict";
import { access, chmod, copyFile, readFile, rm, writeFile } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";
import type { SidecarServer } from "../../src/common/server";
import { PLACE, activated, asked, eventually, folder, started, type Api } from "./window";

describe("a window without a sidecar", () => {
  let api: Api;
  let server: SidecarServer;
  const program = path.join(PLACE, "path", "memory-sidecar");

  before(async () => {
    api = await activated();
    ({ server } = api);
  });

  it("says that there is none, once, with what can be done", async () => {
    const calls = await asked(
      "showErrorMessage",
      () => undefined,
      async () => {
        await vscode.commands.executeCommand("memorySidecar.showStatus"); // has nothing to add
        for (let count = 0; count < 3; count++) {
          await assert.rejects(server.request("sidecar/status", {}), /was not found/);
        }
      },
    );
    assert.equal(calls.length, 1);
    assert.deepEqual(calls[0]?.slice(1), ["How to Install", "Open Settings", "Try Again"]);
    assert.equal(server.state, "missing");
    assert.ok(api.status.shown.warns);
    assert.deepEqual(started(), []);
  });

  it("opens the walkthrough that says how to install it", async () => {
    const opened: unknown[] = [];
    const own = vscode.commands as unknown as Record<string, unknown>;
    const before = vscode.commands.executeCommand.bind(vscode.commands);
    own["executeCommand"] = (name: string, ...args: unknown[]): unknown => {
      if (name === "workbench.action.openWalkthrough") opened.push(args);
      return before(name, ...args);
    };
    try {
      await asked(
        "showErrorMessage",
        () => "How to Install",
        () => server.restart(),
      );
      // told already, so that nothing is shown again
      assert.deepEqual(opened, []);
      await asked(
        "showErrorMessage",
        () => "How to Install",
        () => vscode.commands.executeCommand("memorySidecar.restartServer"),
      );
      const walkthrough = "memory-sidecar.memory-sidecar#memorySidecar.start";
      await eventually(() => assert.deepEqual(opened, [[walkthrough, false]]));
    } finally {
      own["executeCommand"] = before;
    }
  });

  it("asks before uvx runs anything, keeps the yes, and forgets it when the setting says never", async () => {
    const uvx = path.join(PLACE, "path", "uvx");
    const ran = path.join(PLACE, "ran");
    const real = path.join(PLACE, "bin", "memory-sidecar");
    await writeFile(uvx, `#!/bin/sh\necho "$2" >> ${ran}\nshift 3\nexec ${real} "$@"\n`);
    await chmod(uvx, 0o755);
    const again = (): Thenable<unknown> => vscode.commands.executeCommand("memorySidecar.restartServer");
    const own = vscode.workspace.getConfiguration("memorySidecar");
    try {
      const refused = await asked("showWarningMessage", () => "Not Now", again);
      assert.deepEqual(refused, [
        [
          "memory-sidecar is not installed. Run it with uvx, which downloads it from the package index you have configured?",
          "Run with uvx",
          "How to Install",
          "Not Now",
        ],
      ]);
      await assert.rejects(server.request("sidecar/status", {}), /before you allow it/);
      await assert.rejects(access(ran), "nothing was run");

      await asked(
        "showWarningMessage",
        () => "Run with uvx",
        async () => {
          await again();
          await eventually(() => assert.equal(server.state, "running"));
        },
      );
      assert.equal(server.found?.source, "uvx");
      assert.equal((await server.request("sidecar/status", {})).version, server.version);
      assert.deepEqual(await asked("showWarningMessage", () => undefined, again), [], "asked once");
      assert.equal(server.state, "running");

      const told = await asked(
        "showErrorMessage",
        () => undefined,
        async () => {
          await own.update("uvx", "never", vscode.ConfigurationTarget.Global);
          await eventually(() => assert.equal(server.state, "missing"));
        },
      );
      assert.match(String(told[0]?.[0]), /was not found/);
      let questions = 0;
      await asked(
        "showWarningMessage",
        () => {
          questions += 1;
        },
        async () => {
          await own.update("uvx", undefined, vscode.ConfigurationTarget.Global);
          await eventually(() => assert.equal(questions, 1, "the yes is forgotten"));
        },
      );
    } finally {
      await own.update("uvx", undefined, vscode.ConfigurationTarget.Global);
      await rm(uvx);
    }
    assert.equal((await readFile(ran, "utf8")).split("\n")[0], "memory-sidecar>=0.1.0,<0.2.0");
  });

  it("says so when a program is there that does not start, whenever it ends", async () => {
    // When it ends with all of `initialize` taken and nothing answered, the end of its output alone says so: then the
    // language client forgets the start that it would reject. The others end at once, before a byte is read, between
    // closing its output and its end, in the middle of `initialize`, and with a child that keeps its output open.
    for (const ending of [
      "head -c 2000 >/dev/null; exit 3",
      "exit 3",
      "exec 0<&-; sleep 0.3; exit 3",
      "exec 1>&-; sleep 0.3; exit 3",
      "read -r line; exit 3",
      "sleep 300 & echo $! > $0.child; head -c 2000 >/dev/null; exit 3",
    ]) {
      await writeFile(program, `#!/bin/sh\necho broken installation >&2\n${ending}\n`);
      await chmod(program, 0o755);
      const calls = await asked(
        "showErrorMessage",
        () => undefined,
        () => vscode.commands.executeCommand("memorySidecar.restartServer"),
      );
      assert.match(String(calls[0]?.[0]), /did not start/, ending);
      assert.equal(server.state, "missing", ending);
    }
    process.kill(Number(await readFile(`${program}.child`, "utf8")));
  });

  it("does not take for running what ends as soon as it has answered", async () => {
    const answer = JSON.stringify({
      jsonrpc: "2.0",
      id: 0,
      result: { capabilities: {}, serverInfo: { name: "memory-sidecar", version: "0.1.0" } },
    });
    const frame = `Content-Length: ${answer.length}\\r\\n\\r\\n${answer}`;
    await writeFile(program, `#!/bin/sh\nhead -c 2000 >/dev/null\nprintf '${frame}'\n`);
    const calls = await asked(
      "showErrorMessage",
      () => undefined,
      async () => {
        await vscode.commands.executeCommand("memorySidecar.restartServer");
        // Before the answer was taken in it did not start; after that it has ended, and is tried again some times.
        await eventually(() => assert.equal(server.state, "missing"));
      },
    );
    assert.match(String(calls[0]?.[0]), /did not start|ended several times/);
  });

  it("says so when the sidecar is too old or too new", async () => {
    for (const [version, words] of [
      ["0.0.9", /0\.0\.9 .* is too old/],
      ["7.1.0", /7\.1\.0 .* is newer than this extension knows/],
    ] as const) {
      await copyFile(path.join(PLACE, "bin", `memory-sidecar-${version}`), program);
      await chmod(program, 0o755);
      const calls = await asked(
        "showErrorMessage",
        () => undefined,
        () => vscode.commands.executeCommand("memorySidecar.restartServer"),
      );
      assert.match(String(calls[0]?.[0]), words);
      assert.equal(server.state, "missing");
    }
  });

  it("uses it as soon as it is there and somebody tries again", async () => {
    await copyFile(path.join(PLACE, "bin", "memory-sidecar"), program);
    await chmod(program, 0o755);
    await vscode.commands.executeCommand("memorySidecar.restartServer");
    assert.equal(server.state, "running");
    assert.equal(server.found?.source, "PATH");
    assert.equal((await server.request("sidecar/status", {})).pid, server.processId);
  });

  it("lets the only folder's own settings lower what the person has, and never raise it", async () => {
    const settings = vscode.Uri.joinPath(folder("one").uri, ".vscode", "settings.json");
    await vscode.workspace.fs.createDirectory(vscode.Uri.joinPath(settings, ".."));
    const problems = async (): Promise<string> =>
      (await server.request("sidecar/status", {})).settingsProblems.join();
    const write = (tokens: number): Promise<void> =>
      writeFile(settings.fsPath, JSON.stringify({ "memorySidecar.memory.injectBudgetTokens": tokens }));
    try {
      await write(900_000);
      await eventually(async () =>
        assert.match(await problems(), /injectBudgetTokens.*may only lower it; 5000 is used/),
      );
      await write(700);
      await eventually(async () => assert.equal(await problems(), ""));
    } finally {
      await rm(settings.fsPath);
    }
  });
});

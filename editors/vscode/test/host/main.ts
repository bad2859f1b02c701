// A trusted window with two folders and the real sidecar.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";
import { waiting } from "../../src/common/commands/reminders";
import type { SidecarServer } from "../../src/common/server";
import type { DidChangeMemories } from "../../src/protocol";
import {
  PLACE,
  active,
  alive,
  activated,
  asked,
  eventually,
  folder,
  next,
  sidecar,
  started,
  told,
  closed,
  type Api,
} from "./window";

describe("a window with two folders", () => {
  let api: Api;
  let server: SidecarServer;
  let one: string;
  let two: string;
  let letters: vscode.Uri;

  before(async () => {
    api = await activated();
    ({ server } = api);
    one = folder("one").uri.toString();
    two = folder("two").uri.toString();
    letters = vscode.Uri.joinPath(folder("one").uri, "letters.py");
  });

  it("starts nothing where there is no memory, until somebody asks", async () => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(server.state, "stopped");
    assert.deepEqual(started(), []);
    const status = await server.request("sidecar/status", {});
    assert.equal(server.state, "running");
    assert.equal(status.pid, alive()[0]);
    assert.deepEqual(status.workspaces.map(({ uri }) => uri).sort(), [one, two].sort());
  });

  it("clashes with none of the commands that the sidecar brings", async () => {
    const manifest = vscode.extensions.getExtension("memory-sidecar.memory-sidecar")?.packageJSON as {
      contributes: { commands: { command: string }[] };
    };
    const own = manifest.contributes.commands.map(({ command }) => command);
    const all = new Set(await vscode.commands.getCommands(true));
    for (const command of own) assert.ok(all.has(command), `${command} is registered`);
    for (const name of ["record", "archive", "showFile", "showMemory"]) {
      assert.ok(all.has(`memorySidecar.${name}`), `${name} comes from the sidecar`);
      assert.ok(!own.includes(`memorySidecar.${name}`));
    }
  });

  it("records, finds and tells of it; hover and lens show it", async () => {
    await told(server.onDidChangeMemory, async (values) => {
      const recorded = await server.request("memory/record", {
        content: "`letters.py::greet` must never shout: customers complained.",
        name: "Greetings do not shout",
        workspaceUri: one,
      });
      assert.equal(recorded.status, "created");
      const { id } = recorded.memory;
      await eventually(() => assert.ok(values.some((value) => tells(value, one, id))));
      const found = await server.request("memory/search", { query: "shouting customers", workspaceUri: one });
      assert.equal(found.items[0]?.memory.id, id);
    });

    const document = await vscode.workspace.openTextDocument(letters);
    await vscode.window.showTextDocument(document);
    const at = document.positionAt(document.getText().indexOf("greet("));
    const text = await eventually(async () => {
      const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
        "vscode.executeHoverProvider",
        letters,
        at,
      );
      const shown = hovers.flatMap((hover) =>
        hover.contents.map((content) => (content as vscode.MarkdownString).value),
      );
      assert.match(shown.join("\n"), /never shout/);
      return shown.join("\n");
    });
    assert.match(text, /Greetings do not shout/);
    const link = /\[Open\]\(command:memorySidecar\.view\.open\?([^)]+)\)/.exec(text)?.[1];
    assert.ok(link, text);
    const given = JSON.parse(decodeURIComponent(link)) as unknown[];
    await vscode.commands.executeCommand("memorySidecar.view.open", ...given);
    await active(({ path }) => path.includes("Greetings"));
    const lenses = await eventually(async () => {
      const all = await vscode.commands.executeCommand<vscode.CodeLens[]>(
        "vscode.executeCodeLensProvider",
        letters,
        20,
      );
      assert.ok(
        all.some((lens) => lens.command?.title.startsWith("1 memory")),
        JSON.stringify(all),
      );
      return all;
    });
    const lens = lenses.find(({ range }) => range.start.line === at.line) ?? lenses[0];
    const command = lens?.command;
    assert.ok(command);
    const calls = await asked(
      "showQuickPick",
      () => undefined,
      () => vscode.commands.executeCommand(command.command, ...((command.arguments ?? []) as unknown[])),
    );
    const items = calls[0]?.[0] as { label: string }[];
    assert.deepEqual(
      items.map(({ label }) => label),
      ["Greetings do not shout"],
    );
  });

  it("shows a memory that names only a symbol at its definition", async () => {
    const cart = vscode.Uri.joinPath(letters, "..", "cart.py");
    await vscode.workspace.fs.writeFile(cart, Buffer.from("class Cart:\n    def add(self, n): ...\n"));
    const recorded = await server.request("memory/record", {
      content: "`Cart.add` must refuse negative counts.",
      name: "Negative counts",
      workspaceUri: one,
    });
    const document = await vscode.workspace.openTextDocument(cart);
    await vscode.window.showTextDocument(document);
    const at = new vscode.Position(1, 9);
    await eventually(async () => {
      const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
        "vscode.executeHoverProvider",
        cart,
        at,
      );
      const said = hovers.flatMap(({ contents }) =>
        contents.map((one) => (one as vscode.MarkdownString).value),
      );
      assert.match(said.join("\n"), /negative counts/);
    });
    const lens = await eventually(async () => {
      const all = await vscode.commands.executeCommand<vscode.CodeLens[]>(
        "vscode.executeCodeLensProvider",
        cart,
        20,
      );
      const found = all.find(({ range }) => range.start.line === 1);
      assert.equal(found?.command?.title, "1 memory");
      return found;
    });
    const command = lens.command;
    assert.ok(command);
    const [shown] = await asked(
      "showQuickPick",
      () => undefined,
      () => vscode.commands.executeCommand(command.command, ...((command.arguments ?? []) as unknown[])),
    );
    assert.deepEqual(
      (shown?.[0] as { label: string }[]).map(({ label }) => label),
      ["Negative counts"],
    );
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      "vscode.executeCodeActionProvider",
      cart,
      new vscode.Range(at, at),
    );
    assert.ok(actions.some(({ title }) => title === "Archive “Negative counts”"));
    await server.request("memory/delete", { id: recorded.memory.id, purge: true, workspaceUri: one });
    await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
    await vscode.workspace.fs.delete(cart);
  });

  it("remembers a selection through a code action, with what the person says about it", async () => {
    const document = await vscode.workspace.openTextDocument(letters);
    const line = document.positionAt(document.getText().indexOf("GREETING")).line;
    const range = document.lineAt(line).range;
    const { command, arguments: given = [] } = await eventually(async () => {
      const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
        "vscode.executeCodeActionProvider",
        letters,
        range,
      );
      const action = actions.find(({ title }) => title === "Remember the selection");
      assert.ok(action?.command, actions.map(({ title }) => title).join());
      return action.command;
    });
    const picks = ["Decision", "$(edit) Name", "$(tag) Tags", "$(pin) Pinned", "$(check) Record"];
    const calls = await asked(
      "showQuickPick",
      (items: { label: string }[]) => picked(items, picks),
      () =>
        asked(
          "showInputBox",
          ({ prompt }: vscode.InputBoxOptions) =>
            /name/.test(prompt ?? "")
              ? "Formal greeting"
              : /Tags/.test(prompt ?? "")
                ? "style, letters"
                : "The greeting is formal on purpose.",
          () =>
            asked(
              "showInformationMessage",
              () => undefined,
              () => vscode.commands.executeCommand(command, ...(given as unknown[])),
            ),
        ),
    );
    const shown = calls.at(-1)?.[0] as { label: string; description: string }[];
    assert.deepEqual(shown.map(({ description }) => description).slice(1, 5), [
      "Formal greeting",
      "style, letters",
      "letters.py",
      "yes: it never grows old",
    ]);
    const found = await server.request("memory/search", { query: "formal on purpose", workspaceUri: one });
    assert.match(
      found.items[0]?.memory.content ?? "",
      /^The greeting is formal on purpose\.\n\n.*letters\.py/,
    );
    const kept = found.items[0]?.memory;
    assert.deepEqual(
      [kept?.name, kept?.category, kept?.tags, kept?.files, kept?.pinned],
      ["Formal greeting", "decision", ["style", "letters"], ["letters.py"], true],
    );
  });

  it("records nothing when the last question is left", async () => {
    const before = (await server.request("memory/list", { workspaceUri: one, limit: 100 })).items.length;
    const said = { content: "Left alone.", workspaceUri: one };
    await asked(
      "showQuickPick",
      (items: { label: string }[]) => items.find(({ label }) => label === "Fact"),
      () => vscode.commands.executeCommand("memorySidecar.recordMemory", said),
    );
    const after = (await server.request("memory/list", { workspaceUri: one, limit: 100 })).items.length;
    assert.equal(after, before);
  });

  it("sets a reminder, tells of one that is due, and lists those that wait", async () => {
    await vscode.window.showTextDocument(letters);
    let answered = false;
    const set = asked(
      "showQuickPick",
      (items: { label: string }[]) => items.find(({ label }) => label === "Every day"),
      () =>
        asked(
          "showInformationMessage",
          () => undefined,
          () => vscode.commands.executeCommand("memorySidecar.setReminder", "Renew the certificate"),
        ).finally(() => (answered = true)),
    );
    await eventually(async () => {
      await vscode.commands.executeCommand("workbench.action.acceptSelectedQuickOpenItem");
      assert.ok(answered);
    });
    await set;
    const { items } = await server.request("reminder/list", { workspaceUri: one });
    assert.deepEqual(
      items.map(({ text, recurrence, due }) => [text, recurrence, due]),
      [["Renew the certificate", "daily", false]],
    );

    // It is told once, by the look of each minute or by this one, and never in a window that nobody looks at.
    const own = Object.getOwnPropertyDescriptor(vscode.window, "state") ?? {};
    const away = (focused: boolean): unknown =>
      Object.defineProperty(vscode.window, "state", {
        configurable: true,
        ...(focused ? own : { value: { focused, active: false } }),
      });
    away(false);
    const messages = await asked(
      "showInformationMessage",
      () => {
        answered = true;
        return "Done";
      },
      async () => {
        const { reminder } = await eventually(() => {
          const soon = `${new Date(Date.now() + 3_000).toISOString().slice(0, 19)}Z`; // refused once it has passed
          return server.request("reminder/set", { text: "Call the bank", at: soon, workspaceUri: one });
        });
        await eventually(async () => {
          const [late] = (await server.request("reminder/list", { workspaceUri: one })).items;
          assert.ok(late?.due);
        });
        answered = false;
        await api.due.look();
        assert.equal(answered, false, "told in a window without focus");
        away(true);
        await eventually(async () => {
          await api.due.look();
          const left = (await server.request("reminder/list", { workspaceUri: one })).items;
          assert.ok(!left.some(({ id }) => id === reminder.id));
        });
      },
    );
    assert.deepEqual(
      messages.map(([message]) => message),
      ["Reminder: Call the bank"],
    );
    assert.deepEqual(
      await asked(
        "showInformationMessage",
        () => undefined,
        () => api.due.look(),
      ),
      [],
    );

    const labels = (await waiting(api)).map(({ label }) => label);
    assert.deepEqual(labels, ["$(bell) Renew the certificate", "$(add) Set a Reminder…"]);
    await closed(() => vscode.commands.executeCommand("memorySidecar.showReminders"));
  });

  it("shows who works here, what they hold and what they came to", async () => {
    const session = { sessionId: "s-1", workspaceUri: one };
    await server.request("session/start", { ...session, agent: "claude", workingOn: "the refunds" });
    await server.request("session/claim", { ...session, item: "letters.py" });
    const over = { sessionId: "s-0", workspaceUri: one };
    await server.request("session/start", { ...over, agent: "codex" });
    await server.request("session/end", { ...over, summary: "Moved the tests." });
    const calls = await asked(
      "showQuickPick",
      async (given: Promise<{ label: string }[]>) =>
        (await given).find(({ label }) => label.includes("claude")),
      () => vscode.commands.executeCommand("memorySidecar.showSessions"),
    );
    const shown = (await calls[0]?.[0]) as { label: string; description?: string; detail?: string }[];
    assert.deepEqual(
      shown.map(({ label, detail }) => [label, detail]),
      [
        ["at work", undefined],
        ["$(vm-running) claude", "the refunds"],
        ["over", undefined],
        ["$(vm-outline) codex", "Moved the tests."],
      ],
    );
    assert.match(shown[1]?.description ?? "", /holds 1 item · one/);
    const page = vscode.workspace.textDocuments.find(({ uri }) => uri.path === "/Session claude s-1.md");
    assert.match(page?.getText() ?? "", /## Holds\n\n- letters\\\.py, since 20/);
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  });

  it("offers a way back from what an action did", async () => {
    const { memory } = await server.request("memory/record", {
      content: "Nothing of use here.",
      workspaceUri: one,
    });
    const calls = await asked(
      "showInformationMessage",
      () => "Undo",
      () => vscode.commands.executeCommand("memorySidecar.archive", { id: memory.id }),
    );
    assert.match(String(calls[0]?.[0]), /^Archived “Nothing of use here/);
    await eventually(async () => {
      const now = await server.request("memory/get", { id: memory.id, workspaceUri: one });
      assert.equal(now.status, "active");
    });
  });

  it("hears what another process records", async () => {
    await told(server.onDidChangeMemory, async (values) => {
      const text = "The invoices are printed on Thursdays.";
      const said = await sidecar("record", "--json", "--workspace", folder("one").uri.fsPath, text);
      const { memory } = JSON.parse(said) as { memory: { id: string } };
      await eventually(() => assert.ok(values.some((value) => tells(value, one, memory.id))));
    });
    const found = await server.request("memory/search", { query: "invoices Thursday", workspaceUri: one });
    assert.match(found.items[0]?.memory.content ?? "", /Thursdays/);
  });

  it("keeps the folders' memories apart, and serves one that is added", async () => {
    await server.request("memory/record", { content: "Two uses tabs.", workspaceUri: two });
    const list = await server.request("memory/list", { workspaceUri: one, limit: 100 });
    assert.ok(!list.items.some(({ content }) => content === "Two uses tabs."));
    const third = vscode.Uri.file(path.join(PLACE, "three"));
    assert.ok(vscode.workspace.updateWorkspaceFolders(2, 0, { uri: third, name: "three" }));
    await eventually(async () => {
      const { workspaces } = await server.request("sidecar/status", {});
      assert.ok(workspaces.some(({ uri }) => uri === third.toString()));
    });
  });

  it("tells of files that changed, saved here or written by somebody else", async () => {
    await server.request("file/summary", { path: "letters.py", workspaceUri: one });
    const saved = next(server.onDidInvalidateFiles, ({ files }) =>
      files.some((file) => file.path === "letters.py"),
    );
    const editor = await vscode.window.showTextDocument(letters);
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "# first line\n"));
    await editor.document.save();
    await saved;
    await server.request("file/summary", { path: "notes.md", workspaceUri: one });
    const written = next(server.onDidInvalidateFiles, ({ files }) =>
      files.some((file) => file.path === "notes.md"),
    );
    await writeFile(path.join(folder("one").uri.fsPath, "notes.md"), "# Other notes\n\nAll new.\n");
    await written;
  });

  it("passes on the settings that were set, and those alone", async () => {
    const configuration = vscode.workspace.getConfiguration("memorySidecar");
    assert.equal((await server.request("sidecar/status", {})).enabled, true);
    const before = server.processId;
    await configuration.update("memory.enabled", false, vscode.ConfigurationTarget.Workspace);
    await eventually(async () => assert.equal((await server.request("sidecar/status", {})).enabled, false));
    await configuration.update("memory.enabled", undefined, vscode.ConfigurationTarget.Workspace);
    await eventually(async () => assert.equal((await server.request("sidecar/status", {})).enabled, true));
    assert.equal(server.processId, before, "it was not restarted for that");
    const { settingsProblems } = await server.request("sidecar/status", {});
    assert.deepEqual(settingsProblems, []);
  });

  it("has settings for one folder alone, but none of where data goes", async () => {
    const inTwo = vscode.workspace.getConfiguration("memorySidecar", folder("two").uri);
    const before = server.processId;
    const enabled = async (): Promise<(boolean | undefined)[]> => {
      const { workspaces } = await server.request("sidecar/status", {});
      return [one, two].map((uri) => workspaces.find((row) => row.uri === uri)?.enabled ?? true);
    };
    const file = vscode.Uri.joinPath(folder("two").uri, ".vscode", "settings.json");
    await vscode.workspace.fs.createDirectory(vscode.Uri.joinPath(file, ".."));
    // As a repository brings it: what a folder may set, and what it may not.
    const brought = {
      "memorySidecar.memory.enabled": false,
      "memorySidecar.models.endpoint": "http://127.0.0.1:9/v1",
      "memorySidecar.store.folder": path.join(PLACE, "stolen"),
      "memorySidecar.uvx": "always",
    };
    await writeFile(file.fsPath, JSON.stringify(brought));
    await eventually(async () => assert.deepEqual(await enabled(), [true, false]));
    const status = await server.request("sidecar/status", {});
    assert.deepEqual(status.settingsProblems, [], "what it may not set was not even sent");
    assert.ok(status.workspaces.every(({ model }) => !model || model.state === "off"));
    await assert.rejects(server.request("memory/search", { query: "x", workspaceUri: two }), /switched off/);
    await eventually(() => assert.match(api.status.shown.label, /two: memory is switched off/));
    // The others go on, in every list that is of all folders.
    assert.ok((await waiting(api)).length > 0);
    const calls = await asked(
      "showQuickPick",
      () => undefined,
      () => vscode.commands.executeCommand("memorySidecar.showSessions"),
    );
    assert.ok(((await calls[0]?.[0]) as unknown[]).length > 0);
    await inTwo.update("memory.enabled", undefined, vscode.ConfigurationTarget.WorkspaceFolder);
    await eventually(async () => assert.deepEqual(await enabled(), [true, true]));
    assert.equal(server.processId, before, "it was not restarted for that");
  });

  it("exports, shows what an import would do, and reports on itself", async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors"); // none of them says which folder
    const file = path.join(PLACE, "export.jsonl");
    await asked(
      "showQuickPick",
      (items: { label: string }[]) => items[0],
      () =>
        asked(
          "showSaveDialog",
          () => vscode.Uri.file(file),
          () =>
            asked(
              "showInformationMessage",
              () => undefined,
              () => vscode.commands.executeCommand("memorySidecar.exportMemories"),
            ),
        ),
    );
    const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
    assert.equal((JSON.parse(lines[0] ?? "{}") as { kind: string }).kind, "header");
    assert.equal((JSON.parse(lines.at(-1) ?? "{}") as { kind: string }).kind, "end");

    const foreign = path.join(PLACE, "AGENTS.md");
    await writeFile(foreign, "# Rules\n\n## Commits\n\nWrite commit messages in the imperative.\n");
    for (const [source, answer] of [
      [foreign, undefined],
      [foreign, "Import"],
    ] as const) {
      await asked(
        "showQuickPick",
        (items: { label: string }[]) => items[1],
        () =>
          asked(
            "showOpenDialog",
            () => [vscode.Uri.file(source)],
            () =>
              asked(
                "showInformationMessage",
                () => answer,
                () => vscode.commands.executeCommand("memorySidecar.importMemories"),
              ),
          ),
      );
      const name = answer === undefined ? "Import, dry run.md" : "Import.md";
      const report =
        vscode.workspace.textDocuments.find(({ uri }) => uri.path === `/${name}`)?.getText() ?? "";
      assert.match(report, answer === undefined ? /# Import, not done yet/ : /# Import\n/);
      assert.match(report, /created/);
      await vscode.commands.executeCommand("workbench.action.closeAllEditors");
      const kept = await server.request("memory/search", {
        query: "imperative commit messages",
        workspaceUri: two,
      });
      const found = kept.items.some(({ memory }) => memory.content.includes("imperative"));
      assert.equal(found, answer === "Import", "a dry run stores nothing");
    }

    const status = await vscode.commands.executeCommand<string>("memorySidecar.showStatus");
    assert.match(status, /one: \d+ memories/);
    const doctor = await vscode.commands.executeCommand<string>("memorySidecar.runDoctor");
    assert.match(doctor, /ok +versions/);
  });

  it("shows its state and what is known in the status bar", async () => {
    await eventually(() => assert.match(api.status.shown.label, /is running.*one: \d+ memor/));
  });

  it("has one sidecar after twenty restarts at once, and after twenty more one by one", async () => {
    const before = started().length;
    await Promise.all(Array.from({ length: 20 }, () => server.restart()));
    assert.equal(server.state, "running");
    assert.deepEqual(alive(), [server.processId]);
    assert.equal(started().length, before + 1, "those who ask at once share a restart");
    const later: Promise<unknown>[] = [];
    for (let count = 0; count < 20; count++) {
      later.push(server.restart());
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await Promise.all(later);
    assert.equal(server.state, "running");
    await eventually(() => assert.deepEqual(alive(), [server.processId]));
    assert.equal((await server.request("sidecar/status", {})).pid, server.processId);
  });

  it("comes back after kill -9, with everything that was acknowledged", async () => {
    const { memory } = await server.request("memory/record", {
      content: "Kept before the end.",
      workspaceUri: one,
    });
    const before = server.processId;
    assert.ok(before);
    const back = next(server.onDidChangeState, (state) => state === "running");
    process.kill(before, "SIGKILL");
    await back;
    assert.notEqual(server.processId, before);
    const kept = await server.request("memory/get", { id: memory.id, workspaceUri: one });
    assert.equal(kept.content, "Kept before the end.");
    assert.ok((await vscode.commands.getCommands(true)).includes("memorySidecar.record"));
  });

  it("restarts when the setting names another program, and says when that is none", async () => {
    const configuration = vscode.workspace.getConfiguration("memorySidecar");
    const calls = await asked(
      "showErrorMessage",
      () => undefined,
      async () => {
        await configuration.update(
          "command",
          [path.join(PLACE, "no-such")],
          vscode.ConfigurationTarget.Workspace,
        );
        await eventually(() => assert.equal(server.state, "missing"));
      },
    );
    assert.match(String(calls[0]?.[0]), /memorySidecar\.command names .*no-such/);
    await assert.rejects(server.request("sidecar/status", {}), /no-such/);
    await configuration.update("command", undefined, vscode.ConfigurationTarget.Workspace);
    await eventually(() => assert.equal(server.state, "running"));
    await eventually(() => assert.deepEqual(alive(), [server.processId]));
  });
});

/** Whether a memory is told of, or that everything is to be looked at anew. */
function tells({ workspaceUri, changes }: DidChangeMemories, folderUri: string, id: string): boolean {
  return workspaceUri === folderUri && (changes.length === 0 || changes.some((change) => change.id === id));
}

/** The next of these labels, in their order. */
function picked(items: { label: string }[], labels: string[]): { label: string } | undefined {
  const label = labels.shift();
  return items.find((item) => item.label === label);
}

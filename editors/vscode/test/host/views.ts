// The views in a trusted window, with the real sidecar and other processes beside it.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import * as vscode from "vscode";
import type { SidecarServer } from "../../src/common/server";
import type { LinkedMemory, Memory, RecordParams, UpdateParams } from "../../src/protocol";
import type { FileNode, Part } from "../../src/views/file/parts";
import type { Views } from "../../src/views/index";
import { preview, VIEW_TYPE } from "../../src/views/inject/panel";
import { EDITED } from "../../src/views/memories/addresses";
import { Doubts } from "../../src/views/memories/doubts";
import { uriOf } from "../../src/views/memories/editing";
import { showDifference } from "../../src/views/memories/history";
import { USUAL } from "../../src/views/memories/library";
import { unlinked } from "../../src/views/memories/links";
import type { MemoryNode, Node } from "../../src/views/memories/nodes";
import { search } from "../../src/views/memories/search";
import { linkWords } from "../../src/views/memories/wording";
import { activated, active, type Api, asked, closed, eventually, folder, next, sidecar } from "./window";

const { commands, window, workspace } = vscode;

describe("the views", () => {
  let server: SidecarServer;
  let views: Views;
  let one: string;
  let two: string;

  const get = (id: string): Promise<Memory> => server.request("memory/get", { id, workspaceUri: one });
  const record = async (content: string, given: Partial<RecordParams> = {}): Promise<Memory> =>
    (await server.request("memory/record", { content, workspaceUri: one, ...given })).memory;

  /** All nodes of the Memory view, open or not. */
  function all(node?: Node): Node[] {
    return views.memories.tree.children(node).flatMap((below) => [below, ...all(below)]);
  }

  function nodeOf(id: string): MemoryNode {
    const found = all().find((node): node is MemoryNode => node.kind === "memory" && node.row.id === id);
    assert.ok(found, "the memory is in the view");
    return found;
  }

  const shows = (id: string): boolean => all().some((node) => node.kind === "memory" && node.row.id === id);
  const itemOf = (id: string): vscode.TreeItem => views.memories.tree.getTreeItem(nodeOf(id));

  function partsOfFile(): Map<string, Part> {
    const walk = (nodes: readonly FileNode[]): Part[] =>
      nodes.flatMap((node) => (node.kind === "part" ? [node, ...walk(node.children)] : []));
    return new Map(walk(views.file.getChildren()).map((part) => [part.key, part]));
  }

  before(async () => {
    const api = (await activated()) as Api & { views: Views };
    ({ server, views } = api);
    one = folder("one").uri.toString();
    two = folder("two").uri.toString();
    // In a browser VS Code saves by itself after a second, if it is not told otherwise.
    await workspace.getConfiguration("files").update("autoSave", "off", vscode.ConfigurationTarget.Global);
    await commands.executeCommand("memorySidecar.memories.focus");
    await eventually(() => assert.ok(views.memories.library.ready));
  });

  afterEach(async () => {
    await commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    await commands.executeCommand("workbench.action.closeAllEditors");
  });

  it("show what is recorded, under its folder, scope and type", async () => {
    const memory = await record("Orders are cancelled by `letters.py::greet` at night.", {
      category: "procedure",
      description: "how orders end",
    });
    await eventually(() => assert.ok(shows(memory.id)));
    const [top] = views.memories.tree.children();
    assert.ok(top?.kind === "folder" && top.label === "one");
    const [scope] = views.memories.tree.children(top);
    assert.ok(scope?.kind === "group" && scope.group.label === "Project");
    const item = itemOf(memory.id);
    assert.equal(item.label, "Orders are cancelled by letters.py::greet at night");
    assert.match(String(item.description), /^(now|\d+m) · how orders end$/);
    assert.equal((item.iconPath as vscode.ThemeIcon).id, "list-ordered");
    assert.match(item.contextValue ?? "", /;status=active;/);
    const token = new vscode.CancellationTokenSource().token;
    const { tooltip } = await views.memories.tree.resolveTreeItem(item, nodeOf(memory.id), token);
    assert.ok(tooltip instanceof vscode.MarkdownString);
    assert.ok(!tooltip.isTrusted && !tooltip.supportHtml);
    assert.match(tooltip.value, /as it was recorded/);
  });

  it("show what another process records and archives, without being asked", async () => {
    const workspaceArgs = ["--workspace", folder("one").uri.fsPath];
    const text = await sidecar("record", ...workspaceArgs, "--json", "The ledger closes on Fridays.");
    const { memory } = JSON.parse(text) as { memory: Memory };
    await eventually(() => assert.ok(shows(memory.id)));
    await sidecar("archive", ...workspaceArgs, memory.id);
    await eventually(() => assert.ok(!shows(memory.id)));
  });

  it("mark what is in doubt when its file changes, and what stands against another", async () => {
    const doubted = await record("`notes.md` is the only page of notes.");
    const other = await record("There are many pages of notes.");
    await eventually(() => assert.equal((itemOf(doubted.id).iconPath as vscode.ThemeIcon).id, "note"));
    await writeFile(vscode.Uri.joinPath(folder("one").uri, "notes.md").fsPath, `# Changed ${Date.now()}\n`);
    await eventually(() => assert.equal((itemOf(doubted.id).iconPath as vscode.ThemeIcon).id, "warning"));
    assert.match(String(itemOf(doubted.id).description), /suspect/);
    await commands.executeCommand("memorySidecar.view.verify", nodeOf(doubted.id));
    await eventually(() => assert.equal((itemOf(doubted.id).iconPath as vscode.ThemeIcon).id, "note"));
    await server.request("memory/link", {
      from: other.id,
      to: doubted.id,
      kind: "contradicts",
      workspaceUri: one,
    });
    await commands.executeCommand("memorySidecar.view.refresh");
    await eventually(() => assert.match(String(itemOf(doubted.id).description), /contradicted/));
    // However many rows are shown, that is one question of each folder.
    const rows = all().flatMap((node) => (node.kind === "memory" ? [node.row] : []));
    const methods: string[] = [];
    const request = (...given: Parameters<SidecarServer["request"]>): Promise<unknown> => {
      methods.push(given[0]);
      return server.request(...given);
    };
    const client: unknown = { request, onDidChangeMemory: server.onDidChangeMemory };
    const doubts = new Doubts(client as SidecarServer);
    try {
      const found = next(doubts.onDidFind);
      doubts.ask(rows);
      await found;
      assert.deepEqual(
        rows
          .filter((row) => doubts.has(row))
          .map(({ id }) => id)
          .sort(),
        [other.id, doubted.id].sort(),
      );
      const folders = new Set(rows.map((row) => row.folder));
      assert.deepEqual(
        methods,
        Array.from(folders, () => "memory/links"),
      );
      assert.ok(rows.length > folders.size);
    } finally {
      doubts.dispose();
    }
  });

  it("archive several at once and bring them back", async () => {
    const some = await Promise.all(["First of many.", "Second of many."].map((text) => record(text)));
    await eventually(() => assert.ok(some.every(({ id }) => shows(id))));
    const nodes = some.map(({ id }) => nodeOf(id));
    const calls = await asked(
      "showInformationMessage",
      () => "Undo",
      () => commands.executeCommand("memorySidecar.view.archive", nodes[0], nodes),
    );
    assert.match(String(calls[0]?.[0]), /Archived 2 memories/);
    await eventually(async () => {
      for (const { id } of some) {
        const now = await get(id);
        assert.equal(now.status, "active");
        assert.ok(now.version >= 3);
        assert.ok(shows(id));
      }
    });
  });

  it("delete only when that is confirmed, and can undo it", async () => {
    const memory = await record("Soon to be gone.");
    await eventually(() => assert.ok(shows(memory.id)));
    const node = nodeOf(memory.id);
    const remove = (): Thenable<unknown> => commands.executeCommand("memorySidecar.view.delete", node);
    await asked("showWarningMessage", () => undefined, remove);
    assert.equal((await get(memory.id)).status, "active");
    await asked(
      "showInformationMessage",
      () => "Undo",
      () => asked("showWarningMessage", () => "Delete", remove),
    );
    await eventually(async () => {
      assert.ok((await get(memory.id)).version >= 3);
      assert.ok(shows(memory.id));
    });
  });

  it("pin, promote, resolve and reopen", async () => {
    const memory = await record("The release waits for the audit.", { category: "blocker" });
    await eventually(() => assert.ok(shows(memory.id)));
    await commands.executeCommand("memorySidecar.view.pin", nodeOf(memory.id));
    await eventually(() => assert.equal((itemOf(memory.id).iconPath as vscode.ThemeIcon).id, "pinned"));
    await commands.executeCommand("memorySidecar.view.unpin", nodeOf(memory.id));
    assert.equal((await get(memory.id)).pinned, false);
    await asked(
      "showInformationMessage",
      () => undefined,
      () => commands.executeCommand("memorySidecar.view.resolve", nodeOf(memory.id)),
    );
    await eventually(() => {
      assert.ok(!shows(memory.id), "a resolved blocker is not among the usual memories");
    });
    await views.memories.library.setFilter({ statuses: ["resolved"], expired: false });
    const resolved = await eventually(() => nodeOf(memory.id));
    await commands.executeCommand("memorySidecar.view.reopen", resolved);
    await views.memories.library.setFilter(USUAL);
    const open = await eventually(() => nodeOf(memory.id));
    await asked(
      "showQuickPick",
      (items: { scope: string }[]) => items.find(({ scope }) => scope === "global"),
      () => commands.executeCommand("memorySidecar.view.promote", open),
    );
    await eventually(() => {
      const last = views.memories.tree.children().at(-1);
      assert.ok(last?.kind === "folder" && last.label === "Every workspace");
      assert.ok(!shows(memory.id), "it has an id of its own there");
    });
  });

  it("save an edited document as a change of what was edited", async () => {
    const memory = await record("Prices are in cents.", { name: "Money", tags: ["money"] });
    await eventually(() => assert.ok(shows(memory.id)));
    await commands.executeCommand("memorySidecar.view.open", nodeOf(memory.id));
    const document = await edited(memory);
    assert.equal(document.languageId, "markdown");
    await replace(document, "in cents", "in tenths of a cent");
    assert.ok(await document.save());
    const now = await get(memory.id);
    assert.equal(now.content, "Prices are in tenths of a cent.");
    assert.deepEqual([now.tags, now.version, now.name], [["money"], 2, memory.name]);
    await eventually(() => assert.equal(nodeOf(memory.id).row.version, 2));
    await replace(document, "type: project", "type: nonsense");
    assert.equal(await document.save(), false);
    assert.ok(document.isDirty, "what cannot be saved stays in the editor");
    assert.equal((await get(memory.id)).version, 2);
  });

  it("follow in an open document what another process changes, and overwrite nothing unseen", async () => {
    const memory = await record("Taxes are rounded up.", { name: "Rounding" });
    await commands.executeCommand("memorySidecar.view.open", { id: memory.id, folder: one });
    const document = await edited(memory);
    const edit = (content: string): Promise<string> =>
      sidecar("edit", "--workspace", folder("one").uri.fsPath, memory.id, "--content", content);
    await edit("Taxes are rounded down.");
    await eventually(() => assert.match(document.getText(), /rounded down/));
    assert.ok(!document.isDirty);
    await replace(document, "rounded down", "rounded by a bank");
    await edit("Taxes are rounded twice.");
    await eventually(async () => assert.equal((await get(memory.id)).version, 3));
    assert.equal(await document.save(), false, "VS Code asks to compare first");
    assert.equal((await get(memory.id)).content, "Taxes are rounded twice.");
    assert.match(document.getText(), /rounded by a bank/);
    await commands.executeCommand("workbench.files.action.acceptLocalChanges", document.uri);
    await eventually(async () =>
      assert.equal((await get(memory.id)).content, "Taxes are rounded by a bank."),
    );
    const history = await server.request("memory/history", { id: memory.id, workspaceUri: one });
    assert.ok(history.versions.some((version) => version.memory?.content === "Taxes are rounded twice."));
  });

  it("merge what others change elsewhere in the same memory, without asking", async () => {
    const memory = await record("First line.\nSecond line.\nThird line.", { name: "Merge" });
    await commands.executeCommand("memorySidecar.view.open", { id: memory.id, folder: one });
    const document = await edited(memory);
    const update = (changes: Pick<UpdateParams, "content" | "tags" | "pinned">): Promise<unknown> =>
      server.request("memory/update", { id: memory.id, workspaceUri: one, ...changes });
    await replace(document, "First line", "My line");
    await update({ content: "First line.\nSecond line.\nTheir line.", tags: ["theirs"] });
    await eventually(async () => assert.ok(await document.save()));
    const now = await get(memory.id);
    assert.deepEqual([now.content, now.tags], ["My line.\nSecond line.\nTheir line.", ["theirs"]]);
    await eventually(() => assert.match(document.getText(), /tags: theirs[^]*My line[^]*Their line/));
    assert.ok(!document.isDirty);
    // And again from there: what was merged is what the next edits begin with.
    await replace(document, "Second line", "Another line");
    await update({ pinned: true });
    assert.ok(await document.save());
    const last = await get(memory.id);
    assert.deepEqual([last.content, last.pinned], ["My line.\nAnother line.\nTheir line.", true]);
    // The same line: VS Code asks, with both side by side.
    await replace(document, "My line", "My own line");
    await update({ content: "Your line.\nAnother line.\nTheir line." });
    assert.equal(await document.save(), false);
    assert.match((await get(memory.id)).content, /^Your line/);
  });

  it("link memories, show what they are linked to, and take a link back", async () => {
    const before = await record("Step one: the ledger is closed.");
    const after = await record("Step two: the invoices go out.");
    await eventually(() => assert.ok(shows(before.id) && shows(after.id)));
    const calls = await asked(
      "showQuickPick",
      (items: { link?: string; target?: { id: string } }[]) =>
        items.find(({ link, target }) => link === "sequence" || target?.id === after.id),
      () => commands.executeCommand("memorySidecar.view.link", nodeOf(before.id)),
    );
    const offered = calls[1]?.[0] as { target: { id: string } }[];
    assert.ok(!offered.some(({ target }) => target.id === before.id), "not to itself");
    const links = async (id: string): Promise<LinkedMemory[]> =>
      (await server.request("memory/links", { id, workspaceUri: one })).items.filter(
        ({ link }) => link.kind === "sequence",
      );
    const [made] = await links(after.id);
    assert.ok(made);
    assert.equal(linkWords(made, after.id), "comes after");
    await closed(() => commands.executeCommand("memorySidecar.view.links", nodeOf(after.id)));
    await unlinked(server, made, one);
    assert.deepEqual(await links(after.id), []);
  });

  it("bring a memory back that was deleted while it was edited", async () => {
    const memory = await record("Stock is counted by hand.", { name: "Stock" });
    await commands.executeCommand("memorySidecar.view.open", { id: memory.id, folder: one });
    const document = await edited(memory);
    await replace(document, "by hand", "by robots");
    await server.request("memory/delete", { id: memory.id, workspaceUri: one });
    await asked(
      "showWarningMessage",
      () => "Bring It Back",
      () => document.save(),
    );
    assert.equal((await get(memory.id)).content, "Stock is counted by robots.");
  });

  it("show the difference between two versions", async () => {
    const memory = await record("The gate opens at 8.");
    await server.request("memory/update", {
      id: memory.id,
      content: "The gate opens at 9.",
      workspaceUri: one,
    });
    const { versions } = await server.request("memory/history", { id: memory.id, workspaceUri: one });
    const [last, first] = versions;
    assert.ok(last && first);
    await showDifference({ id: memory.id, folder: one, title: "Gate" }, last, first);
    const shown = await eventually(() => {
      const input = window.tabGroups.activeTabGroup.activeTab?.input;
      assert.ok(input instanceof vscode.TabInputTextDiff);
      return input;
    });
    const text = async (uri: vscode.Uri): Promise<string> =>
      (await workspace.openTextDocument(uri)).getText();
    assert.match(await text(shown.original), /at 8/);
    assert.match(await text(shown.modified), /at 9/);
  });

  it("search by meaning, once over all folders, and keep the results in the view", async () => {
    const memory = await record("Parcels are weighed before they leave the warehouse.");
    const other = await record("Parcels go by train.", { workspaceUri: two });
    const found = await search(server, views.memories.library, "weigh parcels", 40);
    const ids = found.flatMap(({ result }) => result.items.map((hit) => hit.memory.id));
    assert.ok(ids.includes(memory.id) && ids.includes(other.id));
    assert.equal(new Set(ids).size, ids.length);
    views.memories.tree.results = found;
    assert.equal(views.memories.tree.children().length, ids.length);
    await commands.executeCommand("memorySidecar.view.clearSearch");
    assert.equal(views.memories.tree.children()[0]?.kind, "folder");
    // The quick pick itself opens, and asks for nothing that an extension may not.
    await closed(() => commands.executeCommand("memorySidecar.view.search"));
  });

  it("show what is known of the active file, and go to the line of a symbol", async () => {
    const uri = vscode.Uri.joinPath(folder("one").uri, "letters.py");
    const memory = await record("`letters.py` is printed on paper.");
    await server.request("session/start", { sessionId: "views", workspaceUri: one });
    await server.request("file/observe", {
      sessionId: "views",
      text: "The function `greet` always returns the polite form because customers complained about the short one.",
      paths: ["letters.py"],
      workspaceUri: one,
    });
    await window.showTextDocument(uri);
    await commands.executeCommand("memorySidecar.file.focus");
    const fact = await eventually(() => {
      const parts = partsOfFile();
      assert.equal(parts.get("fresh")?.label, "Fresh");
      assert.match(parts.get("tokens")?.label ?? "", /^Briefing [\d,]+ of [\d,]+ tokens$/);
      assert.ok(
        parts.get("memories")?.children.some((node) => node.kind === "memory" && node.row.id === memory.id),
      );
      assert.match(parts.get("facts|0")?.label ?? "", /polite form/);
      return parts.get("facts|0");
    });
    const page = await commands.executeCommand<string>("memorySidecar.view.readFile");
    assert.match(
      page,
      /# letters[^]*## 1 fact[^]*customers complained about the short one[^]*printed on paper/,
    );
    await window.showTextDocument(uri);
    const document = await workspace.openTextDocument(uri);
    const line = document.positionAt(document.getText().indexOf("def greet")).line;
    assert.equal(fact?.line, line + 1);
    await commands.executeCommand("memorySidecar.view.goTo", fact);
    await eventually(() => assert.equal(window.activeTextEditor?.selection.active.line, line));
    await replace(document, "def greet", "def unrelated():\n    return 1\n\n\ndef greet");
    await eventually(() => assert.match(partsOfFile().get("fresh")?.description ?? "", /unsaved/));
    assert.ok(await document.save());
    await eventually(() => {
      const outline = [...partsOfFile().values()].filter(({ key }) => key.startsWith("outline|"));
      assert.ok(outline.some(({ label }) => label === "unrelated"));
      assert.equal(partsOfFile().get("fresh")?.label, "Fresh");
    });
    assert.equal(partsOfFile().get("facts|0")?.line, line + 5, "the fact went along with its symbol");
  });

  it("preview what memory/inject answers, and count nothing as used", async () => {
    const memory = await record("Refunds take three days because the bank is slow.");
    const question = {
      prompt: "refunds and the bank",
      files: ["letters.py"],
      budget: 900,
      format: "xml",
      folder: one,
    } as const;
    // Twice, should the file of the test before be read anew just between the two.
    const answer = await eventually(async () => {
      const previewed = await preview(server, question);
      const direct = await server.request("memory/inject", {
        prompt: question.prompt,
        files: [...question.files],
        budgetTokens: question.budget,
        format: question.format,
        workspaceUri: one,
      });
      assert.equal(previewed.text, direct.text);
      return previewed;
    });
    assert.match(answer.text, /Refunds take three days/);
    assert.ok(answer.tokens <= question.budget);
    const item = answer.items.find(({ target }) => target === memory.id);
    assert.ok(item && item.title.startsWith("Refunds") && item.reasons.length > 0);
    assert.equal((await get(memory.id)).accessCount, 0);
    await commands.executeCommand("memorySidecar.view.inject", question);
    await eventually(() => {
      const tabs = window.tabGroups.all.flatMap((group) => group.tabs);
      assert.ok(
        tabs.some(
          ({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith(VIEW_TYPE),
        ),
      );
    });
    assert.equal((await get(memory.id)).accessCount, 0);
  });

  it("open nothing that is no memory", async () => {
    const uri = uriOf({ id: "01a2018a-bd7b-7332-b94f-781368f6428f", name: "x", content: "y" }, one);
    await assert.rejects(Promise.resolve(workspace.openTextDocument(uri)));
    await assert.rejects(Promise.resolve(workspace.openTextDocument(vscode.Uri.parse(`${EDITED}:/nothing`))));
  });
});

/** The document of a memory, once it is in the active editor. */
function edited({ id }: Memory): Promise<vscode.TextDocument> {
  return active(({ scheme, query }) => scheme === EDITED && query.includes(id));
}

/** Edit a document; again when VS Code refuses it, because it has read the document anew at that moment. */
async function replace(document: vscode.TextDocument, before: string, after: string): Promise<void> {
  await eventually(async () => {
    const at = document.getText().indexOf(before);
    assert.ok(at >= 0, `the document holds “${before}”`);
    const edit = new vscode.WorkspaceEdit();
    const range = new vscode.Range(document.positionAt(at), document.positionAt(at + before.length));
    edit.replace(document.uri, range, after);
    assert.ok(await workspace.applyEdit(edit), "the edit was applied");
  });
}

// A window whose folder is not trusted: memory is shown and nothing else happens.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import type { SidecarServer } from "../../src/common/server";
import { PLACE, activated, asked, eventually, folder, started, type Api } from "./window";

describe("a window that is not trusted", () => {
  let api: Api;
  let server: SidecarServer;

  before(async () => {
    api = await activated();
    ({ server } = api);
  });

  it("is not trusted, and runs no program that its settings or its environment name", async () => {
    assert.equal(vscode.workspace.isTrusted, false);
    const status = await server.request("sidecar/status", {});
    assert.equal(server.found?.source, "PATH");
    assert.equal(status.pid, started().at(-1));
    assert.ok(!existsSync(path.join(PLACE, "stolen")), "the workspace's own program did not run");
    const own = vscode.workspace.getConfiguration("memorySidecar");
    assert.deepEqual(
      [own.get("uvx"), own.get("uvxFrom")],
      ["ask", ""],
      "a workspace does not consent for us",
    );
  });

  it("shows what is remembered", async () => {
    const uri = folder("one").uri;
    const list = await server.request("memory/list", { workspaceUri: uri.toString() });
    assert.deepEqual(
      list.items.map(({ content }) => content),
      ["`letters.py::greet` is called by the billing job."],
    );
    const letters = vscode.Uri.joinPath(uri, "letters.py");
    const document = await vscode.workspace.openTextDocument(letters);
    const at = document.positionAt(document.getText().indexOf("greet("));
    await eventually(async () => {
      const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
        "vscode.executeHoverProvider",
        letters,
        at,
      );
      assert.match(
        hovers
          .map((hover) => hover.contents.map((one) => (one as vscode.MarkdownString).value).join())
          .join(),
        /billing job/,
      );
    });
    assert.equal(api.status.shown.text.startsWith("$(lock)"), true);
  });

  it("records and changes nothing", async () => {
    const workspaceUri = folder("one").uri.toString();
    const list = await server.request("memory/list", { workspaceUri });
    const id = list.items[0]?.id ?? "";
    await assert.rejects(server.request("memory/record", { content: "No.", workspaceUri }), /not trusted/);
    await assert.rejects(server.request("memory/archive", { id, workspaceUri }), /not trusted/);
    await assert.rejects(server.request("memory/maintain", { workspaceUri }), /not trusted/);
    await server.request("memory/maintain", { workspaceUri, dryRun: true });
    const calls = await asked(
      "showInformationMessage",
      () => undefined,
      () => vscode.commands.executeCommand("memorySidecar.archive", { id }),
    );
    assert.match(String(calls[0]?.[0]), /not trusted/);
    const letters = vscode.Uri.joinPath(folder("one").uri, "letters.py");
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      "vscode.executeCodeActionProvider",
      letters,
      new vscode.Range(0, 0, 2, 0),
    );
    assert.deepEqual(
      actions.filter(({ title }) => /Remember|Archive/.test(title)),
      [],
    );
    const after = await server.request("memory/list", { workspaceUri });
    assert.deepEqual(after.items, list.items);
  });

  it("takes nothing from the memory file that lies there", async () => {
    const list = await server.request("memory/list", {
      workspaceUri: folder("one").uri.toString(),
      limit: 100,
    });
    assert.ok(!list.items.some(({ content }) => content.includes("curl")));
  });
});

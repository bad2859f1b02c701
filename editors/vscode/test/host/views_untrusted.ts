// The views in a window whose folder is not trusted: everything is shown, nothing can be changed.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { SidecarServer } from "../../src/common/server";
import type { Views } from "../../src/views/index";
import type { MemoryNode, Node } from "../../src/views/memories/nodes";
import { propose } from "./agent";
import { activated, active, type Api, asked, eventually, folder } from "./window";

describe("the views where nothing is trusted", () => {
  let server: SidecarServer;
  let views: Views;
  let uri: string;

  before(async () => {
    const api = (await activated()) as Api & { views: Views };
    ({ server, views } = api);
    uri = folder("one").uri.toString();
    await vscode.commands.executeCommand("memorySidecar.memories.focus");
  });

  function memories(node?: Node): MemoryNode[] {
    const below = views.memories.tree.children(node);
    return below.flatMap((one) => (one.kind === "memory" ? [one] : memories(one)));
  }

  it("show what is remembered", async () => {
    await eventually(() => assert.equal(memories().length, 1));
    assert.match(memories()[0]?.row.title ?? "", /billing job/);
  });

  it("refuse every action that changes a memory, and say why", async () => {
    const [node] = memories();
    assert.ok(node);
    const before = await server.request("memory/get", { id: node.row.id, workspaceUri: uri });
    for (const name of [
      "archive",
      "delete",
      "undo",
      "pin",
      "promote",
      "verify",
      "resolve",
      "reopen",
      "restore",
      "unpin",
    ]) {
      const calls = await asked(
        "showInformationMessage",
        () => undefined,
        () => vscode.commands.executeCommand(`memorySidecar.view.${name}`, node),
      );
      assert.match(String(calls[0]?.[0]), /read only until you trust/, name);
    }
    assert.deepEqual(await server.request("memory/get", { id: node.row.id, workspaceUri: uri }), before);
  });

  it("show candidates, of which none is confirmed or rejected", async () => {
    await propose("one", "s-1", "Trains", "Deploys to staging go through the release train.");
    await vscode.commands.executeCommand("memorySidecar.candidates.focus");
    const node = await eventually(() => {
      const [found] = views.candidates.getChildren();
      assert.ok(found);
      return found;
    });
    for (const name of ["keep", "edit", "scope", "reject"]) {
      const calls = await asked(
        "showInformationMessage",
        () => undefined,
        () => vscode.commands.executeCommand(`memorySidecar.review.${name}`, node),
      );
      assert.match(String(calls[0]?.[0]), /read only until you trust/, name);
    }
    const { items } = await server.request("memory/candidates", { workspaceUri: uri });
    assert.deepEqual(
      items.map(({ status }) => status),
      ["waiting"],
    );
  });

  it("open a memory that cannot be edited", async () => {
    const [node] = memories();
    await vscode.commands.executeCommand("memorySidecar.view.open", node);
    const document = await active(({ query }) => query.includes(node?.row.id ?? "?"));
    const stat = await vscode.workspace.fs.stat(document.uri);
    assert.equal(stat.permissions, vscode.FilePermission.Readonly);
    const text = new TextEncoder().encode(document.getText().replace("billing", "stealing"));
    await assert.rejects(Promise.resolve(vscode.workspace.fs.writeFile(document.uri, text)), /read.?only/i);
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  });
});

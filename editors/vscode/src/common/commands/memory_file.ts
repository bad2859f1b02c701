// Opening the memory file of a folder.
import * as vscode from "vscode";
import { chosenFolder, uriOf } from "../folders";
import type { Kit } from "./index";

/** Open MEMORY.md, or the folder of its directory form in the explorer. */
export async function openMemoryFile(kit: Kit): Promise<void> {
  const folder = await chosenFolder("Open MEMORY.md");
  if (folder === undefined) {
    return;
  }
  const status = await kit.server.request("sidecar/status", {});
  const file = status.workspaces.find((one) => one.uri === uriOf(folder))?.memoryFile;
  if (file === undefined || file === null || file.state === "off") {
    void vscode.window.showInformationMessage(
      "The memory file is switched off (memorySidecar.memoryFile.mode).",
    );
    return;
  }
  const uri = vscode.Uri.joinPath(folder.uri, file.path);
  // It is written a moment after the memory, and may be gone since.
  const type = await vscode.workspace.fs.stat(uri).then(
    (stat) => stat.type,
    () => undefined,
  );
  if (type === undefined) {
    const none = "There is no MEMORY.md yet: the first memory for the project makes it.";
    if ((await vscode.window.showInformationMessage(none, "Record a Memory")) !== undefined) {
      await vscode.commands.executeCommand("memorySidecar.recordMemory");
    }
    return;
  }
  if ((type & vscode.FileType.Directory) !== 0) {
    await vscode.commands.executeCommand("revealInExplorer", uri);
  } else {
    await vscode.window.showTextDocument(uri);
  }
}

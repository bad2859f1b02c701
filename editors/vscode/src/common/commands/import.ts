// Importing memories: first what would become of each, then, if the person agrees, the import itself.
import * as vscode from "vscode";
import type { ImportResult } from "../../protocol";
import { SidecarError } from "../client";
import { chosenFolder, uriOf } from "../folders";
import { runProgram } from "../program";
import { importReport, summaryOf } from "../reports";
import type { Kit } from "./index";

/** Ask for a file or folder, show the dry run, and import after a yes. */
export async function importMemories(kit: Kit, from: "file" | "folder"): Promise<ImportResult | undefined> {
  const folder = await chosenFolder("Import Memories");
  if (folder === undefined) {
    return undefined;
  }
  const picked = await vscode.window.showOpenDialog({
    title: "Import Memories",
    openLabel: "Look at It",
    canSelectFiles: from === "file",
    canSelectFolders: from === "folder",
    canSelectMany: false,
    defaultUri: folder.uri,
  });
  const source = picked?.[0];
  if (source === undefined) {
    return undefined;
  }
  const would = await imported(kit, folder, source, true);
  await kit.reports.show("Import, dry run.md", importReport(would));
  if ((would.counts["created"] ?? 0) + (would.counts["merged"] ?? 0) === 0) {
    void vscode.window.showInformationMessage(`Nothing to import: ${summaryOf(would)}.`);
    return would;
  }
  const yes = await vscode.window.showInformationMessage(
    "Import these memories?",
    { modal: true, detail: `${summaryOf(would)}. The open report says what would become of each.` },
    "Import",
  );
  if (yes !== "Import") {
    return would;
  }
  const done = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: "Importing memories" },
    () => imported(kit, folder, source, false),
  );
  await kit.reports.show("Import.md", importReport(done));
  void vscode.window.showInformationMessage(`Imported: ${summaryOf(done)}.`);
  return done;
}

/** The connection reads files of the workspace alone; what the person picked elsewhere the command line reads. */
async function imported(
  kit: Kit,
  folder: vscode.WorkspaceFolder,
  source: vscode.Uri,
  dryRun: boolean,
): Promise<ImportResult> {
  if (vscode.workspace.getWorkspaceFolder(source) === folder) {
    return kit.server.request("memory/import", {
      path: source.fsPath,
      dryRun,
      workspaceUri: uriOf(folder),
    });
  }
  if (!dryRun && !kit.server.writable) {
    throw new SidecarError("This workspace is not trusted, so its memory is only read.");
  }
  const words = ["import", "--json", ...(dryRun ? ["--dry-run"] : []), "--workspace", folder.uri.fsPath];
  const { stdout, stderr, exitCode } = await runProgram(kit.server, [...words, "--", source.fsPath]);
  if (exitCode !== 0) {
    throw new SidecarError(stderr.trim() || `The import ended with ${exitCode}.`);
  }
  return JSON.parse(stdout) as ImportResult;
}

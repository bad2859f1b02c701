// Importing memories: first what would become of each, then, if the person agrees, the import itself.
import * as vscode from "vscode";
import type { ImportParams, ImportResult } from "../../protocol";
import { chosenFolder, uriOf } from "../folders";
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
  const path = picked?.[0]?.fsPath;
  return path === undefined ? undefined : importPath(kit, { path, workspaceUri: uriOf(folder) });
}

/** The same for a path that is known. */
export async function importPath(kit: Kit, params: ImportParams): Promise<ImportResult | undefined> {
  const would = await kit.server.request("memory/import", { ...params, dryRun: true });
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
    () => kit.server.request("memory/import", params),
  );
  await kit.reports.show("Import.md", importReport(done));
  void vscode.window.showInformationMessage(`Imported: ${summaryOf(done)}.`);
  return done;
}

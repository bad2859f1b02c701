// Which of the window's folders is meant.
import * as vscode from "vscode";
import { ERROR_CODES } from "../protocol";

/** Folders that the sidecar can serve. */
export function folders(): vscode.WorkspaceFolder[] {
  return (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === "file");
}

/** The folder of the active editor, else the only one; asks where that leaves a choice. Undefined: none was chosen. */
export async function chosenFolder(title: string): Promise<vscode.WorkspaceFolder | undefined> {
  const all = folders();
  const active = vscode.window.activeTextEditor?.document.uri;
  const around = active && vscode.workspace.getWorkspaceFolder(active);
  if (around !== undefined && all.includes(around)) {
    return around;
  }
  if (all.length > 1) {
    const items = all.map((folder) => ({ label: folder.name, description: folder.uri.fsPath, folder }));
    return (await vscode.window.showQuickPick(items, { title, placeHolder: "In which folder?" }))?.folder;
  }
  if (all[0] === undefined) {
    void vscode.window.showInformationMessage("Open a folder first: memory belongs to a folder.");
  }
  return all[0];
}

/**
 * What each folder answers, in their order; a folder in which memory is switched off answers nothing, unless it is
 * switched off in all of them.
 */
export async function answers<T>(ask: (folder: vscode.WorkspaceFolder) => Promise<T>): Promise<T[]> {
  const found: T[] = [];
  let off: Error | undefined;
  for (const answer of await Promise.allSettled(folders().map(ask))) {
    if (answer.status === "fulfilled") found.push(answer.value);
    else if (isOff(answer.reason)) off = answer.reason as Error;
    else throw answer.reason as Error;
  }
  if (found.length === 0 && off !== undefined) throw off;
  return found;
}

/** Whether it says that memory is switched off. */
export function isOff(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === ERROR_CODES.DISABLED;
}

/** The URI of a folder as the sidecar knows it. */
export function uriOf(folder: vscode.WorkspaceFolder): string {
  return folder.uri.toString();
}

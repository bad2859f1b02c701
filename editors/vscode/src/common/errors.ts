// Errors in words for a person.
import * as vscode from "vscode";
import { SidecarError } from "./client";

const URI = /\bfile:\/\/\/[^\s"'`<>]*[^\s"'`<>.,;:)]/g;

/** What went wrong, with files as a person names them. */
export function wordsOf(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  const hint = error instanceof SidecarError && error.hint ? ` ${error.hint}` : "";
  return `${said}${hint}`.replace(URI, (uri) => vscode.workspace.asRelativePath(vscode.Uri.parse(uri)));
}

/** Tell it, unless `Problems` just did, with ways out. */
export function tellError(error: unknown): void {
  if (error instanceof SidecarError && error.told) return;
  void vscode.window.showErrorMessage(wordsOf(error));
}

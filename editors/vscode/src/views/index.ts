// The views on memory.
import * as vscode from "vscode";
import type { SidecarClient } from "../common/client";

/** Register every view. */
export function registerViews(_context: vscode.ExtensionContext, _client: SidecarClient): vscode.Disposable {
  return new vscode.Disposable(() => undefined);
}

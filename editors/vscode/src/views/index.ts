// The views on memory: the tree of memories, the memory of the active file, the preview of what an agent would see.
import * as vscode from "vscode";
import type { SidecarClient } from "../common/client";
import { FileView } from "./file/view";
import { InjectPreview } from "./inject/panel";
import { MemoryView } from "./memories/view";

/** Register every view. Nothing is asked of the sidecar before somebody looks at one. */
export function registerViews(context: vscode.ExtensionContext, client: SidecarClient): vscode.Disposable {
  const file = new FileView(client);
  const memories = new MemoryView(client, context.workspaceState, () => file.selection);
  return vscode.Disposable.from(memories, file, new InjectPreview(client, context.extensionUri));
}

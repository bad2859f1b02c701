// The views on memory: the tree of memories, what may become one, the memory of the active file, the preview of what an agent would see.
import type * as vscode from "vscode";
import type { SidecarClient } from "../common/client";
import { CandidateView } from "./candidates/view";
import { FileView } from "./file/view";
import { InjectPreview } from "./inject/panel";
import { MemoryView } from "./memories/view";

/** Register every view. Nothing is asked of the sidecar before somebody looks at one. */
export function registerViews(context: vscode.ExtensionContext, client: SidecarClient): Views {
  return new Views(context, client);
}

/** What was registered; tests look at its parts. */
export class Views {
  readonly file: FileView;
  readonly memories: MemoryView;
  readonly candidates: CandidateView;
  readonly inject: InjectPreview;

  constructor(context: vscode.ExtensionContext, client: SidecarClient) {
    this.file = new FileView(client);
    this.memories = new MemoryView(client, context.workspaceState, () => this.file.selection);
    this.candidates = new CandidateView(client);
    this.inject = new InjectPreview(client, context.extensionUri);
  }

  dispose(): void {
    this.memories.dispose();
    this.candidates.dispose();
    this.file.dispose();
    this.inject.dispose();
  }
}

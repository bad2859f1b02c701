// When the sidecar is started without being asked: never before VS Code has started, and only where it is of use.
import * as vscode from "vscode";
import { folders } from "./folders";
import { isKnown } from "./known";
import type { SidecarServer } from "./server";
import { startSetting } from "./settings";

/** Start it if the folders have memory, or as soon as they get some from another process. */
export function startWhenOfUse(
  context: vscode.ExtensionContext,
  server: SidecarServer,
  log: vscode.LogOutputChannel,
): vscode.Disposable {
  const look = (): void => {
    void (async () => {
      if (server.state === "stopped" && (await wanted(context))) {
        await server.ensureStarted();
      }
    })().catch((error: unknown) => log.warn(String(error)));
  };
  const watcher = vscode.workspace.createFileSystemWatcher("**/.agents/MEMORY.md", false, true, true);
  const owned = vscode.Disposable.from(
    watcher,
    watcher.onDidCreate(look),
    vscode.workspace.onDidChangeWorkspaceFolders(look),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("memorySidecar.start")) look();
    }),
    server.onDidChangeState((state) => {
      // A folder without git and without a memory file has no other sign of its memory.
      if (state === "running") void context.workspaceState.update(USED, true);
    }),
  );
  look();
  return owned;
}

const USED = "used";

async function wanted(context: vscode.ExtensionContext): Promise<boolean> {
  const here = folders();
  switch (startSetting()) {
    case "demand":
      return false;
    case "always":
      return here.length > 0;
    case "known":
      if (here.length > 0 && context.workspaceState.get<boolean>(USED) === true) {
        return true;
      }
      return (await Promise.all(here.map((folder) => isKnown(folder.uri.fsPath)))).includes(true);
  }
}

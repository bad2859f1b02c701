// The entry: makes the parts and lets them go.
import * as vscode from "vscode";
import * as os from "node:os";
import { find } from "./common/finder";
import { SidecarServer } from "./common/server";
import { SECTION, explicitSettings, serverKeys } from "./common/settings";
import { registerViews } from "./views/index";

let server: SidecarServer | undefined;

export function activate(context: vscode.ExtensionContext): SidecarServer {
  const log = vscode.window.createOutputChannel("Memory Sidecar", { log: true });
  const trace = vscode.window.createOutputChannel("Memory Sidecar (trace)");
  const keys = serverKeys(context.extension.packageJSON);
  const made = new SidecarServer({
    log,
    find: () =>
      find({
        setting: vscode.workspace.getConfiguration(SECTION).get<string[]>("command", []),
        path: process.env["PATH"] ?? "",
        home: os.homedir(),
        workspaceFolder: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath,
        distrusted: [],
      }),
    starting: () => ({
      settings: () => explicitSettings(keys, vscode.workspace.isTrusted),
      middleware: {},
      log,
      trace,
    }),
    onProblem: (problem) => void vscode.window.showWarningMessage(`No memory sidecar: ${problem.kind}`),
  });
  server = made;
  context.subscriptions.push(
    log,
    trace,
    vscode.commands.registerCommand("memorySidecar.restartServer", () => made.restart()),
    vscode.commands.registerCommand("memorySidecar.showOutput", () => log.show()),
    registerViews(context, made),
  );
  return made;
}

/** VS Code waits for this: the process has ended when the window is gone. */
export async function deactivate(): Promise<void> {
  await server?.close();
}

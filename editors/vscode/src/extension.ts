// The entry: makes the parts and lets them go.
import * as os from "node:os";
import * as vscode from "vscode";
import { registerCommands } from "./common/commands/index";
import { DueReminders } from "./common/commands/due";
import { Consent } from "./common/consent";
import { Reports } from "./common/documents";
import { type Found, type NotFound, find } from "./common/finder";
import { folders } from "./common/folders";
import { onDidSelectInterpreter, selectedInterpreter } from "./common/interpreter";
import { middleware } from "./common/middleware";
import { Problems } from "./common/problems";
import { Secrets } from "./common/secrets";
import { SidecarServer } from "./common/server";
import {
  SECTION,
  commandSetting,
  explicitSettings,
  serverKeys,
  uvxFromSetting,
  uvxSetting,
} from "./common/settings";
import { startWhenOfUse } from "./common/start";
import { StatusItem } from "./common/status";
import type { Values } from "./common/values";
import { registerViews, type Views } from "./views/index";

let server: SidecarServer | undefined;

/** Cheap: the sidecar itself is started later, see `startWhenOfUse`. Answers what tests look at. */
export function activate(context: vscode.ExtensionContext): {
  server: SidecarServer;
  status: StatusItem;
  views: Views;
  due: DueReminders;
} {
  const log = vscode.window.createOutputChannel("Memory Sidecar", { log: true });
  const trace = vscode.window.createOutputChannel("Memory Sidecar (trace)");
  const secrets = new Secrets(context.secrets);
  const consent = new Consent(context.globalState);
  const problems = new Problems(log, async (from) => {
    await consent.give(from);
    await retry();
  });
  const keys = serverKeys(context.extension.packageJSON);
  const settings = (): Values => secrets.addTo(explicitSettings(keys, vscode.workspace.isTrusted));
  const made: SidecarServer = new SidecarServer({
    log,
    find: async () => {
      await secrets.load();
      return search(log, consent);
    },
    starting: () => ({
      settings,
      middleware: middleware({ settings, log, configure: () => made.configure() }),
      log,
      trace,
    }),
    onProblem: (problem) => problems.show(problem),
    onRunning: () => problems.clear(),
  });
  server = made;
  const retry = async (): Promise<void> => {
    problems.clear();
    await made.restart();
  };
  const again = (): void => {
    problems.clear();
    made.restartIfStarted().catch((error: unknown) => log.error(String(error)));
  };
  const program = (): string => JSON.stringify([commandSetting(), uvxSetting(), uvxFromSetting()]);
  let before = program();
  const reports = new Reports();
  const status = new StatusItem(made);
  const views = registerViews(context, made);
  const due = new DueReminders(made, log);
  context.subscriptions.push(
    log,
    trace,
    secrets,
    reports,
    made,
    status,
    registerCommands({ server: made, reports, secrets, log, retry }),
    views,
    due,
    made.onDidChangeState((state) => {
      void vscode.commands.executeCommand("setContext", `${SECTION}.state`, state);
    }),
    secrets.onDidChange(() => void made.configure()),
    onDidSelectInterpreter(() => {
      made.restartIfOther().catch((error: unknown) => log.error(String(error)));
    }),
    vscode.workspace.onDidChangeConfiguration(() => {
      // Also told where a folder's own file names one of them, which has no say.
      const now = program();
      if (now !== before) again();
      before = now;
    }),
    // A folder that comes brings settings of its own.
    vscode.workspace.onDidChangeWorkspaceFolders(() => void made.configure()),
    startWhenOfUse(context, made, log),
  );
  return { server: made, status, views, due };
}

/** VS Code waits for this: the process has ended when the window is gone. */
export async function deactivate(): Promise<void> {
  await server?.close();
}

async function search(log: vscode.LogOutputChannel, consent: Consent): Promise<Found | NotFound> {
  const here = folders().map((folder) => folder.uri.fsPath);
  return find({
    setting: commandSetting(),
    interpreter: await selectedInterpreter(log),
    path: process.env["PATH"] ?? "",
    home: os.homedir(),
    workspaceFolder: here[0],
    distrusted: vscode.workspace.isTrusted ? [] : here,
    uvx: await consent.uvx(uvxSetting(), uvxFromSetting()),
  });
}

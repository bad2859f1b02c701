// The Python interpreter that is selected in VS Code, without needing the Python extension.
import * as os from "node:os";
import * as vscode from "vscode";

/** What we use of the Python extension's API. */
interface PythonApi {
  readonly environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(path: {
      readonly path: string;
    }): Promise<{ readonly executable: { readonly uri?: vscode.Uri } } | undefined>;
    readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

const PYTHON = "ms-python.python";

/** The interpreter of the first folder: the Python extension's, else what `python.defaultInterpreterPath` says. */
export async function selectedInterpreter(log: vscode.LogOutputChannel): Promise<string | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0];
  try {
    const api = await pythonApi();
    if (api !== undefined) {
      const active = api.environments.getActiveEnvironmentPath(folder?.uri);
      const resolved = await api.environments.resolveEnvironment(active);
      if (resolved?.executable.uri !== undefined) {
        return resolved.executable.uri.fsPath;
      }
    }
  } catch (error) {
    log.warn(`The Python extension did not say which interpreter is selected: ${String(error)}`);
  }
  const found = vscode.workspace
    .getConfiguration("python", folder?.uri)
    .inspect<string>("defaultInterpreterPath");
  const set = vscode.workspace.isTrusted
    ? (found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue)
    : found?.globalValue;
  if (set === undefined) {
    return undefined;
  }
  const whole = set
    .replace(/^~(?=\/)/, os.homedir())
    .replaceAll("${userHome}", os.homedir())
    .replaceAll(/\$\{workspaceFolder\}/g, folder?.uri.fsPath ?? "");
  return whole.startsWith("/") ? whole : undefined;
}

/** Tell when another interpreter is selected. */
export function onDidSelectInterpreter(told: () => void): vscode.Disposable {
  const owned: vscode.Disposable[] = [
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("python.defaultInterpreterPath")) told();
    }),
  ];
  const extension = vscode.extensions.getExtension<PythonApi>(PYTHON);
  if (extension !== undefined) {
    void Promise.resolve(extension.activate()).then(
      (api) => owned.push(api.environments.onDidChangeActiveEnvironmentPath(told)),
      () => undefined, // its own failure is its own to tell
    );
  }
  return new vscode.Disposable(() => owned.forEach((one) => void one.dispose()));
}

async function pythonApi(): Promise<PythonApi | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi>(PYTHON);
  if (extension === undefined) {
    return undefined;
  }
  return extension.isActive ? extension.exports : await extension.activate();
}

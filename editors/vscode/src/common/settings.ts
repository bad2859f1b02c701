// What the person has set, in the form in which the sidecar takes it.
import * as vscode from "vscode";
import { folders, uriOf } from "./folders";
import { FOLDERS, STILL, type Values, put } from "./values";

export const SECTION = "memorySidecar";

/** Settings that concern the extension alone; the sidecar does not know them. */
const OWN: ReadonlySet<string> = new Set(["command", "uvx", "uvxFrom", "start", "trace.server"]);

/** When the sidecar is started. */
export type Start = "known" | "always" | "demand";

interface Manifest {
  readonly contributes: { readonly configuration: readonly { readonly properties: object }[] };
}

/** Names of the sidecar's settings, without the section, as package.json lists them. */
export function serverKeys(packageJson: unknown): string[] {
  return (packageJson as Manifest).contributes.configuration
    .flatMap((group) => Object.keys(group.properties))
    .map((key) => key.slice(SECTION.length + 1))
    .filter((key) => !OWN.has(key));
}

/**
 * Only what somebody set: a default of package.json would outrank the person's settings.toml.
 * Values of a workspace that is not trusted are left out, and the sidecar is told to keep its hands still there.
 */
export function explicitSettings(keys: readonly string[], trusted: boolean): Values {
  const configuration = vscode.workspace.getConfiguration(SECTION, null);
  const whole = trusted && isThePersons(vscode.workspace.workspaceFile);
  const values = chosen(keys, (key) => {
    const found = configuration.inspect(key);
    return whole ? (found?.workspaceValue ?? found?.globalValue) : found?.globalValue;
  });
  values[FOLDERS] = trusted ? ofFolders(keys, whole) : {};
  if (!trusted) {
    for (const [key, value] of Object.entries(STILL)) {
      put(values, key, value);
    }
  }
  return values;
}

/** Whether a multi-root workspace's file is the person's own: one inside a folder may have come with a repository. */
function isThePersons(file: vscode.Uri | undefined): boolean {
  return file !== undefined && vscode.workspace.getWorkspaceFolder(file) === undefined;
}

/**
 * What files in a folder set for it, by its URI. The sidecar trusts it as little as the repository's own settings.
 * `.vscode/settings.json` is the workspace's in a window with one folder, and the folder's in a multi-root workspace.
 */
function ofFolders(keys: readonly string[], whole: boolean): Values {
  const own: Values = {};
  for (const folder of folders()) {
    const configuration = vscode.workspace.getConfiguration(SECTION, folder.uri);
    const values = chosen(keys, (key) => {
      const found = configuration.inspect(key);
      return found?.workspaceFolderValue ?? (whole ? undefined : found?.workspaceValue);
    });
    if (Object.keys(values).length > 0) own[uriOf(folder)] = values;
  }
  return own;
}

function chosen(keys: readonly string[], valueOf: (key: string) => unknown): Values {
  const values: Values = {};
  for (const key of keys) {
    const value = valueOf(key);
    if (value !== undefined && value !== null) put(values, key, value);
  }
  return values;
}

/** The setting `memorySidecar.command`. */
export function commandSetting(): readonly string[] {
  const words = vscode.workspace.getConfiguration(SECTION).get<unknown>("command");
  return Array.isArray(words) ? words.filter((word) => typeof word === "string") : [];
}

/** The setting `memorySidecar.uvx`. What a workspace says of it is nothing to us: VS Code leaves it out, too. */
export function uvxSetting(): unknown {
  return ofThePerson("uvx");
}

/** The setting `memorySidecar.uvxFrom`. */
export function uvxFromSetting(): string {
  const from = ofThePerson("uvxFrom");
  return typeof from === "string" ? from.trim() : "";
}

function ofThePerson(key: string): unknown {
  const found = vscode.workspace.getConfiguration(SECTION).inspect(key);
  return found?.globalValue ?? found?.defaultValue;
}

/** The setting `memorySidecar.start`. */
export function startSetting(): Start {
  return vscode.workspace.getConfiguration(SECTION).get<Start>("start", "known");
}

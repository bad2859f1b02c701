// What the person has set, in the form in which the sidecar takes it.
import * as vscode from "vscode";

export const SECTION = "memorySidecar";

/** Settings that concern the extension alone; the sidecar does not know them. */
const OWN: ReadonlySet<string> = new Set(["command", "start", "trace.server"]);

/** A tree of settings. */
export type Values = Record<string, unknown>;

/** Names of the sidecar's settings, without the section, as package.json lists them. */
export function serverKeys(packageJson: unknown): string[] {
  const contributes = (packageJson as { contributes: { configuration: { properties: object } } }).contributes;
  return Object.keys(contributes.configuration.properties)
    .map((key) => key.slice(SECTION.length + 1))
    .filter((key) => !OWN.has(key));
}

/**
 * Only what somebody set: a default of VS Code would outrank the person's settings.toml.
 * Values of a workspace that is not trusted are left out, and the sidecar is told to keep its hands still there.
 */
export function explicitSettings(keys: readonly string[], trusted: boolean): Values {
  const configuration = vscode.workspace.getConfiguration(SECTION);
  const values: Values = {};
  for (const key of keys) {
    const found = configuration.inspect(key);
    const value = trusted ? (found?.workspaceValue ?? found?.globalValue) : found?.globalValue;
    if (value !== undefined && value !== null) {
      put(values, key, value);
    }
  }
  if (!trusted) {
    for (const [key, value] of Object.entries(STILL)) {
      put(values, key, value);
    }
  }
  return values;
}

/** In a workspace that is not trusted nothing is learned, written beside its files or run on it. */
export const STILL: Readonly<Record<string, unknown>> = {
  "memory.autoExtract": false,
  "memoryFile.mode": "off",
  "maintenance.enabled": false,
  "files.warmUp": false,
  "files.history": false,
  "hooks.run": "never",
};

/** Put a value at a dotted name. */
export function put(values: Values, key: string, value: unknown): void {
  const [first = "", ...rest] = key.split(".");
  if (rest.length === 0) {
    values[first] = value;
    return;
  }
  const group = (values[first] ??= {}) as Values;
  put(group, rest.join("."), value);
}

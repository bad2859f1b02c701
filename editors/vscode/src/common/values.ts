// Trees of settings, as the sidecar takes them. Knows nothing of VS Code.

/** A tree of settings. */
export type Values = Record<string, unknown>;

/** In a workspace that is not trusted nothing is learned, written beside its files or run on it. */
export const STILL: Readonly<Record<string, unknown>> = {
  "memory.learn": "off",
  "memoryFile.mode": "off",
  "maintenance.enabled": false,
  "files.warmUp": false,
  "files.history": false,
  "hooks.run": "never",
};

/** What is set for single folders, by their URIs; what is sent of it stands in place of all that was sent before. */
export const FOLDERS = "folders";

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

/** The dotted names of all values. */
export function names(values: Values): string[] {
  return Object.entries(values).flatMap(([key, value]) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? names(value as Values).map((name) => `${key}.${name}`)
      : [key],
  );
}

/** Whether a value is gone: what a sidecar was started with it keeps until it is started anew. */
export function anyGone(before: Values, now: Values): boolean {
  const left = new Set(names(now));
  return names({ ...before, [FOLDERS]: {} }).some((name) => !left.has(name));
}

// What the status bar says. Knows nothing of VS Code.
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import type { StatusResult, WorkspaceStatus } from "../protocol";
import type { SidecarState } from "./client";
import { escaped, plural, short } from "./wording";

/** One look of the item. `label` is for screen readers, `tooltip` is Markdown. */
export interface Shown {
  readonly text: string;
  readonly label: string;
  readonly tooltip: string;
  readonly warns: boolean;
}

/** The item for a state and, while the sidecar runs, what it says of itself. */
export function statusShown(state: SidecarState, writable: boolean, status: StatusResult | undefined): Shown {
  if (state === "starting") {
    return plain("$(sync~spin) Memory", "Memory Sidecar is starting");
  }
  if (state === "missing") {
    return {
      ...plain("$(warning) Memory", "Memory Sidecar cannot be used; select for what to do"),
      warns: true,
    };
  }
  if (state === "stopped") {
    return plain("$(circle-outline) Memory", "Memory Sidecar has not been started here; select to begin");
  }
  const icon = writable ? "$(book)" : "$(lock)";
  if (status === undefined) {
    return plain(`${icon} Memory`, "Memory Sidecar is running");
  }
  const nowhere = status.workspaces.length > 0 && status.workspaces.every((one) => one.enabled === false);
  if (nowhere || (!status.enabled && status.workspaces.length === 0)) {
    return plain("$(circle-slash) Memory", "Memory is switched off (memorySidecar.memory.enabled)");
  }
  const saved = status.tokensSaved;
  const text = saved > 0 ? `${icon} ${short(saved)} tokens saved` : `${icon} Memory`;
  const told = [
    `memory-sidecar ${status.version} is running${writable ? "" : "; this workspace is not trusted, so memory is only read"}`,
    ...(saved > 0 ? [`${plural(saved, "token")} saved: files agents were briefed on and did not read`] : []),
    ...status.workspaces.map(counted),
    ...status.settingsProblems.map((problem) => `Settings: ${problem}`),
  ];
  return {
    text,
    label: `Memory Sidecar: ${told.join(". ")}`,
    tooltip: told.map((line) => escaped(line)).join("\n\n"),
    warns: status.settingsProblems.length > 0,
  };
}

/** Of one folder: `flask: 12 memories, 3 facts, 80 files known`. */
export function counted(workspace: WorkspaceStatus): string {
  if (workspace.enabled === false) return `${folderName(workspace.uri)}: memory is switched off`;
  const memories = Object.values(workspace.memories).reduce((sum, count) => sum + count, 0);
  const parts = [
    plural(memories, "memory", "memories"),
    plural(workspace.facets, "fact"),
    `${plural(workspace.files, "file")} known`,
    ...(workspace.candidates ? [`${plural(workspace.candidates, "candidate")} to review`] : []),
  ];
  return `${folderName(workspace.uri)}: ${parts.join(", ")}`;
}

/** The last part of a folder's URI. */
export function folderName(uri: string): string {
  try {
    return path.basename(fileURLToPath(uri)) || uri;
  } catch {
    return uri; // no file:// URI: shown as it is
  }
}

function plain(text: string, label: string): Shown {
  return { text, label, tooltip: escaped(label), warns: false };
}

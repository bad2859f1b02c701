// What is behind the item in the status bar.
import * as vscode from "vscode";
import { SECTION } from "../settings";
import type { Kit } from "./index";

interface Item extends vscode.QuickPickItem {
  readonly run?: string;
  readonly argument?: unknown;
}

const LINE: Item = { label: "", kind: vscode.QuickPickItemKind.Separator };

/** Show what can be done now. */
export async function showMenu(kit: Kit): Promise<void> {
  const { state, version } = kit.server;
  const title = version === undefined ? "Memory Sidecar" : `Memory Sidecar ${version}`;
  const placeHolder = {
    starting: "Starting",
    running: "Running",
    stopped: "Not started",
    missing: "Cannot be used",
  }[state];
  const picked = await vscode.window.showQuickPick(items(kit), { title, placeHolder });
  if (picked?.run !== undefined) {
    await vscode.commands.executeCommand(
      picked.run,
      ...(picked.argument === undefined ? [] : [picked.argument]),
    );
  }
}

function items({ server }: Kit): Item[] {
  const settings: Item = {
    label: "$(gear) Settings",
    run: "workbench.action.openSettings",
    argument: "@ext:memory-sidecar.memory-sidecar",
  };
  const output = own("$(output) Output", "showOutput");
  if (server.state === "missing") {
    const help = "memory-sidecar.memory-sidecar#memorySidecar.start";
    return [
      own("$(debug-restart) Try Again", "restartServer"),
      { label: "$(question) How to Install", run: "workbench.action.openWalkthrough", argument: help },
      settings,
      output,
    ];
  }
  const write = server.writable ? [own("$(add) Record a Memory…", "recordMemory")] : [];
  const more = server.writable
    ? [
        own("$(cloud-download) Import from a File…", "importMemories"),
        own("$(wand) Run Maintenance…", "runMaintenance"),
      ]
    : [{ label: "$(shield) Manage Workspace Trust", run: "workbench.trust.manage" }];
  return [
    own("$(search) Search Memories…", "searchMemories"),
    own("$(checklist) Review Candidates…", "review"),
    ...write,
    own("$(markdown) Open MEMORY.md", "openMemoryFile"),
    own("$(bell) Reminders…", "showReminders"),
    own("$(organization) Sessions…", "showSessions"),
    LINE,
    own("$(export) Export…", "exportMemories"),
    ...more,
    LINE,
    own("$(info) Show Status", "showStatus"),
    own("$(pulse) Run Doctor", "runDoctor"),
    own("$(debug-restart) Restart", "restartServer"),
    output,
    settings,
  ];
}

function own(label: string, name: string): Item {
  return { label, run: `${SECTION}.${name}` };
}

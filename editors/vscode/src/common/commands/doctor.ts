// `memory-sidecar doctor` on each folder, in a document.
import * as vscode from "vscode";
import { folders } from "../folders";
import { runProgram } from "../program";
import type { Kit } from "./index";

/** Run it with the program that serves this window; what it prints is shown, also when something is wrong. */
export async function runDoctor(kit: Kit): Promise<string> {
  const parts = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: "Memory Sidecar: doctor" },
    () => Promise.all(folders().map((folder) => told(kit, folder.uri.fsPath))),
  );
  const { found } = kit.server;
  const text = [`${found?.command ?? ""} (${found?.source ?? ""})`, ...parts, ""].join("\n\n");
  await kit.reports.show("Memory Sidecar doctor.txt", text);
  return text;
}

async function told(kit: Kit, folder: string): Promise<string> {
  const { stdout, stderr } = await runProgram(kit.server, ["doctor", "--workspace", folder]);
  return `${folder}\n\n${stdout}${stderr}`.trim();
}

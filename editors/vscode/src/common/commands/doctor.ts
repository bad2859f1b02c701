// `memory-sidecar doctor` on each folder, in a document.
import { execFile } from "node:child_process";
import * as os from "node:os";
import * as vscode from "vscode";
import { SidecarError } from "../client";
import { folders } from "../folders";
import type { Kit } from "./index";

const MOST_MS = 120_000;

/** Run it with the program that serves this window. */
export async function runDoctor(kit: Kit): Promise<string> {
  await kit.server.ensureStarted();
  const { found } = kit.server;
  if (found === undefined) {
    throw new SidecarError("The memory sidecar is not running.");
  }
  const first = found.args.slice(0, -2); // without `serve --stdio`
  const text = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: "Memory Sidecar: doctor" },
    async () => {
      const parts = [`${found.command} (${found.source})`];
      for (const folder of folders()) {
        const words = [...first, "doctor", "--workspace", folder.uri.fsPath];
        parts.push(`${folder.uri.fsPath}\n\n${await output(found.command, words)}`);
      }
      return `${parts.join("\n\n")}\n`;
    },
  );
  await kit.reports.show("Memory Sidecar doctor.txt", text);
  return text;
}

/** What it prints, also when it finds something wrong. Rejects when it cannot be run. */
function output(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { cwd: os.homedir(), timeout: MOST_MS }, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== "number") {
        reject(new SidecarError(error.message));
      } else {
        resolve(`${stdout}${stderr}`.trim());
      }
    });
  });
}

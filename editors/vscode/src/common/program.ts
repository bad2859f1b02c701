// The command line of the program that serves the window, for what only it does.
import { execFile } from "node:child_process";
import * as os from "node:os";
import { SidecarError } from "./client";
import type { SidecarServer } from "./server";

const MOST_MS = 300_000;
const MOST_BYTES = 64_000_000;

/** What it printed and how it ended. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** Run the program with other arguments. Rejects with a `SidecarError` when it cannot be run at all. */
export async function runProgram(server: SidecarServer, words: readonly string[]): Promise<Printed> {
  await server.ensureStarted();
  const { found } = server;
  if (found === undefined) {
    throw new SidecarError("The memory sidecar is not running.");
  }
  const args = [...found.args.slice(0, -2), ...words]; // in place of `serve --stdio`
  const options = { cwd: os.homedir(), timeout: MOST_MS, maxBuffer: MOST_BYTES };
  return new Promise((resolve, reject) => {
    execFile(found.command, args, options, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== "number") {
        reject(new SidecarError(error.message));
      } else {
        resolve({ stdout, stderr, exitCode: error === null ? 0 : Number(error.code) });
      }
    });
  });
}

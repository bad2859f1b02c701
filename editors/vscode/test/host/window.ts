// What the tests of the extension host lean on.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import * as path from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import type { SidecarServer } from "../../src/common/server";
import type { DueReminders } from "../../src/common/commands/due";
import type { StatusItem } from "../../src/common/status";

export interface Api {
  readonly server: SidecarServer;
  readonly status: StatusItem;
  readonly due: DueReminders;
}

/** The folder that the run has to itself. */
export const PLACE = process.env["SIDECAR_PLACE"] ?? "";
export const PROGRAM = path.join(PLACE, "bin", "memory-sidecar");

/** Activate the extension. */
export async function activated(): Promise<Api> {
  const extension = vscode.extensions.getExtension<Api>("memory-sidecar.memory-sidecar");
  assert.ok(extension, "the extension is installed");
  return extension.activate();
}

/** Process ids of all sidecars that the program in `bin` was started as, oldest first. */
export function started(): number[] {
  const file = path.join(PLACE, "pids");
  try {
    return readFileSync(file, "utf8").split("\n").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

export function alive(): number[] {
  return started().filter((pid) => {
    try {
      process.kill(pid, 0);
      return true;
    } catch {
      return false;
    }
  });
}

/** Wait until it is so; the last failure is what is told. */
export async function eventually<T>(look: () => T | Promise<T>, seconds = 120): Promise<T> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** The next event that fits. */
export function next<T>(event: vscode.Event<T>, fits: (value: T) => boolean = () => true): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      listener.dispose();
      reject(new Error("the event did not come"));
    }, 120_000);
    const listener = event((value) => {
      if (fits(value)) {
        clearTimeout(timer);
        listener.dispose();
        resolve(value);
      }
    });
  });
}

/** What an event has told since now, until a job is done. */
export async function told<T>(
  event: vscode.Event<T>,
  job: (values: readonly T[]) => Promise<void>,
): Promise<void> {
  const values: T[] = [];
  const listener = event((value) => values.push(value));
  try {
    await job(values);
  } finally {
    listener.dispose();
  }
}

/** The document in the active editor, once it is the wanted one: VS Code tells of it a little later. */
export function active(fits: (uri: vscode.Uri) => boolean): Promise<vscode.TextDocument> {
  return eventually(() => {
    const document = vscode.window.activeTextEditor?.document;
    assert.ok(document && fits(document.uri), "the document is in the active editor");
    return document;
  });
}

/** Run what shows a quick pick, and close that again, however late it comes. */
export async function closed(shows: () => PromiseLike<unknown>): Promise<void> {
  let over = false;
  const done = Promise.resolve(shows()).finally(() => (over = true));
  await eventually(async () => {
    await vscode.commands.executeCommand("workbench.action.closeQuickOpen");
    assert.ok(over, "the quick pick is closed");
  });
  await done;
}

/** Take the place of a function of `vscode.window` while a job runs; what it was called with is answered. */
export async function asked(
  name: keyof typeof vscode.window,
  answer: (...given: never[]) => unknown,
  job: () => PromiseLike<unknown>,
): Promise<unknown[][]> {
  const calls: unknown[][] = [];
  const own = vscode.window as unknown as Record<string, unknown>;
  const before = own[name];
  own[name] = (...given: unknown[]): Promise<unknown> => {
    calls.push(given);
    return Promise.resolve((answer as (...all: unknown[]) => unknown)(...given));
  };
  try {
    await job();
  } finally {
    own[name] = before;
  }
  return calls;
}

/** What the command line prints, as another process that uses the same store. */
export async function sidecar(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(PROGRAM, args, { cwd: PLACE });
  return stdout;
}

/** A folder of the window by its name. */
export function folder(name: string): vscode.WorkspaceFolder {
  const found = vscode.workspace.workspaceFolders?.find((one) => one.name === name);
  assert.ok(found, `the folder ${name} is open`);
  return found;
}

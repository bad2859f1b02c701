// The sidecar's own commands, as its lenses and code actions run them, with what VS Code can show besides a message.
import * as vscode from "vscode";
import type { Memory, RecordResult } from "../protocol";
import { SECTION } from "./settings";
import { called, plural } from "./wording";

/** The one argument of a command. */
export type Given = Readonly<Record<string, unknown>>;

/** Carry the command out; with an argument in place of the one it was given. */
export type Ask = (changed: Given | undefined) => Promise<unknown>;

/** What the sidecar's `showMemory` answers. */
interface ShownMemory {
  readonly memory: { readonly id: string; readonly name: string };
  readonly text: string;
  readonly place: { readonly uri: string; readonly line: number } | null;
}

/** Methods behind the sidecar's commands that change something. */
export const METHOD_OF: Readonly<Partial<Record<string, string>>> = {
  record: "memory/record",
  update: "memory/update",
  resolve: "memory/resolve",
  reopen: "memory/reopen",
  archive: "memory/archive",
  restore: "memory/restore",
  verify: "memory/verify",
  promote: "memory/promote",
  delete: "memory/delete",
  undo: "memory/undo",
  confirm: "memory/confirm",
  reject: "memory/reject",
  maintain: "memory/maintain",
};

const DONE: Readonly<Partial<Record<string, string>>> = {
  resolve: "Resolved",
  reopen: "Opened again",
  archive: "Archived",
  verify: "Verified",
};

/** Carry a command out and show what it came to. */
export async function shown(name: string, given: Given | undefined, ask: Ask): Promise<unknown> {
  if (name === "showFile" && given !== undefined && given["quiet"] !== true) {
    return vscode.commands.executeCommand(`${SECTION}.showMemoriesAbout`, given);
  }
  if (name === "showMemory" && given !== undefined && given["quiet"] !== true) {
    return opened((await ask({ ...given, quiet: true })) as ShownMemory);
  }
  if (name === "record" && given?.["open"] === true) {
    return recorded(given);
  }
  const done = DONE[name];
  if (done !== undefined && given !== undefined && given["quiet"] !== true) {
    const memory = (await ask({ ...given, quiet: true })) as Memory;
    offerUndo(`${done} ${called(memory.name)}.`, memory.id);
    return memory;
  }
  return ask(undefined);
}

/** Open a memory where it can be edited, in MEMORY.md, else by itself. */
async function opened(shown: ShownMemory): Promise<ShownMemory> {
  if (shown.place !== null) {
    const at = new vscode.Position(shown.place.line, 0);
    const uri = vscode.Uri.parse(shown.place.uri);
    await vscode.window.showTextDocument(uri, { selection: new vscode.Range(at, at), preview: true });
  } else {
    await vscode.commands.executeCommand(`${SECTION}.showText`, shown.memory.name, shown.text);
  }
  return shown;
}

/** Let the person say what is to be remembered, and of which kind, before it is. */
async function recorded(given: Given): Promise<unknown> {
  const said = await asked(String(given["content"]));
  if (said === undefined) return undefined;
  const { files, workspaceUri } = given;
  return vscode.commands.executeCommand(`${SECTION}.recordMemory`, { content: said, files, workspaceUri });
}

/** What to record, from what was proposed; undefined: nothing. */
async function asked(proposed: string): Promise<string | undefined> {
  const long = proposed.includes("\n");
  const said = await vscode.window.showInputBox({
    title: long ? "Remember the Selection" : "Remember",
    prompt: long
      ? "What should be known about it? Leave empty to remember the selection alone."
      : "What should be remembered?",
    ...(long ? { placeHolder: "Why it is so, what to take care of" } : { value: proposed }),
    ignoreFocusOut: true,
  });
  if (said === undefined) {
    return undefined;
  }
  if (!long) {
    return said.trim() === "" ? undefined : said;
  }
  return said.trim() === "" ? proposed : `${said.trim()}\n\n${proposed}`;
}

/** Say what became of something that was recorded. */
export function tellRecorded(result: RecordResult): void {
  const words = { created: "Remembered", merged: "Added to", duplicate: "Already known:" }[result.status];
  const secrets = result.redactions.length;
  const left = secrets > 0 ? ` ${plural(secrets, "secret was", "secrets were")} left out.` : "";
  const { id, name } = result.memory;
  const text = `${words} ${called(name)}.${left}`;
  const buttons = result.status === "duplicate" ? ["Open"] : ["Open", "Undo"];
  void vscode.window.showInformationMessage(text, ...buttons).then(async (button) => {
    if (button === "Open") {
      await vscode.commands.executeCommand(`${SECTION}.showMemory`, { id });
    } else if (button === "Undo") {
      await undo(id, result.status === "created");
    }
  });
}

/** Say what was done, with a way back. */
export function offerUndo(text: string, id: string): void {
  void vscode.window.showInformationMessage(text, "Undo").then(async (button) => {
    if (button === "Undo") {
      await undo(id, false);
    }
  });
}

/** The step back from the first version is to forget the memory. */
async function undo(id: string, created: boolean): Promise<void> {
  await vscode.commands.executeCommand(`${SECTION}.${created ? "delete" : "undo"}`, { id });
}

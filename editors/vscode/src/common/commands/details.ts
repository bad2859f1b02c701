// What else is known of a memory before it is recorded: its name, tags, files. One more Enter for whoever adds nothing.
import * as vscode from "vscode";
import type { RecordParams } from "../../protocol";
import { label, oneLine, plural } from "../wording";
import type { Kit } from "./index";

/** What may be said besides the text and its kind. */
export type Details = Pick<RecordParams, "name" | "tags" | "files" | "pinned" | "expiresAt">;

type Step = "record" | "name" | "tags" | "files" | "pinned" | "until";

interface Item extends vscode.QuickPickItem {
  readonly step: Step;
}

const LONGEST_NAME = 200;
const NEWEST = 200;

/** Show what would be recorded and let the person add to it; undefined: it is not to be recorded. */
export async function askDetails(
  kit: Kit,
  title: string,
  content: string,
  workspaceUri: string,
  given: Details,
): Promise<Details | undefined> {
  let details = given;
  for (;;) {
    const picked = await vscode.window.showQuickPick(items(content, details), {
      title,
      placeHolder: "Enter records it. Or say more about it first.",
      ignoreFocusOut: true,
    });
    if (picked === undefined) return undefined;
    if (picked.step === "record") return details;
    details = { ...details, ...(await changed(kit, picked.step, title, workspaceUri, details)) };
  }
}

function items(content: string, details: Details): Item[] {
  const { name, tags = [], files = [], pinned = false, expiresAt } = details;
  return [
    { label: "$(check) Record", description: oneLine(content, 80), step: "record" },
    { label: "$(edit) Name", description: name ? label(name) : "made from the text", step: "name" },
    { label: "$(tag) Tags", description: tags.join(", ") || "none", step: "tags" },
    {
      label: "$(file) About Files",
      description: files.join(", ") || "those that the text names",
      step: "files",
    },
    {
      label: "$(pin) Pinned",
      description: pinned ? "yes: it never grows old" : "no",
      step: "pinned",
    },
    {
      label: "$(calendar) Until",
      description: expiresAt ? new Date(expiresAt).toISOString().slice(0, 10) : "for good",
      step: "until",
    },
  ];
}

/** What one step changes; nothing when it was left. */
async function changed(
  kit: Kit,
  step: Exclude<Step, "record">,
  title: string,
  workspaceUri: string,
  details: Details,
): Promise<Details> {
  switch (step) {
    case "name": {
      const said = await ask(title, "A name of a few words. Empty: one is made from the text.", {
        value: details.name ?? "",
        validateInput: (text) =>
          text.length > LONGEST_NAME ? `A name has at most ${LONGEST_NAME} characters.` : undefined,
      });
      return said === undefined ? {} : { name: said.trim() || null };
    }
    case "tags":
      return askTags(kit, title, workspaceUri, details.tags ?? []);
    case "files":
      return askFiles(title, workspaceUri, details.files ?? []);
    case "pinned":
      return { pinned: details.pinned !== true };
    case "until": {
      const said = await ask(title, "The last day on which it holds, such as 2026-12-31. Empty: for good.", {
        value: details.expiresAt ? new Date(details.expiresAt).toISOString().slice(0, 10) : "",
        validateInput: (text) =>
          text.trim() === "" || endOf(text) !== undefined
            ? undefined
            : "This is no day to come; one looks like 2026-12-31.",
      });
      return said === undefined ? {} : { expiresAt: endOf(said) ?? null };
    }
  }
}

/** The end of a day to come, here, in epoch milliseconds. */
function endOf(text: string): number | undefined {
  const day = text.trim();
  const at = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T23:59:59`) : Number.NaN;
  return at > Date.now() ? at : undefined;
}

/** Those that are in use to choose from, and others by typing. */
async function askTags(
  kit: Kit,
  title: string,
  workspaceUri: string,
  before: readonly string[],
): Promise<Details> {
  const known = new Map<string, number>(before.map((tag) => [tag, 0]));
  const { items: newest } = await kit.server.request("memory/list", {
    workspaceUri,
    agent: "*",
    limit: NEWEST,
  });
  for (const tag of newest.flatMap((memory) => memory.tags)) known.set(tag, (known.get(tag) ?? 0) + 1);
  let chosen = [...before];
  if (known.size > 0) {
    const other = "Others…";
    const picked = await vscode.window.showQuickPick(
      [
        ...[...known].map(([tag, count]) => ({
          label: tag,
          description: count > 0 ? plural(count, "memory", "memories") : "",
          picked: before.includes(tag),
        })),
        { label: other, description: "tags that are not in use yet", alwaysShow: true },
      ],
      { title, placeHolder: "Tags", canPickMany: true, ignoreFocusOut: true },
    );
    if (picked === undefined) return {};
    chosen = picked.map((item) => item.label).filter((tag) => tag !== other);
    if (chosen.length === picked.length) return { tags: chosen };
  }
  const said = await ask(title, "Tags, with commas between them.", { placeHolder: "billing, tests" });
  const typed = (said ?? "")
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
  return { tags: [...new Set([...chosen, ...typed])] };
}

/** The files that are open in the workspace, those that it is about already in front. */
async function askFiles(title: string, workspaceUri: string, before: readonly string[]): Promise<Details> {
  const open = vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri] : []))
    .filter((uri) => vscode.workspace.getWorkspaceFolder(uri)?.uri.toString() === workspaceUri)
    .map((uri) => vscode.workspace.asRelativePath(uri, false));
  const paths = [...new Set([...before, ...open])];
  if (paths.length === 0) {
    void vscode.window.showInformationMessage("No file of the folder is open.");
    return {};
  }
  const picked = await vscode.window.showQuickPick(
    paths.map((path) => ({ label: path, picked: before.includes(path) })),
    {
      title,
      placeHolder: "Open files that it is about",
      canPickMany: true,
      ignoreFocusOut: true,
    },
  );
  return picked === undefined ? {} : { files: picked.map((item) => item.label) };
}

function ask(title: string, prompt: string, more: vscode.InputBoxOptions): Thenable<string | undefined> {
  return vscode.window.showInputBox({ title, prompt, ignoreFocusOut: true, ...more });
}

// Recording a memory: what, of which kind, for whom.
import * as vscode from "vscode";
import type { RecordParams, RecordResult } from "../../protocol";
import { tellRecorded } from "../actions";
import { chosenFolder, uriOf } from "../folders";
import { plural } from "../wording";
import { askDetails } from "./details";
import type { Kit } from "./index";

interface Kind extends vscode.QuickPickItem {
  readonly params: Pick<RecordParams, "type" | "category" | "scope">;
}

const KINDS: readonly Kind[] = [
  { label: "Fact", description: "true of this project", params: { type: "project", category: "fact" } },
  {
    label: "Decision",
    description: "what was decided, and why",
    params: { type: "project", category: "decision" },
  },
  {
    label: "Way of working",
    description: "how to do something here",
    params: { type: "feedback", category: "procedure" },
  },
  {
    label: "Standing instruction",
    description: "shown to agents before all else",
    params: { type: "feedback", category: "directive" },
  },
  {
    label: "Blocker",
    description: "stands in the way until it is resolved",
    params: { type: "project", category: "blocker" },
  },
  { label: "Idea or plan", description: "not done yet", params: { type: "project", category: "idea" } },
  { label: "Where to look", description: "a document, a service, a person", params: { type: "reference" } },
  {
    label: "Preference of mine",
    description: "seen by you alone, in this folder",
    params: { type: "user", scope: "personal" },
  },
  {
    label: "Preference of mine everywhere",
    description: "seen by you alone, in every folder",
    params: { type: "user", scope: "global" },
  },
];

/** Ask for a memory and store it. With parameters of `memory/record` as argument nothing is asked that they say. */
export async function recordMemory(kit: Kit, given: unknown): Promise<RecordResult | undefined> {
  const params = typeof given === "object" && given !== null ? (given as Partial<RecordParams>) : {};
  const folder = params.workspaceUri ?? (await folderUri("Record a Memory"));
  if (folder === undefined) {
    return undefined;
  }
  const content = params.content ?? (await askContent());
  if (content === undefined || content.trim() === "") {
    return undefined;
  }
  const said = params.type === undefined ? await askRest(kit, content, folder, params) : {};
  return said && stored(kit, { ...params, ...said, content, workspaceUri: folder });
}

/** Remember what is selected in the active editor, with a note of why. */
export async function rememberSelection(kit: Kit): Promise<RecordResult | undefined> {
  const editor = vscode.window.activeTextEditor;
  const folder = editor && vscode.workspace.getWorkspaceFolder(editor.document.uri);
  if (editor === undefined || folder === undefined || editor.selection.isEmpty) {
    void vscode.window.showInformationMessage("Select something in a file of the workspace first.");
    return undefined;
  }
  const { document, selection } = editor;
  const path = vscode.workspace.asRelativePath(document.uri, false);
  const note = await vscode.window.showInputBox({
    title: "Remember the Selection",
    prompt: "What should be known about it? Leave empty to remember the selection alone.",
    placeHolder: "Why it is so, what to take care of",
    ignoreFocusOut: true,
  });
  if (note === undefined) {
    return undefined;
  }
  const lines = `lines ${selection.start.line + 1} to ${selection.end.line + 1}`;
  const quoted = fenced(document.getText(selection), document.languageId);
  const content = [...(note.trim() === "" ? [] : [note.trim()]), `\`${path}\`, ${lines}:`, quoted].join(
    "\n\n",
  );
  const workspaceUri = uriOf(folder);
  const said = await askRest(kit, content, workspaceUri, { files: [path] });
  return said && stored(kit, { ...said, content, workspaceUri });
}

/** Of which kind it is, and what else is to be said of it; undefined: it is not to be recorded. */
async function askRest(
  kit: Kit,
  content: string,
  workspaceUri: string,
  given: Partial<RecordParams>,
): Promise<Partial<RecordParams> | undefined> {
  const kind = await askKind();
  if (kind === undefined) return undefined;
  const { name, tags, files, pinned, expiresAt } = given;
  const before = Object.fromEntries(
    Object.entries({ name, tags, files, pinned, expiresAt }).filter(([, value]) => value !== undefined),
  );
  const title = `Record a Memory: ${kind.label}`;
  const details = await askDetails(kit, title, content, workspaceUri, before);
  return details && { ...kind.params, ...details };
}

async function stored(kit: Kit, params: RecordParams): Promise<RecordResult> {
  const result = await kit.server.request("memory/record", params);
  tellRecorded(result);
  return result;
}

/** First facts from README, manifests and CI files, shown before they are stored. */
export async function bootstrapProject(kit: Kit): Promise<void> {
  const title = "Record First Facts of the Project";
  const workspaceUri = await folderUri(title);
  if (workspaceUri === undefined) {
    return;
  }
  const { facts } = await kit.server.request("memory/bootstrap", { workspaceUri, dryRun: true });
  const fresh = facts.filter((fact) => fact.outcome === "created");
  if (fresh.length === 0) {
    void vscode.window.showInformationMessage("The project's files say nothing that is not known already.");
    return;
  }
  const picked = await vscode.window.showQuickPick(
    fresh.map((fact) => ({
      label: fact.name,
      detail: fact.content,
      description: fact.files.join(", "),
      picked: true,
      fact,
    })),
    { title, placeHolder: "Enter records what is checked.", matchOnDetail: true, canPickMany: true },
  );
  if (picked === undefined || picked.length === 0) {
    return;
  }
  const names = picked.map(({ fact }) => fact.name);
  const done = await kit.server.request("memory/bootstrap", { workspaceUri, names });
  const created = done.facts.filter((fact) => fact.outcome === "created").length;
  void vscode.window.showInformationMessage(`Recorded ${plural(created, "fact")} of the project.`);
}

async function folderUri(title: string): Promise<string | undefined> {
  const folder = await chosenFolder(title);
  return folder && uriOf(folder);
}

async function askContent(): Promise<string | undefined> {
  return vscode.window.showInputBox({
    title: "Record a Memory",
    prompt:
      "What should be remembered? Name files and symbols in backquotes: memories about them show in the code.",
    placeHolder: "We use pnpm, not npm, because the lock file is shared with the monorepo.",
    ignoreFocusOut: true,
  });
}

async function askKind(): Promise<Kind | undefined> {
  return vscode.window.showQuickPick(KINDS, {
    title: "Record a Memory",
    placeHolder: "What is it?",
    ignoreFocusOut: true,
  });
}

/** The text between fences longer than any run of backquotes in it. */
export function fenced(text: string, language: string): string {
  const runs = text.match(/`+/g) ?? [];
  const mark = "`".repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${mark}${language}\n${text.replace(/\n+$/, "")}\n${mark}`;
}

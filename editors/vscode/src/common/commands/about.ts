// What a lens above a file or symbol stands for: its memories and facts, in a list.
import * as vscode from "vscode";
import type { Facet, Memory } from "../../protocol";
import { ERROR_CODES } from "../../protocol";
import { SidecarError } from "../client";
import { uriOf } from "../folders";
import { SECTION } from "../settings";
import { age, label, oneLine, plural } from "../wording";
import type { Kit } from "./index";

interface Item extends vscode.QuickPickItem {
  readonly id?: string;
}

/** `given`: `uri` of a file and, for one symbol of it, `symbol`. */
export async function showMemoriesAbout(kit: Kit, given: unknown): Promise<void> {
  const { uri, symbol } = (given ?? {}) as { uri?: string; symbol?: string };
  const file = uri === undefined ? vscode.window.activeTextEditor?.document.uri : vscode.Uri.parse(uri);
  const folder = file && vscode.workspace.getWorkspaceFolder(file);
  if (file === undefined || folder === undefined) {
    void vscode.window.showInformationMessage("Open a file of the workspace first.");
    return;
  }
  const path = vscode.workspace.asRelativePath(file, false);
  const workspaceUri = uriOf(folder);
  const [memories, facets] = await Promise.all([
    memoriesOf(kit, file, symbol, workspaceUri),
    facetsOf(kit, path, workspaceUri),
  ]);
  const facts = facets.filter((facet) => symbol === undefined || facet.symbols.includes(symbol));
  const items: Item[] = [
    ...memories.map(memoryItem),
    ...(facts.length > 0
      ? [{ label: plural(facts.length, "fact"), kind: vscode.QuickPickItemKind.Separator }]
      : []),
    ...facts.map(factItem),
  ];
  const picked = await vscode.window.showQuickPick(
    items.length > 0 ? items : [{ label: "Nothing is remembered about this." }],
    {
      title: symbol === undefined ? path : `${symbol} in ${path}`,
      placeHolder: "Choose a memory to open it",
      matchOnDetail: true,
    },
  );
  if (picked?.id !== undefined) {
    await vscode.commands.executeCommand(`${SECTION}.showMemory`, { id: picked.id });
  }
}

async function facetsOf(kit: Kit, path: string, workspaceUri: string): Promise<readonly Facet[]> {
  try {
    return (await kit.server.request("file/summary", { path, workspaceUri })).facets;
  } catch (error) {
    if (error instanceof SidecarError && error.code === ERROR_CODES.FILE_UNAVAILABLE) {
      return []; // a file that is left alone has no facts
    }
    throw error;
  }
}

/** The memories that the lens counts: the sidecar knows which of them mean the symbol without naming its file. */
async function memoriesOf(
  kit: Kit,
  file: vscode.Uri,
  symbol: string | undefined,
  workspaceUri: string,
): Promise<readonly Memory[]> {
  const about = { uri: file.toString(), ...(symbol === undefined ? {} : { symbol }), quiet: true };
  const shown = await vscode.commands.executeCommand<{ ids: readonly string[] } | undefined>(
    `${SECTION}.showFile`,
    about,
  );
  return Promise.all((shown?.ids ?? []).map((id) => kit.server.request("memory/get", { id, workspaceUri })));
}

function memoryItem(memory: Memory): Item {
  const state = memory.status === "suspect" ? `${doubt(memory)} · ` : "";
  return {
    label: `${memory.status === "suspect" ? "$(warning) " : ""}${label(memory.name)}`,
    description: `${state}${memory.category ?? memory.type} · ${age(memory.updatedAt, Date.now())}`,
    detail: oneLine(memory.content),
    id: memory.id,
  };
}

function doubt({ references }: Memory): string {
  return references.some(({ gone }) => gone) ? "what it names is gone" : "recorded against an older version";
}

function factItem(facet: Facet): Item {
  return { label: oneLine(facet.text, 300) };
}

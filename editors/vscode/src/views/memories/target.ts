// Which memories a command means: what the view gives it, or what somebody picks.

import * as vscode from "vscode";
import type { SidecarClient } from "../../common/client";
import { answers, uriOf } from "../../common/folders";
import { shortAge } from "../text/words";
import { rowOf, type Row } from "./row";
import { iconOf } from "./wording";

/** One memory, and the folder whose sidecar is asked for it. */
export interface Target {
  readonly id: string;
  readonly folder: string;
  readonly title: string;
}

/**
 * The memories of a command's arguments: a node with all that are selected, a row, or `{id, folder}`. Empty for
 * arguments that mean none.
 */
export function targetsOf(first: unknown, all: unknown): Target[] {
  const some = Array.isArray(all) && all.length > 0 ? (all as unknown[]) : [first];
  const found = some.flatMap((one) => targetOf(one) ?? []);
  return [...new Map(found.map((one) => [one.id, one])).values()];
}

/** The URIs of the folders that are open on disk. */
export function folders(): string[] {
  const open = (vscode.workspace.workspaceFolders ?? []).filter((one) => one.uri.scheme === "file");
  return open.map((one) => one.uri.toString());
}

/** Which memories are offered: those of one folder, all but some. */
export interface Offered {
  readonly within?: string;
  readonly except?: ReadonlySet<string>;
  readonly title?: string;
}

/** Ask which memory is meant. */
export async function pickTarget(
  client: SidecarClient,
  placeHolder: string,
  { within, except = new Set(), title }: Offered = {},
): Promise<Target | undefined> {
  const listed = async (folder: string): Promise<Row[]> => {
    const page = await client.request("memory/list", { agent: "*", limit: 200, workspaceUri: folder });
    return page.items.map((memory) => rowOf(memory, folder));
  };
  const found =
    within === undefined ? (await answers((folder) => listed(uriOf(folder)))).flat() : await listed(within);
  const rows = [...new Map(found.map((row) => [row.id, row])).values()];
  const offered = rows.filter((row) => !except.has(row.id));
  if (offered.length === 0) {
    void vscode.window.showInformationMessage(
      rows.length === 0 ? "Nothing is remembered yet." : "There is no other memory.",
    );
    return undefined;
  }
  const picked = await vscode.window.showQuickPick(offered.map(itemOf), {
    ...(title === undefined ? {} : { title }),
    placeHolder,
    matchOnDescription: true,
  });
  return picked?.target;
}

/** A memory in a quick pick. */
export function itemOf(row: Row): vscode.QuickPickItem & { target: Target } {
  return {
    label: `$(${iconOf(row)}) ${row.title.replaceAll("$(", "$ (")}`,
    description: `${row.scope} · ${shortAge(row.updatedAt, Date.now())}`,
    target: { id: row.id, folder: row.folder, title: row.title },
    ...(row.description === "" ? {} : { detail: row.description.replaceAll("$(", "$ (") }),
  };
}

function targetOf(value: unknown): Target | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const given = "row" in value && typeof value.row === "object" && value.row !== null ? value.row : value;
  if (!("id" in given) || typeof given.id !== "string") return undefined;
  const folder = "folder" in given && typeof given.folder === "string" ? given.folder : folders()[0];
  if (folder === undefined) return undefined;
  const title = "title" in given && typeof given.title === "string" ? given.title : "the memory";
  return { id: given.id, folder, title };
}

// Search while typing; what was found can be opened, or left standing in the view.

import * as vscode from "vscode";
import type { SidecarClient } from "../../common/client";
import { answers, uriOf } from "../../common/folders";
import type { SearchResult } from "../../protocol";
import { tellError, wordsOf } from "../../common/errors";
import type { Library } from "./library";
import { rowOf } from "./row";
import { itemOf, type Target } from "./target";
import type { Found } from "./tree";

const PAUSE_MS = 150;
const SHOWN = 40;
const MOST = 200;

type Item = vscode.QuickPickItem & { target?: Target; keep?: true };

/** What somebody chose: a memory to open, or results to keep in the view. */
export type Chosen = { readonly open: Target } | { readonly keep: readonly Found[] };

/** Ask for words and search with each pause; undefined when nothing was chosen. */
export async function searchMemories(
  client: SidecarClient,
  library: Library,
  words: string,
): Promise<Chosen | undefined> {
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = "Search Memories";
  pick.placeholder = "Words, a file, a symbol, an issue such as #12";
  pick.matchOnDescription = pick.matchOnDetail = true;
  pick.value = words;
  // Found by meaning or by the stem of a word: the list must not be filtered again by its letters.
  (pick as unknown as { sortByLabel: boolean }).sortByLabel = false;
  let cancel = new vscode.CancellationTokenSource();
  let timer: NodeJS.Timeout | undefined;

  const look = async (): Promise<void> => {
    cancel.cancel();
    cancel = new vscode.CancellationTokenSource();
    const { token } = cancel;
    const query = pick.value.trim();
    if (query === "") {
      pick.items = [];
      return;
    }
    pick.busy = true;
    try {
      const found = await search(client, library, query, SHOWN, token);
      if (!token.isCancellationRequested) pick.items = itemsOf(query, found);
    } catch (error) {
      if (!token.isCancellationRequested)
        pick.items = [{ label: `$(error) ${wordsOf(error)}`, alwaysShow: true }];
    } finally {
      if (!token.isCancellationRequested) pick.busy = false;
    }
  };

  try {
    return await new Promise<Chosen | undefined>((choose) => {
      pick.onDidChangeValue(() => {
        clearTimeout(timer);
        timer = setTimeout(() => void look(), PAUSE_MS);
      });
      pick.onDidAccept(async () => {
        const [item] = pick.selectedItems;
        const query = pick.value.trim();
        if (item?.target) choose({ open: item.target });
        else if (item?.keep || (item === undefined && query !== "")) {
          pick.busy = true;
          choose(await kept(client, library, query));
        }
      });
      pick.onDidHide(() => choose(undefined));
      pick.show();
      if (words !== "") void look();
    });
  } finally {
    clearTimeout(timer);
    cancel.cancel();
    pick.dispose();
  }
}

/** Ask every folder. A global memory is found by each of them and answered once. */
export async function search(
  client: SidecarClient,
  library: Library,
  query: string,
  limit: number,
  token?: vscode.CancellationToken,
): Promise<Found[]> {
  const { statuses, expired } = library.filter;
  const include = [
    ...(["archived", "resolved"] as const).filter((one) => statuses.includes(one)),
    ...(expired ? (["expired"] as const) : []),
  ];
  const seen = new Set<string>();
  const found = await answers(async (one) => {
    const folder = uriOf(one);
    const asked = { query, limit, agent: "*", include, workspaceUri: folder };
    return { folder, result: await client.request("memory/search", asked, token) };
  });
  return found.map(({ folder, result }) => {
    const fresh = result.items.filter(
      ({ memory }) => !seen.has(memory.id) && statuses.includes(memory.status),
    );
    for (const { memory } of fresh) seen.add(memory.id);
    return { query, folder, result: { ...result, items: fresh } satisfies SearchResult };
  });
}

async function kept(client: SidecarClient, library: Library, query: string): Promise<Chosen | undefined> {
  try {
    return { keep: await search(client, library, query, MOST) };
  } catch (error) {
    tellError(error);
    return undefined;
  }
}

function itemsOf(query: string, found: readonly Found[]): Item[] {
  const rows = found.flatMap(({ folder, result }) =>
    result.items.map((hit) => ({ hit, row: rowOf(hit.memory, folder) })),
  );
  if (rows.length === 0) return [{ label: `$(info) No memory was found for “${query}”`, alwaysShow: true }];
  const keep: Item = { label: "$(list-tree) Show these in the Memory view", alwaysShow: true, keep: true };
  return [
    ...rows.map(({ hit, row }) => ({ ...itemOf(row), detail: hit.reasons.join(" · "), alwaysShow: true })),
    { label: "", kind: vscode.QuickPickItemKind.Separator },
    keep,
  ];
}

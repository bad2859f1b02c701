// Searching memories as one types.
import * as vscode from "vscode";
import type { Hit } from "../../protocol";
import { wordsOf } from "../errors";
import { answers, folders, uriOf } from "../folders";
import { SECTION } from "../settings";
import { age, label, oneLine } from "../wording";
import type { Kit } from "./index";

const QUIET_MS = 150;

interface Item extends vscode.QuickPickItem {
  readonly hit?: Hit;
  readonly workspaceUri?: string;
}

const COPY: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("copy"), tooltip: "Copy the text" };
const ARCHIVE: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("archive"), tooltip: "Archive" };

/** Show a list that follows what is typed; the memory that is chosen is opened. Resolves when the list is closed. */
export async function searchMemories(kit: Kit, words: string): Promise<void> {
  await kit.server.ensureStarted();
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = "Search Memories";
  pick.placeholder = "Words, names of files or symbols; found by meaning too";
  pick.matchOnDescription = pick.matchOnDetail = true;
  pick.value = words;
  const search = new Search(kit, pick);
  try {
    await new Promise<void>((resolve) => {
      pick.onDidHide(() => resolve());
      pick.onDidChangeValue(() => search.soon());
      pick.onDidAccept(() => void search.accepted());
      pick.onDidTriggerItemButton(({ item, button }) => void search.pressed(item, button));
      pick.show();
      search.soon();
    });
  } finally {
    search.dispose();
    pick.dispose();
  }
}

class Search {
  private timer: NodeJS.Timeout | undefined;
  private source = new vscode.CancellationTokenSource();

  constructor(
    private readonly kit: Kit,
    private readonly pick: vscode.QuickPick<Item>,
  ) {}

  soon(): void {
    clearTimeout(this.timer);
    this.source.cancel();
    this.timer = setTimeout(() => void this.run(), QUIET_MS);
  }

  async accepted(): Promise<void> {
    const id = this.pick.activeItems[0]?.hit?.memory.id;
    this.pick.hide();
    if (id !== undefined) {
      await vscode.commands.executeCommand(`${SECTION}.showMemory`, { id });
    }
  }

  async pressed(item: Item, button: vscode.QuickInputButton): Promise<void> {
    const memory = item.hit?.memory;
    if (memory === undefined) {
      return;
    }
    if (button === COPY) {
      await vscode.env.clipboard.writeText(memory.content);
    } else {
      await vscode.commands.executeCommand(`${SECTION}.archive`, { id: memory.id });
      this.soon();
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.source.cancel();
    this.source.dispose();
  }

  private async run(): Promise<void> {
    const query = this.pick.value.trim();
    const source = (this.source = new vscode.CancellationTokenSource());
    this.pick.busy = true;
    try {
      const found = await answers((folder) => this.within(folder, query, source.token));
      if (!source.token.isCancellationRequested) {
        const seen = new Set<string>();
        const items = found
          .flat()
          .sort((one, other) => (other.hit?.score ?? 0) - (one.hit?.score ?? 0))
          // Memories for all folders are found in each of them.
          .filter(({ hit }) => hit === undefined || (!seen.has(hit.memory.id) && seen.add(hit.memory.id)));
        this.pick.items = items.length > 0 ? items : [{ label: NOTHING(query), alwaysShow: true }];
      }
    } catch (error) {
      if (!source.token.isCancellationRequested) {
        this.pick.items = [{ label: `$(error) ${wordsOf(error)}`, alwaysShow: true }];
      }
    } finally {
      if (this.source === source) {
        this.pick.busy = false;
      }
    }
  }

  /** Without words the newest are listed. */
  private async within(
    folder: vscode.WorkspaceFolder,
    query: string,
    token: vscode.CancellationToken,
  ): Promise<Item[]> {
    const workspaceUri = uriOf(folder);
    const many = folders().length > 1;
    const hits: Hit[] =
      query === ""
        ? (await this.kit.server.request("memory/list", { workspaceUri, limit: 50 }, token)).items.map(
            (memory) => ({ memory, score: memory.updatedAt, reasons: [] }),
          )
        : (await this.kit.server.request("memory/search", { workspaceUri, query, limit: 30 }, token)).items;
    return hits.map((hit) =>
      item(hit, workspaceUri, many ? folder.name : undefined, this.kit.server.writable),
    );
  }
}

function NOTHING(query: string): string {
  return query === "" ? "Nothing is remembered yet." : "No memory was found.";
}

function item(hit: Hit, workspaceUri: string, folder: string | undefined, writable: boolean): Item {
  const { memory } = hit;
  const marks = [
    memory.scope,
    memory.category ?? memory.type,
    ...(memory.status === "active" ? [] : [memory.status]),
    ...(folder === undefined || memory.scope === "global" ? [] : [folder]),
    age(memory.updatedAt, Date.now()),
  ];
  return {
    label: `${memory.pinned ? "$(pinned) " : ""}${label(memory.name)}`,
    description: marks.join(" · "),
    detail: oneLine(memory.content),
    // What was found is shown even if none of the words stands in it.
    alwaysShow: true,
    buttons: writable ? [COPY, ARCHIVE] : [COPY],
    hit,
    workspaceUri,
  };
}

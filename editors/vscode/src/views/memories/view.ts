// The Memory view as VS Code shows it: its title, its messages, what can be switched.

import * as vscode from "vscode";
import type { SidecarClient } from "../../common/client";
import { counted } from "../text/words";
import { Actions } from "./actions";
import { EARLIER, EDITED } from "./addresses";
import { Doubts } from "./doubts";
import { MemoryFiles } from "./editing";
import { GROUPINGS, type Grouping } from "./grouping";
import { Versions } from "./history";
import { tellError } from "../../common/errors";
import { Library, USUAL } from "./library";
import type { Node } from "./nodes";
import type { Status } from "./row";
import type { Filter } from "./shelf";
import { searchMemories } from "./search";
import { folders } from "./target";
import { MemoryTree } from "./tree";

const FILE_VIEW = "memorySidecar.file";
const GROUPING_KEY = "memorySidecar.grouping";
const FILTER_KEY = "memorySidecar.filter";
const GROUPING_WORDS: Readonly<Record<Grouping, readonly [string, string]>> = {
  scope: ["Scope and Type", "who sees it, then what kind it is"],
  category: ["Category", "blockers, directives, decisions, procedures, …"],
  file: ["File", "the files that a memory is about or names"],
};
const STATUS_WORDS: Readonly<Record<Status | "expired", string>> = {
  active: "in force",
  suspect: "what it names has changed since",
  resolved: "blockers that block no more",
  archived: "put away; agents do not see it",
  deleted: "deleted; an undo brings it back",
  expired: "its time is over",
};

const AGES_MS = 60_000;

export class MemoryView implements vscode.Disposable {
  readonly library: Library;
  readonly tree: MemoryTree;
  private readonly view: vscode.TreeView<Node>;
  private readonly owned: readonly { dispose(): unknown }[];
  private readonly ages = setInterval(() => {
    if (this.view.visible && vscode.window.state.focused) this.tree.redraw();
  }, AGES_MS);

  constructor(
    private readonly client: SidecarClient,
    private readonly state: vscode.Memento,
    inFile: () => readonly unknown[],
  ) {
    this.library = new Library(client, storedFilter(state));
    const doubts = new Doubts(client);
    this.tree = new MemoryTree(client, this.library, doubts, storedGrouping(state));
    this.view = vscode.window.createTreeView("memorySidecar.memories", {
      treeDataProvider: this.tree,
      canSelectMany: true,
      showCollapseAll: true,
    });
    const files = new MemoryFiles(client, (memory, folder) => this.library.take(memory, folder));
    const selected = (view: string): readonly unknown[] =>
      view === FILE_VIEW ? inFile() : this.view.selection;
    const on = (name: string, run: (...given: unknown[]) => unknown): vscode.Disposable =>
      vscode.commands.registerCommand(`memorySidecar.view.${name}`, run);
    this.owned = [
      this.view,
      this.tree,
      doubts,
      this.library,
      files,
      vscode.workspace.registerFileSystemProvider(EDITED, files, { isCaseSensitive: true }),
      vscode.workspace.registerTextDocumentContentProvider(EARLIER, new Versions(client)),
      new Actions(client, this.library, selected),
      this.view.onDidChangeVisibility(() => this.looked()),
      this.library.onDidChange(() => this.show()),
      client.onDidChangeState(() => this.show()),
      client.onDidChangeWritable(() => this.show()),
      on("refresh", () => this.library.reload()),
      on("more", (node) => this.more(node)),
      on("group", () => this.chooseGrouping()),
      on("filter", () => this.chooseFilter()),
      on("showAll", () => this.setFilter(USUAL)),
      on("search", () => this.search()),
      on("clearSearch", () => this.keep(undefined)),
      on("openFile", (node) => this.openFile(node)),
    ];
    this.looked();
    this.show();
  }

  dispose(): void {
    clearInterval(this.ages);
    for (const one of this.owned) one.dispose();
  }

  private looked(): void {
    if (this.view.visible) this.library.watch();
  }

  /** Messages and the words that `when` clauses ask for. */
  private show(): void {
    const results = this.tree.results;
    const { library } = this;
    void vscode.commands.executeCommand("setContext", "memorySidecar.memories", this.condition());
    void vscode.commands.executeCommand("setContext", "memorySidecar.searched", results !== undefined);
    const away = library.size > 0 && this.client.state !== "running" && this.client.state !== "starting";
    const found = results?.reduce((sum, one) => sum + one.result.items.length, 0) ?? 0;
    const message = results
      ? `${counted(found, "memory", "memories")} for “${results[0]?.query ?? ""}”, best first`
      : library.problem && this.client.state !== "missing"
        ? library.problem
        : away
          ? "The sidecar does not run: this may be out of date."
          : library.size > 0 && !this.client.writable
            ? "Read only until you trust this workspace."
            : undefined;
    (this.view as { message: string | undefined }).message = message;
    const unusual = JSON.stringify(library.filter) !== JSON.stringify(USUAL);
    const parts = unusual ? [...library.filter.statuses, ...(library.filter.expired ? ["expired"] : [])] : [];
    (this.view as { description: string | undefined }).description = parts.join(", ") || undefined;
  }

  /** Why the view is empty, or `some`. */
  private condition(): string {
    if (folders().length === 0) return "noFolder";
    if (this.library.size > 0) return "some";
    if (this.client.state === "missing") return "noServer";
    if (this.library.problem) return "failed";
    if (!this.library.ready) return "reading";
    return JSON.stringify(this.library.filter) === JSON.stringify(USUAL) ? "none" : "noneSuch";
  }

  private async more(node: unknown): Promise<void> {
    const { kind, group, shelves } = (node ?? {}) as Partial<Extract<Node, { kind: "more" }>>;
    if (kind !== "more") return;
    if (group !== undefined) this.tree.showMore(group);
    else if (shelves) await this.library.loadMore(shelves);
  }

  private async chooseGrouping(): Promise<void> {
    const items = GROUPINGS.map((grouping) => {
      const [label, description] = GROUPING_WORDS[grouping];
      return {
        label: `${grouping === this.tree.grouping ? "$(check) " : ""}${label}`,
        description,
        grouping,
      };
    });
    const picked = await vscode.window.showQuickPick(items, { placeHolder: "Group memories by" });
    if (picked === undefined) return;
    this.tree.grouping = picked.grouping;
    await this.state.update(GROUPING_KEY, picked.grouping);
  }

  private async chooseFilter(): Promise<void> {
    const { statuses, expired } = this.library.filter;
    const items = (Object.keys(STATUS_WORDS) as (Status | "expired")[]).map((name) => ({
      label: name,
      description: STATUS_WORDS[name],
      picked: name === "expired" ? expired : statuses.includes(name),
    }));
    const placeHolder = "Show memories that are";
    const picked = await vscode.window.showQuickPick(items, { placeHolder, canPickMany: true });
    if (picked === undefined) return;
    const names = picked.map((one) => one.label);
    const chosen = names.filter((name): name is Status => name !== "expired");
    await this.setFilter({
      statuses: chosen.length > 0 ? chosen : USUAL.statuses,
      expired: names.includes("expired"),
    });
  }

  private async setFilter(filter: Filter): Promise<void> {
    await this.state.update(FILTER_KEY, filter);
    await this.library.setFilter(filter);
  }

  private async search(): Promise<void> {
    try {
      const chosen = await searchMemories(this.client, this.library, this.tree.results?.[0]?.query ?? "");
      if (chosen === undefined) return;
      if ("open" in chosen) await vscode.commands.executeCommand("memorySidecar.view.open", chosen.open);
      else {
        this.keep(chosen.keep);
        await vscode.commands.executeCommand("memorySidecar.memories.focus");
      }
    } catch (error) {
      tellError(error);
    }
  }

  private keep(found: MemoryTree["results"]): void {
    this.tree.results = found;
    this.show();
  }

  private async openFile(node: unknown): Promise<void> {
    const { kind, group, folder } = (node ?? {}) as Partial<Extract<Node, { kind: "group" }>>;
    if (kind !== "group" || group?.kind !== "file" || !folder) return;
    const uri = vscode.Uri.joinPath(vscode.Uri.parse(folder), group.value);
    await vscode.commands.executeCommand("vscode.open", uri);
  }
}

function storedGrouping(state: vscode.Memento): Grouping {
  const kept = state.get<unknown>(GROUPING_KEY);
  return GROUPINGS.find((one) => one === kept) ?? "scope";
}

function storedFilter(state: vscode.Memento): Filter {
  const kept = state.get<Partial<Filter>>(FILTER_KEY);
  const statuses = Array.isArray(kept?.statuses) ? kept.statuses.filter((one) => one in STATUS_WORDS) : [];
  return statuses.length > 0 ? { statuses, expired: kept?.expired === true } : USUAL;
}

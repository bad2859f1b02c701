// The Memory view: what its nodes are, and how each of them looks.

import * as vscode from "vscode";
import type { SidecarClient } from "../../common/client";
import type { SearchResult } from "../../protocol";
import { grouped as withCommas } from "../text/words";
import type { Doubts } from "./doubts";
import type { Grouping } from "./grouping";
import { memoryItem, memoryTooltip } from "./items";
import type { Library } from "./library";
import { below, nodesOf, SHOWN, type GroupNode, type Look, type Node } from "./nodes";
import { rowOf } from "./row";

/** What a search left in the view. */
export interface Found {
  readonly query: string;
  readonly folder: string;
  readonly result: SearchResult;
}

export class MemoryTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<Node | undefined>();
  readonly onDidChangeTreeData = this.changed.event;

  private readonly shown = new Map<string, number>();
  private searched: readonly Found[] | undefined;
  private readonly owned: readonly { dispose(): unknown }[];

  constructor(
    private readonly client: SidecarClient,
    private readonly library: Library,
    private readonly doubts: Doubts,
    private groupingNow: Grouping,
  ) {
    this.owned = [
      this.changed,
      library.onDidChange(() => this.changed.fire(undefined)),
      doubts.onDidFind(() => this.changed.fire(undefined)),
    ];
  }

  get grouping(): Grouping {
    return this.groupingNow;
  }

  set grouping(grouping: Grouping) {
    this.groupingNow = grouping;
    this.changed.fire(undefined);
  }

  /** The results that are shown in place of everything; undefined when nothing was searched for. */
  get results(): readonly Found[] | undefined {
    return this.searched;
  }

  set results(found: readonly Found[] | undefined) {
    this.searched = found;
    this.changed.fire(undefined);
  }

  /** Draw again what was read, for its ages grow. */
  redraw(): void {
    this.changed.fire(undefined);
  }

  /** Show more of a group. */
  showMore(group: string): void {
    this.shown.set(group, (this.shown.get(group) ?? SHOWN) + SHOWN);
    this.changed.fire(undefined);
  }

  /** The first time the view waits for the memories, so that VS Code shows that they are on their way. */
  getChildren(node?: Node): Node[] | Promise<Node[]> {
    if (node !== undefined || this.library.ready) return this.children(node);
    return this.library.firstAnswer().then(() => this.children());
  }

  /** What is below a node, or at the top, as far as it was read. */
  children(node?: Node): Node[] {
    const nodes = this.nodesBelow(node);
    this.doubts.ask(nodes.flatMap((one) => (one.kind === "memory" ? [one.row] : [])));
    return nodes;
  }

  getTreeItem(node: Node): vscode.TreeItem {
    switch (node.kind) {
      case "folder":
        return this.folderItem(node.key, node.label, node.shelf.size, node.shelf.more);
      case "group":
        return this.groupItem(node);
      case "memory":
        return memoryItem(node, this.doubts.has(node.row));
      case "more": {
        const item = new vscode.TreeItem(node.label);
        item.id = node.key;
        item.iconPath = new vscode.ThemeIcon("ellipsis");
        item.command = { command: "memorySidecar.view.more", title: node.label, arguments: [node] };
        return item;
      }
    }
  }

  /** What hovering shows is asked for when somebody hovers. */
  async resolveTreeItem(
    item: vscode.TreeItem,
    node: Node,
    token: vscode.CancellationToken,
  ): Promise<vscode.TreeItem> {
    if (node.kind === "memory") item.tooltip = await memoryTooltip(this.client, node, token);
    return item;
  }

  dispose(): void {
    for (const one of this.owned) one.dispose();
  }

  private nodesBelow(node: Node | undefined): Node[] {
    const look: Look = { grouping: this.groupingNow, shown: this.shown };
    if (node === undefined) return this.searched ? results(this.searched) : this.roots(look);
    if (node.kind === "folder") return nodesOf([node.shelf], `${node.key}|`, look);
    if (node.kind === "group")
      return below(node, node.key.slice(0, node.key.length - node.group.key.length), look);
    return [];
  }

  /** One folder needs no level of its own. */
  private roots(look: Look): Node[] {
    const shelves = this.library.shelves;
    if (shelves.length <= 2) return nodesOf(shelves, "", look);
    return shelves
      .filter((shelf) => shelf.size > 0)
      .map((shelf) => {
        const global = shelf.scopes.includes("global");
        const label = global ? "Every workspace" : folderName(shelf.folder);
        return { kind: "folder", key: global ? "global" : shelf.folder, label, shelf };
      });
  }

  private folderItem(key: string, label: string, size: number, more: boolean): vscode.TreeItem {
    const item = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.Expanded);
    item.id = key;
    item.description = countOf(size, more);
    item.iconPath = new vscode.ThemeIcon(key === "global" ? "globe" : "root-folder");
    item.contextValue = ";folder;";
    return item;
  }

  private groupItem(node: GroupNode): vscode.TreeItem {
    const { group } = node;
    const open = group.kind === "scope" || (group.kind === "type" && group.count <= SHOWN);
    const item = new vscode.TreeItem(
      group.label,
      open ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed,
    );
    item.id = node.key;
    item.description = countOf(group.count, node.partial);
    item.contextValue = group.kind === "file" && group.value !== "" ? ";group;file;" : ";group;";
    item.tooltip = group.label;
    if (group.kind === "file" && group.value !== "") {
      item.resourceUri = vscode.Uri.joinPath(vscode.Uri.parse(node.folder), group.value);
      item.iconPath = vscode.ThemeIcon.File;
    } else if (group.kind === "scope") {
      const icons: Record<string, string> = { project: "repo", personal: "person", global: "globe" };
      item.iconPath = new vscode.ThemeIcon(icons[group.value] ?? "folder");
    }
    item.accessibilityInformation = {
      label: `${group.label}, ${countOf(group.count, node.partial)} memories`,
    };
    return item;
  }
}

function results(found: readonly Found[]): Node[] {
  return found.flatMap(({ folder, result }) =>
    result.items.map((hit): Node => {
      return {
        kind: "memory",
        key: `found|${folder}|${hit.memory.id}`,
        row: rowOf(hit.memory, folder),
        reasons: hit.reasons,
      };
    }),
  );
}

function folderName(uri: string): string {
  const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(uri));
  return folder?.name ?? vscode.Uri.parse(uri).path.split("/").at(-1) ?? uri;
}

function countOf(count: number, partial: boolean): string {
  return `${withCommas(count)}${partial ? "+" : ""}`;
}

// The File Memory view: what is known of the file in the active editor, and what is remembered about it.

import * as vscode from "vscode";
import type { SidecarClient } from "../../common/client";
import type { ListResult, SummaryResult } from "../../protocol";
import { memoryItem, memoryTooltip, pageFrom } from "../memories/items";
import { tellError, wordsOf } from "../../common/errors";
import { sameFolder } from "../memories/library";
import { rowOf } from "../memories/row";
import { Doubts } from "../memories/doubts";
import { filePage } from "./page";
import { partsOf, proseOf, type FileNode, type Part } from "./parts";

const SOON_MS = 200;
const MEMORIES = 100;
const PROSE = 600;

interface Place {
  readonly uri: vscode.Uri;
  readonly folder: string;
  readonly path: string;
}

export class FileView implements vscode.TreeDataProvider<FileNode>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;

  private nodes: readonly FileNode[] = [];
  private place: Place | undefined;
  private timer: NodeJS.Timeout | undefined;
  private asking = new vscode.CancellationTokenSource();
  private readonly view: vscode.TreeView<FileNode>;
  private readonly doubts: Doubts;
  private readonly owned: readonly { dispose(): unknown }[];

  constructor(private readonly client: SidecarClient) {
    this.doubts = new Doubts(client);
    this.view = vscode.window.createTreeView("memorySidecar.file", {
      treeDataProvider: this,
      canSelectMany: true,
    });
    const workspace = vscode.workspace;
    this.owned = [
      this.changed,
      this.view,
      this.doubts,
      this.doubts.onDidFind(() => this.changed.fire(undefined)),
      this.view.onDidChangeVisibility(() => this.soon(0)),
      vscode.window.onDidChangeActiveTextEditor(() => this.soon()),
      workspace.onDidSaveTextDocument((saved) => this.soonFor(saved.uri)),
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        // The first key in a saved file: what is shown is of the file as it was saved.
        if (contentChanges.length > 0 && this.concerns(document.uri) && !this.saysUnsaved())
          this.soonFor(document.uri);
      }),
      workspace.onDidChangeWorkspaceFolders(() => this.soon()),
      client.onDidInvalidateFiles((told) => {
        if (this.place && sameFolder(told.workspaceUri, this.place.folder)) this.soon();
      }),
      client.onDidChangeMemory(() => this.soon()),
      client.onDidChangeState((state) => {
        if (state === "running") this.soon();
      }),
      vscode.commands.registerCommand("memorySidecar.view.goTo", (part: unknown) => this.goTo(part)),
      vscode.commands.registerCommand("memorySidecar.view.refreshFile", () => this.look()),
      vscode.commands.registerCommand("memorySidecar.view.readFile", () => this.readWhole()),
    ];
    this.soon(0);
  }

  get selection(): readonly FileNode[] {
    return this.view.visible ? this.view.selection : [];
  }

  getChildren(node?: FileNode): FileNode[] {
    const nodes = node === undefined ? this.nodes : node.kind === "part" ? node.children : [];
    this.doubts.ask(nodes.flatMap((one) => (one.kind === "memory" ? [one.row] : [])));
    return [...nodes];
  }

  getTreeItem(node: FileNode): vscode.TreeItem {
    return node.kind === "memory" ? memoryItem(node, this.doubts.has(node.row)) : partItem(node);
  }

  async resolveTreeItem(
    item: vscode.TreeItem,
    node: FileNode,
    token: vscode.CancellationToken,
  ): Promise<vscode.TreeItem> {
    if (node.kind === "memory") item.tooltip = await memoryTooltip(this.client, node, token);
    return item;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.asking.cancel();
    for (const one of this.owned) one.dispose();
  }

  /** All that is known of the file, as a page to read; its text is answered. */
  async readWhole(): Promise<string | undefined> {
    const place = placeOf(vscode.window.activeTextEditor) ?? this.kept();
    if (place === undefined) {
      void vscode.window.showInformationMessage("Open a file of the workspace first.");
      return undefined;
    }
    try {
      const [summary, about] = await this.ask(place);
      const page = filePage(summary, about.items, Date.now());
      await vscode.commands.executeCommand("memorySidecar.showText", `What is known of ${place.path}`, page);
      return page;
    } catch (error) {
      tellError(error);
      return undefined;
    }
  }

  /** Look at the active editor's file now. */
  async look(): Promise<void> {
    clearTimeout(this.timer);
    this.asking.cancel();
    const asking = (this.asking = new vscode.CancellationTokenSource());
    this.place = placeOf(vscode.window.activeTextEditor) ?? this.kept();
    const place = this.place;
    if (place === undefined) {
      this.show([], undefined, undefined);
      return;
    }
    try {
      const [summary, about] = await this.ask(place, asking.token);
      if (asking.token.isCancellationRequested) return;
      const rows = about.items.map((memory) => rowOf(memory, place.folder));
      this.show(partsOf(summary, rows, isUnsaved(place.uri)), place.path, proseOf(summary).slice(0, PROSE));
    } catch (error) {
      if (!asking.token.isCancellationRequested) this.show([], place.path, wordsOf(error));
    }
  }

  private ask(place: Place, token?: vscode.CancellationToken): Promise<[SummaryResult, ListResult]> {
    const asked = { workspaceUri: place.folder };
    const about = { files: [place.path], agent: "*", limit: MEMORIES, ...asked };
    return Promise.all([
      this.client.request("file/summary", { path: place.path, ...asked }, token),
      this.client.request("memory/list", about, token),
    ]);
  }

  /** The file that was shown, while an editor without a file is active: a memory, a preview, settings. */
  private kept(): Place | undefined {
    const place = this.place;
    const open = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const still = open.some(
      ({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === place?.uri.toString(),
    );
    return still ? place : undefined;
  }

  private show(nodes: readonly FileNode[], path: string | undefined, message: string | undefined): void {
    this.nodes = nodes;
    const view = this.view as { description: string | undefined; message: string | undefined };
    view.description = path;
    view.message = message;
    this.changed.fire(undefined);
  }

  private concerns(uri: vscode.Uri): boolean {
    return this.place?.uri.toString() === uri.toString();
  }

  private saysUnsaved(): boolean {
    return this.nodes.some(
      (one) => one.kind === "part" && one.key === "fresh" && one.icon === "circle-filled",
    );
  }

  private soonFor(uri: vscode.Uri): void {
    if (this.concerns(uri)) this.soon();
  }

  private soon(pause = SOON_MS): void {
    if (!this.view.visible) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.look(), pause);
  }

  private async goTo(part: unknown): Promise<void> {
    const line = (part as Partial<Part> | undefined)?.line;
    if (this.place === undefined || typeof line !== "number") return;
    const at = new vscode.Position(line - 1, 0);
    const editor = await vscode.window.showTextDocument(this.place.uri, {
      selection: new vscode.Range(at, at),
    });
    editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }
}

function placeOf(editor: vscode.TextEditor | undefined): Place | undefined {
  const uri = editor?.document.uri;
  if (uri?.scheme !== "file") return undefined;
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  if (folder === undefined) return undefined;
  const path = uri.path.slice(folder.uri.path.replace(/\/$/, "").length + 1);
  return { uri, folder: folder.uri.toString(), path };
}

function isUnsaved(uri: vscode.Uri): boolean {
  return vscode.workspace.textDocuments.some((one) => one.isDirty && one.uri.toString() === uri.toString());
}

function partItem(part: Part): vscode.TreeItem {
  const { None, Expanded, Collapsed } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(
    part.label,
    part.children.length === 0 ? None : part.open ? Expanded : Collapsed,
  );
  item.id = part.key;
  item.iconPath = new vscode.ThemeIcon(part.icon, part.color ? new vscode.ThemeColor(part.color) : undefined);
  if (part.description) item.description = part.description;
  if (part.page) item.tooltip = pageFrom(part.page);
  if (part.line !== undefined) {
    item.command = { command: "memorySidecar.view.goTo", title: "Go to Line", arguments: [part] };
  }
  const line = part.line === undefined ? "" : `, line ${part.line}`;
  item.accessibilityInformation = {
    label: `${part.label}${part.description ? `, ${part.description}` : ""}${line}`,
  };
  return item;
}

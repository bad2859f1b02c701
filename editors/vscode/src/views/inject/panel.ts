// The inject preview: what an agent would be given for a prompt and files, why, and what was left out.

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { SidecarError, type SidecarClient } from "../../common/client";
import { ERROR_CODES, type InjectResult } from "../../protocol";
import { wordsOf } from "../../common/errors";
import { folders } from "../memories/target";
import { titleOf } from "../text/words";
import { answerOf, idsIn } from "./answer";
import {
  BUDGET_USUAL,
  fromPage,
  questionOf,
  type Answer,
  type FromPage,
  type Question,
  type ToPage,
} from "./messages";
import { pageHtml } from "./page";

export const VIEW_TYPE = "memorySidecar.inject";
const AT_ONCE = 6;
const AGAIN_MS = 500;
const FILES_FOUND = 2_000;

/** Ask for a block and the names of what is in it. No session is named, so nothing counts as used. */
export async function preview(
  client: SidecarClient,
  question: Question,
  token?: vscode.CancellationToken,
): Promise<Answer> {
  const folder = question.folder || folders()[0];
  const workspaceUri = folder ?? null;
  const prompt = question.prompt.trim() === "" ? {} : { prompt: question.prompt };
  const asked = { files: [...question.files], budgetTokens: question.budget, format: question.format };
  const result = await client.request("memory/inject", { ...prompt, ...asked, workspaceUri }, token);
  return answerOf(result, question.budget, await namesIn(client, result, workspaceUri, token));
}

/** The panels' door: one panel at a time, brought back after a reload. */
export class InjectPreview implements vscode.WebviewPanelSerializer, vscode.Disposable {
  private panel: InjectPanel | undefined;
  private readonly owned: readonly { dispose(): unknown }[];

  constructor(
    private readonly client: SidecarClient,
    private readonly extension: vscode.Uri,
  ) {
    this.owned = [
      vscode.window.registerWebviewPanelSerializer(VIEW_TYPE, this),
      vscode.commands.registerCommand("memorySidecar.view.inject", (given: unknown) =>
        this.show(questionOf(given)),
      ),
    ];
  }

  /** Open the preview, or bring it to the front; `question` is asked, else what it was asked last. */
  show(question?: Question): void {
    if (this.panel) {
      this.panel.reveal(question);
      return;
    }
    const column = vscode.ViewColumn.Active;
    const made = vscode.window.createWebviewPanel(VIEW_TYPE, "Inject Preview", column, this.options());
    this.take(made, question ?? { ...first(), files: activeFile() });
  }

  deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    panel.webview.options = this.options();
    this.take(panel, questionOf(state) ?? first());
    return Promise.resolve();
  }

  dispose(): void {
    this.panel?.dispose();
    for (const one of this.owned) one.dispose();
  }

  private take(panel: vscode.WebviewPanel, question: Question): void {
    this.panel?.dispose();
    const made = new InjectPanel(this.client, this.extension, panel, question);
    this.panel = made;
    panel.onDidDispose(() => {
      if (this.panel === made) this.panel = undefined;
    });
  }

  private options(): vscode.WebviewOptions {
    const roots = ["dist", "media"].map((name) => vscode.Uri.joinPath(this.extension, name));
    return { enableScripts: true, enableForms: false, localResourceRoots: roots };
  }
}

class InjectPanel implements vscode.Disposable {
  private answer: Answer | undefined;
  private asking = new vscode.CancellationTokenSource();
  private timer: NodeJS.Timeout | undefined;
  private readonly owned: readonly { dispose(): unknown }[];

  constructor(
    private readonly client: SidecarClient,
    extension: vscode.Uri,
    private readonly panel: vscode.WebviewPanel,
    private question: Question,
  ) {
    const { webview } = panel;
    const address = (...path: string[]): string =>
      webview.asWebviewUri(vscode.Uri.joinPath(extension, ...path)).toString();
    this.owned = [
      webview.onDidReceiveMessage((message: unknown) => this.received(message)),
      panel.onDidDispose(() => this.close()),
      client.onDidChangeMemory(() => this.again()),
      client.onDidInvalidateFiles(() => this.again()),
    ];
    webview.html = pageHtml({
      source: webview.cspSource,
      nonce: randomBytes(18).toString("base64url"),
      style: address("media", "inject.css"),
      script: address("dist", "inject.js"),
    });
  }

  reveal(question: Question | undefined): void {
    this.panel.reveal();
    if (question) this.ask(question);
  }

  dispose(): void {
    this.panel.dispose();
  }

  private close(): void {
    clearTimeout(this.timer);
    this.asking.cancel();
    for (const one of this.owned) one.dispose();
  }

  private received(value: unknown): void {
    const message = fromPage(value);
    if (message === undefined) return;
    this.act(message).catch((error: unknown) => this.send({ type: "problem", message: wordsOf(error) }));
  }

  private async act(message: FromPage): Promise<void> {
    switch (message.type) {
      case "ready":
        this.ask(this.question);
        return;
      case "ask":
        this.question = message.question;
        await this.look();
        return;
      case "pick":
        await this.pick(message.question);
        return;
      case "openEditors":
        this.ask({
          ...message.question,
          files: merged(message.question.files, openFiles(message.question.folder)),
        });
        return;
      case "open":
        await this.open(message.kind, message.target);
        return;
      case "copy":
        if (this.answer === undefined) return;
        await vscode.env.clipboard.writeText(this.answer.text);
        this.send({ type: "copied" });
    }
  }

  /** Show a question in the page, and answer it. */
  private ask(question: Question): void {
    const open = (vscode.workspace.workspaceFolders ?? []).filter((one) => one.uri.scheme === "file");
    const known = open.map((one) => ({ uri: one.uri.toString(), name: one.name }));
    const folder = known.some((one) => one.uri === question.folder) ? question.folder : (known[0]?.uri ?? "");
    this.question = { ...question, folder };
    this.send({ type: "question", question: this.question, folders: known });
    void this.look();
  }

  private async look(): Promise<void> {
    clearTimeout(this.timer);
    this.asking.cancel();
    const asking = (this.asking = new vscode.CancellationTokenSource());
    this.send({ type: "asking" });
    try {
      const answer = await preview(this.client, this.question, asking.token);
      if (asking.token.isCancellationRequested) return;
      this.answer = answer;
      this.send({ type: "answer", answer });
    } catch (error) {
      if (asking.token.isCancellationRequested) return;
      this.answer = undefined;
      this.send({ type: "problem", message: wordsOf(error) });
    }
  }

  /** What was remembered or saved meanwhile changes the block. */
  private again(): void {
    if (!this.panel.visible) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.look(), AGAIN_MS);
  }

  private async pick(question: Question): Promise<void> {
    const folder = folderOf(question.folder);
    if (folder === undefined) return;
    const open = new Set(openFiles(question.folder));
    const found = await vscode.workspace.findFiles(
      new vscode.RelativePattern(folder, "**/*"),
      undefined,
      FILES_FOUND,
    );
    const paths = merged([...open], found.map((uri) => pathIn(folder, uri)).sort());
    const items = paths.map((path) => ({
      label: path,
      picked: question.files.includes(path),
      ...(open.has(path) ? { description: "open" } : {}),
    }));
    items.sort((one, other) => Number(other.picked) - Number(one.picked));
    const picked = await vscode.window.showQuickPick(items, {
      canPickMany: true,
      placeHolder: "Files in play",
    });
    if (picked) this.ask({ ...question, files: picked.map((one) => one.label) });
  }

  /** Only what the page was given can be opened from it. */
  private async open(kind: "memory" | "file", target: string): Promise<void> {
    const shown = [...(this.answer?.items ?? []), ...(this.answer?.leftOut ?? [])];
    if (!shown.some((one) => one.kind === kind && one.target === target)) return;
    const folder = folderOf(this.question.folder);
    if (folder === undefined) return;
    if (kind === "memory") {
      const wanted = { id: target, folder: folder.uri.toString() };
      await vscode.commands.executeCommand("memorySidecar.view.open", wanted);
    } else {
      await vscode.commands.executeCommand("vscode.open", vscode.Uri.joinPath(folder.uri, target));
    }
  }

  private send(message: ToPage): void {
    void this.panel.webview.postMessage(message);
  }
}

async function namesIn(
  client: SidecarClient,
  result: InjectResult,
  workspaceUri: string | null,
  token?: vscode.CancellationToken,
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  const ids = idsIn(result);
  const work = async (): Promise<void> => {
    for (let id = ids.pop(); id !== undefined && !token?.isCancellationRequested; id = ids.pop()) {
      try {
        const { name, content } = await client.request("memory/get", { id, workspaceUri }, token);
        names.set(id, titleOf(name, content));
      } catch (error) {
        // One that was deleted at this moment has no name any more.
        if (!(error instanceof SidecarError) || error.code !== ERROR_CODES.MEMORY_NOT_FOUND) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return names;
}

function first(): Question {
  return { prompt: "", files: [], budget: BUDGET_USUAL, format: "markdown", folder: folders()[0] ?? "" };
}

function activeFile(): string[] {
  const uri = vscode.window.activeTextEditor?.document.uri;
  const folder = folderOf(folders()[0] ?? "");
  return uri?.scheme === "file" && folder && inside(folder, uri) ? [pathIn(folder, uri)] : [];
}

function openFiles(uri: string): string[] {
  const folder = folderOf(uri);
  if (folder === undefined) return [];
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.flatMap(({ input }) =>
    input instanceof vscode.TabInputText && inside(folder, input.uri) ? [pathIn(folder, input.uri)] : [],
  );
}

function folderOf(uri: string): vscode.WorkspaceFolder | undefined {
  const open = vscode.workspace.workspaceFolders ?? [];
  return open.find((one) => one.uri.toString() === uri) ?? open.find((one) => one.uri.scheme === "file");
}

function inside(folder: vscode.WorkspaceFolder, uri: vscode.Uri): boolean {
  return vscode.workspace.getWorkspaceFolder(uri)?.uri.toString() === folder.uri.toString();
}

function pathIn(folder: vscode.WorkspaceFolder, uri: vscode.Uri): string {
  return uri.path.slice(folder.uri.path.replace(/\/$/, "").length + 1);
}

function merged(some: readonly string[], others: readonly string[]): string[] {
  return [...new Set([...some, ...others])];
}

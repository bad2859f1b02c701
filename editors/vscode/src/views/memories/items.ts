// How a memory looks in any of the trees.

import * as vscode from "vscode";
import type { SidecarClient } from "../../common/client";
import { escaped } from "../text/markdown";
import type { MemoryNode } from "./nodes";
import { asideOf, contextOf, pageOf, signOf, spokenOf } from "./wording";

/** A memory's line. Its tooltip is made when somebody hovers. */
export function memoryItem(node: MemoryNode, contradicted: boolean): vscode.TreeItem {
  const { row } = node;
  const now = Date.now();
  const sign = signOf(row, contradicted);
  const item = new vscode.TreeItem(row.title);
  item.id = node.key;
  item.description = asideOf(row, contradicted, now);
  item.iconPath = new vscode.ThemeIcon(sign.icon, sign.color ? new vscode.ThemeColor(sign.color) : undefined);
  item.contextValue = contextOf(row);
  item.command = { command: "memorySidecar.view.open", title: "Open Memory", arguments: [node] };
  item.accessibilityInformation = { label: spokenOf(row, contradicted, now) };
  return item;
}

/** The page that hovering over a memory shows: Markdown in which no link, command, image or HTML of it works. */
export async function memoryTooltip(
  client: SidecarClient,
  node: MemoryNode,
  token: vscode.CancellationToken,
): Promise<vscode.MarkdownString> {
  const params = { id: node.row.id, workspaceUri: node.row.folder };
  const [memory, links] = await Promise.all([
    client.request("memory/get", params, token),
    client.request("memory/links", params, token),
  ]);
  const text = pageOf(memory, links.items, Date.now());
  return pageFrom(node.reasons?.length ? `${text}\n\nFound: ${escaped(node.reasons.join(", "))}` : text);
}

/** Markdown that can do nothing. */
export function pageFrom(text: string): vscode.MarkdownString {
  const page = new vscode.MarkdownString(text);
  page.isTrusted = false;
  page.supportHtml = false;
  return page;
}

// The versions of a memory, and what changed between two of them.

import * as vscode from "vscode";
import type { SidecarClient } from "../../common/client";
import type { Version } from "../../protocol";
import { age, day } from "../text/words";
import { addressOf, EARLIER } from "./addresses";
import { fieldsOf, written } from "./document";
import { uriNamed } from "./editing";
import type { Target } from "./target";

/** Earlier versions as documents. What they say never changes, so they are kept nowhere. */
export class Versions implements vscode.TextDocumentContentProvider {
  constructor(private readonly client: SidecarClient) {}

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const address = addressOf(uri.query);
    if (address === undefined) return "";
    const { id, folder, version } = address;
    const history = await this.client.request("memory/history", { id, workspaceUri: folder });
    const found = history.versions.find((one) => one.version === version);
    return found?.memory ? written(fieldsOf(found.memory)) : "";
  }
}

/** Ask for a version, and show what it changed. */
export async function showHistory(client: SidecarClient, target: Target): Promise<void> {
  const asked = { id: target.id, workspaceUri: target.folder };
  const { versions } = await client.request("memory/history", asked);
  const now = Date.now();
  const items = versions.map((one, at) => ({
    label: `Version ${one.version}: ${one.change}`,
    description: `${day(one.at)} (${age(one.at, now)})${at === 0 ? " · now" : ""}`,
    one,
    before: before(versions, at),
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: `History of “${target.title}”`,
    placeHolder: "Show what a version changed",
  });
  if (picked) await showDifference(target, picked.one, picked.before);
}

/** What a version changed against the one before it; a deletion and a first version against nothing. */
export async function showDifference(
  target: Target,
  one: Version,
  former: Version | undefined,
): Promise<void> {
  const side = (version: number): vscode.Uri =>
    uriNamed({ id: target.id, folder: target.folder, version }, target.title, EARLIER);
  const title = `${target.title}: ${former ? `version ${former.version} ↔ ` : ""}version ${one.version} (${one.change})`;
  await vscode.commands.executeCommand("vscode.diff", side(former?.version ?? 0), side(one.version), title, {
    preview: true,
  });
}

function before(versions: readonly Version[], at: number): Version | undefined {
  return versions.slice(at + 1).find((one) => Boolean(one.memory));
}

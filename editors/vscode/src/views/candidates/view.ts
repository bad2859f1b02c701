// The Candidates view: what may become a memory, the words behind each below it, and what waits in the badge.

import * as vscode from "vscode";
import type { SidecarClient } from "../../common/client";
import { folders } from "../../common/folders";
import type { Evidence } from "../../protocol";
import { tellError } from "../../common/errors";
import { pageFrom } from "../memories/items";
import { iconOf } from "../memories/wording";
import { counted, oneLine } from "../text/words";
import { type Decision, Decisions } from "./decisions";
import { CandidateList, type Entry } from "./list";
import { review } from "./review";
import { asideOf, candidatePage, evidencePage, kindOf, lineOf, sayingOf, speakerIcon } from "./wording";

const DECISIONS: readonly Decision[] = ["keep", "edit", "scope", "reject", "later"];

export type CandidateNode = Entry & { readonly evidence?: Evidence };

export class CandidateView implements vscode.TreeDataProvider<CandidateNode>, vscode.Disposable {
  readonly list: CandidateList;
  readonly view: vscode.TreeView<CandidateNode>;
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly owned: readonly { dispose(): unknown }[];

  constructor(private readonly client: SidecarClient) {
    this.list = new CandidateList(client);
    const decisions = new Decisions(client, this.list);
    this.view = vscode.window.createTreeView("memorySidecar.candidates", {
      treeDataProvider: this,
      canSelectMany: true,
    });
    const on = (name: string, run: (given: readonly Entry[]) => unknown): vscode.Disposable =>
      vscode.commands.registerCommand(`memorySidecar.review${name}`, async (first: unknown, all: unknown) => {
        try {
          await run(this.meant(first, all));
        } catch (error) {
          tellError(error);
        }
      });
    this.owned = [
      this.changed,
      this.view,
      this.list,
      this.list.onDidChange(() => this.show()),
      client.onDidChangeWritable(() => this.show()),
      this.view.onDidChangeVisibility(({ visible }) => {
        if (visible) void this.list.reload();
      }),
      ...DECISIONS.map((name) => on(`.${name}`, (entries) => decisions.decide(name, entries))),
      on("", () => review(this.list, decisions)),
      on(".open", ([entry]) => entry && open(entry)),
      on(".refresh", () => this.list.refresh()),
      on(".rejected", () => this.list.show("rejected")),
      on(".waiting", () => this.list.show("waiting")),
    ];
    if (this.view.visible) void this.list.reload();
  }

  getChildren(node?: CandidateNode): CandidateNode[] {
    if (node === undefined) return [...this.list.entries];
    return node.evidence ? [] : node.candidate.evidence.map((evidence) => ({ ...node, evidence }));
  }

  getTreeItem(node: CandidateNode): vscode.TreeItem {
    const { candidate, folder, evidence } = node;
    const item = evidence
      ? new vscode.TreeItem(`“${oneLine(evidence.words, 200)}”`)
      : this.candidateItem(node);
    item.command = { command: "memorySidecar.review.open", title: "Open Candidate", arguments: [node] };
    if (evidence) {
      const before = evidence.before ? ` · after “${oneLine(evidence.before).slice(-80)}”` : "";
      item.description = `${sayingOf(evidence)}${before}`;
      item.iconPath = new vscode.ThemeIcon(speakerIcon(evidence));
      item.tooltip = pageFrom(evidencePage(evidence));
    } else {
      item.id = `${folder}|${candidate.id}`;
    }
    return item;
  }

  dispose(): void {
    for (const one of this.owned) one.dispose();
  }

  private candidateItem({ candidate, folder }: Entry): vscode.TreeItem {
    const line = lineOf(candidate);
    const item = new vscode.TreeItem(line, vscode.TreeItemCollapsibleState.Expanded);
    const several = folders().length > 1;
    const where = several
      ? ` · ${vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(folder))?.name ?? ""}`
      : "";
    item.description = `${asideOf(candidate, Date.now())}${where}`;
    item.iconPath = new vscode.ThemeIcon(iconOf(candidate));
    item.contextValue = `;candidate;status=${candidate.status};`;
    item.tooltip = pageFrom(candidatePage(candidate, Date.now()));
    item.accessibilityInformation = {
      label: `${line}, ${kindOf(candidate)}, said in ${counted(candidate.sessions, "session")}`,
    };
    return item;
  }

  /** The candidates of a command's arguments; of a key's, which names the view, those that are selected. */
  private meant(first: unknown, all: unknown): readonly Entry[] {
    const given = Array.isArray(all) ? (all as unknown[]) : [first];
    const nodes = typeof first === "string" ? this.view.selection : given.filter(isEntry);
    return [...new Map(nodes.map((one) => [`${one.folder}|${one.candidate.id}`, one])).values()];
  }

  private show(): void {
    const { entries, problem, shown } = this.list;
    const waits = shown === "waiting" ? entries.length : 0;
    const badge = { value: waits, tooltip: `${counted(waits, "candidate")} to review` };
    (this.view as { badge: vscode.ViewBadge | undefined }).badge = waits > 0 ? badge : undefined;
    const readOnly =
      waits > 0 && !this.client.writable ? "Nothing is kept until you trust this workspace." : undefined;
    (this.view as { message: string | undefined }).message = problem ?? readOnly;
    (this.view as { description: string | undefined }).description =
      shown === "rejected" ? "rejected" : undefined;
    void vscode.commands.executeCommand("setContext", "memorySidecar.candidates", problem ? "failed" : shown);
    this.changed.fire(undefined);
  }
}

function isEntry(value: unknown): value is Entry {
  return typeof value === "object" && value !== null && "candidate" in value && "folder" in value;
}

async function open({ candidate }: Entry): Promise<void> {
  const title = `Candidate ${oneLine(candidate.name ?? candidate.content, 40)}`;
  await vscode.commands.executeCommand("memorySidecar.showText", title, candidatePage(candidate, Date.now()));
}

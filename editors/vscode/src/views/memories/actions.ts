// What can be done with memories from the views. Everything that changes one is refused where nothing may be changed.

import * as vscode from "vscode";
import type { SidecarClient } from "../../common/client";
import { tellError, wordsOf } from "../../common/errors";
import { answers, uriOf as uriOfFolder } from "../../common/folders";
import type { Memory } from "../../protocol";
import { whyPage } from "../candidates/wording";
import { counted } from "../text/words";
import { uriOf } from "./editing";
import { showHistory } from "./history";
import type { Library } from "./library";
import { linkMemories, pickLinked } from "./links";
import { pickTarget, targetsOf, type Target } from "./target";

type Asked = { id: string; workspaceUri: string };
type Step = (client: SidecarClient, asked: Asked) => Promise<Memory>;

const STEPS: Readonly<Record<string, { step: Step; done: string; undo?: true }>> = {
  archive: { step: (client, asked) => client.request("memory/archive", asked), done: "Archived", undo: true },
  restore: { step: (client, asked) => client.request("memory/restore", asked), done: "Restored" },
  undo: { step: (client, asked) => client.request("memory/undo", asked), done: "Undone" },
  verify: { step: (client, asked) => client.request("memory/verify", asked), done: "Verified" },
  resolve: { step: (client, asked) => client.request("memory/resolve", asked), done: "Resolved", undo: true },
  reopen: { step: (client, asked) => client.request("memory/reopen", asked), done: "Opened again" },
  useful: { step: rated(true), done: "Useful" },
  notUseful: { step: rated(false), done: "Not useful" },
  pin: { step: pinned(true), done: "Pinned" },
  unpin: { step: pinned(false), done: "Unpinned" },
};

/** Asked where a command is run without a memory, as from the palette. */
const QUESTIONS: Readonly<Record<string, string>> = {
  archive: "Archive which memory?",
  restore: "Restore which memory?",
  undo: "Undo the last change of which memory?",
  verify: "Which memory still holds?",
  resolve: "Resolve which blocker?",
  reopen: "Reopen which blocker?",
  useful: "Which memory was of use?",
  notUseful: "Which memory was of no use?",
  pin: "Pin which memory?",
  unpin: "Unpin which memory?",
};

export class Actions implements vscode.Disposable {
  private readonly owned: readonly { dispose(): unknown }[];

  constructor(
    private readonly client: SidecarClient,
    private readonly library: Library,
    /** What is selected in a view, for keys that are pressed there: they name the view. */
    private readonly selected: (view: string) => readonly unknown[],
  ) {
    const on = (name: string, run: (targets: Target[]) => Promise<void>, pick: string): vscode.Disposable =>
      vscode.commands.registerCommand(`memorySidecar.view.${name}`, (first: unknown, all: unknown) =>
        this.run(first, all, run, pick),
      );
    this.owned = [
      ...Object.keys(STEPS).map((name) =>
        on(name, (targets) => this.step(name, targets), QUESTIONS[name] ?? "Which memory?"),
      ),
      on("open", (targets) => this.open(targets), "Open which memory?"),
      on("delete", (targets) => this.remove(targets), "Delete which memory?"),
      on("promote", (targets) => this.promote(targets), "Promote which memory?"),
      on(
        "history",
        ([target]) => (target ? showHistory(client, target) : Promise.resolve()),
        "History of which memory?",
      ),
      on(
        "why",
        ([target]) => (target ? this.why(target) : Promise.resolve()),
        "Where did which memory come from?",
      ),
      on("link", (targets) => this.link(targets), "Link which memory?"),
      on("links", ([target]) => this.links(target), "Links of which memory?"),
      on("copy", (targets) => this.copy(targets), "Copy which memory?"),
    ];
  }

  dispose(): void {
    for (const one of this.owned) one.dispose();
  }

  /** Show a memory in an editor. */
  async open(targets: readonly Target[]): Promise<void> {
    for (const { id, folder } of targets) {
      const memory = await this.client.request("memory/get", { id, workspaceUri: folder });
      await vscode.window.showTextDocument(uriOf(memory, folder), { preview: targets.length === 1 });
    }
  }

  private async run(
    first: unknown,
    all: unknown,
    act: (targets: Target[]) => Promise<void>,
    pick: string,
  ): Promise<void> {
    try {
      let targets = targetsOf(first, all);
      if (typeof first === "string") {
        targets = targetsOf(undefined, this.selected(first));
        if (targets.length === 0) return;
      }
      if (targets.length === 0) {
        const picked = await pickTarget(this.client, pick);
        if (picked === undefined) return;
        targets = [picked];
      }
      await act(targets);
    } catch (error) {
      tellError(error);
    }
  }

  private async step(name: string, targets: readonly Target[]): Promise<void> {
    const row = STEPS[name];
    if (row === undefined || !mayChange(this.client)) return;
    const done = await this.each(targets, async ({ id, folder }) => {
      this.library.take(await row.step(this.client, { id, workspaceUri: folder }), folder);
    });
    if (done.length > 0) this.tell(`${row.done} ${named(done)}.`, row.undo ? done : []);
  }

  private async remove(targets: readonly Target[]): Promise<void> {
    if (!mayChange(this.client)) return;
    const yes = "Delete";
    const answer = await vscode.window.showWarningMessage(
      `Delete ${named(targets)}?`,
      { modal: true, detail: "Agents do not see it any more. Its history stays, so this can be undone." },
      yes,
    );
    if (answer !== yes) return;
    const done = await this.each(targets, async ({ id, folder }) => {
      await this.client.request("memory/delete", { id, workspaceUri: folder });
      await this.library.refresh(id, folder);
    });
    if (done.length > 0) this.tell(`Deleted ${named(done)}.`, done);
  }

  private async promote(targets: readonly Target[]): Promise<void> {
    if (!mayChange(this.client)) return;
    const scopes = [
      {
        label: "$(repo) Project",
        description: "everyone who works on this project",
        scope: "project" as const,
      },
      { label: "$(globe) Global", description: "you, in every workspace", scope: "global" as const },
    ];
    const picked = await vscode.window.showQuickPick(scopes, {
      placeHolder: `Who is to see ${named(targets)}?`,
    });
    if (picked === undefined) return;
    const done = await this.each(targets, async ({ id, folder }) => {
      const asked = { id, scope: picked.scope, workspaceUri: folder };
      const { memory, archived } = await this.client.request("memory/promote", asked);
      this.library.take(memory, folder);
      if (archived) await this.library.refresh(archived, folder);
    });
    if (done.length > 0) this.tell(`${named(done)} now has scope ${picked.scope}.`, []);
  }

  private async link(targets: readonly Target[]): Promise<void> {
    if (!mayChange(this.client)) return;
    const made = await linkMemories(this.client, targets);
    if (made > 0) this.tell(`Linked ${named(targets)}.`, []);
  }

  private async links(target: Target | undefined): Promise<void> {
    const chosen = target && (await pickLinked(this.client, target));
    if (chosen) await this.open([chosen]);
  }

  /** Any folder may have the candidates of a memory for all of them. */
  private async why({ id, folder, title }: Target): Promise<void> {
    const memory = await this.client.request("memory/get", { id, workspaceUri: folder });
    const found = await answers(async (one) => {
      const asked = { memoryId: id, workspaceUri: uriOfFolder(one) };
      return (await this.client.request("memory/candidates", asked)).items;
    });
    const page = whyPage(memory, found.flat(), Date.now());
    await vscode.commands.executeCommand("memorySidecar.showText", `Why ${title}`, page);
  }

  private async copy(targets: readonly Target[]): Promise<void> {
    const texts = await Promise.all(
      targets.map(({ id, folder }) => this.client.request("memory/get", { id, workspaceUri: folder })),
    );
    await vscode.env.clipboard.writeText(texts.map((one) => one.content).join("\n\n"));
  }

  /** One after the other; what fails is told, and does not keep the others from being done. */
  private async each(targets: readonly Target[], act: (target: Target) => Promise<void>): Promise<Target[]> {
    const done: Target[] = [];
    const problems = new Set<string>();
    for (const target of targets) {
      try {
        await act(target);
        done.push(target);
      } catch (error) {
        problems.add(wordsOf(error));
      }
    }
    if (problems.size > 0) {
      const count =
        targets.length > 1 ? `${targets.length - done.length} of ${targets.length} not done: ` : "";
      void vscode.window.showErrorMessage(`${count}${[...problems].join(" ")}`);
    }
    return done;
  }

  private tell(message: string, undoable: readonly Target[]): void {
    if (undoable.length === 0) {
      vscode.window.setStatusBarMessage(message, 5_000);
      return;
    }
    const undo = "Undo";
    // Not waited for: the command is done, and a message may stand for long.
    void vscode.window.showInformationMessage(message, undo).then(async (answer) => {
      if (answer === undo) await this.run(undefined, undoable, (targets) => this.step("undo", targets), "");
    });
  }
}

/** Whether memories may be changed here; says so when not. */
export function mayChange(client: SidecarClient): boolean {
  if (client.writable) return true;
  const manage = "Manage Workspace Trust";
  const told = vscode.window.showInformationMessage(
    "Memories are read only until you trust this workspace.",
    manage,
  );
  // Not waited for: the command is done, and a message may stand for long.
  void told.then((answer) => {
    if (answer === manage) void vscode.commands.executeCommand("workbench.trust.manage");
  });
  return false;
}

function named(targets: readonly Target[]): string {
  const [only] = targets;
  return targets.length === 1 && only ? `“${only.title}”` : counted(targets.length, "memory", "memories");
}

function rated(useful: boolean): Step {
  return (client, asked) => client.request("memory/rate", { ...asked, useful });
}

function pinned(value: boolean): Step {
  return async (client, asked) => (await client.request("memory/update", { ...asked, pinned: value })).memory;
}

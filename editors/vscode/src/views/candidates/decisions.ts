// What can be decided about candidates. All of it is refused where nothing may be changed.

import * as vscode from "vscode";
import { tellRecorded } from "../../common/actions";
import type { SidecarClient } from "../../common/client";
import type { ConfirmParams, RecordResult } from "../../protocol";
import { mayChange } from "../memories/actions";
import { AUDIENCES } from "../memories/wording";
import { counted } from "../text/words";
import type { CandidateList, Entry } from "./list";
import { lineOf } from "./wording";

export type Decision = "keep" | "edit" | "scope" | "reject" | "later";
type Changes = Pick<ConfirmParams, "content" | "scope">;

const SCOPES = [
  ["project", "repo"],
  ["personal", "account"],
  ["global", "globe"],
] as const;

export class Decisions {
  constructor(
    private readonly client: SidecarClient,
    private readonly list: CandidateList,
  ) {}

  /** Carry a decision out. `quiet`: tell nothing. Answers whether it was; a question that is left decides nothing. */
  async decide(decision: Decision, entries: readonly Entry[], quiet = false): Promise<boolean> {
    const [first] = entries;
    if (first === undefined) return false;
    if (decision === "later") {
      this.list.putOff(entries);
      return true;
    }
    if (!mayChange(this.client)) return false;
    switch (decision) {
      case "keep":
        return this.keep(entries, {}, quiet);
      case "edit":
        return this.edit(first, quiet);
      case "scope": {
        const scope = await chosenScope(first);
        return scope === undefined ? false : this.keep(entries, { scope }, quiet);
      }
      case "reject":
        return this.reject(entries, quiet);
    }
  }

  private async keep(entries: readonly Entry[], changes: Changes, quiet: boolean): Promise<boolean> {
    const kept: RecordResult[] = [];
    try {
      for (const { candidate, folder } of entries) {
        const params = { id: candidate.id, workspaceUri: folder, ...changes };
        kept.push(await this.client.request("memory/confirm", params));
      }
    } finally {
      await this.list.reload();
    }
    const [only] = kept;
    if (!quiet && kept.length === 1 && only) tellRecorded(only);
    else if (!quiet) vscode.window.setStatusBarMessage(`${counted(kept.length, "candidate")} kept.`, 5_000);
    return true;
  }

  /** A text of one line is edited before it is kept; a longer one is kept, and opened to be edited. */
  private async edit(entry: Entry, quiet: boolean): Promise<boolean> {
    const { content } = entry.candidate;
    if (content.trim().includes("\n")) {
      const { candidate, folder } = entry;
      const asked = { id: candidate.id, workspaceUri: folder };
      const { memory } = await this.client.request("memory/confirm", asked);
      await this.list.reload();
      await vscode.commands.executeCommand("memorySidecar.view.open", { id: memory.id, folder });
      return true;
    }
    const said = await vscode.window.showInputBox({
      title: "Edit and Keep",
      prompt: "What is to be remembered",
      value: content,
      ignoreFocusOut: true,
      validateInput: (text) => (text.trim() === "" ? "A memory has some content." : undefined),
    });
    return said === undefined ? false : this.keep([entry], said === content ? {} : { content: said }, quiet);
  }

  private async reject(entries: readonly Entry[], quiet: boolean): Promise<boolean> {
    try {
      for (const { candidate, folder } of entries) {
        await this.client.request("memory/reject", { id: candidate.id, workspaceUri: folder });
      }
    } finally {
      await this.list.reload();
    }
    if (quiet) return true;
    const [only] = entries;
    const what =
      entries.length === 1 && only
        ? `“${lineOf(only.candidate).replace(/\.$/, "")}”`
        : counted(entries.length, "candidate");
    const back = "Keep After All";
    // Not waited for: the command is done, and a message may stand for long.
    void vscode.window
      .showInformationMessage(`Rejected ${what}. It is not proposed again.`, back)
      .then((answer) => (answer === back ? this.decide("keep", entries) : undefined));
    return true;
  }
}

async function chosenScope({ candidate }: Entry): Promise<ConfirmParams["scope"]> {
  const items = SCOPES.map(([scope, icon]) => ({
    label: `$(${icon}) ${scope}`,
    description: `${AUDIENCES[scope]}${scope === candidate.scope ? " (proposed)" : ""}`,
    scope,
  }));
  const placeHolder = `Keep for whom: ${lineOf(candidate)}`;
  return (await vscode.window.showQuickPick(items, { title: "Choose the Scope and Keep", placeHolder }))
    ?.scope;
}

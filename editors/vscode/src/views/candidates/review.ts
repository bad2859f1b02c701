// Going through the candidates that wait, one after the other, in a quick pick: a letter or Enter decides.

import * as vscode from "vscode";
import { plural } from "../../common/wording";
import { iconOf } from "../memories/wording";
import type { Decision, Decisions } from "./decisions";
import type { CandidateList, Entry } from "./list";
import { kindOf, sayingOf, speakerIcon, wrapped } from "./wording";

/** What can be decided, with the letter for it; the same as in the view and in Neovim. */
const CHOICES: readonly (readonly [string, Decision, string, string])[] = [
  ["k", "keep", "check", "Keep"],
  ["e", "edit", "edit", "Edit and keep"],
  ["s", "scope", "organization", "Choose the scope and keep"],
  ["r", "reject", "close", "Reject: never propose it again"],
  ["l", "later", "clock", "Later"],
];
const WIDTH = 78;
const LINES = 6;

type Item = vscode.QuickPickItem & { decision?: Decision };

/** Ask about each that waits until all are decided on or somebody leaves; then say what came of it. */
export async function review(list: CandidateList, decisions: Decisions): Promise<void> {
  await list.show("waiting");
  if (list.problem !== undefined) throw new Error(list.problem);
  const entries = [...list.entries];
  if (entries.length === 0) {
    void vscode.window.showInformationMessage("No candidate waits to be reviewed.");
    return;
  }
  const counts = { keep: 0, reject: 0 };
  for (const [at, entry] of entries.entries()) {
    if (!list.entries.some(({ candidate }) => candidate.id === entry.candidate.id)) continue;
    const decision = await decided(entry, `Candidate ${at + 1} of ${entries.length}`, decisions);
    if (decision === undefined) break;
    if (decision === "reject") counts.reject++;
    else if (decision !== "later") counts.keep++;
  }
  const left = entries.length - counts.keep - counts.reject;
  const waits = left > 0 ? ` ${plural(left, "candidate waits", "candidates wait")}.` : "";
  void vscode.window.showInformationMessage(`Kept ${counts.keep}, rejected ${counts.reject}.${waits}`);
}

/** Ask until it is decided; undefined: somebody left. */
async function decided(entry: Entry, title: string, decisions: Decisions): Promise<Decision | undefined> {
  for (;;) {
    const decision = await asked(entry, title);
    if (decision === undefined || (await decisions.decide(decision, [entry], true))) return decision;
    if (!vscode.workspace.isTrusted) return undefined;
  }
}

function asked({ candidate }: Entry, title: string): Promise<Decision | undefined> {
  const pick = vscode.window.createQuickPick<Item>();
  const actions = CHOICES.map(([key, decision, icon, label]) => ({
    label: `$(${icon}) ${label}`,
    description: key,
    alwaysShow: true,
    decision,
  }));
  pick.title = title;
  pick.placeholder = "A letter, or Enter: k keep, e edit, s scope, r reject, l later";
  pick.ignoreFocusOut = true;
  pick.items = [
    ...said(iconOf(candidate), kindOf(candidate), candidate.content),
    { label: "", kind: vscode.QuickPickItemKind.Separator },
    ...actions,
    ...candidate.evidence.flatMap((one) => [
      ...said(speakerIcon(one), sayingOf(one), one.words),
      ...(one.before ? said("history", "before it", one.before) : []),
    ]),
  ];
  pick.activeItems = actions.slice(0, 1);
  return new Promise<Decision | undefined>((choose) => {
    pick.onDidChangeValue((value) => {
      const choice = CHOICES.find(([key]) => key === value.trim().toLowerCase());
      if (choice) choose(choice[1]);
      else pick.value = "";
    });
    pick.onDidAccept(() => {
      const decision = pick.activeItems[0]?.decision;
      if (decision) choose(decision);
    });
    pick.onDidHide(() => choose(undefined));
    pick.show();
  }).finally(() => pick.dispose());
}

/** A text under a heading, in as many rows as it takes: a quick pick does not wrap. */
function said(icon: string, heading: string, text: string): Item[] {
  const rows = wrapped(text, WIDTH, LINES).map((line) => line.replaceAll("$(", "$ ("));
  return [
    { label: "", kind: vscode.QuickPickItemKind.Separator },
    { label: `$(${icon}) ${heading.replaceAll("$(", "$ (")}:`, alwaysShow: true },
    ...rows.map((label) => ({ label, alwaysShow: true })),
  ];
}

// Running maintenance, after showing what it would do.
import * as vscode from "vscode";
import type { MaintainResult } from "../../protocol";
import { chosenFolder, uriOf } from "../folders";
import { maintenanceReport } from "../reports";
import { plural } from "../wording";
import type { Kit } from "./index";

/** Show a dry run; after a yes run it, with the proposals that were chosen. */
export async function runMaintenance(kit: Kit): Promise<MaintainResult | undefined> {
  const folder = await chosenFolder("Run Maintenance");
  if (folder === undefined) {
    return undefined;
  }
  const workspaceUri = uriOf(folder);
  const would = await working(() => kit.server.request("memory/maintain", { workspaceUri, dryRun: true }));
  await kit.reports.show("Maintenance, dry run.md", maintenanceReport(would));
  const changes = would.actions.length + (would.more ?? 0);
  if (changes === 0 && would.proposals.length === 0) {
    void vscode.window.showInformationMessage("Maintenance: nothing to do.");
    return would;
  }
  const apply = await chosenProposals(would);
  if (apply === undefined) {
    return would;
  }
  const yes = await vscode.window.showInformationMessage(
    "Run maintenance?",
    {
      modal: true,
      detail: `${counted(changes, apply.length)}. Nothing is deleted; every change can be undone.`,
    },
    "Run",
  );
  if (yes !== "Run") {
    return would;
  }
  const done = await working(() => kit.server.request("memory/maintain", { workspaceUri, apply }));
  await kit.reports.show("Maintenance.md", maintenanceReport(done));
  return done;
}

function counted(changes: number, proposals: number): string {
  const parts = [
    ...(changes > 0 || proposals === 0 ? [plural(changes, "change")] : []),
    ...(proposals > 0 ? [plural(proposals, "proposal")] : []),
  ];
  return parts.join(" and ");
}

/** Ids of proposals to carry out; undefined: the person has left. */
async function chosenProposals({ proposals }: MaintainResult): Promise<string[] | undefined> {
  if (proposals.length === 0) {
    return [];
  }
  const items = proposals.map((one) => ({
    label: `${one.kind === "merge" ? "Merge" : "Replace"} “${one.otherName}”`,
    description: `${one.kind === "merge" ? "into" : "by"} “${one.keepName}” · ${Math.round(one.score * 100)} % alike`,
    id: one.id,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: "Run Maintenance",
    placeHolder: "Which proposals are to be carried out? None is fine.",
    canPickMany: true,
    ignoreFocusOut: true,
  });
  return picked?.map((one) => one.id);
}

function working<T>(job: () => Promise<T>): Thenable<T> {
  const location = vscode.ProgressLocation.Window;
  return vscode.window.withProgress({ location, title: "Memory maintenance" }, job);
}

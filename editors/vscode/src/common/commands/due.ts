// Tells of reminders that are due, in the window that somebody looks at: to be told takes a reminder's delivery. Only of
// a sidecar that runs: no reminder starts one.
import * as vscode from "vscode";
import type { Reminder } from "../../protocol";
import { tellError } from "../errors";
import { folders, uriOf } from "../folders";
import type { SidecarServer } from "../server";
import { doneWith, plain } from "./reminders";

const LOOK_MS = 60_000;
const LATER = "+1h";

/** Looks once a minute; each time of a reminder is told once in a window. */
export class DueReminders implements vscode.Disposable {
  private readonly told = new Set<string>();
  private readonly timer: NodeJS.Timeout;
  private readonly listeners: readonly vscode.Disposable[];

  constructor(
    private readonly server: SidecarServer,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.timer = setInterval(() => void this.look(), LOOK_MS);
    this.listeners = [
      server.onDidChangeState(() => void this.look()),
      vscode.window.onDidChangeWindowState(() => void this.look()),
    ];
  }

  dispose(): void {
    clearInterval(this.timer);
    for (const one of this.listeners) one.dispose();
  }

  /** Tell of what is due now and was not told yet. */
  async look(): Promise<void> {
    if (this.server.state !== "running" || !vscode.window.state.focused) return;
    for (const folder of folders()) {
      const workspaceUri = uriOf(folder);
      try {
        const { items } = await this.server.request("reminder/list", { due: true, workspaceUri });
        for (const reminder of items) {
          const key = `${reminder.id} ${reminder.at}`;
          if (this.told.has(key)) continue;
          this.told.add(key);
          void this.tell(reminder, workspaceUri);
        }
      } catch (error) {
        // Memory may be off, or the sidecar is gone meanwhile; the next look says more.
        this.log.debug(`Reminders were not looked at: ${String(error)}`);
      }
    }
  }

  private async tell(reminder: Reminder, workspaceUri: string): Promise<void> {
    const buttons = this.server.writable ? ["Done", "In an Hour"] : [];
    const answer = await vscode.window.showInformationMessage(
      `Reminder: ${plain(reminder.text, 200)}${reminder.author ? ` (${plain(reminder.author, 60)})` : ""}`,
      ...buttons,
    );
    if (answer === undefined) return;
    const { id, text } = reminder;
    try {
      if (answer === "In an Hour")
        await this.server.request("reminder/set", { text, at: LATER, workspaceUri });
      await this.server.request(doneWith(reminder), { id, workspaceUri });
    } catch (error) {
      tellError(error);
    }
  }
}

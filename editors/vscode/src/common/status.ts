// The item in the status bar: state, tokens saved, and a menu behind it.
import * as vscode from "vscode";
import type { StatusResult } from "../protocol";
import type { SidecarState } from "./client";
import type { SidecarServer } from "./server";
import { SECTION } from "./settings";
import { type Shown, statusShown } from "./status_text";

const EVERY_MS = 60_000;
const SOON_MS = 750;

/** Keeps the item true while the sidecar runs. */
export class StatusItem implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;
  private readonly owned: readonly { dispose(): unknown }[];
  private readonly timer: NodeJS.Timeout;
  private soon: NodeJS.Timeout | undefined;
  private status: StatusResult | undefined;

  constructor(private readonly server: SidecarServer) {
    this.item = vscode.window.createStatusBarItem(`${SECTION}.status`, vscode.StatusBarAlignment.Right, 90);
    this.item.name = "Memory Sidecar";
    this.item.command = `${SECTION}.showMenu`;
    this.owned = [
      this.item,
      server.onDidChangeState((state) => this.stateChanged(state)),
      server.onDidChangeWritable(() => this.draw()),
      server.onDidChangeMemory(() => this.lookSoon()),
      server.onDidChangeCandidates(() => this.lookSoon()),
      server.onDidConfigure(() => this.lookSoon()),
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) this.lookSoon();
      }),
    ];
    this.timer = setInterval(() => {
      if (vscode.window.state.focused) this.lookSoon();
    }, EVERY_MS);
    this.draw();
    this.item.show();
  }

  /** What is shown now. */
  get shown(): Shown {
    return statusShown(this.server.state, this.server.writable, this.status);
  }

  dispose(): void {
    clearInterval(this.timer);
    clearTimeout(this.soon);
    for (const one of this.owned) one.dispose();
  }

  private stateChanged(state: SidecarState): void {
    if (state === "running") {
      this.lookSoon();
    } else {
      this.status = undefined;
    }
    this.draw();
  }

  private lookSoon(): void {
    if (this.server.state === "running") {
      this.soon ??= setTimeout(() => void this.look(), SOON_MS);
    }
  }

  private async look(): Promise<void> {
    this.soon = undefined;
    if (this.server.state !== "running") {
      return;
    }
    try {
      this.status = await this.server.request("sidecar/status", {});
    } catch {
      this.status = undefined; // the state says what is wrong
    }
    this.draw();
  }

  private draw(): void {
    const { text, label, warns, tooltip } = this.shown;
    this.item.text = text;
    this.item.accessibilityInformation = { label, role: "button" };
    this.item.backgroundColor = warns ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    this.item.tooltip = new vscode.MarkdownString(tooltip);
  }
}

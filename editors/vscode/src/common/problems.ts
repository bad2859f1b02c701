// Telling that there is no sidecar, why, and what can be done.
import * as vscode from "vscode";
import { SECTION } from "./settings";
import { type Problem, SUPPORTED } from "./version";

const INSTALL = "How to Install";
const SETTINGS = "Open Settings";
const RETRY = "Try Again";
const OUTPUT = "Show Output";
const RUN = "Run with uvx";
const NOT_NOW = "Not Now";

/** Shows problems, each once until it is another one. */
export class Problems {
  private shown = "";

  /** `allow` keeps the person's word that uvx may run this source, and tries again. */
  constructor(
    private readonly log: vscode.LogOutputChannel,
    private readonly allow: (from: string) => Promise<void>,
  ) {}

  /** A sidecar runs, or somebody has asked to try again: the next problem is told whatever it is. */
  clear(): void {
    this.shown = "";
  }

  /** Tell once. */
  show(problem: Problem): void {
    const text = sentence(problem);
    const details = detailed(problem);
    this.log.error(details === "" ? text : `${text}\n${details}`);
    if (this.shown === text) {
      return;
    }
    this.shown = text;
    if (problem.kind === "missing" && problem.offer !== undefined) {
      this.ask(problem.offer.from).catch((error: unknown) => this.log.error(String(error)));
      return;
    }
    const buttons =
      problem.kind === "crashes" || problem.kind === "failed"
        ? [RETRY, OUTPUT, SETTINGS]
        : [INSTALL, SETTINGS, RETRY];
    void vscode.window.showErrorMessage(text, ...buttons).then((button) => act(button));
  }

  /** uvx would run whatever stands there under our name, so that the person is asked first. */
  private async ask(from: string): Promise<void> {
    const button = await vscode.window.showWarningMessage(question(from), RUN, INSTALL, NOT_NOW);
    if (button === RUN) {
      await this.allow(from);
    } else {
      await act(button);
    }
  }
}

/** What is asked before uvx runs anything. */
function question(from: string): string {
  const where = from === "" ? "the package index you have configured" : from;
  return `memory-sidecar is not installed. Run it with uvx, which downloads it from ${where}?`;
}

/** One or two sentences for a person. */
export function sentence(problem: Problem): string {
  switch (problem.kind) {
    case "missing":
      if (problem.offer !== undefined) {
        return "memory-sidecar is not installed, and uvx does not run it before you allow it (memorySidecar.uvx), so there is no memory here.";
      }
      return problem.looked.length === 1 && problem.looked[0]?.startsWith(`${SECTION}.command`) === true
        ? `Memory Sidecar cannot start: ${problem.looked[0]}.`
        : "The program memory-sidecar was not found, so there is no memory here. Install it, or name it in the setting memorySidecar.command.";
    case "failed":
      return problem.found.source === "uvx"
        ? "memory-sidecar is not installed, and uvx could not run it either. The output says more."
        : `memory-sidecar did not start (${problem.found.command}). The output says more.`;
    case "old":
      return `memory-sidecar ${problem.version} (${problem.found.command}) is too old for this extension, which needs ${SUPPORTED.from} or newer. Update it.`;
    case "new":
      return `memory-sidecar ${problem.version} (${problem.found.command}) is newer than this extension knows. Update the extension, or install a version below ${SUPPORTED.below}.`;
    case "other":
      return `${problem.found.command} is no memory sidecar: it says it is ${problem.name}.`;
    case "crashes":
      return "The memory sidecar ended several times and is not started again by itself.";
  }
}

function detailed(problem: Problem): string {
  switch (problem.kind) {
    case "missing":
      return problem.looked.map((place) => `Looked for: ${place}`).join("\n");
    case "failed":
      return [problem.said, problem.errors].filter((text) => text !== "").join("\n");
    case "crashes":
      return problem.errors;
    default:
      return "";
  }
}

async function act(button: string | undefined): Promise<void> {
  if (button === INSTALL) {
    const walkthrough = "memory-sidecar.memory-sidecar#memorySidecar.start";
    await vscode.commands.executeCommand("workbench.action.openWalkthrough", walkthrough, false);
  } else if (button === SETTINGS) {
    await vscode.commands.executeCommand("workbench.action.openSettings", `${SECTION}.command`);
  } else if (button === RETRY) {
    await vscode.commands.executeCommand(`${SECTION}.restartServer`);
  } else if (button === OUTPUT) {
    await vscode.commands.executeCommand(`${SECTION}.showOutput`);
  }
}

// One process and the language client that speaks to it. Made anew for every start.
import { type ChildProcess, spawn } from "node:child_process";
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  type ClientCapabilities,
  type LanguageClientOptions,
  type Middleware,
  type StaticFeature,
} from "vscode-languageclient/node";
import type { Found } from "./finder";
import { SECTION, type Values } from "./settings";

/** What a connection is made of. */
export interface Starting {
  readonly found: Found;
  /** Settings as they are at this moment. */
  readonly settings: () => Values;
  readonly middleware: Middleware;
  readonly log: vscode.LogOutputChannel;
  readonly trace: vscode.OutputChannel;
  /** The connection ended, whoever ended it. */
  readonly onClosed: () => void;
}

const STOP_MS = 5_000;
const KEPT = 4_000;

/** A started sidecar, or one that is being started. */
export class Connection {
  readonly client: LanguageClient;
  readonly found: Found;
  private process: ChildProcess | undefined;
  private gone: Promise<void> = Promise.resolve();
  private errors = "";

  constructor(private readonly starting: Starting) {
    this.found = starting.found;
    this.client = new LanguageClient(
      SECTION,
      "Memory Sidecar",
      () => this.spawned(),
      options(starting),
    );
    this.client.registerFeature(new Announced());
  }

  get version(): string | undefined {
    return this.client.initializeResult?.serverInfo?.version;
  }

  get processId(): number | undefined {
    return this.process?.pid;
  }

  /** The end of what the process wrote to stderr. */
  get lastErrors(): string {
    return this.errors.trim();
  }

  /** Send the settings as they are now. */
  async configure(): Promise<void> {
    const settings = { [SECTION]: this.starting.settings() };
    await this.client.sendNotification("workspace/didChangeConfiguration", { settings });
  }

  /** End it; resolves when the process is gone. Never rejects. */
  async close(): Promise<void> {
    try {
      await this.client.dispose(STOP_MS);
    } catch (error) {
      this.starting.log.debug(`The client was not stopped in good order: ${String(error)}`);
    }
    const process = this.process;
    if (process !== undefined && process.exitCode === null && process.signalCode === null) {
      const timer = setTimeout(() => process.kill("SIGKILL"), STOP_MS);
      process.stdin?.end(); // the end of its input ends the sidecar, also below uvx
      await this.gone;
      clearTimeout(timer);
    }
  }

  private spawned(): Promise<ChildProcess> {
    const { command, args } = this.found;
    const process = spawn(command, args, { stdio: "pipe", cwd: cwd() });
    this.process = process;
    this.gone = new Promise((resolve) => {
      process.once("exit", () => resolve());
      process.once("error", () => resolve());
    });
    process.stderr.setEncoding("utf8");
    process.stderr.on("data", (text: string) => {
      this.errors = (this.errors + text).slice(-KEPT);
    });
    return new Promise((resolve, reject) => {
      process.once("spawn", () => resolve(process));
      process.once("error", reject);
    });
  }
}

/** A folder that is there, so that the process can be started. */
function cwd(): string | undefined {
  return vscode.workspace.workspaceFolders?.find((folder) => folder.uri.scheme === "file")?.uri.fsPath;
}

function options(starting: Starting): LanguageClientOptions {
  return {
    documentSelector: [{ scheme: "file" }],
    initializationOptions: starting.settings(),
    middleware: starting.middleware,
    outputChannel: starting.log,
    traceOutputChannel: starting.trace,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => {
        starting.onClosed();
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    },
    initializationFailedHandler: () => false,
  };
}

/** Says that changes made by other processes are to be told. */
class Announced implements StaticFeature {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    const others = (capabilities.experimental ?? {}) as object;
    capabilities.experimental = { ...others, memorySidecar: { didChange: true } };
  }

  initialize(): void {
    // nothing depends on what the server can do
  }

  getState(): { kind: "static" } {
    return { kind: "static" };
  }

  clear(): void {
    // keeps nothing
  }
}

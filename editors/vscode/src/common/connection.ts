// One process and the language client that speaks to it. Made anew for every start.
import { type ChildProcess, spawn } from "node:child_process";
import * as os from "node:os";
import type * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  State,
  type ClientCapabilities,
  type LanguageClientOptions,
  type Middleware,
  type StaticFeature,
} from "vscode-languageclient/node";
import type { Found } from "./finder";
import { SECTION } from "./settings";
import { type Values, anyGone } from "./values";

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
/** What a process wrote is read after its end; whoever else still holds its output has no say. */
const REST_MS = 1_000;
const KEPT = 4_000;

/** A started sidecar, or one that is being started. */
export class Connection {
  readonly client: LanguageClient;
  readonly found: Found;
  private process: ChildProcess | undefined;
  private gone: Promise<void> = Promise.resolve();
  private errors = "";
  private readonly first: Values;
  private stoppedEarly = false;

  constructor(private readonly starting: Starting) {
    this.found = starting.found;
    this.first = starting.settings();
    this.client = new QuietClient(
      SECTION,
      "Memory Sidecar",
      () => this.spawned(),
      options(starting, this.first),
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

  /** Whether `abort` was called. */
  get aborted(): boolean {
    return this.stoppedEarly;
  }

  /** Send the settings as they are now. False: one of those it was started with is gone, so it has to be restarted. */
  async configure(): Promise<boolean> {
    const now = this.starting.settings();
    if (anyGone(this.first, now)) {
      return false;
    }
    await this.client.sendNotification("workspace/didChangeConfiguration", { settings: { [SECTION]: now } });
    return true;
  }

  /** Start it; rejects when it does not come to an answer to `initialize`. */
  async start(): Promise<void> {
    await this.client.start();
    // A process that ends early makes the client forget the start it would reject: it resolves all the same. One that
    // ends after its answer makes it resolve with a client that has stopped.
    if (this.client.state !== State.Running) {
      throw new Error("It ended while it was starting.");
    }
  }

  /** End a start that is under way: `start()` rejects. */
  abort(): void {
    this.stoppedEarly = true;
    this.process?.kill("SIGKILL");
    this.process?.stdin?.destroy(); // what uvx has started ends with its input
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
    // Not in the workspace: uvx would take settings from the files that lie there.
    const process = spawn(command, args, { stdio: "pipe", cwd: os.homedir() });
    this.process = process;
    this.gone = new Promise((resolve) => {
      process.once("exit", () => resolve());
      process.once("error", () => resolve());
    });
    process.once("exit", () => setTimeout(() => process.stdout.destroy(), REST_MS).unref());
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

function options(starting: Starting, settings: Values): LanguageClientOptions {
  return {
    documentSelector: [{ scheme: "file" }],
    initializationOptions: settings,
    middleware: starting.middleware,
    // Stored text stands in code blocks, in which no link works.
    markdown: { isTrusted: { enabledCommands: [`${SECTION}.view.open`, `${SECTION}.searchMemories`] } },
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

/** What is wrong is told by `Problems`, once and with a way out, so that the client itself only logs. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }

  override async stop(timeout?: number): Promise<void> {
    try {
      await super.stop(timeout);
    } catch (error) {
      // It calls this by itself when a start fails, and refuses because it is starting.
      this.debug(`Not stopped in good order: ${String(error)}`);
    }
  }
}

/** Says that changes made by other processes are to be told, that a person records, and that hovers may link commands. */
class Announced implements StaticFeature {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    const others = (capabilities.experimental ?? {}) as object;
    const own = { didChange: true, person: true, commandLinks: true };
    capabilities.experimental = { ...others, memorySidecar: own };
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

// The sidecar's process and the connection to it: started once, restarted one at a time.
import * as vscode from "vscode";
import { ResponseError, State } from "vscode-languageclient/node";
import type { ErrorData, Methods } from "../protocol";
import type { DidChangeMemories, DidInvalidateFiles } from "../protocol";
import { SidecarError, type SidecarClient, type SidecarState } from "./client";
import { Connection, type Starting } from "./connection";
import { type Found, type NotFound, isFound } from "./finder";
import { Patience } from "./patience";
import { Serial, Shared } from "./serial";
import { changesMemory } from "./trust";
import { sentence } from "./problems";
import { type Problem, versionProblem } from "./version";

/** A first start by uvx downloads the program and its dependencies. */
const START_MS = 180_000;

/** What the server needs of the window. */
export interface Surroundings {
  readonly find: () => Promise<Found | NotFound>;
  readonly starting: () => Omit<Starting, "found" | "onClosed">;
  readonly onProblem: (problem: Problem) => void;
  /** It runs: what was told of before holds no more. */
  readonly onRunning: () => void;
  readonly log: vscode.LogOutputChannel;
}

/** One sidecar for the window. */
export class SidecarServer implements SidecarClient, vscode.Disposable {
  private readonly serial = new Serial();
  private readonly starts = new Shared(this.serial, () => this.start());
  private readonly restarts = new Shared(this.serial, () => this.stopAndStart());
  private readonly patience = new Patience();
  private readonly changedMemory = new vscode.EventEmitter<DidChangeMemories>();
  private readonly changedCandidates = new vscode.EventEmitter<DidChangeMemories>();
  private readonly invalidatedFiles = new vscode.EventEmitter<DidInvalidateFiles>();
  private readonly changedState = new vscode.EventEmitter<SidecarState>();
  private readonly changedWritable = new vscode.EventEmitter<boolean>();
  private readonly configured = new vscode.EventEmitter<void>();
  private readonly granted: vscode.Disposable;
  private connection: Connection | undefined;
  /** The connection whose start is still wanted. */
  private wanted: Connection | undefined;
  private again: NodeJS.Timeout | undefined;
  private closed = false;
  private problem: Problem | undefined;
  private now: SidecarState = "stopped";

  readonly onDidChangeMemory = this.changedMemory.event;
  readonly onDidChangeCandidates = this.changedCandidates.event;
  readonly onDidInvalidateFiles = this.invalidatedFiles.event;
  readonly onDidChangeState = this.changedState.event;
  readonly onDidChangeWritable = this.changedWritable.event;
  /** The running sidecar was told of new settings: what it is asked from now on it answers with them. */
  readonly onDidConfigure = this.configured.event;

  constructor(private readonly surroundings: Surroundings) {
    this.granted = vscode.workspace.onDidGrantWorkspaceTrust(() => {
      this.changedWritable.fire(true);
      void this.restartIfStarted();
    });
  }

  get state(): SidecarState {
    return this.now;
  }

  get writable(): boolean {
    return vscode.workspace.isTrusted;
  }

  /** Version of the sidecar that runs. */
  get version(): string | undefined {
    return this.connection?.version;
  }

  /** What was started, while it runs. */
  get found(): Found | undefined {
    return this.connection?.found;
  }

  /** Process id of what was started. */
  get processId(): number | undefined {
    return this.connection?.processId;
  }

  async request<M extends keyof Methods>(
    method: M,
    params: Methods[M]["params"],
    token?: vscode.CancellationToken,
  ): Promise<Methods[M]["result"]> {
    if (!this.writable && changesMemory(method, params)) {
      throw new SidecarError("This workspace is not trusted, so its memory is only read.");
    }
    const connection = await this.ensureStarted();
    try {
      type Result = Methods[M]["result"];
      // A token that is undefined would be taken for one more parameter.
      return await (token === undefined
        ? connection.client.sendRequest<Result>(method, params)
        : connection.client.sendRequest<Result>(method, params, token));
    } catch (error) {
      throw explained(error);
    }
  }

  /** Start unless it runs. Rejects with a `SidecarError` when it cannot be started. */
  async ensureStarted(): Promise<Connection> {
    if (this.problem !== undefined && this.now === "missing") {
      throw new SidecarError(sentence(this.problem));
    }
    const connection =
      this.connection?.client.state === State.Running ? this.connection : await this.starts.run();
    if (connection !== undefined) return connection;
    const { problem } = this;
    if (problem === undefined) throw new SidecarError("The memory sidecar is not running.");
    throw new SidecarError(sentence(problem), undefined, undefined, undefined, true);
  }

  /** Stop what runs and start anew, once for all who ask meanwhile. */
  async restart(): Promise<void> {
    this.patience.forget();
    this.abortStart();
    await this.restarts.run();
  }

  /** Restart if it was started before, as after a change of settings. */
  async restartIfStarted(): Promise<void> {
    if (this.now !== "stopped" || this.again !== undefined) {
      await this.restart();
    }
  }

  /** Restart if another program would be found now, as after another interpreter was selected. */
  async restartIfOther(): Promise<void> {
    if (this.now === "stopped") {
      return;
    }
    const found = await this.surroundings.find();
    if (isFound(found) && found.command !== this.found?.command) {
      await this.restart();
    }
  }

  /** Tell the running sidecar that settings have changed. */
  async configure(): Promise<void> {
    const { connection } = this;
    if (connection?.client.state !== State.Running) {
      return;
    }
    let taken: boolean;
    try {
      taken = await connection.configure();
    } catch (error) {
      // It ended meanwhile; the next start takes the settings as they are then.
      this.surroundings.log.info(`The settings were not sent: ${String(error)}`);
      return;
    }
    if (taken) {
      this.configured.fire();
    } else {
      await this.restart();
    }
  }

  /** Stop; no more starts. Resolves when the process has ended. */
  async close(): Promise<void> {
    if (this.closed) {
      return;
    }
    this.closed = true;
    this.granted.dispose();
    this.abortStart();
    await this.serial.run(() => this.stop());
    for (const emitter of [
      this.changedMemory,
      this.changedCandidates,
      this.invalidatedFiles,
      this.changedState,
      this.changedWritable,
      this.configured,
    ]) {
      emitter.dispose();
    }
  }

  dispose(): void {
    void this.close();
  }

  private async stopAndStart(): Promise<Connection | undefined> {
    await this.stop();
    return this.start();
  }

  private async start(): Promise<Connection | undefined> {
    if (this.closed) {
      return undefined;
    }
    if (this.connection?.client.state === State.Running) {
      return this.connection;
    }
    await this.stop();
    this.become("starting");
    const found = await this.surroundings.find();
    if (isFound(found)) {
      return this.open(found);
    }
    this.failed({ kind: "missing", ...found });
    return undefined;
  }

  private async open(found: Found): Promise<Connection | undefined> {
    if (this.closed) {
      return undefined; // the window went while the program was looked for
    }
    const { log } = this.surroundings;
    log.info(`Starting ${[found.command, ...found.args].join(" ")} (${found.source}).`);
    const connection = new Connection({
      ...this.surroundings.starting(),
      found,
      onClosed: () => this.ended(connection),
    });
    this.connection = connection;
    this.wanted = connection;
    connection.client.onNotification("memory/didChange", (told: DidChangeMemories) =>
      // Of candidates alone: no memory is looked at anew for that.
      (typeof told.candidates === "number" ? this.changedCandidates : this.changedMemory).fire(told),
    );
    connection.client.onNotification("file/didInvalidate", (told: DidInvalidateFiles) =>
      this.invalidatedFiles.fire(told),
    );
    const late = setTimeout(() => connection.abort(), START_MS);
    try {
      await connection.start();
    } catch (error) {
      await this.stop();
      if (connection.aborted && this.wanted !== connection) {
        return undefined; // a restart or the end of the window asked for it
      }
      const said = error instanceof Error ? error.message : String(error);
      this.failed({ kind: "failed", found, said, errors: connection.lastErrors });
      return undefined;
    } finally {
      clearTimeout(late);
    }
    const problem = versionProblem(found, connection.client.initializeResult?.serverInfo);
    if (problem !== undefined) {
      await this.stop();
      this.failed(problem);
      return undefined;
    }
    this.problem = undefined;
    this.surroundings.onRunning();
    log.info(
      `memory-sidecar ${connection.version ?? ""} is running (process ${connection.processId ?? "?"}).`,
    );
    this.become("running");
    return connection;
  }

  /** The process ended though nobody asked it to. */
  private ended(connection: Connection): void {
    if (this.connection !== connection || this.closed || this.now !== "running") {
      return;
    }
    this.connection = undefined;
    // What ended may be its output alone: no two of them run at once, and none is left behind.
    void this.serial.run(() => connection.close());
    const wait = this.patience.next(Date.now());
    if (wait === undefined) {
      this.failed({ kind: "crashes", errors: connection.lastErrors });
      return;
    }
    this.surroundings.log.warn(`The sidecar ended unexpectedly; it is started again in ${wait} ms.`);
    this.become("starting");
    this.again = setTimeout(() => {
      this.again = undefined;
      this.starts.run().catch((error: unknown) => this.surroundings.log.error(String(error)));
    }, wait);
  }

  private async stop(): Promise<void> {
    clearTimeout(this.again);
    this.again = undefined;
    const connection = this.connection;
    this.connection = undefined;
    if (connection !== undefined) {
      await connection.close();
      this.become("stopped");
    }
  }

  private failed(problem: Problem): void {
    this.problem = problem;
    this.become("missing");
    this.surroundings.onProblem(problem);
  }

  /** A start that hangs must not keep a restart or the end waiting. */
  private abortStart(): void {
    if (this.now === "starting") {
      this.wanted = undefined;
      this.connection?.abort();
    }
  }

  private become(state: SidecarState): void {
    if (state !== this.now) {
      this.now = state;
      this.changedState.fire(state);
    }
  }
}

function explained(error: unknown): unknown {
  if (error instanceof vscode.CancellationError) {
    return error;
  }
  if (error instanceof ResponseError) {
    const data = error.data as Partial<ErrorData> | undefined;
    return new SidecarError(error.message, error.code, data?.reason ?? undefined, data?.hint ?? undefined);
  }
  return new SidecarError(error instanceof Error ? error.message : String(error));
}

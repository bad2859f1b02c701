/** A client for one `memory-sidecar serve`: JSON-RPC in LSP's frames over its stdio. Nothing but Node.js is needed. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type { ClientNotifications, ErrorData, Methods, SidecarNotifications } from "./protocol.js";

export * from "./protocol.js";

const HEAD_END = Buffer.from("\r\n\r\n");
const STDERR_KEPT = 4_000;

/** The server answered with an error. */
export class WireError extends Error {
  constructor(
    method: string,
    readonly code: number,
    message: string,
    readonly data?: ErrorData,
  ) {
    super(`${method}: ${message} (${String(code)})`);
  }
}

/** The server ended or broke the protocol; the message holds the end of what it wrote to stderr. */
export class ServerGone extends Error {}

interface Message {
  id?: number | string | null;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string; data?: ErrorData };
}
interface Waiting {
  method: string;
  resolve: (result: never) => void;
  reject: (error: Error) => void;
}

export class Client {
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly waiting = new Map<number, Waiting>();
  private readonly listeners = new Map<string, ((params: never) => void)[]>();
  private readonly ended: Promise<number | null>;
  private buffer: Buffer = Buffer.alloc(0);
  private stderr = "";
  private asked = 0;
  private gone: string | undefined;

  constructor(command: readonly string[] = ["memory-sidecar", "serve"], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
    const [program = "memory-sidecar", ...rest] = command;
    this.child = spawn(program, rest, { ...options, stdio: ["pipe", "pipe", "pipe"] });
    this.child.stdout.on("data", (data: Buffer) => { this.read(data); });
    this.child.stderr.on("data", (data: Buffer) => { this.stderr = (this.stderr + data.toString()).slice(-STDERR_KEPT); });
    this.child.stdin.on("error", () => undefined); // its end is told by `close`
    this.ended = new Promise((resolve) => {
      this.child.on("error", (error) => { this.fail(error.message); resolve(null); });
      this.child.on("close", (code) => { this.fail(`the server ended with ${String(code)}`); resolve(code); });
    });
  }

  /** LSP's handshake with these folders as workspaces; what the server offers. */
  async initialize(folders: readonly string[], name = "memory-sidecar-client"): Promise<unknown> {
    const workspaceFolders = folders.map((folder) => ({ uri: pathToFileURL(folder).href, name: basename(folder) }));
    const result = await this.send("initialize", {
      processId: process.pid,
      clientInfo: { name },
      rootUri: workspaceFolders[0]?.uri ?? null,
      capabilities: { workspace: { workspaceFolders: true } },
      workspaceFolders,
    });
    this.write({ method: "initialized", params: {} });
    return result;
  }

  /** The result of a request. Rejects with `WireError` or `ServerGone`. */
  request<M extends keyof Methods>(method: M, params: Methods[M]["params"]): Promise<Methods[M]["result"]> {
    return this.send(method, params) as Promise<Methods[M]["result"]>;
  }

  notify<M extends keyof ClientNotifications>(method: M, params: ClientNotifications[M]): void {
    this.write({ method, params });
  }

  /** Call `listener` with each notification of this method. */
  on<M extends keyof SidecarNotifications>(method: M, listener: (params: SidecarNotifications[M]) => void): void {
    this.listeners.set(method, [...(this.listeners.get(method) ?? []), listener as (params: never) => void]);
  }

  /** End the server; its exit code. */
  async close(): Promise<number | null> {
    if (this.gone === undefined) {
      await this.send("shutdown", undefined).catch(() => undefined);
      this.write({ method: "exit" });
    }
    return this.ended;
  }

  private send(method: string, params: unknown): Promise<unknown> {
    if (this.gone !== undefined) return Promise.reject(new ServerGone(this.gone));
    const id = ++this.asked;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { method, resolve: resolve as (result: never) => void, reject });
      this.write({ id, method, params });
    });
  }

  private write(message: object): void {
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
    this.child.stdin.write(`Content-Length: ${String(body.length)}\r\n\r\n`);
    this.child.stdin.write(body);
  }

  private read(data: Buffer): void {
    this.buffer = Buffer.concat([this.buffer, data]);
    for (let end: number; this.gone === undefined && (end = this.buffer.indexOf(HEAD_END)) >= 0; ) {
      const length = /content-length: *(\d+)/i.exec(this.buffer.subarray(0, end).toString("latin1"))?.[1];
      if (length === undefined) {
        this.child.kill();
        this.fail("the server sent something that is not a message");
        return;
      }
      const from = end + HEAD_END.length;
      if (this.buffer.length < from + Number(length)) return;
      const body = this.buffer.subarray(from, from + Number(length)).toString();
      this.buffer = this.buffer.subarray(from + Number(length));
      this.take(JSON.parse(body) as Message);
    }
  }

  private take(message: Message): void {
    if (message.method !== undefined && message.id != null) {
      const items = (message.params as { items?: unknown[] } | undefined)?.items ?? [];
      this.write({ id: message.id, result: message.method === "workspace/configuration" ? items.map(() => null) : null });
    } else if (message.method !== undefined) {
      for (const listener of this.listeners.get(message.method) ?? []) listener(message.params as never);
    } else {
      const waiting = this.waiting.get(Number(message.id));
      this.waiting.delete(Number(message.id));
      const { error } = message;
      if (error) waiting?.reject(new WireError(waiting.method, error.code, error.message, error.data));
      else waiting?.resolve(message.result as never);
    }
  }

  private fail(reason: string): void {
    this.gone ??= this.stderr ? `${reason}; its last words:\n${this.stderr}` : reason;
    for (const waiting of this.waiting.values()) waiting.reject(new ServerGone(this.gone));
    this.waiting.clear();
  }
}

// What the views know of the sidecar: a client that asks, and tells what changes.
import type * as vscode from "vscode";
import type { DidChangeMemories, DidInvalidateFiles, Methods } from "../protocol";

export type { Methods } from "../protocol";

/**
 * `starting`: the program is being found or started. `running`: requests are answered. `stopped`: not started yet, or
 * ended; the next request starts it. `missing`: no program was found or it cannot be used; requests are refused until the
 * person has the command `memorySidecar.restartServer` try again or changes a setting.
 */
export type SidecarState = "starting" | "running" | "stopped" | "missing";

/** One sidecar for all folders of the window. */
export interface SidecarClient {
  /**
   * Ask the sidecar; starts it when it does not run. With several folders open most methods need `workspaceUri`.
   * Rejects with a `SidecarError`.
   */
  request<M extends keyof Methods>(
    method: M,
    params: Methods[M]["params"],
    token?: vscode.CancellationToken,
  ): Promise<Methods[M]["result"]>;

  /** Memories changed, by this window or another process. No `changes`: look at everything anew. */
  readonly onDidChangeMemory: vscode.Event<DidChangeMemories>;

  /** Candidates came or were decided on, by this window or another process. */
  readonly onDidChangeCandidates: vscode.Event<DidChangeMemories>;

  /** What was remembered of files is out of date. */
  readonly onDidInvalidateFiles: vscode.Event<DidInvalidateFiles>;

  readonly state: SidecarState;
  readonly onDidChangeState: vscode.Event<SidecarState>;

  /** False in a workspace that is not trusted: requests that change anything are refused there. */
  readonly writable: boolean;
  readonly onDidChangeWritable: vscode.Event<boolean>;
}

/** Why a request failed, in words for a person. `code` is one of `ERROR_CODES`, when the sidecar answered. */
export class SidecarError extends Error {
  override readonly name = "SidecarError";

  constructor(
    message: string,
    readonly code?: number,
    readonly reason?: string,
    readonly hint?: string,
    /** The window has just told of it. */
    readonly told = false,
  ) {
    super(message);
  }
}

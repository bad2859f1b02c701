// Memories as documents that are edited: saving one is `memory/update`.
//
// What somebody else changed meanwhile is never overwritten unseen: the time of a document is its memory's version, so
// that VS Code itself compares and asks; and an update names the version that VS Code last saw.

import * as vscode from "vscode";
import { SidecarError, type SidecarClient } from "../../common/client";
import { ERROR_CODES, type Memory } from "../../protocol";
import { addressed, addressOf, EDITED, type Address } from "./addresses";
import { changed, DocumentProblem, fieldsOf, read, written } from "./document";
import { sameFolder, wordsOf } from "./library";
import { titleOf } from "../text/words";

export class MemoryFiles implements vscode.FileSystemProvider, vscode.Disposable {
  private readonly files = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.files.event;

  /** Memories by the URI of their document, as VS Code last saw them. */
  private readonly seen = new Map<string, Memory>();
  private readonly owned: readonly { dispose(): unknown }[];

  constructor(
    private readonly client: SidecarClient,
    /** Told of a memory that was saved. */
    private readonly saved: (memory: Memory, folder: string) => void,
  ) {
    this.owned = [
      this.files,
      client.onDidChangeMemory((told) => {
        const ids = new Set(told.changes.map((one) => one.id));
        this.tell(
          (address) =>
            sameFolder(address.folder, told.workspaceUri) && (ids.size === 0 || ids.has(address.id)),
        );
      }),
      client.onDidChangeWritable(() => this.tell(() => true)),
    ];
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined); // every open memory is followed anyway
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    // What a document stands in: VS Code asks before it writes one that is gone.
    if (uri.path.split("/").length < 3)
      return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
    const memory = await this.look(uri);
    const readonly = this.client.writable ? {} : { permissions: vscode.FilePermission.Readonly };
    return {
      type: vscode.FileType.File,
      ctime: memory.createdAt,
      mtime: memory.createdAt + memory.version,
      size: bytesOf(memory).length,
      ...readonly,
    };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return bytesOf(await this.look(uri));
  }

  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const address = addressIn(uri);
    if (!this.client.writable) {
      throw vscode.FileSystemError.NoPermissions("Memories are read only until you trust this workspace.");
    }
    const fields = fieldsIn(content);
    const known = this.seen.get(uri.toString()) ?? (await this.look(uri));
    const changes = changed(fieldsOf(known), fields);
    if (Object.keys(changes).length === 0) return;
    const params = { id: address.id, workspaceUri: address.folder, ...changes };
    try {
      const done = await this.client.request("memory/update", { ...params, expectedVersion: known.version });
      this.noted(uri, address, done.memory);
      if (done.redactions.length > 0) {
        const kinds = [...new Set(done.redactions.map((one) => one.kind))].join(", ");
        void vscode.window.showWarningMessage(
          `A secret was taken out of the memory before it was saved: ${kinds}.`,
        );
        this.files.fire([{ type: vscode.FileChangeType.Changed, uri }]);
      }
    } catch (error) {
      await this.refused(error, uri, address, params);
    }
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    for (const one of this.owned) one.dispose();
  }

  private async look(uri: vscode.Uri): Promise<Memory> {
    const { id, folder } = addressIn(uri);
    try {
      const memory = await this.client.request("memory/get", { id, workspaceUri: folder });
      this.seen.set(uri.toString(), memory);
      return memory;
    } catch (error) {
      if (isCode(error, ERROR_CODES.MEMORY_NOT_FOUND)) throw vscode.FileSystemError.FileNotFound(uri);
      throw vscode.FileSystemError.Unavailable(wordsOf(error));
    }
  }

  private noted(uri: vscode.Uri, address: Address, memory: Memory): void {
    this.seen.set(uri.toString(), memory);
    this.saved(memory, address.folder);
  }

  /** Nothing was written. The text stays in the editor, and the words say what can be done. */
  private async refused(
    error: unknown,
    uri: vscode.Uri,
    address: Address,
    params: { id: string; workspaceUri: string },
  ): Promise<void> {
    if (isCode(error, ERROR_CODES.VERSION_CONFLICT)) {
      this.files.fire([{ type: vscode.FileChangeType.Changed, uri }]);
      throw vscode.FileSystemError.Unavailable(
        "The memory was changed elsewhere at this moment. Save again to compare.",
      );
    }
    if (!isCode(error, ERROR_CODES.MEMORY_NOT_FOUND))
      throw vscode.FileSystemError.Unavailable(wordsOf(error));
    const again = "Bring It Back";
    const answer = await vscode.window.showWarningMessage(
      "This memory was deleted meanwhile.",
      { modal: true, detail: "It can be brought back, with your text as its newest version." },
      again,
    );
    if (answer !== again)
      throw vscode.FileSystemError.Unavailable("The memory was deleted. Your text is still here.");
    await this.client.request("memory/undo", { id: address.id, workspaceUri: address.folder });
    this.noted(uri, address, (await this.client.request("memory/update", params)).memory);
  }

  private tell(concerns: (address: Address) => boolean): void {
    const open = vscode.workspace.textDocuments.map((one) => one.uri).filter((uri) => uri.scheme === EDITED);
    const some = open.filter((uri) => {
      const address = addressOf(uri.path, uri.query);
      return address !== undefined && concerns(address);
    });
    if (some.length > 0) this.files.fire(some.map((uri) => ({ type: vscode.FileChangeType.Changed, uri })));
  }
}

/** The document of a memory. */
export function uriOf(memory: Pick<Memory, "id" | "name" | "content">, folder: string): vscode.Uri {
  return uriNamed({ id: memory.id, folder }, titleOf(memory.name, memory.content));
}

/** The document at an address, called `title` in its tab. */
export function uriNamed(address: Address, title: string, scheme = EDITED): vscode.Uri {
  return vscode.Uri.from({ scheme, ...addressed(address, title) });
}

function addressIn(uri: vscode.Uri): Address {
  const address = addressOf(uri.path, uri.query);
  if (address === undefined) throw vscode.FileSystemError.FileNotFound(uri);
  return address;
}

function bytesOf(memory: Memory): Uint8Array {
  return new TextEncoder().encode(written(fieldsOf(memory)));
}

function fieldsIn(content: Uint8Array): ReturnType<typeof read> {
  try {
    return read(new TextDecoder().decode(content));
  } catch (error) {
    if (error instanceof DocumentProblem) throw vscode.FileSystemError.Unavailable(error.message);
    throw error;
  }
}

function isCode(error: unknown, code: number): boolean {
  return error instanceof SidecarError && error.code === code;
}

// Memories as documents that are edited: saving one is `memory/update`.
//
// What somebody else changed meanwhile is never overwritten unseen. Where both changes fit together they are merged, by
// what the document was read as. Where they do not, VS Code itself shows both side by side and asks: the time of a
// document is its memory's version. It is told of the newer version only then, so that nobody is asked about a merge.

import * as vscode from "vscode";
import { SidecarError, type SidecarClient } from "../../common/client";
import { ERROR_CODES, type Memory } from "../../protocol";
import { addressed, addressOf, EDITED, type Address } from "./addresses";
import { changed, DocumentProblem, fieldsOf, read, written, type Fields } from "./document";
import { merged } from "./merge";
import { wordsOf } from "../../common/errors";
import { sameFolder } from "./library";
import { titleOf } from "../text/words";

/** Of the time of a document, for each version: room for being read again. */
const STEP = 1_000;
const SOON_MS = 100;
const MEANWHILE =
  "The memory was changed elsewhere at this moment. Save again: both changes are merged or compared.";

interface Begun {
  readonly fields: Fields;
  readonly version: number;
  /** The time that VS Code knows of it. */
  readonly time: number;
}

export class MemoryFiles implements vscode.FileSystemProvider, vscode.Disposable {
  private readonly files = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.files.event;

  /** What documents were read as, or what was written of them, by their URI: what edits begin with. */
  private readonly begun = new Map<string, Begun>();
  /** The version of a memory that stood behind the last time that VS Code was told of its document. */
  private readonly told = new Map<string, number>();
  /** Documents that became another text than the one in the editor, of which VS Code has not taken note yet. */
  private readonly other = new Set<string>();
  /** How often that was so: the same version at another time is read again. */
  private readonly again = new Map<string, number>();
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
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.begun.delete(uri.toString());
        this.told.delete(uri.toString());
      }),
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
    const mtime = this.timeTold(uri, memory);
    this.readAgain(uri);
    return {
      type: vscode.FileType.File,
      ctime: memory.createdAt,
      mtime,
      size: bytesOf(memory).length,
      ...readonly,
    };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const memory = await this.look(uri);
    // VS Code drops what it reads of a document that was edited meanwhile: its text still begins with what was before.
    if (this.mergeable(uri, memory) === undefined) this.begin(uri, memory, fieldsOf(memory));
    return bytesOf(memory);
  }

  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const address = addressIn(uri);
    if (!this.client.writable) {
      throw vscode.FileSystemError.NoPermissions("Memories are read only until you trust this workspace.");
    }
    const fields = fieldsIn(content);
    const begun = this.begun.get(uri.toString());
    try {
      const stored = await this.get(address);
      const both = begun && merged(begun.fields, fields, fieldsOf(stored));
      if (both === undefined && stored.version > (this.told.get(uri.toString()) ?? stored.version)) {
        throw vscode.FileSystemError.Unavailable(MEANWHILE);
      }
      // Without a merge VS Code has asked: what is in the editor is wanted, whatever it was begun with.
      const wanted = both ?? fields;
      const changes = changed(fieldsOf(stored), wanted);
      const params = { id: address.id, workspaceUri: address.folder, ...changes };
      const same = Object.keys(changes).length === 0;
      const done = same
        ? { memory: stored, redactions: [] }
        : await this.client.request("memory/update", { ...params, expectedVersion: stored.version });
      this.noted(uri, address, done.memory, fields);
      if (done.redactions.length > 0) {
        const kinds = [...new Set(done.redactions.map((one) => one.kind))].join(", ");
        void vscode.window.showWarningMessage(
          `A secret was taken out of the memory before it was saved: ${kinds}.`,
        );
      }
      const other = Object.keys(changed(fields, fieldsOf(done.memory))).length > 0;
      if (other) this.other.add(uri.toString());
      if (begun && stored.version > begun.version && other) {
        vscode.window.setStatusBarMessage(
          "Saved, together with what was changed elsewhere meanwhile.",
          8_000,
        );
      }
    } catch (error) {
      await this.refused(error, uri, address, fields);
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

  private get({ id, folder }: Address): Promise<Memory> {
    return this.client.request("memory/get", { id, workspaceUri: folder });
  }

  private async look(uri: vscode.Uri): Promise<Memory> {
    try {
      return await this.get(addressIn(uri));
    } catch (error) {
      if (isCode(error, ERROR_CODES.MEMORY_NOT_FOUND)) throw vscode.FileSystemError.FileNotFound(uri);
      if (error instanceof vscode.FileSystemError) throw error;
      throw vscode.FileSystemError.Unavailable(wordsOf(error));
    }
  }

  /** The time that VS Code is told of: while a text is edited, the one it began with as long as a merge will do. */
  private timeTold(uri: vscode.Uri, stored: Memory): number {
    const begun = this.mergeable(uri, stored);
    this.told.set(uri.toString(), (begun ?? stored).version);
    return begun?.time ?? this.timeOf(uri, stored);
  }

  /** What a text that is being edited began with, as long as a merge with what is stored will do. */
  private mergeable(uri: vscode.Uri, stored: Memory): Begun | undefined {
    const key = uri.toString();
    const begun = this.begun.get(key);
    const open = vscode.workspace.textDocuments.find((one) => one.uri.toString() === key);
    return begun !== undefined && open?.isDirty === true && mergeable(begun.fields, open.getText(), stored)
      ? begun
      : undefined;
  }

  private timeOf(uri: vscode.Uri, memory: Memory): number {
    return memory.createdAt + memory.version * STEP + (this.again.get(uri.toString()) ?? 0);
  }

  private begin(uri: vscode.Uri, memory: Memory, fields: Fields): void {
    this.begun.set(uri.toString(), { fields, version: memory.version, time: this.timeOf(uri, memory) });
  }

  /** The text in the editor is what the next edits begin with. */
  private noted(uri: vscode.Uri, address: Address, memory: Memory, fields: Fields): void {
    this.begin(uri, memory, fields);
    this.saved(memory, address.folder);
  }

  /** VS Code takes note of what it has saved by asking for it; then it is told that there is another text. */
  private readAgain(uri: vscode.Uri): void {
    if (!this.other.delete(uri.toString())) return;
    setTimeout(() => {
      this.again.set(uri.toString(), ((this.again.get(uri.toString()) ?? 0) + 1) % STEP);
      this.files.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    }, SOON_MS);
  }

  /** Nothing was written. The text stays in the editor, and the words say what can be done. */
  private async refused(error: unknown, uri: vscode.Uri, address: Address, fields: Fields): Promise<void> {
    if (isCode(error, ERROR_CODES.VERSION_CONFLICT)) {
      throw vscode.FileSystemError.Unavailable(MEANWHILE);
    }
    if (error instanceof vscode.FileSystemError) throw error;
    if (!isCode(error, ERROR_CODES.MEMORY_NOT_FOUND))
      throw vscode.FileSystemError.Unavailable(wordsOf(error));
    const bring = "Bring It Back";
    const answer = await vscode.window.showWarningMessage(
      "This memory was deleted meanwhile.",
      { modal: true, detail: "It can be brought back, with your text as its newest version." },
      bring,
    );
    if (answer !== bring)
      throw vscode.FileSystemError.Unavailable("The memory was deleted. Your text is still here.");
    const asked = { id: address.id, workspaceUri: address.folder };
    const back = await this.client.request("memory/undo", asked);
    const changes = changed(fieldsOf(back), fields);
    const memory =
      Object.keys(changes).length === 0
        ? back
        : (await this.client.request("memory/update", { ...asked, ...changes })).memory;
    this.noted(uri, address, memory, fields);
  }

  private tell(concerns: (address: Address) => boolean): void {
    const open = vscode.workspace.textDocuments.map((one) => one.uri).filter((uri) => uri.scheme === EDITED);
    const some = open.filter((uri) => {
      const address = addressOf(uri.query);
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
  const address = addressOf(uri.query);
  if (address === undefined) throw vscode.FileSystemError.FileNotFound(uri);
  return address;
}

/** Whether a text and what is stored fit together; also where the text is refused when it is saved. */
function mergeable(base: Fields, text: string, stored: Memory): boolean {
  try {
    return merged(base, read(text), fieldsOf(stored)) !== undefined;
  } catch (error) {
    if (error instanceof DocumentProblem) return true;
    throw error;
  }
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

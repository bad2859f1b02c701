// Keys of endpoints: kept in VS Code's secret storage, never in a settings file.
import * as vscode from "vscode";
import { type Values, put } from "./values";

const KEYS = {
  "models.key": "the chat model",
  "embeddings.key": "the embedding endpoint",
} as const;

/** A setting that is a secret. */
export type SecretKey = keyof typeof KEYS;

/** The keys that are set, read once and when they change. */
export class Secrets implements vscode.Disposable {
  private readonly known = new Map<SecretKey, string>();
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly owned: vscode.Disposable;
  readonly onDidChange = this.changed.event;

  constructor(private readonly storage: vscode.SecretStorage) {
    this.owned = storage.onDidChange(({ key }) => {
      if (key in KEYS) void this.load().then(() => this.changed.fire());
    });
  }

  /** Read them from the storage. */
  async load(): Promise<void> {
    for (const key of Object.keys(KEYS) as SecretKey[]) {
      const value = await this.storage.get(key);
      if (value === undefined) this.known.delete(key);
      else this.known.set(key, value);
    }
  }

  /** Put those that are set into what the sidecar is given. */
  addTo(values: Values): Values {
    for (const [key, value] of this.known) {
      put(values, key, value);
    }
    return values;
  }

  /** Ask for a key and keep it; an empty one is forgotten. */
  async ask(key: SecretKey): Promise<void> {
    const value = await vscode.window.showInputBox({
      title: `Key of ${KEYS[key]}`,
      prompt: "It is kept in the secret storage of VS Code. Leave empty to forget it.",
      password: true,
      ignoreFocusOut: true,
    });
    if (value === undefined) {
      return;
    }
    await (value === "" ? this.storage.delete(key) : this.storage.store(key, value));
    void vscode.window.showInformationMessage(
      value === "" ? `The key of ${KEYS[key]} was forgotten.` : `The key of ${KEYS[key]} was kept.`,
    );
  }

  dispose(): void {
    this.owned.dispose();
    this.changed.dispose();
  }
}

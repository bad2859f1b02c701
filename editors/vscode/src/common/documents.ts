// Read-only documents for reports.
import * as vscode from "vscode";

const SCHEME = "memory-sidecar-report";

/** Shows texts in editors of their own. */
export class Reports implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly owned: readonly { dispose(): unknown }[];
  readonly onDidChange = this.changed.event;

  constructor(private readonly scheme = SCHEME) {
    this.owned = [
      this.changed,
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (uri.scheme === scheme) this.texts.delete(uri.toString());
      }),
    ];
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  /** Show a text; `name` ends in the extension that says how it is drawn. The same name again replaces it. */
  async show(name: string, text: string): Promise<vscode.TextDocument> {
    const uri = vscode.Uri.from({ scheme: this.scheme, path: `/${name}` });
    this.texts.set(uri.toString(), text);
    this.changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    if (name.endsWith(".md")) {
      await drawn(uri);
    } else {
      await vscode.window.showTextDocument(document, { preview: true });
    }
    return document;
  }

  dispose(): void {
    for (const one of this.owned) one.dispose();
  }
}

/** As a page; as text where the extension that draws Markdown is switched off. */
async function drawn(uri: vscode.Uri): Promise<void> {
  try {
    await vscode.commands.executeCommand("markdown.showPreview", uri);
  } catch {
    await vscode.window.showTextDocument(uri, { preview: true });
  }
}

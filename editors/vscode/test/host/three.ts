// One of three: beside this window are Neovim and an agent, on the same folder. tests/editors/test_three_real_clients.py
// drives all of them; files in the run's folder say who has got how far.
import assert from "node:assert/strict";
import { existsSync, renameSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import type { SidecarServer } from "../../src/common/server";
import { PLACE, activated, eventually, folder } from "./window";

function say(name: string, text = ""): void {
  const said = path.join(PLACE, `said-${name}`);
  writeFileSync(`${said}.part`, text);
  renameSync(`${said}.part`, said); // it is read as soon as it is there
}

async function heard(name: string): Promise<void> {
  await eventually(
    () => assert.ok(existsSync(path.join(PLACE, `said-${name}`)), `${name} was not said`),
    360,
  );
}

describe("three clients at once", () => {
  let server: SidecarServer;
  let letters: vscode.Uri;

  before(async () => {
    ({ server } = await activated());
    letters = vscode.Uri.joinPath(folder("one").uri, "letters.py");
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(letters));
    await server.request("sidecar/status", {});
  });

  /** Wait for a lens, looking only when the sidecar has told of a change. */
  async function shows(fits: (titles: string[]) => boolean, done: () => void): Promise<void> {
    let listener: vscode.Disposable | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error("nothing was told")), 360_000);
        listener = server.onDidChangeMemory(() => {
          void vscode.commands
            .executeCommand<vscode.CodeLens[]>("vscode.executeCodeLensProvider", letters, 100)
            .then((lenses) => {
              if (!fits(lenses.map((lens) => lens.command?.title ?? ""))) return;
              clearTimeout(timer);
              resolve();
            }, reject);
        });
        done();
      });
    } finally {
      listener?.dispose();
    }
  }

  it("shows what the agent records", async () => {
    await shows(
      (titles) => titles.includes("1 memory"),
      () => say("code-ready"),
    );
    say("code-saw-agent");
  });

  it("shows what Neovim records", async () => {
    await shows(
      (titles) => titles.includes("2 memories"),
      () => say("code-ready-for-neovim"),
    );
    say("code-saw-neovim");
  });

  it("records what the others show", async () => {
    const { memory } = await server.request("memory/record", {
      content: "`letters.py::greet` is what VS Code says.",
      name: "From VS Code",
    });
    say("code-recorded", memory.id);
    await heard("others-saw-code");
  });
});

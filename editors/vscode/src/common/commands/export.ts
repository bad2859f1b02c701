// Exporting a folder's memories to a file.
import { open } from "node:fs/promises";
import * as vscode from "vscode";
import { chosenFolder, uriOf } from "../folders";
import { plural } from "../wording";
import type { Kit } from "./index";

/** Write an export where the person says. It restores exactly. */
export async function exportMemories(kit: Kit): Promise<void> {
  const folder = await chosenFolder("Export Memories");
  if (folder === undefined) {
    return;
  }
  const day = new Date().toISOString().slice(0, 10);
  const target = await vscode.window.showSaveDialog({
    title: "Export Memories",
    defaultUri: vscode.Uri.joinPath(folder.uri, `${folder.name}-memories-${day}.jsonl`),
    filters: { "JSON Lines": ["jsonl"] },
  });
  if (target === undefined) {
    return;
  }
  const memories = await written(kit, uriOf(folder), target.fsPath);
  const button = await vscode.window.showInformationMessage(
    `Exported ${plural(memories, "memory", "memories")} with their history. The file is not encrypted.`,
    "Open",
  );
  if (button === "Open") {
    await vscode.window.showTextDocument(target);
  }
}

/** How many memories were written to a file, page by page. */
export async function written(kit: Kit, workspaceUri: string, file: string): Promise<number> {
  const handle = await open(file, "w", 0o600);
  let memories = 0;
  try {
    let cursor: string | undefined;
    do {
      const page = await kit.server.request("memory/export", {
        workspaceUri,
        history: true,
        ...(cursor === undefined ? {} : { cursor }),
      });
      await handle.write(page.lines.map((line) => `${line}\n`).join(""));
      memories += page.memories;
      cursor = page.cursor ?? undefined;
    } while (cursor !== undefined);
  } finally {
    await handle.close();
  }
  return memories;
}

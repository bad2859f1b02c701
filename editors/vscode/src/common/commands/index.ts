// Every command of the palette that is not a view's. Names differ from those of the sidecar's own commands, which the
// language client registers by itself.
import * as vscode from "vscode";
import { tellError } from "../errors";
import type { Reports } from "../documents";
import type { Secrets } from "../secrets";
import type { SidecarServer } from "../server";
import { SECTION } from "../settings";
import { oneLine } from "../wording";
import { showMemoriesAbout } from "./about";
import { runDoctor } from "./doctor";
import { exportMemories } from "./export";
import { importMemories } from "./import";
import { runMaintenance } from "./maintenance";
import { showMenu } from "./menu";
import { openMemoryFile } from "./memory_file";
import { bootstrapProject, recordMemory, rememberSelection } from "./record";
import { setReminder, showReminders } from "./reminders";
import { searchMemories } from "./search";
import { showSessions } from "./sessions";
import { showStats, showStatus } from "./status";

/** What commands work with. */
export interface Kit {
  readonly server: SidecarServer;
  readonly reports: Reports;
  readonly secrets: Secrets;
  readonly log: vscode.LogOutputChannel;
  /** The person wants another try: tell problems again. */
  readonly retry: () => Promise<void>;
}

/** Register them all. */
export function registerCommands(kit: Kit): vscode.Disposable {
  const commands: Record<string, (first?: unknown, second?: unknown) => Promise<unknown>> = {
    recordMemory: (given) => recordMemory(kit, given),
    rememberSelection: () => rememberSelection(kit),
    bootstrapProject: () => bootstrapProject(kit),
    searchMemories: (given) => searchMemories(kit, typeof given === "string" ? given : ""),
    showMemoriesAbout: (given) => showMemoriesAbout(kit, given),
    setReminder: (given) => setReminder(kit, given),
    showReminders: () => showReminders(kit),
    showSessions: () => showSessions(kit),
    openMemoryFile: () => openMemoryFile(kit),
    exportMemories: () => exportMemories(kit),
    importMemories: () => importMemories(kit, "file"),
    importFolder: () => importMemories(kit, "folder"),
    runMaintenance: () => runMaintenance(kit),
    showStatus: () => showStatus(kit),
    showStats: () => showStats(kit),
    runDoctor: () => runDoctor(kit),
    showMenu: () => showMenu(kit),
    showText: (name, text) => kit.reports.show(`${fileName(name)}.md`, String(text)),
    restartServer: () => kit.retry(),
    showOutput: () => {
      kit.log.show();
      return Promise.resolve();
    },
    setModelKey: () => kit.secrets.ask("models.key"),
    setEmbeddingKey: () => kit.secrets.ask("embeddings.key"),
  };
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([name, run]) =>
      vscode.commands.registerCommand(`${SECTION}.${name}`, async (first: unknown, second: unknown) => {
        try {
          return await run(first, second);
        } catch (error) {
          if (error instanceof vscode.CancellationError) {
            return undefined;
          }
          kit.log.error(`${SECTION}.${name}: ${String(error)}`);
          tellError(error);
          return undefined;
        }
      }),
    ),
  );
}

function fileName(name: unknown): string {
  return oneLine(String(name), 60).replaceAll("/", " ");
}

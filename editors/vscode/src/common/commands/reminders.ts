// Reminders: set one, see those that wait, and be told of those that are due.
import * as vscode from "vscode";
import type { Reminder, SetReminderParams } from "../../protocol";
import { chosenFolder, folders, uriOf } from "../folders";
import { oneLine } from "../wording";
import type { Kit } from "./index";

type Recurrence = NonNullable<SetReminderParams["recurrence"]>;

const TIMES = ["+30m", "+2h", "17:00", "tomorrow 9am", "next monday 9am"];
const EVERY: readonly { label: string; every: Recurrence | null }[] = [
  { label: "Once", every: null },
  { label: "Every day", every: "daily" },
  { label: "Every working day", every: "weekdays" },
  { label: "Every week", every: "weekly" },
  { label: "Every month", every: "monthly" },
  { label: "Every year", every: "yearly" },
];
const CLEAR: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("check"), tooltip: "Done" };
const ADVANCE: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("debug-step-over"),
  tooltip: "On to the next time",
};

interface Item extends vscode.QuickPickItem {
  readonly reminder?: Reminder;
  readonly workspaceUri?: string;
}

/** Ask for a reminder and keep it. */
export async function setReminder(kit: Kit, given?: unknown): Promise<Reminder | undefined> {
  const title = "Set a Reminder";
  const folder = await chosenFolder(title);
  if (folder === undefined) return undefined;
  const text =
    typeof given === "string"
      ? given
      : await vscode.window.showInputBox({
          title,
          prompt: "Of what should you and your agents be reminded?",
          placeHolder: "Renew the certificate of the staging server",
          ignoreFocusOut: true,
        });
  if (text === undefined || text.trim() === "") return undefined;
  const at = await askTime(title);
  if (at === undefined) return undefined;
  const every = await vscode.window.showQuickPick(EVERY, {
    title,
    placeHolder: "How often?",
    ignoreFocusOut: true,
  });
  if (every === undefined) return undefined;
  const params = { text: text.trim(), at, recurrence: every.every, workspaceUri: uriOf(folder) };
  const { reminder } = await kit.server.request("reminder/set", params);
  void vscode.window.showInformationMessage(`You and your agents are reminded at ${whenOf(reminder)}.`);
  return reminder;
}

/** A time to choose or to type: what is typed stands in front of the list. */
function askTime(title: string): Promise<string | undefined> {
  const pick = vscode.window.createQuickPick();
  pick.title = title;
  pick.placeholder = "When? Choose one or type a time: +2h, in 3 days, friday 17:00, 2026-12-31 09:00";
  pick.ignoreFocusOut = true;
  const show = (): void => {
    const typed = pick.value.trim();
    pick.items = [
      ...(typed === "" ? [] : [{ label: typed, description: "as typed", alwaysShow: true }]),
      ...TIMES.filter((time) => time !== typed).map((label) => ({ label })),
    ];
  };
  return new Promise<string | undefined>((resolve) => {
    pick.onDidChangeValue(show);
    pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]?.label);
      pick.hide();
    });
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    show();
    pick.show();
  });
}

/** List those that wait, soonest first; a button for each says that it is done or goes on to its next time. */
export async function showReminders(kit: Kit): Promise<void> {
  await kit.server.ensureStarted();
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = "Reminders";
  pick.placeholder = "Enter on one that is due or comes says that it is done";
  pick.matchOnDescription = true;
  const load = async (): Promise<void> => {
    pick.busy = true;
    try {
      pick.items = await waiting(kit);
    } catch (error) {
      pick.items = [{ label: `$(error) ${error instanceof Error ? error.message : String(error)}` }];
    } finally {
      pick.busy = false;
    }
  };
  const change = async (
    item: Item | undefined,
    method: "reminder/clear" | "reminder/advance",
  ): Promise<void> => {
    if (item?.reminder === undefined || item.workspaceUri === undefined) return;
    await kit.server.request(method, { id: item.reminder.id, workspaceUri: item.workspaceUri });
    await load();
  };
  const tell = (error: unknown): void =>
    void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
  try {
    await new Promise<void>((resolve) => {
      pick.onDidHide(() => resolve());
      pick.onDidAccept(() => {
        const [item] = pick.selectedItems;
        if (item?.reminder !== undefined) change(item, "reminder/clear").catch(tell);
        else if (item?.alwaysShow === true) {
          pick.hide();
          void vscode.commands.executeCommand("memorySidecar.setReminder");
        }
      });
      pick.onDidTriggerItemButton(({ item, button }) => {
        change(item, button === ADVANCE ? "reminder/advance" : "reminder/clear").catch(tell);
      });
      pick.show();
      void load();
    });
  } finally {
    pick.dispose();
  }
}

/** The reminders of every folder as items of a list, with one that sets another. */
export async function waiting(kit: Pick<Kit, "server">): Promise<Item[]> {
  const all = folders();
  const lists = await Promise.all(
    all.map(async (folder) => {
      const workspaceUri = uriOf(folder);
      const { items } = await kit.server.request("reminder/list", { workspaceUri, limit: 100 });
      return items.map((reminder) => ({ reminder, workspaceUri, folder: folder.name }));
    }),
  );
  const found = lists.flat().sort((one, other) => one.reminder.at - other.reminder.at);
  const { writable } = kit.server;
  const items = found.map(({ reminder, workspaceUri, folder }): Item => {
    const marks = [whenOf(reminder), ...(reminder.recurrence ? [reminder.recurrence] : [])];
    return {
      label: `$(${reminder.due ? "bell-dot" : "bell"}) ${plain(reminder.text, 120)}`,
      description: [...(reminder.due ? ["due"] : []), ...marks, ...(all.length > 1 ? [folder] : [])].join(
        " · ",
      ),
      buttons: writable ? (reminder.recurrence ? [ADVANCE, CLEAR] : [CLEAR]) : [],
      reminder,
      workspaceUri,
    };
  });
  const none = items.length === 0 ? [{ label: "No reminder waits." }] : [];
  return [...items, ...none, ...(writable ? [{ label: "$(add) Set a Reminder…", alwaysShow: true }] : [])];
}

/** Where and when: the time as it is where the reminder was set. */
export function whenOf(reminder: Reminder): string {
  return reminder.local.slice(0, 16).replace("T", " ");
}

/** Stored text that draws no icon. */
export function plain(text: string, most: number): string {
  return oneLine(text, most).replaceAll("$(", "$ (");
}

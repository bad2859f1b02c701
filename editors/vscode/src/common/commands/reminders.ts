// Reminders: set one, see those that wait, and be told of those that are due.
import * as vscode from "vscode";
import type { Reminder, SetReminderParams } from "../../protocol";
import { tellError, wordsOf } from "../errors";
import { answers, chosenFolder, folders, uriOf } from "../folders";
import { oneLine } from "../wording";
import type { Kit } from "./index";

type Recurrence = NonNullable<SetReminderParams["recurrence"]>;

/** `description` is what the sidecar is told, and what may be typed. */
const TIMES: readonly (vscode.QuickPickItem & { description: string })[] = [
  { label: "In half an hour", description: "+30m" },
  { label: "In two hours", description: "+2h" },
  { label: "Next time it is 17:00", description: "17:00" },
  { label: "Tomorrow morning", description: "tomorrow 9am" },
  { label: "Next Monday", description: "next monday 9am" },
];
const EVERY: readonly { label: string; every: Recurrence | null }[] = [
  { label: "Once", every: null },
  { label: "Every day", every: "daily" },
  { label: "Every working day", every: "weekdays" },
  { label: "Every week", every: "weekly" },
  { label: "Every month", every: "monthly" },
  { label: "Every year", every: "yearly" },
];
const DONE: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("check"), tooltip: "Done" };
const NEXT: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("check"),
  tooltip: "Done, until the next time",
};
const STOP: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("trash"),
  tooltip: "Remind no more",
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
  pick.matchOnDescription = true;
  pick.ignoreFocusOut = true;
  const show = (): void => {
    const typed = pick.value.trim();
    const own = { label: `At “${typed}”`, description: typed, alwaysShow: true };
    pick.items = [...(typed === "" ? [] : [own]), ...TIMES.filter((time) => time.description !== typed)];
  };
  return new Promise<string | undefined>((resolve) => {
    pick.onDidChangeValue(show);
    pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]?.description);
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
  pick.placeholder = "Choose one to say that it is done; one that recurs comes again at its next time";
  pick.matchOnDescription = true;
  const load = async (): Promise<void> => {
    pick.busy = true;
    try {
      pick.items = await waiting(kit);
    } catch (error) {
      pick.items = [{ label: `$(error) ${wordsOf(error)}` }];
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
  try {
    await new Promise<void>((resolve) => {
      pick.onDidHide(() => resolve());
      pick.onDidAccept(() => {
        const [item] = pick.selectedItems;
        if (item?.reminder !== undefined) change(item, doneWith(item.reminder)).catch(tellError);
        else if (item?.alwaysShow === true) {
          pick.hide();
          void vscode.commands.executeCommand("memorySidecar.setReminder");
        }
      });
      pick.onDidTriggerItemButton(({ item, button }) => {
        change(item, button === NEXT ? "reminder/advance" : "reminder/clear").catch(tellError);
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
  const lists = await answers(async (folder) => {
    const workspaceUri = uriOf(folder);
    const { items } = await kit.server.request("reminder/list", { workspaceUri, limit: 100 });
    return items.map((reminder) => ({ reminder, workspaceUri, folder: folder.name }));
  });
  const found = lists.flat().sort((one, other) => one.reminder.at - other.reminder.at);
  const { writable } = kit.server;
  const items = found.map(({ reminder, workspaceUri, folder }): Item => {
    const { recurrence, author } = reminder;
    const marks = [
      whenOf(reminder),
      ...(recurrence ? [recurrence] : []),
      ...(author ? [`by ${plain(author, 60)}`] : []),
    ];
    return {
      label: `$(${reminder.due ? "bell-dot" : "bell"}) ${plain(reminder.text, 120)}`,
      description: [...(reminder.due ? ["due"] : []), ...marks, ...(all.length > 1 ? [folder] : [])].join(
        " · ",
      ),
      buttons: writable ? (recurrence ? [NEXT, STOP] : [DONE]) : [],
      reminder,
      workspaceUri,
    };
  });
  const none = items.length === 0 ? [{ label: "No reminder waits." }] : [];
  return [...items, ...none, ...(writable ? [{ label: "$(add) Set a Reminder…", alwaysShow: true }] : [])];
}

/** What it means that one is done: one that recurs goes on to its next time. */
export function doneWith({ recurrence }: Reminder): "reminder/advance" | "reminder/clear" {
  return recurrence ? "reminder/advance" : "reminder/clear";
}

/** Where and when: the time as it is where the reminder was set. */
export function whenOf(reminder: Reminder): string {
  return reminder.local.slice(0, 16).replace("T", " ");
}

/** Stored text that draws no icon. */
export function plain(text: string, most: number): string {
  return oneLine(text, most).replaceAll("$(", "$ (");
}

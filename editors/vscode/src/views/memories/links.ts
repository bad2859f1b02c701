// What belongs together: link a memory to another one, see what it is linked to, take a link back.

import * as vscode from "vscode";
import type { SidecarClient } from "../../common/client";
import { tellError } from "../../common/errors";
import type { LinkParams, LinkedMemory } from "../../protocol";
import { oneLine } from "../text/words";
import { pickTarget, type Target } from "./target";
import { linkWords } from "./wording";

type Kind = NonNullable<LinkParams["kind"]>;

const KINDS: readonly { label: string; description: string; link: Kind }[] = [
  { label: "is related to", description: "worth reading together", link: "related" },
  { label: "extends", description: "says more about what the other says", link: "extends" },
  {
    label: "supersedes",
    description: "agents are shown this one in the other's place",
    link: "supersedes",
  },
  { label: "stands against", description: "both cannot hold", link: "contradicts" },
  { label: "is about the same as", description: "the same file, symbol or thing", link: "sameEntity" },
  { label: "comes before", description: "one step after the other", link: "sequence" },
];
const REMOVE: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("trash"),
  tooltip: "Take the link back",
};

interface Item extends vscode.QuickPickItem {
  readonly linked?: LinkedMemory;
}

/** Ask how, and to which memory, these are linked; what was made. */
export async function linkMemories(client: SidecarClient, targets: readonly Target[]): Promise<number> {
  const [first] = targets;
  if (first === undefined) return 0;
  const what = targets.length === 1 ? `“${oneLine(first.title, 60)}”` : `Each of ${targets.length} memories`;
  const how = await vscode.window.showQuickPick(KINDS, {
    title: "Link to Another Memory",
    placeHolder: `${what} … the other memory`,
  });
  if (how === undefined) return 0;
  const ids = new Set(targets.map(({ id }) => id));
  const other = await pickTarget(client, `${what} ${how.label} which memory?`, {
    within: first.folder,
    except: ids,
    title: "Link to Another Memory",
  });
  if (other === undefined) return 0;
  let made = 0;
  for (const target of targets) {
    const { status } = await client.request("memory/link", {
      from: target.id,
      to: other.id,
      kind: how.link,
      workspaceUri: target.folder,
    });
    if (status !== "unchanged") made += 1;
  }
  return made;
}

/** List what a memory is linked to. The one that is chosen is answered; a button of each takes the link back. */
export async function pickLinked(client: SidecarClient, target: Target): Promise<Target | undefined> {
  const asked = { id: target.id, workspaceUri: target.folder };
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = `Links of “${oneLine(target.title, 60)}”`;
  pick.placeholder = "Choose a memory to open it";
  pick.matchOnDescription = true;
  const load = async (): Promise<void> => {
    const { items } = await client.request("memory/links", asked);
    pick.items = items.length > 0 ? items.map((one) => itemOf(one, target.id, client.writable)) : [NOTHING];
  };
  const fails = (error: unknown): void => tellError(error);
  try {
    return await new Promise<Target | undefined>((choose) => {
      pick.onDidHide(() => choose(undefined));
      pick.onDidAccept(() => {
        const linked = pick.selectedItems[0]?.linked;
        if (linked) choose({ id: linked.id, folder: target.folder, title: linked.name });
        else if (pick.selectedItems.length > 0) choose(undefined);
      });
      pick.onDidTriggerItemButton(({ item }) => {
        if (item.linked) unlinked(client, item.linked, target.folder).then(load).catch(fails);
      });
      pick.show();
      load().catch(fails);
    });
  } finally {
    pick.dispose();
  }
}

/** Take one link back. */
export async function unlinked(client: SidecarClient, linked: LinkedMemory, folder: string): Promise<void> {
  const { from, to, kind } = linked.link;
  await client.request("memory/link", { from, to, kind, remove: true, workspaceUri: folder });
}

const NOTHING: Item = { label: "It is linked to no other memory." };

function itemOf(linked: LinkedMemory, self: string, writable: boolean): Item {
  const { link, name, scope, status } = linked;
  const found = ["similar", "contradiction"].includes(link.source) ? ["found by the sidecar"] : [];
  return {
    label: `${linkWords(linked, self)} “${oneLine(name.replaceAll("`", ""), 100).replaceAll("$(", "$ (")}”`,
    description: [scope, ...(status === "active" ? [] : [status]), ...found].join(" · "),
    buttons: writable ? [REMOVE] : [],
    linked,
  };
}

// Who works here now: the sessions of agents, what they are at, and what they hold.
import * as vscode from "vscode";
import type { Session } from "../../protocol";
import { answers, folders, uriOf } from "../folders";
import { age, escaped, oneLine, plural } from "../wording";
import type { Kit } from "./index";
import { plain } from "./reminders";

interface Item extends vscode.QuickPickItem {
  readonly session?: Session;
  readonly workspaceUri?: string;
}

const MOST = 50;

/** List them, those at work first; one that is chosen is shown with its claims and its summary. */
export async function showSessions(kit: Kit): Promise<void> {
  const picked = await vscode.window.showQuickPick(listed(kit), {
    title: "Sessions",
    placeHolder: "Choose one to see what it holds and what it came to",
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (picked?.session === undefined) return;
  const { session } = picked;
  await kit.reports.show(`Session ${fileName(session)}.md`, page(session, Date.now()));
}

async function listed({ server }: Kit): Promise<Item[]> {
  const all = folders();
  const lists = await answers(async (folder) => {
    const workspaceUri = uriOf(folder);
    const { items } = await server.request("session/list", { all: true, limit: MOST, workspaceUri });
    return items.map((session) => ({ session, workspaceUri, folder: folder.name }));
  });
  const found = lists.flat().sort((one, other) => other.session.heartbeatAt - one.session.heartbeatAt);
  const now = Date.now();
  const items = (some: typeof found): Item[] =>
    some.map(({ session, workspaceUri, folder }) =>
      item(session, workspaceUri, now, all.length > 1 ? folder : undefined),
    );
  const active = found.filter(({ session }) => session.state === "active");
  const over = found.filter(({ session }) => session.state !== "active");
  if (found.length === 0) return [{ label: "No agent has worked here yet." }];
  const line = (label: string): Item => ({ label, kind: vscode.QuickPickItemKind.Separator });
  return [
    ...(active.length > 0 ? [line("at work"), ...items(active)] : []),
    ...(over.length > 0
      ? [line(active.length > 0 ? "over" : "over; nobody is at work now"), ...items(over)]
      : []),
  ];
}

function item(session: Session, workspaceUri: string, now: number, folder: string | undefined): Item {
  const { agent, workingOn, claims = [], summary, state } = session;
  const marks = [
    ...(state === "expired" ? ["not heard of any more"] : []),
    age(session.endedAt ?? session.heartbeatAt, now),
    ...(claims.length > 0 ? [`holds ${plural(claims.length, "item")}`] : []),
    ...(folder === undefined ? [] : [folder]),
  ];
  const said = workingOn ?? summary;
  const icon = state === "active" ? "$(vm-running)" : "$(vm-outline)";
  return {
    label: `${icon} ${plain(agent ?? session.sessionId, 60)}`,
    description: marks.join(" · "),
    ...(said ? { detail: plain(said, 160) } : {}),
    session,
    workspaceUri,
  };
}

function page(session: Session, now: number): string {
  const { agent, claims = [] } = session;
  const lines = [
    `# Session${agent ? ` of ${escaped(oneLine(agent, 80))}` : ""}`,
    "",
    `- id: ${escaped(session.sessionId)}`,
    `- state: ${session.state}`,
    `- started: ${when(session.startedAt)} (${age(session.startedAt, now)})`,
    session.endedAt
      ? `- ended: ${when(session.endedAt)} (${age(session.endedAt, now)})`
      : `- last heard of: ${when(session.heartbeatAt)} (${age(session.heartbeatAt, now)})`,
  ];
  if (session.workingOn)
    lines.push("", `## ${session.endedAt ? "Worked" : "Works"} on`, "", quoted(session.workingOn));
  if (claims.length > 0) {
    lines.push("", "## Holds", "");
    for (const claim of claims)
      lines.push(`- ${escaped(oneLine(claim.item))}, since ${when(claim.claimedAt)}`);
  }
  if (session.summary) lines.push("", "## Came to", "", quoted(session.summary));
  return `${lines.join("\n")}\n`;
}

function when(at: number): string {
  return new Date(at).toLocaleString("sv").slice(0, 16);
}

/** Stored text with its lines, as a quotation. */
function quoted(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => `> ${escaped(oneLine(line, 2_000))}`)
    .join("\n");
}

function fileName(session: Session): string {
  return oneLine(`${session.agent ?? ""} ${session.sessionId}`, 40).replace(/[^\p{L}\p{N} ._-]+/gu, " ");
}

// Reports in Markdown. Knows nothing of VS Code.
import type { ImportResult, MaintainResult, StatsResult, StatusResult } from "../protocol";
import { counted } from "./status_text";
import { escaped, oneLine, plural, short } from "./wording";

/** `3 created, 1 duplicate`. */
export function summaryOf(result: ImportResult): string {
  const parts = Object.entries(result.counts)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${outcome}`);
  return parts.length > 0 ? parts.join(", ") : "nothing in it";
}

/** What became, or would become, of each item of an import. */
export function importReport(result: ImportResult): string {
  const rows = result.items.map((item) => {
    const redacted = item.redactions?.length ?? 0;
    const told = [item.reason ?? "", redacted > 0 ? `${plural(redacted, "secret")} left out` : ""];
    return [
      item.outcome,
      item.name,
      item.scope ?? "",
      item.where,
      told.filter((one) => one !== "").join("; "),
    ];
  });
  return [
    `# ${result.dryRun ? "Import, not done yet" : "Import"}`,
    `Format: ${result.format}. ${summaryOf(result)}.`,
    table(["outcome", "memory", "scope", "from", "why"], rows),
    ...((result.more ?? 0) > 0 ? [`And ${plural(result.more ?? 0, "more item")}.`] : []),
    "",
  ].join("\n\n");
}

/** What maintenance did or would do. */
export function maintenanceReport(result: MaintainResult): string {
  const parts = [`# ${result.dryRun ? "Maintenance, not done yet" : "Maintenance"}`];
  if (result.detail) {
    parts.push(escaped(result.detail));
  }
  const rows = (list: MaintainResult["actions"]): string[][] =>
    list.map((one) => [one.step, one.name, one.scope, one.reason]);
  const head = ["step", "memory", "scope", "why"];
  parts.push(result.actions.length > 0 ? table(head, rows(result.actions)) : "Nothing to do.");
  if ((result.more ?? 0) > 0) {
    parts.push(`And ${plural(result.more ?? 0, "more change")}.`);
  }
  if (result.proposals.length > 0) {
    parts.push("## Proposed, done only when you say so");
    const proposed = result.proposals.map((one) => [
      one.kind,
      one.keepName,
      one.otherName,
      `${Math.round(one.score * 100)} %`,
    ]);
    parts.push(table(["what", "keep", "into it", "alike"], proposed));
  }
  if (result.left.length > 0) {
    parts.push("## Left alone", table(head, rows(result.left)));
  }
  if (result.switchedOff.length > 0) {
    parts.push(`Switched off by settings: ${result.switchedOff.join(", ")}.`);
  }
  return `${parts.join("\n\n")}\n`;
}

/** What the sidecar says of itself. */
export function statusReport(status: StatusResult, source: string): string {
  const parts = [
    "# Memory Sidecar",
    table(
      ["", ""],
      [
        ["version", status.version],
        ["started as", source],
        ["process", String(status.pid)],
        ["running for", plural(Math.round(status.uptimeMs / 60_000), "minute")],
        ["tokens saved", short(status.tokensSaved)],
        ...Object.entries(status.hitRates).map(([name, rate]) => [
          `hit rate, ${name}`,
          `${Math.round(rate * 100)} %`,
        ]),
        ...((status.modelTokensToday ?? 0) > 0
          ? [["model tokens today", short(status.modelTokensToday ?? 0)]]
          : []),
      ],
    ),
  ];
  for (const one of status.workspaces) {
    const scopes = Object.entries(one.memories).map(([scope, count]) => `${count} ${scope}`);
    const file = one.memoryFile;
    parts.push(
      `## ${escaped(counted(one))}`,
      table(
        ["", ""],
        [
          ["folder", one.uri],
          ["memories", scopes.join(", ")],
          ["tokens saved", short(one.tokensSaved ?? 0)],
          [
            "watching files",
            [one.watcher.state === "client" ? "by VS Code" : one.watcher.state, one.watcher.detail ?? ""]
              .filter((part) => part !== "")
              .join(": "),
          ],
          ["reading files", `${one.warmup.state}, ${one.warmup.done} of ${one.warmup.total}`],
          ...(file ? [["memory file", [file.path, file.state, file.detail ?? ""].join(" ").trim()]] : []),
        ],
      ),
    );
  }
  if (status.settingsProblems.length > 0) {
    parts.push("## Settings", ...status.settingsProblems.map((problem) => `- ${escaped(problem)}`));
  }
  return `${parts.join("\n\n")}\n`;
}

const BAR = 24;

/** What was learned, shown and found useful, with a bar for each week. */
export function statsReport(folder: string, stats: StatsResult): string {
  const made = stats.weeks.map((week) => week.recorded + week.learned + week.imported);
  const most = Math.max(1, ...made);
  const mostShown = Math.max(1, ...stats.weeks.map((week) => week.shown));
  const bar = (count: number, of: number): string => "█".repeat(Math.ceil((count / of) * BAR));
  const sources = Object.entries(stats.bySource).map(([source, count]) => `${count} ${source}`);
  const weeks = stats.weeks.map((week, at) => [
    new Date(week.start).toISOString().slice(0, 10),
    `${made[at] ?? 0} ${bar(made[at] ?? 0, most)}`,
    `${week.shown} ${bar(week.shown, mostShown)}`,
  ]);
  const memories = stats.mostShown.map((one) => [
    one.name,
    String(one.shown),
    String(one.useful),
    String(one.notUseful),
  ]);
  return [
    `# Memory of ${escaped(folder)}`,
    `${plural(stats.memories, "memory", "memories")}${sources.length > 0 ? `: ${sources.join(", ")}` : ""}; ` +
      `shown ${plural(stats.shown, "time")}, ${stats.unseen} never; useful ${stats.useful}, not ${stats.notUseful}.`,
    table(["week of", "new", "shown"], weeks),
    ...(memories.length > 0 ? ["## Shown most", table(["memory", "shown", "useful", "not"], memories)] : []),
    "",
  ].join("\n\n");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => escaped(oneLine(cell, 300))).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

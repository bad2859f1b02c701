// What the sidecar says of itself, in a document.
import type { Kit } from "./index";
import { answers, uriOf } from "../folders";
import { statsReport, statusReport } from "../reports";

/** Show it; the text is answered, too. */
export async function showStatus(kit: Kit): Promise<string> {
  const status = await kit.server.request("sidecar/status", {});
  const { found } = kit.server;
  const source = found === undefined ? "" : `${[found.command, ...found.args].join(" ")} (${found.source})`;
  const text = statusReport(status, source);
  await kit.reports.show("Memory Sidecar status.md", text);
  return text;
}

/** Show what was learned, shown and found useful, of every folder; the text is answered, too. */
export async function showStats(kit: Kit): Promise<string> {
  const found = await answers(async (folder) => {
    const workspaceUri = uriOf(folder);
    return { name: folder.name, stats: await kit.server.request("memory/stats", { workspaceUri }) };
  });
  const text = found.map(({ name, stats }) => statsReport(name, stats)).join("\n");
  await kit.reports.show("Memory Sidecar statistics.md", text);
  return text;
}

// What the sidecar says of itself, in a document.
import type { Kit } from "./index";
import { statusReport } from "../reports";

/** Show it; the text is answered, too. */
export async function showStatus(kit: Kit): Promise<string> {
  const status = await kit.server.request("sidecar/status", {});
  const { found } = kit.server;
  const source = found === undefined ? "" : `${[found.command, ...found.args].join(" ")} (${found.source})`;
  const text = statusReport(status, source);
  await kit.reports.show("Memory Sidecar status.md", text);
  return text;
}

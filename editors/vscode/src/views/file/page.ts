// All that is known of a file, as a page to read: whole facts and whole memories, where the view has a line of each. Pure.

import type { Facet, Memory, SummaryResult } from "../../protocol";
import { escaped, fenced } from "../text/markdown";
import { age, counted, titleOf } from "../text/words";
import { proseOf, savingOf } from "./parts";

/** The page of a file. Stored text stands in it as text. */
export function filePage(summary: SummaryResult, memories: readonly Memory[], now: number): string {
  const { label, saved } = savingOf(summary.tokens, summary.fileTokens);
  const parts = [`# ${escaped(summary.path)}`];
  const prose = proseOf(summary);
  if (prose !== "") parts.push(escapedLines(prose));
  parts.push(`${label}: ${saved}.${summary.partial ? " Not all of the file could be parsed." : ""}`);
  parts.push(`## ${counted(summary.facets.length, "fact")}`);
  parts.push(
    summary.facets.length > 0 ? factsOf(summary.facets) : "None yet: agents learn them as they work.",
  );
  const former = summary.formerFacets ?? [];
  if (former.length > 0) {
    parts.push("## Facts of earlier contents", "What they rest on has changed since.", factsOf(former));
  }
  parts.push(`## ${counted(memories.length, "memory", "memories")} about it`);
  if (memories.length === 0) parts.push("None yet.");
  for (const memory of memories) {
    const states = memory.status === "active" ? "" : `, **${memory.status}**`;
    const kind = `${memory.category ?? memory.type}, ${memory.scope}`;
    parts.push(
      `### ${escaped(titleOf(memory.name, memory.content), 120)}`,
      `${kind}, changed ${age(memory.updatedAt, now)}${states}`,
      fenced(memory.content),
    );
  }
  return `${parts.join("\n\n")}\n`;
}

function factsOf(facets: readonly Facet[]): string {
  return facets
    .map(({ text, symbols }) => {
      const on = symbols.length > 0 ? symbols.map((name) => escaped(name)).join(", ") : "the whole file";
      return `- ${escaped(text)}  \n  rests on ${on}`;
    })
    .join("\n");
}

function escapedLines(text: string): string {
  return text
    .split("\n")
    .map((line) => escaped(line))
    .join("\n\n");
}

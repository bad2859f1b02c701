// What is known of a file, as the nodes of the file view. Pure.

import type { Facet, SummaryResult, Symbol as OutlineSymbol } from "../../protocol";
import type { MemoryNode } from "../memories/nodes";
import type { Row } from "../memories/row";
import { escaped } from "../text/markdown";
import { counted, grouped, oneLine, plainLines } from "../text/words";

export interface Part {
  readonly kind: "part";
  readonly key: string;
  readonly label: string;
  readonly description?: string;
  readonly icon: string;
  readonly color?: string;
  /** Markdown for hovering. */
  readonly page?: string;
  /** A line of the file that a click goes to, from 1. */
  readonly line?: number;
  readonly open?: boolean;
  readonly children: readonly FileNode[];
}

export type FileNode = Part | MemoryNode;

const ORIGINS: Readonly<Record<SummaryResult["origin"], string>> = {
  structural: "made from the code's outline, by no model",
  model: "written by a model about the file's content",
  aggregated: "written by a model about the file's content and facts",
};
const SYMBOL_ICONS: Readonly<Record<string, string>> = {
  class: "symbol-class",
  constant: "symbol-constant",
  enum: "symbol-enum",
  field: "symbol-field",
  function: "symbol-function",
  heading: "symbol-string",
  interface: "symbol-interface",
  key: "symbol-key",
  method: "symbol-method",
  module: "symbol-module",
  namespace: "symbol-namespace",
  property: "symbol-property",
  struct: "symbol-struct",
  type: "symbol-interface",
  variable: "symbol-variable",
};

/** The sentences that say what the file is: of a summary from the outline the first line, without what the view says. */
export function proseOf(summary: SummaryResult): string {
  const text = plainLines(summary.summary).trim();
  if (summary.origin !== "structural") return text;
  const first = text.split("\n", 1)[0] ?? "";
  const head = `${summary.path} (`;
  if (!first.startsWith(head)) return first;
  const end = first.indexOf("): ", head.length);
  if (end >= 0) return first.slice(end + 3);
  return `${summary.language}, ${counted(summary.lines, "line")}`;
}

/** The nodes of a file. `unsaved`: the editor holds text that is not on disk. */
export function partsOf(summary: SummaryResult, memories: readonly Row[], unsaved: boolean): FileNode[] {
  const lines = linesOf(summary.outline);
  const nodes: FileNode[] = [freshness(summary, unsaved)];
  if (summary.advice) {
    nodes.push(part("advice", oneLine(summary.advice), "lightbulb", { page: escaped(summary.advice) }));
  }
  nodes.push(tokens(summary));
  nodes.push(
    section(
      "memories",
      "Memories",
      "book",
      memories.map((row) => ({ kind: "memory", key: `file|${row.id}`, row })),
    ),
  );
  nodes.push(section("facts", "Facts", "lightbulb-sparkle", summary.facets.map(facetPart("facts", lines))));
  const former = summary.formerFacets ?? [];
  if (former.length > 0) {
    nodes.push(
      section(
        "former",
        "Facts of earlier contents",
        "history",
        former.map(facetPart("former", lines)),
        false,
      ),
    );
  }
  if (summary.outline.length > 0) {
    nodes.push(section("outline", "Outline", "list-tree", summary.outline.map(symbolPart("outline")), false));
  }
  return nodes;
}

/** Lines of symbols by name, alone and behind the names of what they stand in; the first of a name counts. */
export function linesOf(outline: readonly OutlineSymbol[], prefix = ""): Map<string, number> {
  const lines = new Map<string, number>();
  const add = (name: string, line: number): void => {
    if (!lines.has(name)) lines.set(name, line);
  };
  for (const symbol of outline) {
    add(`${prefix}${symbol.name}`, symbol.startLine);
    add(symbol.name, symbol.startLine);
    for (const [name, line] of linesOf(symbol.children ?? [], `${prefix}${symbol.name}.`)) add(name, line);
  }
  return lines;
}

/** `briefing 120 of 1,740 tokens`, and what it saves. */
export function savingOf(tokens: number, fileTokens: number): { label: string; saved: string } {
  const label = `Briefing ${grouped(tokens)} of ${grouped(fileTokens)} tokens`;
  const saved = fileTokens - tokens;
  if (saved <= 0 || fileTokens === 0) return { label, saved: "saves nothing" };
  return { label, saved: `saves ${grouped(saved)} (${Math.floor((saved / fileTokens) * 100)} %)` };
}

function freshness(summary: SummaryResult, unsaved: boolean): Part {
  const origin = ORIGINS[summary.origin];
  const page = `${summary.fresh ? "Fresh" : "Out of date"}: ${origin}, for the bytes on disk.\n\nContent hash ${escaped(summary.hash)}`;
  if (!summary.fresh)
    return part("fresh", "Out of date", "warning", {
      description: origin,
      page,
      color: "list.warningForeground",
    });
  if (summary.partial) {
    const words = "Partial: not all of the file could be parsed";
    return part("fresh", words, "warning", { description: origin, page, color: "list.warningForeground" });
  }
  if (unsaved)
    return part("fresh", "As the file was saved", "circle-filled", {
      description: "unsaved changes are not in it",
      page,
    });
  return part("fresh", "Fresh", "check", { description: origin, page });
}

function tokens(summary: SummaryResult): Part {
  const { label, saved } = savingOf(summary.tokens, summary.fileTokens);
  const page =
    "Tokens are an estimate. An agent that reads the briefing in place of the file saves the rest.";
  return part("tokens", label, "dashboard", { description: saved, page });
}

function facetPart(prefix: string, lines: ReadonlyMap<string, number>): (facet: Facet, at: number) => Part {
  return (facet, at) => {
    const key = `${prefix}|${at}`;
    const known = facet.symbols.filter((name) => lines.has(name));
    const first = known[0] ?? (facet.identifiers ?? []).find((name) => lines.has(name));
    const children = known.map((name, place) => {
      const line = lines.get(name) ?? 1;
      return part(`${key}|${place}`, oneLine(name), "symbol-misc", { description: `line ${line}`, line });
    });
    const symbols = facet.symbols.map((name) => oneLine(name)).join(", ");
    return part(key, oneLine(facet.text).replaceAll("`", ""), prefix === "facts" ? "lightbulb" : "history", {
      description: symbols,
      page: `${escaped(facet.text)}\n\n${facet.symbols.length > 0 ? `Rests on ${escaped(symbols)}.` : "Rests on the whole file."}`,
      line: first === undefined ? undefined : lines.get(first),
      children: children.length > 1 ? children : [],
    });
  };
}

function symbolPart(prefix: string): (symbol: OutlineSymbol, at: number) => Part {
  return (symbol, at) => {
    const key = `${prefix}|${at}`;
    return part(key, oneLine(symbol.name), SYMBOL_ICONS[symbol.kind] ?? "symbol-misc", {
      description: oneLine(symbol.doc ?? ""),
      page: `${escaped(symbol.signature)}${symbol.doc ? `\n\n${escaped(symbol.doc)}` : ""}\n\nlines ${symbol.startLine}–${symbol.endLine}`,
      line: symbol.startLine,
      children: (symbol.children ?? []).map(symbolPart(key)),
    });
  };
}

function section(key: string, title: string, icon: string, children: readonly FileNode[], open = true): Part {
  const empty = children.length === 0;
  return part(key, title, icon, {
    description: empty ? "none yet" : grouped(children.length),
    children,
    open,
  });
}

type Rest = { [K in "description" | "color" | "page" | "line" | "open" | "children"]?: Part[K] | undefined };

function part(key: string, label: string, icon: string, rest: Rest): Part {
  const given = Object.fromEntries(
    Object.entries(rest).filter(([, value]) => value !== undefined && value !== ""),
  );
  return { kind: "part", key, label, icon, children: [], ...given };
}

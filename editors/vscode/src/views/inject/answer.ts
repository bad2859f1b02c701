// An injected block as the page shows it. Pure.

import type { InjectResult, OmittedItem } from "../../protocol";
import { oneLine } from "../text/words";
import type { Answer, LeftOut, Segment, ShownItem } from "./messages";

const LEFT_OUT_MOST = 100;
/** The sections in the order of the block; the place is the colour's. */
const SECTIONS = [
  "Directives",
  "Agent-Specific Knowledge",
  "Project Knowledge",
  "User Preferences",
  "Feedback & Patterns",
  "Reference",
  "Files in Play",
  "Open Blockers",
];
const FRAME = "Head and titles";
const WHY: Readonly<Record<OmittedItem["reason"], string>> = {
  budget: "no room in the budget",
  alreadyShown: "shown in this session before",
  belowFloor: "hardly bears on the prompt",
  repeats: "another one says the same",
  superseded: "a newer memory stands in its place",
  contradicted: "a newer memory says the contrary",
  fileUnavailable: "the file has no briefing",
};

/** What is shown of a result. `names` are those of memories by id. */
export function answerOf(result: InjectResult, budget: number, names: ReadonlyMap<string, string>): Answer {
  const items = result.items.map((item): ShownItem => {
    const target = (item.kind === "memory" ? item.id : item.path) ?? "";
    return {
      kind: item.kind,
      target,
      title: item.kind === "memory" ? nameOf(target, names) : oneLine(target),
      section: item.section,
      score: item.score,
      tokens: item.tokens,
      reasons: item.reasons.map((reason) => readable(reason, names)),
    };
  });
  const leftOut = result.omitted.slice(0, LEFT_OUT_MOST).map((item): LeftOut => {
    const kind = isId(item.id) ? "memory" : "file";
    const title = kind === "memory" ? nameOf(item.id, names) : oneLine(item.id);
    return { kind, target: item.id, title, why: WHY[item.reason] };
  });
  return {
    text: result.text,
    tokens: result.tokens,
    budget,
    segments: segmentsOf(items, result.tokens, budget),
    items,
    leftOut,
    more: result.omitted.length - leftOut.length,
  };
}

/** The memories whose names a result needs. */
export function idsIn(result: InjectResult): string[] {
  const ids = [
    ...result.items.flatMap((item) => [...(item.id ? [item.id] : []), ...item.reasons.flatMap(idsOf)]),
    ...result.omitted.slice(0, LEFT_OUT_MOST).map((item) => item.id),
  ];
  return [...new Set(ids.filter(isId))];
}

/**
 * The parts of the token bar: what each section takes, then the frame around them. Items are counted from above, so
 * their sum may be above the block's size: then each part is made smaller alike.
 */
export function segmentsOf(items: readonly ShownItem[], tokens: number, budget: number): Segment[] {
  const sums = new Map<string, number>();
  for (const item of items) sums.set(item.section, (sums.get(item.section) ?? 0) + item.tokens);
  const whole = [...sums.values()].reduce((sum, one) => sum + one, 0);
  const scale = whole > tokens ? tokens / whole : 1;
  const parts = [...sums].map(([label, sum]) => ({ label, tokens: Math.round(sum * scale) }));
  const frame = tokens - parts.reduce((sum, part) => sum + part.tokens, 0);
  if (frame > 0) parts.push({ label: FRAME, tokens: frame });
  const most = Math.max(budget, tokens, 1);
  return parts.map(({ label, tokens: size }) => {
    const place = SECTIONS.indexOf(label);
    return { label, tokens: size, share: size / most, tone: place < 0 ? SECTIONS.length : place };
  });
}

/** A reason with names in place of ids. */
export function readable(reason: string, names: ReadonlyMap<string, string>): string {
  return oneLine(reason.replace(ID, (id) => (names.has(id) ? `“${nameOf(id, names)}”` : "another memory")));
}

const ID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;

function idsOf(text: string): string[] {
  return text.match(ID) ?? [];
}

function isId(text: string): boolean {
  return idsOf(text)[0] === text;
}

function nameOf(id: string, names: ReadonlyMap<string, string>): string {
  return names.get(id) ?? "a memory that is gone";
}

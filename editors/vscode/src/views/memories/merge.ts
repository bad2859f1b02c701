// Three-way: what one wrote and what somebody else stored meanwhile, both since the same beginning. Pure.
//
// Fields that only one of the two changed are taken from that one. Of a content that both changed, lines are: the way
// of diff3, after Khanna, Kunal and Pierce, "A Formal Investigation of Diff3" (2007): between two lines that stand in
// all three texts, a part that one side alone changed is that side's.

import type { Fields } from "./document";

/** Lines of a text in which the differences are looked for: they are compared each with each. */
const MOST_LINES = 1_500;

/** Both changes in one; undefined when they contradict each other. */
export function merged(base: Fields, mine: Fields, theirs: Fields): Fields | undefined {
  const all: Record<string, unknown> = {};
  for (const key of Object.keys(base) as (keyof Fields)[]) {
    const [was, own, other] = [base[key], mine[key], theirs[key]].map((value) => JSON.stringify(value));
    if (own === was || own === other) all[key] = theirs[key];
    else if (other === was) all[key] = mine[key];
    else if (key === "content") {
      const text = mergedText(base.content, mine.content, theirs.content);
      if (text === undefined) return undefined;
      all[key] = text;
    } else if (key === "tags" || key === "files") all[key] = mergedList(base[key], mine[key], theirs[key]);
    else return undefined;
  }
  return all as unknown as Fields;
}

/** What both added is in it, what either took out is not. */
function mergedList(
  base: readonly string[],
  mine: readonly string[],
  theirs: readonly string[],
): readonly string[] {
  const gone = base.filter((one) => !mine.includes(one) || !theirs.includes(one));
  return [...new Set([...theirs, ...mine])].filter((one) => !gone.includes(one));
}

/** The lines of both changes; undefined where both changed the same ones, each in another way. */
export function mergedText(base: string, mine: string, theirs: string): string | undefined {
  const [was, own, other] = [lines(base), lines(mine), lines(theirs)];
  if (Math.max(was.length, own.length, other.length) > MOST_LINES) return undefined;
  const inOwn = matches(was, own);
  const inOther = matches(was, other);
  const out: string[] = [];
  let [at, ownAt, otherAt] = [0, 0, 0];
  for (;;) {
    // The next line of the beginning that both have kept.
    let kept = at;
    while (kept < was.length && (inOwn[kept] === undefined || inOther[kept] === undefined)) kept += 1;
    const [ownTo, otherTo] = [inOwn[kept] ?? own.length, inOther[kept] ?? other.length];
    const part = chosen(was.slice(at, kept), own.slice(ownAt, ownTo), other.slice(otherAt, otherTo));
    if (part === undefined) return undefined;
    out.push(...part);
    if (kept >= was.length) return out.join("\n");
    out.push(was[kept] ?? "");
    [at, ownAt, otherAt] = [kept + 1, ownTo + 1, otherTo + 1];
  }
}

function chosen(
  was: readonly string[],
  own: readonly string[],
  other: readonly string[],
): readonly string[] | undefined {
  if (same(own, was) || same(own, other)) return other;
  return same(other, was) ? own : undefined;
}

function same(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, at) => line === other[at]);
}

function lines(text: string): string[] {
  return text.replace(/\r\n?/g, "\n").split("\n");
}

/** For each line of `from` its place in `to`, where it is part of a longest common subsequence. */
function matches(from: readonly string[], to: readonly string[]): (number | undefined)[] {
  const width = to.length + 1;
  const lengths = new Uint16Array((from.length + 1) * width);
  for (let i = from.length - 1; i >= 0; i--) {
    for (let j = to.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        from[i] === to[j]
          ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0);
    }
  }
  const found: (number | undefined)[] = from.map(() => undefined);
  let [i, j] = [0, 0];
  while (i < from.length && j < to.length) {
    if (from[i] === to[j]) {
      found[i] = j;
      i += 1;
      j += 1;
    } else if ((lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0)) i += 1;
    else j += 1;
  }
  return found;
}

// Words about memories for people: ages, counts, and stored text made fit for one line.

const DAY = 86_400_000;

/** What could reorder, hide or break a line: control characters, bidirectional marks, invisible characters. */
const UNSEEN =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;
const UNSEEN_BUT_LINES =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;
const DERIVED = / \([0-9a-f]{6}\)$/;

/** `today`, `yesterday`, `5 days ago`, counted in days of UTC as the sidecar counts them. */
export function age(at: number, now: number): string {
  const days = Math.max(0, Math.floor(now / DAY) - Math.floor(at / DAY));
  if (days === 0) return "today";
  if (days === 1) return "yesterday";
  if (days < 14) return `${days} days ago`;
  if (days < 61) return `${Math.floor(days / 7)} weeks ago`;
  if (days < 730) return `${Math.floor(days / 30)} months ago`;
  return `${Math.floor(days / 365)} years ago`;
}

/** `now`, `4m`, `3h`, `12d`, `5w`, `7mo`, `2y`: an age that leaves room for the rest of a line. */
export function shortAge(at: number, now: number): string {
  const minutes = Math.max(0, Math.floor((now - at) / 60_000));
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes}m`;
  if (minutes < 1440) return `${Math.floor(minutes / 60)}h`;
  const days = Math.floor(minutes / 1440);
  if (days < 14) return `${days}d`;
  if (days < 61) return `${Math.floor(days / 7)}w`;
  if (days < 730) return `${Math.floor(days / 30)}mo`;
  return `${Math.floor(days / 365)}y`;
}

/** The day of a time in UTC: `2026-01-31`. */
export function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** `1 memory`, `3 memories`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** `12,345`: the same in every locale, so that tests and screenshots are. */
export function grouped(count: number): string {
  return Math.round(count)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Stored text on one line, without what could hide or reorder it. */
export function oneLine(text: string, most = Number.POSITIVE_INFINITY): string {
  const line = text.replace(UNSEEN, " ").replace(/\s+/g, " ").trim();
  return line.length <= most ? line : `${cut(line, most - 1).trimEnd()}…`;
}

/** Stored text with its lines, without what could hide or reorder it. */
export function plainLines(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(UNSEEN_BUT_LINES, " ");
}

/** What a memory is called for people: a name made from the text gives way to how the text begins. */
export function titleOf(name: string, content: string, most = 120): string {
  const base = DERIVED.test(name) ? oneLine(content) : oneLine(name);
  return oneLine(base.replace(/^(?:[#>*+-]+\s+)+/, "").replaceAll("`", ""), most) || "(no name)";
}

/** `text` shortened to `most` units of UTF-16, never inside a pair. */
function cut(text: string, most: number): string {
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? most - 1 : most);
}

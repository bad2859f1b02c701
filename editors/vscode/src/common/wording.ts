// Words for a person. Stored text is shown on one line and without marks that VS Code would draw.

/** A name in quotation marks, cut to what a message can hold. */
export function called(name: string): string {
  return `“${label(name)}”`;
}

/** What keeps names that are made from the text apart. */
const DERIVED = / \([0-9a-f]{6}\)$/;

/** A name as a list shows it: many begin with a file or symbol in backquotes, or end in what is for machines. */
export function label(name: string): string {
  return oneLine(name.replace(DERIVED, "").replaceAll("`", ""), 100);
}

/** One line of text without control characters, at most so long. */
export function oneLine(text: string, most = 200): string {
  const line = text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
  return line.length <= most ? line : `${line.slice(0, most - 1).trimEnd()}…`;
}

/** `1 memory`, `2 memories`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** 950, 1.2k, 34k, 1.2M. */
export function short(count: number): string {
  for (const [size, mark] of [
    [1_000_000, "M"],
    [1_000, "k"],
  ] as const) {
    if (count >= size) {
      const value = count / size;
      return `${value < 10 ? value.toFixed(1).replace(/\.0$/, "") : Math.floor(value)}${mark}`;
    }
  }
  return String(count);
}

/** How long ago, from two times in epoch milliseconds. */
export function age(then: number, now: number): string {
  const minutes = Math.max(0, Math.floor((now - then) / 60_000));
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${plural(minutes, "minute")} ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${plural(hours, "hour")} ago`;
  const days = Math.floor(hours / 24);
  if (days < 60) return `${plural(days, "day")} ago`;
  return days < 700
    ? `${plural(Math.floor(days / 30), "month")} ago`
    : `${plural(Math.floor(days / 365), "year")} ago`;
}

/** Text inside Markdown, meaning nothing to it. */
export function escaped(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]()#+\-.!|<>~$&]/g, "\\$&");
}

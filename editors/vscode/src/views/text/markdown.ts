// Stored text inside Markdown that this extension writes: it is shown as text and can do nothing.

import { oneLine, plainLines } from "./words";

const SPECIAL = /[\\`*_{}[\]()#+\-.!|<>&~$:@^="']/g;

/** `text` on one line, every character with a meaning in Markdown or HTML escaped. */
export function escaped(text: string, most?: number): string {
  return oneLine(text, most).replace(SPECIAL, (char) => `&#${char.charCodeAt(0)};`);
}

/** `text` as a code block that it cannot close; at most `most` characters of it. */
export function fenced(text: string, most = 4_000): string {
  const shown = plainLines(text);
  const body = shown.length > most ? `${shown.slice(0, most)}\n…` : shown;
  const longest = Math.max(2, ...[...body.matchAll(/`+/g)].map((run) => run[0].length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${body}\n${fence}`;
}

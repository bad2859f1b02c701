// A memory as a text that is edited: fields between two lines of dashes, then the content, to the letter.

import type { Memory, UpdateParams } from "../../protocol";

const FENCE = "---";
const TYPES = ["project", "feedback", "user", "reference"];
const CATEGORIES = [
  "blocker",
  "conversation",
  "decision",
  "directive",
  "event",
  "fact",
  "idea",
  "plan",
  "procedure",
  "reminder",
];
const KEYS = [
  "name",
  "description",
  "type",
  "category",
  "agent",
  "tags",
  "files",
  "pinned",
  "expires",
] as const;
type Key = (typeof KEYS)[number];

/** The fields that a text may change. */
export interface Fields {
  readonly name: string;
  readonly description: string | null;
  readonly type: Memory["type"];
  readonly category: Memory["category"];
  readonly agent: string | null;
  readonly tags: readonly string[];
  readonly files: readonly string[];
  readonly pinned: boolean;
  readonly expiresAt: number | null;
  readonly content: string;
}

export type Changes = Partial<Omit<UpdateParams, "id" | "workspaceUri" | "expectedVersion">>;

/** What is wrong with an edited text; `line` counts from 1. */
export class DocumentProblem extends Error {
  constructor(
    message: string,
    readonly line: number,
  ) {
    super(`Line ${line}: ${message}`);
  }
}

/** The fields of a memory. */
export function fieldsOf(memory: Memory): Fields {
  return {
    name: memory.name,
    description: memory.description ?? null,
    type: memory.type,
    category: memory.category ?? null,
    agent: memory.agent ?? null,
    tags: memory.tags,
    files: memory.files,
    pinned: memory.pinned,
    expiresAt: memory.expiresAt ?? null,
    content: memory.content,
  };
}

/** The text of some fields; `read` gives them back. */
export function written(fields: Fields): string {
  const lines = [
    FENCE,
    `name: ${scalar(fields.name)}`,
    `description: ${scalar(fields.description ?? "")}`,
    `type: ${fields.type}`,
    `category: ${fields.category ?? ""}`,
    `agent: ${scalar(fields.agent ?? "")}`,
    `tags: ${list(fields.tags)}`,
    `files: ${list(fields.files)}`,
    `pinned: ${fields.pinned ? "yes" : "no"}`,
    `expires: ${fields.expiresAt === null ? "" : new Date(fields.expiresAt).toISOString()}`,
    FENCE,
    "",
  ];
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n${fields.content}\n`;
}

/** The fields of an edited text. A field that was removed is empty. Throws `DocumentProblem`. */
export function read(text: string): Fields {
  const lines = text
    .replace(/^\ufeff/, "")
    .replace(/\r\n/g, "\n")
    .split("\n");
  if (lines[0]?.trimEnd() !== FENCE) throw new DocumentProblem(`the text begins with a line of ${FENCE}.`, 1);
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === FENCE);
  if (end < 0) throw new DocumentProblem(`a second line of ${FENCE} ends the fields.`, lines.length);
  const given = new Map<Key, { value: string; line: number }>();
  for (const [at, line] of lines.slice(1, end).entries()) {
    if (line.trim() === "") continue;
    const number = at + 2;
    const colon = line.indexOf(":");
    const key = line.slice(0, Math.max(0, colon)).trim();
    if (!isKey(key))
      throw new DocumentProblem(
        `“${key || line.trim()}” is no field; fields are ${KEYS.join(", ")}.`,
        number,
      );
    if (given.has(key)) throw new DocumentProblem(`“${key}” stands here twice.`, number);
    given.set(key, { value: line.slice(colon + 1).trim(), line: number });
  }
  const of = (key: Key): { value: string; line: number } => given.get(key) ?? { value: "", line: 1 };
  const body = lines.slice(end + 1);
  if (body[0] === "") body.shift();
  if (body.at(-1) === "") body.pop();
  const content = body.join("\n");
  if (content.trim() === "") throw new DocumentProblem("a memory has some content.", end + 2);
  const name = textOf(of("name"));
  if (name === "") throw new DocumentProblem("a memory has a name.", of("name").line);
  return {
    name,
    description: textOf(of("description")) || null,
    type: oneOf(of("type"), TYPES, "type") as Fields["type"],
    category:
      of("category").value === ""
        ? null
        : (oneOf(of("category"), CATEGORIES, "category") as Fields["category"]),
    agent: textOf(of("agent")) || null,
    tags: listOf(of("tags")),
    files: listOf(of("files")),
    pinned: flagOf(of("pinned")),
    expiresAt: timeOf(of("expires")),
    content,
  };
}

/** What `memory/update` must be told to bring a memory from one state to the other; empty when nothing. */
export function changed(before: Fields, after: Fields): Changes {
  const changes: Record<string, unknown> = {};
  for (const key of Object.keys(after) as (keyof Fields)[]) {
    if (comparable(before[key]) !== comparable(after[key])) changes[key] = after[key];
  }
  return changes;
}

/** An editor gives every line the same end, which changes nothing of what a memory says. */
function comparable(value: Fields[keyof Fields]): string {
  return JSON.stringify(typeof value === "string" ? value.replace(/\r\n?/g, "\n") : value);
}

interface Given {
  readonly value: string;
  readonly line: number;
}

function isKey(key: string): key is Key {
  return (KEYS as readonly string[]).includes(key);
}

/** Text that could be misread is written as JSON. */
function scalar(text: string): string {
  return /[\n\r\t]|^["[]|^\s|\s$/.test(text) ? JSON.stringify(text) : text;
}

function list(items: readonly string[]): string {
  return items.some((item) => /[,\n\r]|^["[]|^\s|\s$/.test(item)) ? JSON.stringify(items) : items.join(", ");
}

function textOf({ value, line }: Given): string {
  if (!value.startsWith('"')) return value;
  const text = json(value);
  if (typeof text === "string") return text;
  if (/^"[^"]*"./.test(value) || !value.endsWith('"')) return value; // a name that begins with a quotation
  throw new DocumentProblem("this is no text in quotation marks.", line);
}

function listOf({ value, line }: Given): string[] {
  if (!value.startsWith("["))
    return value
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "");
  const items = json(value);
  if (Array.isArray(items) && items.every((item): item is string => typeof item === "string")) return items;
  throw new DocumentProblem('a list in brackets looks like ["one", "two"].', line);
}

function flagOf({ value, line }: Given): boolean {
  const word = value.toLowerCase();
  if (["yes", "true"].includes(word)) return true;
  if (["no", "false", ""].includes(word)) return false;
  throw new DocumentProblem("“pinned” is yes or no.", line);
}

function timeOf({ value, line }: Given): number | null {
  if (value === "") return null;
  const at = /^\d{4}-\d\d-\d\d/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(at)) throw new DocumentProblem("“expires” is a date such as 2026-12-31, or empty.", line);
  return at;
}

function oneOf({ value, line }: Given, allowed: readonly string[], what: string): string {
  if (allowed.includes(value)) return value;
  throw new DocumentProblem(`the ${what} is one of ${allowed.join(", ")}.`, line);
}

function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // the caller says what was expected
  }
}

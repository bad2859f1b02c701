// What the preview's page and the extension tell each other. Whatever comes is checked before it is used.

export const BUDGET_LEAST = 100;
export const BUDGET_MOST = 1_000_000;
export const BUDGET_USUAL = 5_000;
const PROMPT_MOST = 200_000;
const FILES_MOST = 100;

export type Format = "markdown" | "xml";

/** What is asked. It is also what the page keeps across a reload. */
export interface Question {
  readonly prompt: string;
  readonly files: readonly string[];
  readonly budget: number;
  readonly format: Format;
  /** The URI of a workspace folder; empty for the first. */
  readonly folder: string;
}

export interface Folder {
  readonly uri: string;
  readonly name: string;
}

/** One memory or briefing in the block. */
export interface ShownItem {
  readonly kind: "memory" | "file";
  /** A memory's id or a file's path. */
  readonly target: string;
  readonly title: string;
  readonly section: string;
  readonly score: number;
  readonly tokens: number;
  readonly reasons: readonly string[];
}

/** One that is not in it. */
export interface LeftOut {
  readonly kind: "memory" | "file";
  readonly target: string;
  readonly title: string;
  readonly why: string;
}

/** A part of the token bar. `share` is of the whole bar, 0 to 1. */
export interface Segment {
  readonly label: string;
  readonly tokens: number;
  readonly share: number;
  /** The place of its colour, 0 to 8. */
  readonly tone: number;
}

export interface Answer {
  readonly text: string;
  readonly tokens: number;
  readonly budget: number;
  readonly segments: readonly Segment[];
  readonly items: readonly ShownItem[];
  readonly leftOut: readonly LeftOut[];
  /** How many more were left out than are listed. */
  readonly more: number;
}

export type ToPage =
  | { readonly type: "question"; readonly question: Question; readonly folders: readonly Folder[] }
  | { readonly type: "asking" }
  | { readonly type: "answer"; readonly answer: Answer }
  | { readonly type: "problem"; readonly message: string }
  | { readonly type: "copied" };

export type FromPage =
  | { readonly type: "ready" }
  | { readonly type: "ask"; readonly question: Question }
  | { readonly type: "pick"; readonly question: Question }
  | { readonly type: "openEditors"; readonly question: Question }
  | { readonly type: "open"; readonly kind: "memory" | "file"; readonly target: string }
  | { readonly type: "copy" };

/** A message of the page; undefined when it is none. */
export function fromPage(value: unknown): FromPage | undefined {
  if (!isRecord(value)) return undefined;
  switch (value["type"]) {
    case "ready":
      return { type: "ready" };
    case "copy":
      return { type: "copy" };
    case "ask":
    case "pick":
    case "openEditors": {
      const question = questionOf(value["question"]);
      return question && { type: value["type"], question };
    }
    case "open": {
      const { kind, target } = value;
      if ((kind !== "memory" && kind !== "file") || typeof target !== "string") return undefined;
      return { type: "open", kind, target };
    }
    default:
      return undefined;
  }
}

/** A question that somebody sent or kept; undefined when it is none. Bounds are kept by bringing values inside. */
export function questionOf(value: unknown): Question | undefined {
  if (!isRecord(value)) return undefined;
  const { prompt, files, budget, format, folder } = value;
  if (typeof prompt !== "string" || !Array.isArray(files) || typeof folder !== "string") return undefined;
  if (
    !files.every((path): path is string => typeof path === "string" && path !== "" && path.length <= 4_096)
  ) {
    return undefined;
  }
  return {
    prompt: prompt.slice(0, PROMPT_MOST),
    files: [...new Set(files)].slice(0, FILES_MOST),
    budget: budgetOf(budget),
    format: format === "xml" ? "xml" : "markdown",
    folder,
  };
}

/** A budget that can be asked for. */
export function budgetOf(value: unknown): number {
  const budget = typeof value === "number" && Number.isFinite(value) ? Math.round(value) : BUDGET_USUAL;
  return Math.min(BUDGET_MOST, Math.max(BUDGET_LEAST, budget));
}

/** A message of the extension; undefined when it is none. */
export function toPage(value: unknown): ToPage | undefined {
  if (!isRecord(value)) return undefined;
  switch (value["type"]) {
    case "asking":
      return { type: "asking" };
    case "copied":
      return { type: "copied" };
    case "problem":
      return typeof value["message"] === "string"
        ? { type: "problem", message: value["message"] }
        : undefined;
    case "question": {
      const question = questionOf(value["question"]);
      const folders = value["folders"];
      return question && Array.isArray(folders)
        ? { type: "question", question, folders: folders as Folder[] }
        : undefined;
    }
    case "answer": {
      const answer = value["answer"];
      if (!isRecord(answer) || typeof answer["text"] !== "string") return undefined;
      if (![answer["items"], answer["leftOut"], answer["segments"]].every(Array.isArray)) return undefined;
      return { type: "answer", answer: answer as unknown as Answer };
    }
    default:
      return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

// Where the sidecar's program is. Knows nothing of VS Code, so that it can be tested in plain Node.
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import * as path from "node:path";
import { SUPPORTED } from "./version";

/** Where a program was found: named by the setting, beside the Python interpreter, on `PATH`, or to be had by `uvx`. */
export type Source = "setting" | "interpreter" | "PATH" | "uvx";

/** A program to start. */
export interface Found {
  readonly source: Source;
  readonly command: string;
  readonly args: readonly string[];
}

/** What is looked at, in this order. */
export interface Places {
  /** The setting `memorySidecar.command`; empty when it is not set. */
  readonly setting: readonly string[];
  /** Absolute path of the selected Python interpreter. */
  readonly interpreter?: string | undefined;
  /** The value of `PATH`. */
  readonly path: string;
  /** The user's home folder, for `~` in the setting. */
  readonly home: string;
  /** The first folder of the window, for `${workspaceFolder}` in the setting. */
  readonly workspaceFolder?: string | undefined;
  /** Folders whose programs are not started, because their content is not trusted. */
  readonly distrusted: readonly string[];
  readonly uvx: Uvx;
}

/** What may be done with uvx, which runs what somebody has published, and where it is to take it from. */
export interface Uvx {
  /** Without a word; only once the person has said yes; not at all. */
  readonly may: "run" | "ask" | "no";
  /** The setting `memorySidecar.uvxFrom`; empty: the package of our name in the package index. */
  readonly from: string;
}

/** Nothing can be started; `looked` says where, a line each. */
export interface NotFound {
  readonly looked: readonly string[];
  /** What uvx would run if the person said yes. */
  readonly offer?: Offer | undefined;
}

/** Something to ask the person about. */
export interface Offer {
  /** The setting `memorySidecar.uvxFrom`. */
  readonly from: string;
}

export const NAME = "memory-sidecar";
const SERVE = ["serve", "--stdio"];

/** The first program there is. A setting that names none is an answer too: nothing else is started in its place. */
export async function find(places: Places): Promise<Found | NotFound> {
  const [named, ...first] = places.setting.map((word) => expanded(word, places));
  if (named !== undefined && named !== "") {
    const command = named.includes("/") ? named : await onPath(named, places);
    if (command === undefined || !path.isAbsolute(command) || !(await runnable(command))) {
      return { looked: [`memorySidecar.command names ${named}, which is no program that can be started`] };
    }
    return { source: "setting", command, args: [...first, ...SERVE] };
  }
  const looked: string[] = [];
  if (places.interpreter !== undefined) {
    const beside = path.join(path.dirname(places.interpreter), NAME);
    if (allowed(beside, places) && (await runnable(beside))) {
      return { source: "interpreter", command: beside, args: SERVE };
    }
    looked.push(`${beside} (beside the selected Python interpreter)`);
  }
  const program = await onPath(NAME, places);
  if (program !== undefined) {
    return { source: "PATH", command: program, args: SERVE };
  }
  looked.push(`${NAME} on PATH`);
  const { may, from } = places.uvx;
  if (may === "no") {
    looked.push("nothing for uvx to run, because memorySidecar.uvx is never");
    return { looked };
  }
  const uvx = await onPath("uvx", places);
  if (uvx === undefined) {
    looked.push("uvx on PATH");
    return { looked };
  }
  if (may === "ask") {
    looked.push(`${uvx}, which is not run before somebody allows it`);
    return { looked, offer: { from } };
  }
  const fitting = `${NAME}>=${SUPPORTED.from},<${SUPPORTED.below}`;
  const source = from === "" ? fitting : atHome(from, places);
  return { source: "uvx", command: uvx, args: ["--from", source, NAME, ...SERVE] };
}

/** Whether it is a program. */
export function isFound(found: Found | NotFound): found is Found {
  return "command" in found;
}

async function onPath(name: string, places: Places): Promise<string | undefined> {
  for (const folder of places.path.split(path.delimiter)) {
    // A relative entry would mean another program in every folder.
    if (path.isAbsolute(folder)) {
      const program = path.join(folder, name);
      if (allowed(program, places) && (await runnable(program))) {
        return program;
      }
    }
  }
  return undefined;
}

function allowed(program: string, { distrusted }: Places): boolean {
  return !distrusted.some((folder) => isInside(program, folder));
}

function isInside(file: string, folder: string): boolean {
  const way = path.relative(folder, file);
  return way === "" || (!way.startsWith("..") && !path.isAbsolute(way));
}

async function runnable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false; // not there, or not ours to run: the next place is looked at
  }
}

function expanded(word: string, places: Places): string {
  return atHome(word, places).replaceAll("${workspaceFolder}", places.workspaceFolder ?? "");
}

function atHome(word: string, { home }: Places): string {
  const at = word === "~" || word.startsWith("~/") ? home + word.slice(1) : word;
  return at.replaceAll("${userHome}", home);
}

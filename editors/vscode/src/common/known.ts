// Whether a folder has memory already, found out by looking for a few files. Knows nothing of VS Code.
import { readFile, stat } from "node:fs/promises";
import * as path from "node:path";

const SIGNS = [".agents/MEMORY.md", ".agents/memory", ".agents/memory-sidecar.toml"];

/** A memory file, settings of the sidecar, or the id that it keeps in the repository's git folder. */
export async function isKnown(folder: string): Promise<boolean> {
  for (const sign of SIGNS) {
    if (await exists(path.join(folder, sign))) {
      return true;
    }
  }
  const common = await gitCommonDir(folder);
  return common !== undefined && exists(path.join(common, "memory-sidecar", "id"));
}

/** The git folder that all worktrees of the repository around `folder` share. */
export async function gitCommonDir(folder: string): Promise<string | undefined> {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const git = path.join(at, ".git");
    const kind = await stat(git).catch(() => undefined);
    if (kind?.isDirectory() === true) {
      return git;
    }
    if (kind?.isFile() === true) {
      return linked(git);
    }
    if (at === path.dirname(at)) {
      return undefined;
    }
  }
}

/** A worktree's `.git` is a file that names its own folder, where `commondir` names the shared one. */
async function linked(file: string): Promise<string | undefined> {
  const named = /^gitdir: (.+)$/m.exec(await text(file))?.[1]?.trim();
  if (named === undefined) {
    return undefined;
  }
  const own = path.resolve(path.dirname(file), named);
  const common = (await text(path.join(own, "commondir"))).trim();
  return common === "" ? own : path.resolve(own, common);
}

async function text(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

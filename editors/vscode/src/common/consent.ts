// Whether uvx may run the sidecar. Knows nothing of VS Code, so that it can be tested in plain Node.
import { NAME, type Uvx } from "./finder";

/** The setting `memorySidecar.uvx`. */
export type UvxSetting = "ask" | "always" | "never";

/** Where the answer is kept, as VS Code's `globalState` is: on this machine. */
export interface Kept {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

const KEY = "uvx";

/** The person's answer. It holds for one source: a package of the same name from elsewhere is asked about anew. */
export class Consent {
  constructor(private readonly kept: Kept) {}

  /** The person has said yes to this source. */
  async give(from: string): Promise<void> {
    await this.kept.update(KEY, sourceOf(from));
  }

  /**
   * What the finder may do with uvx. `never` takes the consent back, so that `ask` asks again later. Anything that is
   * none of the three is taken as `ask`.
   */
  async uvx(setting: unknown, from: string): Promise<Uvx> {
    if (setting === "always") {
      return { may: "run", from };
    }
    if (setting === "never") {
      if (this.kept.get(KEY) !== undefined) {
        await this.kept.update(KEY, undefined);
      }
      return { may: "no", from };
    }
    return { may: this.kept.get(KEY) === sourceOf(from) ? "run" : "ask", from };
  }
}

function sourceOf(from: string): string {
  return from === "" ? NAME : from;
}

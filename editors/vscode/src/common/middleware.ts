// Where VS Code's ways and the sidecar's meet: settings, trust, and commands that deserve more than a message.
import * as vscode from "vscode";
import type { Middleware } from "vscode-languageclient/node";
import { tellError } from "./errors";
import { type Given, METHOD_OF, shown } from "./actions";
import { SECTION } from "./settings";
import { changesMemory } from "./trust";
import type { Values } from "./values";

/** What the middleware leans on. */
export interface Behind {
  readonly settings: () => Values;
  /** Send the settings as they are now, or restart where that would not do. */
  readonly configure: () => Promise<void>;
  readonly log: vscode.LogOutputChannel;
}

/** The middleware of every connection. */
export function middleware(behind: Behind): Middleware {
  return {
    workspace: {
      configuration: (params) =>
        // Only what was set: the defaults of package.json would outrank the person's settings.toml.
        params.items.map((item) => (item.section === SECTION ? behind.settings() : null)),
      didChangeConfiguration: () => behind.configure(),
    },
    provideCodeActions: (document, range, context, token, next) =>
      vscode.workspace.isTrusted ? next(document, range, context, token) : [],
    executeCommand: async (command, args, next) => {
      const name = command.slice(SECTION.length + 1);
      const given = typeof args[0] === "object" && args[0] !== null ? (args[0] as Given) : undefined;
      const method = METHOD_OF[name];
      if (method !== undefined && !vscode.workspace.isTrusted && changesMemory(method, given)) {
        void vscode.window.showInformationMessage(
          "This workspace is not trusted, so its memory is only read.",
        );
        return undefined;
      }
      const ask = (changed: Given | undefined): Promise<unknown> =>
        Promise.resolve(next(command, changed === undefined ? args : [changed]));
      try {
        return await shown(name, given, ask);
      } catch (error) {
        behind.log.error(`${command}: ${String(error)}`);
        tellError(error);
        return undefined;
      }
    },
  };
}

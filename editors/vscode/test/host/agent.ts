// An agent beside the window: a sidecar of its own, on the same store.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageclient/node";
import { folder, PROGRAM } from "./window";

/** A compaction proposes a memory in a session of its own; what became of it is another process's to say. */
export async function propose(where: string, sessionId: string, name: string, text: string): Promise<void> {
  const { uri } = folder(where);
  const child = spawn(PROGRAM, ["serve", "--stdio"], { cwd: uri.fsPath, stdio: ["pipe", "pipe", "ignore"] });
  const ended = once(child, "exit");
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  connection.listen();
  const workspaceFolders = [{ uri: uri.toString(), name: where }];
  await connection.sendRequest("initialize", { processId: null, capabilities: {}, workspaceFolders });
  await connection.sendNotification("initialized", {});
  const summary = `## Memory Candidates\n- **${name}** (feedback, project): ${text}\n`;
  await connection.sendNotification("event/compaction", { sessionId, summary });
  await connection.sendRequest("session/end", { sessionId });
  await connection.sendRequest("shutdown");
  await connection.sendNotification("exit");
  await ended;
  connection.dispose();
}

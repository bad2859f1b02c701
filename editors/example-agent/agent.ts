// An agent with memory: `node dist/agent.js "how do I run the tests?"`. The model is any OpenAI-compatible endpoint
// (`MODEL_URL`, `MODEL_NAME`, `MODEL_KEY`); without one, it shows what the model would be asked.
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { Client } from "memory-sidecar-client";

interface Said {
  role: "system" | "user";
  content: string;
}

async function askModel(messages: Said[]): Promise<string> {
  const url = process.env["MODEL_URL"];
  if (url === undefined) return messages.map(({ role, content }) => `[${role}]\n${content}`).join("\n\n");
  const answer = await fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${process.env["MODEL_KEY"] ?? ""}` },
    body: JSON.stringify({ model: process.env["MODEL_NAME"], messages }),
  });
  const told = (await answer.json()) as { choices: { message: { content: string } }[] };
  return told.choices[0]?.message.content ?? "";
}

/** Run a shell command and tell the sidecar of it: it learns from what fails and then passes. */
function runCommand(client: Client, sessionId: string, command: string): string {
  const callId = randomUUID();
  client.notify("event/toolCall", { sessionId, tool: "bash", input: { command }, callId });
  const done = spawnSync(command, { shell: true, encoding: "utf8" });
  const output = done.stdout + done.stderr;
  client.notify("event/toolResult", { sessionId, tool: "bash", output, exitCode: done.status, callId });
  return output;
}

async function main(prompt: string): Promise<void> {
  const sessionId = randomUUID();
  const client = new Client((process.env["MEMORY_SIDECAR"] ?? "memory-sidecar serve").split(" "));
  try {
    await client.initialize([process.cwd()], "example-agent");
    await client.request("session/start", { sessionId, agent: "example-agent", workingOn: prompt.slice(0, 100) });
    const block = await client.request("memory/inject", { prompt, sessionId, budgetTokens: 1000 });
    client.notify("event/userMessage", { sessionId, text: prompt });
    const system = `You are a coding agent. Answer with one shell command behind \`RUN:\`, or in words.\n${block.text}`;
    const answer = await askModel([
      { role: "system", content: system },
      { role: "user", content: prompt },
    ]);
    console.log(answer);
    if (answer.startsWith("RUN:")) console.log(runCommand(client, sessionId, answer.slice(4).trim()));
    await client.request("session/end", { sessionId, summary: `Asked: ${prompt.slice(0, 200)}` });
  } finally {
    await client.close();
  }
}

await main(process.argv.slice(2).join(" ") || "What do you know about this project?");

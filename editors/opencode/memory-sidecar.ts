// The memory sidecar in opencode: what happens becomes events, what is remembered goes into the system prompt, and
// `read_summary` answers with the briefing of a file. Put this file into ~/.config/opencode/plugins/ or
// .opencode/plugins/. It talks to one `memory-sidecar serve` over stdio and never fails a session: without the
// program everything goes on as if the plugin were not there.
import { spawn, type ChildProcess } from "node:child_process"
import { pathToFileURL } from "node:url"

const COMMAND = (process.env.MEMORY_SIDECAR_COMMAND ?? "memory-sidecar").split(" ")
const ANSWER_MS = 8_000
const END_MS = 4_000
const CANDIDATES =
  "End the summary with a section `## Memory Candidates`: what will still be true in later sessions, one item a " +
  "line as `- **Name** (type, scope): text`; type is user, feedback, project or reference, scope is personal, " +
  "project or global. Leave the section out when there is nothing."

type Json = Record<string, unknown>
type Waiting = { done: (result: Json | undefined) => void; timer: ReturnType<typeof setTimeout> }

/** JSON-RPC over the stdio of one server. Requests that fail or take too long are answered with undefined. */
class Sidecar {
  private child: ChildProcess | undefined
  private buffer: Buffer = Buffer.alloc(0)
  private waiting = new Map<number, Waiting>()
  private next = 1
  private ready: Promise<unknown>

  constructor(folder: string) {
    const child = spawn(COMMAND[0]!, [...COMMAND.slice(1), "serve", "--stdio"], {
      cwd: folder,
      stdio: ["pipe", "pipe", "ignore"],
    })
    this.child = child
    child.on("error", () => this.gone())
    child.on("exit", () => this.gone())
    child.stdin?.on("error", () => this.gone())
    child.stdout?.on("data", (data: Buffer) => this.read(data))
    const uri = pathToFileURL(folder).href
    this.ready = this.send("initialize", {
      processId: process.pid,
      rootUri: uri,
      capabilities: {},
      workspaceFolders: [{ uri, name: folder.split("/").pop() ?? folder }],
      clientInfo: { name: "opencode" },
    }).then((result) => {
      if (result) this.write({ method: "initialized", params: {} })
    })
  }

  async request(method: string, params: Json): Promise<Json | undefined> {
    await this.ready
    return this.send(method, params)
  }

  async notify(method: string, params: Json): Promise<void> {
    await this.ready
    this.write({ method, params })
  }

  async close(): Promise<void> {
    const child = this.child
    if (!child) return
    await this.send("shutdown", undefined)
    this.write({ method: "exit" })
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, END_MS)
      child.once("exit", () => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  private send(method: string, params: Json | undefined): Promise<Json | undefined> {
    if (!this.child) return Promise.resolve(undefined)
    const id = this.next++
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.settle(id, undefined), ANSWER_MS)
      this.waiting.set(id, { done: resolve, timer })
      this.write({ id, method, params })
    })
  }

  private write(message: Json): void {
    if (!this.child?.stdin?.writable) return
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }))
    this.child.stdin.write(`Content-Length: ${body.length}\r\n\r\n`)
    this.child.stdin.write(body)
  }

  private read(data: Buffer): void {
    this.buffer = Buffer.concat([this.buffer, data])
    for (;;) {
      const end = this.buffer.indexOf("\r\n\r\n")
      if (end < 0) return
      const length = Number(/content-length: *(\d+)/i.exec(this.buffer.subarray(0, end).toString())?.[1] ?? 0)
      if (this.buffer.length < end + 4 + length) return
      const body = this.buffer.subarray(end + 4, end + 4 + length).toString()
      this.buffer = this.buffer.subarray(end + 4 + length)
      const message = JSON.parse(body) as Json
      if (typeof message.id !== "number") continue
      if (message.method) this.write({ id: message.id, result: null }) // what a server may ask of a client
      else this.settle(message.id, message.result as Json | undefined)
    }
  }

  private settle(id: number, result: Json | undefined): void {
    const waiting = this.waiting.get(id)
    if (!waiting) return
    clearTimeout(waiting.timer)
    this.waiting.delete(id)
    waiting.done(result)
  }

  private gone(): void {
    this.child = undefined
    for (const id of [...this.waiting.keys()]) this.settle(id, undefined)
  }
}

const textOf = (parts: Json[]): string =>
  parts
    .filter((part) => part.type === "text" && !part.synthetic)
    .map((part) => String(part.text ?? ""))
    .join("\n")

export const MemorySidecar = async (context: { directory: string; worktree: string; client: any }) => {
  const folder = context.worktree && context.worktree !== "/" ? context.worktree : context.directory
  const sidecar = new Sidecar(folder)
  const sessions = new Set<string>()

  const tell = (sessionId: string, method: string, params: Json) => {
    sessions.add(sessionId)
    return sidecar.notify(method, { sessionId, agent: "opencode", ...params })
  }

  return {
    "chat.message": async (input: { sessionID: string }, output: { parts: Json[] }) => {
      const text = textOf(output.parts)
      if (text) await tell(input.sessionID, "event/userMessage", { text })
    },

    "tool.execute.before": async (
      input: { tool: string; sessionID: string; callID: string },
      output: { args: unknown },
    ) => tell(input.sessionID, "event/toolCall", { tool: input.tool, callId: input.callID, input: output.args }),

    "tool.execute.after": async (
      input: { tool: string; sessionID: string; callID: string; args?: unknown },
      output: { output?: string; metadata?: unknown },
    ) =>
      tell(input.sessionID, "event/toolResult", {
        tool: input.tool,
        callId: input.callID,
        input: input.args,
        output: output.output ?? "",
        metadata: output.metadata,
      }),

    "experimental.text.complete": async (input: { sessionID: string }, output: { text: string }) => {
      if (output.text.trim()) await tell(input.sessionID, "event/reasoning", { text: output.text })
    },

    // The same block for the whole session: a system prompt that changes would empty the model's prompt cache.
    "experimental.chat.system.transform": async (input: { sessionID?: string }, output: { system: string[] }) => {
      if (!input.sessionID) return
      const block = await sidecar.request("memory/inject", { sessionId: input.sessionID, frozen: true })
      if (typeof block?.text === "string" && block.text) output.system.push(block.text)
    },

    "experimental.session.compacting": async (_input: unknown, output: { context: string[] }) => {
      output.context.push(CANDIDATES)
    },

    event: async ({ event }: { event: { type: string; properties?: any } }) => {
      const id: string | undefined = event.properties?.sessionID ?? event.properties?.info?.id
      if (event.type === "session.compacted" && id) {
        const found = await context.client.session.messages({ path: { id } })
        const summary = (found?.data ?? []).filter((each: any) => each.info?.summary).pop()
        const text = summary ? textOf(summary.parts) : ""
        if (text) await tell(id, "event/compaction", { summary: text })
      } else if (event.type === "session.deleted" && id && sessions.delete(id)) {
        await sidecar.request("session/end", { sessionId: id })
      }
    },

    dispose: async () => {
      for (const sessionId of sessions) await sidecar.request("session/end", { sessionId })
      await sidecar.close()
    },

    ...(await tools(sidecar)),
  }
}

/** `read_summary`, where opencode's own plugin package can be had, which describes arguments. */
async function tools(sidecar: Sidecar): Promise<Json> {
  let plugin: any
  try {
    plugin = await import("@opencode-ai/plugin")
  } catch {
    return {}
  }
  const { tool } = plugin
  return {
    tool: {
      read_summary: tool({
        description:
          "What a file is, its public API with signatures and line ranges, and facts learned about it, for its " +
          "content on disk now. Much shorter than the file: try it before reading one.",
        args: { path: tool.schema.string().describe("Absolute, or relative to the repository.") },
        async execute(args: { path: string }) {
          const found = await sidecar.request("file/summary", { path: args.path })
          if (!found) return "There is no summary of this file. Read the file."
          const facets = (found.facets as Json[]).map((facet) => `- ${facet.text}`)
          const head = `${found.path}: ${found.lines} lines, about ${found.fileTokens} tokens.`
          return [head, found.advice, "", found.summary, ...(facets.length ? ["", "Learned about it:", ...facets] : [])]
            .filter((line) => line !== undefined && line !== null)
            .join("\n")
        },
      }),
    },
  }
}

export default MemorySidecar

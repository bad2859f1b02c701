// Generated from protocol/ by `python -m protocol.generate`. Do not edit.

/** Archive one memory. `reason` is kept with the version; `memory/history` shows it. */
export interface ArchiveParams {
  /** Its id. */
  id: string;
  /** Why, in your words; kept with the version. */
  reason?: string | null;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** Ask what to know at the start of a session. `include` names the wanted parts; by default, all. `sessionId` is the session that asks; the result leaves it out. `exclude` are memories that the agent already sees, which `text` does not repeat. */
export interface BootParams {
  /** Most tokens of the text; the setting's number when it is missing. */
  budgetTokens?: number | null;
  /** Most lines of the text; the setting's number, if it has one, when it is missing. */
  maxLines?: number | null;
  /** Name of the agent it is for or from; without one, every agent. */
  agent?: string | null;
  /** The session that asks, which is left out of those shown. */
  sessionId?: string | null;
  /** The parts wanted; all of them when missing. */
  include?: ("blockers" | "candidates" | "decisions" | "directives" | "hotEntities" | "identity" | "plans" | "procedures" | "recentSessions" | "reminders" | "reviews" | "sessions")[] | null;
  /** Ids of memories that the agent has in front of it already. */
  exclude?: string[];
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** The parts, and `text`: as many lines of the parts as the budget (2,000 tokens) holds, as notes inside a fence. The same state and parameters give the same bytes and the same `etag`. `omitted` counts the lines that had no room. `candidates` are at most three about which to ask the user, the same during the whole session (setting `memory.ask`). `waiting` counts all waiting candidates. */
export interface BootResult {
  /** The parts as notes inside a fence. */
  text: string;
  /** Size of the text in tokens, estimated. */
  tokens: number;
  /** Changes if and only if the text does. */
  etag: string;
  /** Lines that had no room. */
  omitted: number;
  /** Who git says commits here. */
  identity?: Person | null;
  /** Standing instructions. */
  directives?: Memory[];
  /** Blockers that are not resolved, at most 10. */
  blockers?: Memory[];
  /** Reminders that are due, at most 10. */
  reminders?: Reminder[];
  /** At most three that the user should be asked about. */
  candidates?: Candidate[];
  /** How many wait. */
  waiting?: number;
  /** Other sessions that are active. */
  sessions?: Session[];
  /** Active plans. */
  plans?: Memory[];
  /** The last 3 sessions. */
  recentSessions?: Session[];
  /** The latest decisions, at most 5. */
  decisions?: Memory[];
  /** Key procedures, at most 3. */
  procedures?: Memory[];
  /** Procedures that nobody looked at for 90 days. */
  reviews?: Memory[];
  /** What recent memories name most, at most 5. */
  hotEntities?: HotEntity[];
}

/** One fact, the files that state it, and what became of it. */
export interface BootstrapFact {
  /** What became of it. */
  outcome: "created" | "duplicate" | "forgotten" | "merged" | "refused" | "skipped";
  /** Its name: a short title, unique for scope, type and agent. */
  name: string;
  /** The text itself, 16,000 characters at most. */
  content: string;
  /** The files that say it. */
  files: string[];
  /** Id of the memory that says it; missing if there is none yet. */
  id?: string | null;
  /** Why, in a word or a sentence. */
  reason?: string | null;
}

/** Record first facts of the project, from its README, package manifests and CI files; repeating it adds nothing. A fact whose files have changed is updated, unless somebody has changed its memory here. `names` selects facts by the names that a dry run gives. */
export interface BootstrapParams {
  /** True if nothing is written and the answer says what would be. */
  dryRun?: boolean;
  /** Names of the facts to record; without them, all. */
  names?: string[] | null;
  /** Asks for `$/progress` under this token, as in LSP. */
  workDoneToken?: string | number | null;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** The facts found, in the order of their use. */
export interface BootstrapResult {
  /** True if nothing is written and the answer says what would be. */
  dryRun: boolean;
  /** The facts found. */
  facts: BootstrapFact[];
}

/** Something that may become a memory, shown only to reviewers. `rule` names the rule that found the candidate; `sessions` counts the sessions in which it was said. It is dropped at `expiresAt` unless somebody confirms it or says it again. `memoryId` is the memory that it became; while it waits, the memory that it would change. */
export interface Candidate {
  /** Its id. */
  id: string;
  /** How it stands. */
  status: "confirmed" | "rejected" | "waiting";
  /** Name of the rule that found it. */
  rule: string;
  /** The text itself, 16,000 characters at most. */
  content: string;
  /** `user` (who the user is), `feedback` (ways of working), `project` (facts of the code), `reference` (where to look). */
  type: "feedback" | "project" | "reference" | "user";
  /** Who sees it: `personal` (you, here), `project` (everyone here), `global` (you, everywhere). */
  scope: "global" | "personal" | "project";
  /** Paths of files it is about. */
  files: string[];
  /** The words or commands that it rests on. */
  evidence: Evidence[];
  /** In how many sessions it was said. */
  sessions: number;
  /** When it was first said. */
  createdAt: number;
  /** When it was last said. */
  updatedAt: number;
  /** The name it would have; missing if that comes from the text. */
  name?: string | null;
  /** A finer kind than the type. */
  category?: "blocker" | "conversation" | "decision" | "directive" | "event" | "fact" | "idea" | "plan" | "procedure" | "reminder" | null;
  /** The agent it is for; without one, every agent. */
  agent?: string | null;
  /** When it is dropped unless it is confirmed or said again. */
  expiresAt?: number | null;
  /** Id of the memory it became or, while it waits, would change. */
  memoryId?: string | null;
}

/** List candidates, those with the most support first. By default, only the waiting ones; with `status`, those of that status. With `memoryId`, those from which one memory came, whatever their status. With `sessionId`, those that were said in one session. */
export interface CandidatesParams {
  /** Only with these statuses; without any, those that wait. */
  status?: ("confirmed" | "rejected" | "waiting")[];
  /** Only those that this memory came from, whatever their status. */
  memoryId?: string | null;
  /** Only those said in this session. */
  sessionId?: string | null;
  /** Most results of one answer. */
  limit?: number;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** At most `limit` candidates. `waiting` counts all that wait. */
export interface CandidatesResult {
  /** Candidates, the best supported first. */
  items: Candidate[];
  /** How many wait in all. */
  waiting: number;
}

/** An item that a session has claimed. */
export interface Claim {
  /** What is claimed. */
  item: string;
  /** Since when the item has been claimed. */
  claimedAt: number;
}

/** Claim an item for a session, or release it. Both count as a heartbeat. White space is normalised, and a path inside the workspace is kept relative to it. */
export interface ClaimParams {
  /** Id of the agent's session, as the agent calls it. */
  sessionId: string;
  /** What is claimed. */
  item: string;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** Whether the item could be claimed. If it is `claimed`, the session has it now. Otherwise `owner` has had it for `age` milliseconds; `agent` and `workingOn` are what the owner reported, and `elsewhere` is the owner's machine, if it is another one. */
export interface ClaimResult {
  /** What is claimed. */
  item: string;
  /** True if the session has the item now. */
  claimed: boolean;
  /** Id of the session that has the item, if it is another one. */
  owner?: string | null;
  /** For how many milliseconds. */
  age?: number | null;
  /** Since when the item has been claimed. */
  claimedAt?: number | null;
  /** The agent of the session that has it. */
  agent?: string | null;
  /** What that session works on. */
  workingOn?: string | null;
  /** The machine of the session that has it, if it is another one. */
  elsewhere?: string | null;
}

/** Report that an entity was closed or merged, or is done in another way. */
export interface CloseParams {
  /** What is asked about, as it is normalised. */
  entity: string;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** The blockers about this entity. `resolved` named only this one; `left` name others, too. */
export interface CloseResult {
  /** What is asked about, as it is normalised. */
  entity: string;
  /** The blockers that named it alone, now resolved. */
  resolved: Memory[];
  /** Blockers that also name other issues and so stay open. */
  left: StillBlocked[];
}

/** The index behind `file/search` and the repository map. Each request for one of these updates it. `waiting` counts changed files that are not read yet. `history` is `off` by a setting, `waiting` to be read, or `unavailable` without a repository or git. `failed` counts files that met a defect of memory-sidecar: their definitions are unknown, and the log names them. */
export interface CodeStatus {
  /** Files that are known. */
  files: number;
  /** Files that have changed and are to be read. */
  waiting: number;
  /** Past commits that were read. */
  commits: number;
  /** State of what is known of past commits. */
  history: "off" | "ready" | "unavailable" | "waiting";
  /** Files that met a defect of ours. */
  failed?: number;
}

/** The agent summed up its context. A section "Memory Candidates" of the summary is recorded. */
export interface CompactionParams {
  /** Id of the agent's session, as the agent calls it. */
  sessionId: string;
  /** What the agent keeps of its context. */
  summary: string;
  /** Name of the agent it is for or from; without one, every agent. */
  agent?: string | null;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** Turn a candidate into a memory, unchanged or with other words, type, scope or category. Works on a rejected candidate, too. */
export interface ConfirmParams {
  /** Its id. */
  id: string;
  /** Another text for it. */
  content?: string | null;
  /** A name for it; without one, it comes from the text. */
  name?: string | null;
  /** Another type for it. */
  type?: "feedback" | "project" | "reference" | "user" | null;
  /** Another scope for it. */
  scope?: "global" | "personal" | "project" | null;
  /** A finer kind than the type. */
  category?: "blocker" | "conversation" | "decision" | "directive" | "event" | "fact" | "idea" | "plan" | "procedure" | "reminder" | null;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** Delete a memory. Its history stays for `memory/undo` and `memory/restore`, unless `purge` is true. `purge` also removes memories that were archived because they said the same as this one. */
export interface DeleteParams {
  /** Its id. */
  id: string;
  /** True to forget it with its history, for good. */
  purge?: boolean;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** The id of the deleted memory; `undoable` says whether `memory/undo` can bring it back. */
export interface DeleteResult {
  /** Its id. */
  id: string;
  /** True if `memory/undo` can bring it back. */
  undoable: boolean;
}

/** `memory/didChange`: memories of a workspace that changed. Changes that this process made are always sent. Those of other processes are sent within a second to a client that declares `capabilities.experimental.memorySidecar.didChange = true` in `initialize`, or that can be told to refresh code lenses or diagnostics. If `changes` is empty and there is no `candidates`, anything may have changed, so reload. `candidates` is the number of candidates that wait now. */
export interface DidChangeMemories {
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri: string;
  /** What changed, each memory once; empty means that anything may have. */
  changes: MemoryChange[];
  /** How many candidates wait now; missing if that did not change. */
  candidates?: number | null;
}

/** `file/didInvalidate`: files of a workspace whose memory was invalidated. */
export interface DidInvalidateFiles {
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri: string;
  /** The files. */
  files: InvalidatedFile[];
}

/** The model that finds memories by meaning. Until it is `ready`, words decide alone; `reason` says why. `model` is the setting, `name` the exact model. `operation` is the making of missing vectors, `bytes` the size of the stored vectors on disk. */
export interface EmbeddingStatus {
  /** The setting. */
  model: "endpoint" | "minilm" | "multilingual" | "off" | "static";
  /** How it stands; words decide alone until it is `ready`. */
  state: "failed" | "loading" | "off" | "ready";
  /** State of making the vectors that are missing. */
  operation: "cancelled" | "done" | "failed" | "idle" | "running";
  /** What the kept vectors take on disk. */
  bytes: number;
  /** The exact model. */
  name?: string | null;
  /** Why it is not ready. */
  reason?: string | null;
  /** What to do about it. */
  hint?: string | null;
}

/** End a session. Its summary is stored as a conversation memory. */
export interface EndParams {
  /** Id of the agent's session, as the agent calls it. */
  sessionId: string;
  /** What the session did; kept as a conversation memory. */
  summary?: string | null;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** A memory that names the entity, and up to 10 of its links. */
export interface EntityMemory {
  /** The memory as it stands now. */
  memory: Memory;
  /** Up to 10 of its links. */
  links: LinkedMemory[];
}

/** Find the memories that name exactly this entity. `#12` is not `#123`, but means `group/project#12` here. */
export interface EntityParams {
  /** What is asked about, as it is normalised. */
  entity: string;
  /** Name of the agent it is for or from; without one, every agent. */
  agent?: string | null;
  /** Most results of one answer. */
  limit?: number;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** Memories, open and resolved, the latest update first. `total` also counts those beyond the limit. */
export interface EntityResult {
  /** What is asked about, as it is normalised. */
  entity: string;
  /** What it was taken for. */
  kind: "file" | "mark" | "symbol" | "url" | "user";
  /** The memories, newest update first. */
  items: EntityMemory[];
  /** How many there are, those beyond the limit too. */
  total: number;
  /** What GitLab or GitHub says of it. */
  tracked?: TrackedEntity | null;
}

/** What helps a program or a person with an error. `path` is the JSON path of the offending field, `reason` a word to switch on, and `hint` says what to do. */
export interface ErrorData {
  /** JSON path of the field at fault inside `params`, such as `$.files[0]`. */
  path?: string | null;
  /** A word to switch on. */
  reason?: string | null;
  /** What to do about it. */
  hint?: string | null;
}

/** What supports a candidate. `before` is the end of what the agent had said. Words from `repository` are in the repository's own memory file. */
export interface Evidence {
  /** When it was said. */
  at: number;
  /** Who gave the words. */
  speaker: "agent" | "model" | "repository" | "tool" | "user";
  /** The words themselves. */
  words: string;
  /** The end of what the agent had said before. */
  before?: string | null;
  /** Id of the agent's session, as the agent calls it. */
  sessionId?: string | null;
}

/** Ask why a memory is shown for a prompt or is not. The request does not count as showing the memory. */
export interface ExplainParams {
  /** Its id. */
  id: string;
  /** What the agent was asked. */
  prompt: string;
  /** Name of the agent it is for or from; without one, every agent. */
  agent?: string | null;
  /** Id of the agent's session, as the agent calls it. */
  sessionId?: string | null;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** The probability that a memory bears on a prompt, the least probability that is shown, and the evidence. `best` is the probability of the likeliest memory; unless it reaches `opens`, no memory is shown. `change` says, in a sentence each, what would alter the outcome. */
export interface ExplainResult {
  /** That the memory bears on the prompt, from 0 to 1. */
  probability: number;
  /** The probability in words. */
  label: string;
  /** The least probability that is shown. */
  threshold: number;
  /** Probability of the likeliest memory. */
  best: number;
  /** The probability that the likeliest memory must reach for anything to be shown. */
  opens: number;
  /** What each kind of evidence adds. */
  gains: Gain[];
  /** Words that prompt and memory share. */
  words: string[];
  /** Likeness in meaning; null while no model can tell. */
  cosine: number | null;
  /** Its place among the matches; null if it is none. */
  rank: number | null;
  /** A sentence each on what would alter the outcome. */
  change: string[];
}

/** Export the memories of these scopes (default: all) as lines of JSON that `memory/import` restores exactly. `history` adds every earlier version; `deleted` adds the deleted memories that can still be restored. Without `deleted`, only digests say that something was deleted. The project's memories come with the reminders and with what was learned about files. The memories of each scope come with its candidates, whatever their status. With `types`, `categories`, `tags` (any of them) or `since`, only the memories that fit are exported, and nothing else. The answer is a page. Ask again with its `cursor` until there is none. */
export interface ExportParams {
  /** Only memories of these scopes. */
  scopes?: ("global" | "personal" | "project")[] | null;
  /** False to leave earlier versions out. */
  history?: boolean;
  /** True for what was deleted and can be restored, too. */
  deleted?: boolean;
  /** Only memories of these types. */
  types?: ("feedback" | "project" | "reference" | "user")[] | null;
  /** Only memories of these categories. */
  categories?: ("blocker" | "conversation" | "decision" | "directive" | "event" | "fact" | "idea" | "plan" | "procedure" | "reminder")[] | null;
  /** Only memories with any of these tags. */
  tags?: string[] | null;
  /** Only what changed at this time or later, in epoch milliseconds UTC. */
  since?: number | null;
  /** Where the next page begins: send it back as it came. Missing at the end. */
  cursor?: string | null;
  /** Asks for `$/progress` under this token, as in LSP. */
  workDoneToken?: string | number | null;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** Lines of an export, in order. Each is a JSON object without its line break. `memories` counts those of the page. */
export interface ExportResult {
  /** JSON objects, one a line, without their line breaks. */
  lines: string[];
  /** How many memories the page holds. */
  memories: number;
  /** Where the next page begins: send it back as it came. Missing at the end. */
  cursor?: string | null;
}

/** One durable fact about a file, learned while an agent worked. Its `identifiers` occur in the file. The fact rests on the content of its `symbols`; without any, on the whole file. */
export interface Facet {
  /** The fact, as one sentence. */
  text: string;
  /** Symbols whose own content it rests on; without any, the whole file. */
  symbols: string[];
  /** Names that occur in the file. */
  identifiers?: string[];
}

/** Ask for the files that a text is about: an issue, a task, an error message. With `kinds`, files of other kinds are left out. */
export interface FileSearchParams {
  /** An issue, a task, an error message. */
  query: string;
  /** Most results of one answer. */
  limit?: number;
  /** Only of these kinds. */
  kinds?: ("docs" | "other" | "source" | "test")[] | null;
  /** Asks for `$/progress` under this token, as in LSP. */
  workDoneToken?: string | number | null;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** The files, likeliest first. The answer lacks the `pending` files, which are not read yet. While `history` is `waiting`, past commits are still being read and the answer lacks some of them. */
export interface FileSearchResult {
  /** Files, the likeliest first. */
  items: FoundFile[];
  /** Files that are still to be read; the answer is without them. */
  pending?: number;
  /** `waiting` while past commits are still to be read. */
  history?: "off" | "ready" | "unavailable" | "waiting";
}

/** One file. `score` can be compared within one answer only. `coverage` is the share of the query's words that the file contains (0 to 1). */
export interface FoundFile {
  /** Path relative to the workspace. */
  path: string;
  /** How well it fits; compares within one answer. */
  score: number;
  /** Share of the query that the file says. */
  coverage: number;
  /** What speaks for it, in words. */
  reasons: string[];
}

/** What one kind of evidence adds to the odds: the natural logarithm, compared with a memory of no interest. */
export interface Gain {
  /** The kind of evidence. */
  evidence: "meaning" | "prompt" | "verdict" | "words";
  /** Natural logarithm of what it multiplies the odds by. */
  gain: number;
}

/** One file. `text` is its line in the hand-off, at most 150 characters. */
export interface HandoffItem {
  /** Path relative to the workspace. */
  path: string;
  /** Hash of the content (xxh3-128, hex). */
  hash: string;
  /** Its line in the hand-off, at most 150 characters. */
  text: string;
}

/** Ask what a sub-agent should know about the files on which a session works. `files` are paths that count as older than the session's own, the latest last. */
export interface HandoffParams {
  /** Id of the agent's session, as the agent calls it. */
  sessionId: string;
  /** Paths that come before those the session told of itself, the last one last. */
  files?: string[];
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** The last files of the session, at most 10, the latest first. `text` is empty without files. */
export interface HandoffResult {
  /** The text. */
  text: string;
  /** Size of the text in tokens, estimated. */
  tokens: number;
  /** The files, the latest first. */
  items: HandoffItem[];
}

/** Report that a session is still running. Without a heartbeat for 30 minutes, it expires. */
export interface HeartbeatParams {
  /** Id of the agent's session, as the agent calls it. */
  sessionId: string;
  /** What the session works on. */
  workingOn?: string | null;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** Versions, newest first. */
export interface HistoryResult {
  /** Versions, the newest first. */
  versions: Version[];
}

/** A memory found, its score and why it was found. With a query, `score` is the probability that the memory bears on the query. One of `reasons` says so in words: `likely` (from 0.5), `perhaps`, or `only close in words or meaning`; if the best hit is only close, a prompt gets no memory. Hits are in the order of the match, in which scores need not fall. Without a query, the score is the standing weight. */
export interface Hit {
  /** The memory as it stands now. */
  memory: Memory;
  /** With a query, the probability that it bears on it; without, its standing weight. */
  score: number;
  /** Why it was found, in words. */
  reasons: string[];
}

/** A hook that ran, or whose recent result was used again. After a time-out, `exitCode` is missing. */
export interface HookOutcome {
  /** The command line of the hook. */
  command: string;
  /** Whose configuration names it. */
  origin: "user" | "workspace";
  /** True if a hook blocked the use of the tool. */
  blocked: boolean;
  /** Exit code of the process; missing or null if unknown, never 0 for that. */
  exitCode?: number | null;
  /** What it printed or answered. */
  output?: string;
  /** What the hook wrote to standard error. */
  error?: string;
  /** True if the hook was ended because it took too long. */
  timedOut?: boolean;
  /** True if the answer to the same question a moment ago was taken. */
  cached?: boolean;
}

/** A hook script with a problem. A hook that is `missing` or `notExecutable` is configured but cannot run; an `orphaned` script is not configured. */
export interface HookProblem {
  /** What is wrong with the hook. */
  problem: "missing" | "notExecutable" | "orphaned";
  /** The script. */
  path: string;
  /** Whose configuration names it, or whose folder it is in. */
  origin: "user" | "workspace";
  /** The agent's name of the event, such as `PreToolUse`. */
  event?: string | null;
  /** The command line of the hook. */
  command?: string | null;
}

/** An entity that many recent memories name: how many, when the last one changed, and the forge's answer. */
export interface HotEntity {
  /** What is named. */
  entity: string;
  /** In how many memories. */
  memories: number;
  /** When the last of the memories that name it changed. */
  lastAt: number;
  /** What GitLab or GitHub says of it. */
  tracked?: TrackedEntity | null;
}

/** One memory, by its id. */
export interface IdParams {
  /** Its id. */
  id: string;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** Import the memories of another tool's files, or of an export: all of them, or none. Only Prism's facts about files are imported one by one; each is judged against the file as it is now. `path` is a file or folder of the workspace (the command line takes any). `text` is the content of a file instead, and `name` what the answer calls it. Without `format`, the format is detected. `scope` applies to formats that name none. `directives` keeps the category of standing instructions; by default, only our own exports keep it. With `forgotten`, an export of ours also brings back what was deleted here since. `workDoneToken` asks for progress, as in LSP. */
export interface ImportParams {
  /** A file or folder of the workspace. */
  path?: string | null;
  /** The content of a file, instead of `path`. */
  text?: string | null;
  /** What to call the text in the answer. */
  name?: string | null;
  /** Which format; found out when missing. */
  format?: "claude" | "markdown" | "mcp-memory" | "memory-sidecar" | "opencode" | "prism" | "records" | "semantic-memory" | "serena" | null;
  /** Scope for formats that say none. */
  scope?: "global" | "personal" | "project" | null;
  /** True if nothing is written and the answer says what would be. */
  dryRun?: boolean;
  /** Whether standing instructions stay such; by default only those of our own exports. */
  directives?: boolean | null;
  /** True to bring back what was deleted here since the export. */
  forgotten?: boolean;
  /** Asks for `$/progress` under this token, as in LSP. */
  workDoneToken?: string | number | null;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** The outcomes of an import. `counts` has every outcome. `items` lists at most 1,000, those that need a look first; `more` counts the others. `links`, `tombstones`, `reminders`, `facets` (facts about files) and `candidates` count what else was added. */
export interface ImportResult {
  /** Which format. */
  format: "claude" | "markdown" | "mcp-memory" | "memory-sidecar" | "opencode" | "prism" | "records" | "semantic-memory" | "serena" | "bootstrap";
  /** True if nothing is written and the answer says what would be. */
  dryRun: boolean;
  /** How often each outcome occurred, by its name. */
  counts: Record<string, number>;
  /** What became of each, what needs a look first; at most 1,000. */
  items: ImportedItem[];
  /** How many links were added. */
  links?: number;
  /** Marks of deleted memories that were taken over. */
  tombstones?: number;
  /** How many reminders were added. */
  reminders?: number;
  /** How many facts about files were added. */
  facets?: number;
  /** How many candidates were added. */
  candidates?: number;
  /** How many are not listed. */
  more?: number;
}

/** Learn from the transcripts of this workspace's sessions that agents keep on this machine, oldest first. Repeating it reads only what is new. With `agents`, only their sessions are read; transcripts in the repository itself are read only if their agent is named. With `since`, only sessions that began then or later are read. With `elsewhere`, the sessions of other folders are counted, too, without reading them. */
export interface ImportSessionsParams {
  /** Only sessions of these agents. */
  agents?: ("aider" | "claude-code" | "codex" | "copilot" | "gemini" | "opencode" | "qwen")[] | null;
  /** Only sessions that began at this time or later. */
  since?: number | null;
  /** True if nothing is written and the answer says what would be. */
  dryRun?: boolean;
  /** True to count the sessions of other folders, too. */
  elsewhere?: boolean;
  /** Asks for `$/progress` under this token, as in LSP. */
  workDoneToken?: string | number | null;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** What was learned from the sessions. `messages` counts the user's; `first` and `last` say when the sessions began that were read. `learned` counts lessons by their rule; `memories` counts the memories added (0 in a dry run). `items` has the first 200 of a dry run. */
export interface ImportSessionsResult {
  /** True if nothing is written and the answer says what would be. */
  dryRun: boolean;
  /** Sessions that were read. */
  sessions: number;
  /** Messages of the user. */
  messages: number;
  /** When the earliest of the sessions began. */
  first?: number | null;
  /** When the latest of the sessions began. */
  last?: number | null;
  /** What was read of each agent. */
  agents?: SessionsRead[];
  /** Lessons, by rule. */
  learned?: Record<string, number>;
  /** How many memories there are more than before. */
  memories?: number;
  /** What was not read, with the reason. */
  skipped?: SessionsSkipped[];
  /** The first 200 lessons of a dry run. */
  items?: LearnedFromSession[];
  /** Sessions of other folders, of which nothing is read. */
  elsewhere?: SessionsElsewhere[];
}

/** What became of one item, or would become of it. `id` is the memory that has the item's text now, and `where` the item's place in the source. The outcome `forgotten` means that the item was deleted here before; `skipped`, that it is not a memory, or is here already in another way; `refused`, that it cannot be a memory, for the `reason` given. */
export interface ImportedItem {
  /** What became of it. */
  outcome: "created" | "duplicate" | "forgotten" | "merged" | "refused" | "skipped";
  /** Its name, as the source has it. */
  name: string;
  /** Place in the files that were read. */
  where: string;
  /** Id of the memory that says it now. */
  id?: string | null;
  /** Who sees it: `personal` (you, here), `project` (everyone here), `global` (you, everywhere). */
  scope?: "global" | "personal" | "project" | null;
  /** Why it was not taken in. */
  reason?: string | null;
  /** Secrets that were taken out before anything was written. */
  redactions?: Redaction[];
}

/** Ask for the block to put in front of an agent now, within a budget of tokens (by default a setting's, 5000). `brief` is for each prompt of a conversation: about five memories and 400 tokens, and more only of what surely matters. A short prompt of a session is read together with the prompt before it. */
export interface InjectParams {
  /** What the agent was asked. */
  prompt?: string | null;
  /** Paths of files in play. */
  files?: string[];
  /** Name of the agent it is for or from; without one, every agent. */
  agent?: string | null;
  /** Id of the agent's session, as the agent calls it. */
  sessionId?: string | null;
  /** Most tokens of the text; the setting's number when it is missing. */
  budgetTokens?: number | null;
  /** Most lines of the text; the setting's number, if it has one, when it is missing. */
  maxLines?: number | null;
  /** How the block is written. */
  format?: "markdown" | "xml";
  /** True to leave out what this session was shown before. */
  excludeShown?: boolean;
  /** True for the same block during the whole session. */
  frozen?: boolean;
  /** True for about five memories and 400 tokens: for each prompt of a conversation. */
  brief?: boolean;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** The block. `text` is empty if nothing is worth showing. The same state and parameters give the same bytes. */
export interface InjectResult {
  /** The block; empty if nothing is worth showing. */
  text: string;
  /** Size of the text in tokens, estimated. */
  tokens: number;
  /** Changes if and only if the text does. */
  etag: string;
  /** What the block holds, in its order. */
  items: InjectedItem[];
  /** Candidates for the block that are not in it. */
  omitted: OmittedItem[];
}

/** One item of the block: a memory (`id`) or the briefing of a file (`path`). */
export interface InjectedItem {
  /** A memory, or the briefing of a file. */
  kind: "file" | "memory";
  /** Heading under which it stands in the block. */
  section: string;
  /** What it was chosen by. */
  score: number;
  /** What it takes of the budget. */
  tokens: number;
  /** Why it was found, in words. */
  reasons: string[];
  /** Id of the memory. */
  id?: string | null;
  /** Path of the file. */
  path?: string | null;
}

/** A file whose remembered content is no longer on disk. `hash` is missing if the file is gone. */
export interface InvalidatedFile {
  /** Path relative to the workspace. */
  path: string;
  /** What happened to the file. */
  reason: "changed" | "deleted" | "renamed";
  /** Hash of the content that was remembered. */
  oldHash: string;
  /** Hash of the content on disk; missing when the file is gone. */
  hash?: string | null;
  /** Where the file is now, if it was renamed. */
  newPath?: string | null;
}

/** Something that a session taught, without its secrets. */
export interface LearnedFromSession {
  /** Name of the rule that found it. */
  rule: string;
  /** What it teaches. */
  content: string;
  /** Id of the agent's session, as the agent calls it. */
  sessionId: string;
  /** When it was said. */
  at: number;
}

/** A link between two memories. `source` is who made it, or `similar` or `contradiction` if it was found. */
export interface Link {
  /** Id of the memory the link starts from. */
  from: string;
  /** Id of the memory the link leads to. */
  to: string;
  /** How they belong together. */
  kind: "contradicts" | "extends" | "related" | "sameEntity" | "sequence" | "supersedes";
  /** How strong the link is, from 0 to 1. */
  strength: number;
  /** When it was first recorded. */
  createdAt: number;
  /** Who said so; `similar` or `contradiction` if it was found. */
  source: string;
}

/** Link two memories or, with `remove`, remove their link. `related`, `contradicts` and `sameEntity` have no direction. A memory that supersedes another is shown in its place; so is the newer of two that contradict each other. */
export interface LinkParams {
  /** Id of the memory the link starts from. */
  from: string;
  /** Id of the memory the link leads to. */
  to: string;
  /** How they belong together. */
  kind?: "contradicts" | "extends" | "related" | "sameEntity" | "sequence" | "supersedes";
  /** How strong the link is, from 0 to 1. */
  strength?: number;
  /** True to remove the link. */
  remove?: boolean;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** What became of the link. `missing` means that there was no link to remove. */
export interface LinkResult {
  /** What became of it. */
  status: "changed" | "created" | "missing" | "removed" | "unchanged";
  /** The link as it stands; missing if it was removed. */
  link?: Link | null;
}

/** A link of a requested memory, and the memory at the link's other end. */
export interface LinkedMemory {
  /** The link. */
  link: Link;
  /** Id of the memory at the other end. */
  id: string;
  /** Its name: a short title, unique for scope, type and agent. */
  name: string;
  /** Who sees it: `personal` (you, here), `project` (everyone here), `global` (you, everywhere). */
  scope: "global" | "personal" | "project";
  /** How it stands. */
  status: "active" | "archived" | "deleted" | "resolved" | "suspect";
}

/** Ask for the links of one memory (`id`) or of several (`ids`). Unknown ids are left out. `kinds` limits the answer to links of these kinds. */
export interface LinksParams {
  /** One memory; or give `ids`. */
  id?: string | null;
  /** Ids of several memories. */
  ids?: string[] | null;
  /** Only of these kinds. */
  kinds?: ("contradicts" | "extends" | "related" | "sameEntity" | "sequence" | "supersedes")[] | null;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** The links of each memory, oldest first. Links to deleted memories are left out. */
export interface LinksResult {
  /** The results, in the order that the description says. */
  items: LinkedMemory[];
}

/** List memories by filter, newest first. `agent` is a name or `"*"`, as for `memory/search`. The `status` `deleted` stands alone: it lists what was deleted and can be restored, the latest deletion first. */
export interface ListParams {
  /** Only memories of these scopes. */
  scopes?: ("global" | "personal" | "project")[] | null;
  /** Only memories of these types. */
  types?: ("feedback" | "project" | "reference" | "user")[] | null;
  /** Only memories of these categories. */
  categories?: ("blocker" | "conversation" | "decision" | "directive" | "event" | "fact" | "idea" | "plan" | "procedure" | "reminder")[] | null;
  /** Only for this agent and for every agent; `*` for any. */
  agent?: string | null;
  /** Only memories about any of these paths. */
  files?: string[] | null;
  /** Only what changed at this time or later, in epoch milliseconds UTC. */
  since?: number | null;
  /** Only with these statuses. */
  status?: ("active" | "archived" | "deleted" | "resolved" | "suspect")[] | "active" | "archived" | "deleted" | "resolved" | "suspect" | null;
  /** Archived, resolved or expired ones, too. */
  include?: ("archived" | "expired" | "resolved")[];
  /** Most results of one answer. */
  limit?: number;
  /** Where the next page begins: send it back as it came. Missing at the end. */
  cursor?: string | null;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** List reminders, the next due first. `due` lists only due ones, `all` also cleared ones. Where reminders are shared, one machine delivers each. A request with `due` makes this machine deliver what is due. */
export interface ListRemindersParams {
  /** True for only those that are due. */
  due?: boolean;
  /** True to list cleared ones, too. */
  all?: boolean;
  /** Most results of one answer. */
  limit?: number;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** Reminders, those due first at the front. */
export interface ListRemindersResult {
  /** The results, in the order that the description says. */
  items: Reminder[];
}

/** A page of memories; `cursor` leads to the next page. */
export interface ListResult {
  /** The results, in the order that the description says. */
  items: Memory[];
  /** Where the next page begins: send it back as it came. Missing at the end. */
  cursor?: string | null;
}

/** List the active sessions, the latest heartbeat first. With `all`, also those that ended or expired. */
export interface ListSessionsParams {
  /** True to list those that ended or expired, too. */
  all?: boolean;
  /** Most results of one answer. */
  limit?: number;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** Sessions, the latest heartbeat first. */
export interface ListSessionsResult {
  /** The results, in the order that the description says. */
  items: Session[];
}

/** Run maintenance now: every step that is switched on, or those of `steps` that are. `dryRun` shows what would be done and writes nothing. `apply` and `dismiss` name proposals of an earlier answer. If one of them is given without `steps`, nothing else is done. */
export interface MaintainParams {
  /** True if nothing is written and the answer says what would be. */
  dryRun?: boolean;
  /** Only these steps. */
  steps?: ("age" | "archive" | "consolidation" | "duplicates" | "memoryFile" | "promotion" | "references" | "relevance")[] | null;
  /** Ids of proposals to carry out. */
  apply?: string[];
  /** Ids of proposals never to be made again. */
  dismiss?: string[];
  /** Asks for `$/progress` under this token, as in LSP. */
  workDoneToken?: string | number | null;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** What maintenance did. `skipped` means that another process maintains the stores, so nothing was done; `partial`, that this is so for one of the two stores, as `detail` says. `counts` has every step that ran. `actions` lists at most 500 changes, those of relevance last; `more` counts the others. `left` could not be done. `switchedOff` are the steps that a setting switches off. */
export interface MaintainResult {
  /** Whether another process is at it. */
  state: "done" | "partial" | "skipped";
  /** True if nothing is written and the answer says what would be. */
  dryRun: boolean;
  /** How many things each step did. */
  counts: Record<string, number>;
  /** What was done, or would be on a dry run. */
  actions: MaintenanceAction[];
  /** What was left as it is, with the reason. */
  left: MaintenanceAction[];
  /** What maintenance proposes and does only if asked to. */
  proposals: Proposal[];
  /** Steps that a setting keeps from running. */
  switchedOff: ("age" | "archive" | "consolidation" | "duplicates" | "memoryFile" | "promotion" | "references" | "relevance")[];
  /** Ids of the memories that the accepted proposals changed. */
  applied?: string[];
  /** How many are not listed. */
  more?: number;
  /** Why it was skipped, or done in part. */
  detail?: string | null;
}

/** What was done with one memory, or would be, and why; `into` is the memory that it was merged into. */
export interface MaintenanceAction {
  /** The step of maintenance. */
  step: "age" | "archive" | "consolidation" | "duplicates" | "memoryFile" | "promotion" | "references" | "relevance";
  /** Id of the memory. */
  id: string;
  /** Name of the memory. */
  name: string;
  /** Who sees it: `personal` (you, here), `project` (everyone here), `global` (you, everywhere). */
  scope: "global" | "personal" | "project";
  /** Why. */
  reason: string;
  /** Id of the memory it was merged into. */
  into?: string | null;
}

/** One lesson or fact that outlives a session. A `deleted` memory was deleted at `updatedAt`. Only a list of deleted memories shows it. */
export interface Memory {
  /** Its id. */
  id: string;
  /** Who sees it: `personal` (you, here), `project` (everyone here), `global` (you, everywhere). */
  scope: "global" | "personal" | "project";
  /** `user` (who the user is), `feedback` (ways of working), `project` (facts of the code), `reference` (where to look). */
  type: "feedback" | "project" | "reference" | "user";
  /** Its name: a short title, unique for scope, type and agent. */
  name: string;
  /** The text itself, 16,000 characters at most. */
  content: string;
  /** Words to file it under. */
  tags: string[];
  /** Paths of files it is about. */
  files: string[];
  /** What it names in backticks or by mark, as written. */
  entities: string[];
  /** Files, symbols, URLs and issues that the text names. */
  references: Reference[];
  /** From 0 to 1: 0.95 a week since it was last used, changed or verified. */
  relevance: number;
  /** Sessions that were shown it. */
  accessCount: number;
  /** True if it never fades. */
  pinned: boolean;
  /** `suspect`: what it names has changed since. Only `active` and `suspect` ones are shown to agents. */
  status: "active" | "archived" | "deleted" | "resolved" | "suspect";
  /** Who made it: `user`, `agent`, `extractor:RULE`, `import:FORMAT`. */
  source: string;
  /** When it was first recorded. */
  createdAt: number;
  /** When it last changed. */
  updatedAt: number;
  /** Counts up with each change. */
  version: number;
  /** A finer kind than the type. */
  category?: "blocker" | "conversation" | "decision" | "directive" | "event" | "fact" | "idea" | "plan" | "procedure" | "reminder" | null;
  /** One line about it. */
  description?: string | null;
  /** The only agent that sees it; without one, every agent. */
  agent?: string | null;
  /** Session it was recorded in. */
  sessionId?: string | null;
  /** When a session was last shown it. */
  accessedAt?: number | null;
  /** When it was last found to hold, or confirmed to. */
  verifiedAt?: number | null;
  /** When it stops being shown, in epoch milliseconds UTC. */
  expiresAt?: number | null;
  /** Scope or id it had before it was given to more readers. */
  promotedFrom?: string | null;
  /** Id of the memory that this one replaces. */
  supersedes?: string | null;
  /** Why it was archived by itself; missing if somebody did so on purpose. */
  archivedFor?: "faded" | "left" | "merged" | "old" | "promoted" | null;
  /** Id of the memory that says it now. */
  mergedInto?: string | null;
  /** Whose words it is, if another member of a team wrote it. */
  author?: string | null;
  /** How often somebody said that it was of use. */
  useful?: number;
  /** How often somebody said that it was of no use. */
  notUseful?: number;
}

/** One change of one memory. */
export interface MemoryChange {
  /** Its id. */
  id: string;
  /** Who sees it: `personal` (you, here), `project` (everyone here), `global` (you, everywhere). */
  scope: "global" | "personal" | "project";
  /** What was done. */
  change: "archived" | "created" | "deleted" | "merged" | "promoted" | "redone" | "reopened" | "resolved" | "restored" | "undone" | "updated";
}

/** Synchronise the memory file and the memories now. `trust` says whether the repository's text in the file counts as the user's word from now on; only a person can say yes. `vanished` says what to do if many entries were gone from the file at once: `archive` their memories, or `bringBack` the entries. */
export interface MemoryFileParams {
  /** Whether what the repository says in its memory file counts as the user's word. */
  trust?: boolean | null;
  /** What is to become of entries that are gone from the file at once. */
  vanished?: "archive" | "bringBack" | null;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** The state of MEMORY.md or its directory form. If it is `leftAlone`, it is not read or written for now. If it is `held`, many entries disappeared at once, and nothing happens until `memory/file` says whether to archive them. `detail` gives the reason, and lists hand edits that were rejected. If the repository is `trusted`, its entries count as the user's own. */
export interface MemoryFileStatus {
  /** The file or folder. */
  path: string;
  /** How it stands. */
  state: "absent" | "current" | "held" | "leftAlone" | "off";
  /** What is amiss, in a sentence. */
  detail?: string | null;
  /** How many entries are gone from the file at once. */
  vanished?: number;
  /** True if the repository's entries count as the user's own. */
  trusted?: boolean;
}

/** Figures of every open workspace, or of the workspace that `workspaceUri` names. */
export interface MetricsParams {
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** Figures of this process and its stores in the text format of Prometheus, without anything that memories say. Workspaces are named by their id. An HTTP endpoint that passes the text on has to answer with `contentType`. */
export interface MetricsResult {
  /** The text. */
  text: string;
  /** The media type of the text. */
  contentType: string;
}

/** The chat model that writes about files and reads sessions. While it is `off`, none is configured and nothing is ever sent. At the `limit`, this day's tokens are used up. `waiting` counts questions of this checkout; `detail` describes a problem. `sessions` says which model reads what users said, `sessionsToday` how many sessions it read today (UTC) in all workspaces. */
export interface ModelStatus {
  /** How it stands. */
  state: "failed" | "idle" | "limit" | "off" | "working";
  /** The model. */
  name?: string | null;
  /** Questions that wait. */
  waiting?: number;
  /** What is amiss, in a sentence. */
  detail?: string | null;
  /** Who reads what users said. */
  sessions?: "client" | "command" | "endpoint" | "off";
  /** Sessions that a model read today (UTC), over all workspaces. */
  sessionsToday?: number;
}

/** Report facts that somebody states about files. The files are `paths` or, without any, those that the session has read since its last statement. A short text is kept as it is. Of a longer one, the first sentence that qualifies is kept: a statement, a rule of use, or a pair of files that change together. Of several files, only those get the fact that define what it names. */
export interface ObserveParams {
  /** Id of the agent's session, as the agent calls it. */
  sessionId: string;
  /** What is said. */
  text: string;
  /** Files that it is about; those that the session read last when missing. */
  paths?: string[] | null;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** At most one new fact for each file. */
export interface ObserveResult {
  /** The facts kept. */
  facets: ObservedFacet[];
  /** The sentences not kept. */
  refused: RefusedFacet[];
}

/** A fact that is stored, with the file that it is about. */
export interface ObservedFacet {
  /** Path relative to the workspace. */
  path: string;
  /** The fact, as one sentence. */
  text: string;
  /** Names that occur in the file. */
  identifiers: string[];
  /** Symbols whose own content it rests on; without any, the whole file. */
  symbols: string[];
}

/** A candidate that is not in the block, and why. `id` is a memory's id, or a file's path. */
export interface OmittedItem {
  /** Id of the memory, or path of the file. */
  id: string;
  /** Why it is not in the block. */
  reason: "alreadyShown" | "belowFloor" | "budget" | "contradicted" | "fileUnavailable" | "repeats" | "superseded";
}

/** The person who commits here, according to git. */
export interface Person {
  /** The name that git is configured with. */
  name?: string | null;
  /** The address that git is configured with. */
  email?: string | null;
}

/** Give a memory to more readers: to `scope` or, without it, to the next wider one. A global memory has an id of its own. */
export interface PromoteParams {
  /** Its id. */
  id: string;
  /** The wider scope; the next wider one when missing. */
  scope?: "global" | "project" | null;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** The memory in its new scope. If it has a new id, `archived` is the id of the original. */
export interface PromoteResult {
  /** The memory as it stands now. */
  memory: Memory;
  /** False if it already was so. */
  changed: boolean;
  /** Id of the memory that gave way, if there was one. */
  archived?: string | null;
}

/** Two memories that say nearly the same. To `merge` them is to append the other's text to the kept one and archive the other. To `supersede` the other is to mark it as replaced by the kept one, the newer statement. `score` is their similarity. */
export interface Proposal {
  /** Id of the proposal. */
  id: string;
  /** `merge`: the other's text goes into the kept one. `supersede`: the kept one is newer. */
  kind: "merge" | "supersede";
  /** Id of the memory that stays. */
  keep: string;
  /** Name of the memory that stays. */
  keepName: string;
  /** Id of the memory that gives way. */
  other: string;
  /** Name of the memory that gives way. */
  otherName: string;
  /** How alike they are. */
  score: number;
}

/** Record whether a memory helped. Each verdict changes the memory's weight, and the odds that it is shown for a prompt. More than four verdicts on one side count like four. A memory that mostly did not help is archived sooner. */
export interface RateParams {
  /** Its id. */
  id: string;
  /** Whether it was of use. */
  useful: boolean;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** The agent thought or said something. */
export interface ReasoningParams {
  /** Id of the agent's session, as the agent calls it. */
  sessionId: string;
  /** What the agent thought or said. */
  text: string;
  /** Name of the agent it is for or from; without one, every agent. */
  agent?: string | null;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** Store one memory. The default `scope` is `personal` for type `user`, else `project`. No agent is named `*`. */
export interface RecordParams {
  /** The text itself, 16,000 characters at most. */
  content: string;
  /** A title; under the same name again, the text is added. Without one, it comes from the text. */
  name?: string | null;
  /** One line about it. */
  description?: string | null;
  /** `user` (who the user is), `feedback` (ways of working), `project` (facts of the code), `reference` (where to look). */
  type?: "feedback" | "project" | "reference" | "user";
  /** Who sees it. Default: `personal` for type `user`, else `project`. */
  scope?: "global" | "personal" | "project" | null;
  /** A finer kind than the type. */
  category?: "blocker" | "conversation" | "decision" | "directive" | "event" | "fact" | "idea" | "plan" | "procedure" | "reminder" | null;
  /** The only agent that will see it; without one, every agent. */
  agent?: string | null;
  /** Session it is recorded in. */
  sessionId?: string | null;
  /** Paths of files it is about. */
  files?: string[];
  /** Words to file it under. */
  tags?: string[];
  /** When it is to stop being shown. */
  expiresAt?: number | null;
  /** True if it never fades. */
  pinned?: boolean;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** Report that an agent has read a file. `contentHash` is the content that the agent saw, if known. If the file differs by now, what the agent says next does not count as being about the file. */
export interface RecordReadParams {
  /** Path relative to the workspace. */
  path: string;
  /** Id of the agent's session, as the agent calls it. */
  sessionId: string;
  /** Hash of the content that the agent saw (xxh3-128, hex). */
  contentHash?: string | null;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** What is known about the file that was read. `hash` is the content on disk now. `known` says whether a facet or a model's summary of the file is stored. */
export interface RecordReadResult {
  /** Path relative to the workspace. */
  path: string;
  /** Hash of the content (xxh3-128, hex). */
  hash: string;
  /** True if something is remembered of it. */
  known: boolean;
}

/** What became of the record: `created` (new), `merged` (appended to the memory of the same key) or `duplicate`. */
export interface RecordResult {
  /** Whether it was new, added to a memory of that name, or said already. */
  status: "created" | "duplicate" | "merged";
  /** The memory as it stands now. */
  memory: Memory;
  /** Memories that say nearly the same under another name. */
  similar: Similar[];
  /** Secrets that were taken out before anything was written. */
  redactions: Redaction[];
}

/** A secret that was taken out before anything was written: what kind, in which field, how often. */
export interface Redaction {
  /** What kind of secret. */
  kind: string;
  /** The field it was in. */
  field: string;
  /** How many were taken out. */
  count: number;
}

/** Something outside the memory that its text names, as it was when the memory was recorded. `hash` is that of the file's content or, for a `symbol` in a file, of the symbol alone. If the content in this checkout differs by now, the reference is `stale`; if it does not exist, `gone`. */
export interface Reference {
  /** What is named. */
  kind: "epic" | "issue" | "mergeRequest" | "path" | "symbol" | "url" | "user";
  /** As it is written. */
  text: string;
  /** The file, relative to the workspace. */
  path?: string | null;
  /** Hash it had when the memory was recorded; of a symbol, of that alone. */
  hash?: string | null;
  /** Dotted name of the symbol. */
  symbol?: string | null;
  /** True if what it names has changed or is gone. */
  stale?: boolean;
  /** True if what it names does not exist any more. */
  gone?: boolean;
}

/** A sentence that is not stored, and why. Without `path`, the reason holds for every file. */
export interface RefusedFacet {
  /** The sentence. */
  text: string;
  /** Why, in a word or a sentence. */
  reason: "alreadyInOutline" | "code" | "definedElsewhere" | "full" | "noIdentifier" | "noSuchFile" | "noise" | "notDurable" | "notInFile" | "paraphrase" | "question" | "saysLittle" | "secret" | "task" | "tooLong" | "tooShort";
  /** The file; missing if it is for every file. */
  path?: string | null;
}

/** Reject a candidate. Nobody is asked about it again, whatever its words. */
export interface RejectParams {
  /** Its id. */
  id: string;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** Whether the item was released. If it was not, the session did not have it; `owner`, if there is one, has had it for `age` milliseconds. */
export interface ReleaseResult {
  /** What is claimed. */
  item: string;
  /** True if the session had the item. */
  released: boolean;
  /** Id of the session that has the item. */
  owner?: string | null;
  /** For how many milliseconds. */
  age?: number | null;
}

/** A reminder, which is next due at `at` (`local` in `timezone`). `due` means that this time has come. Of the machines that share a reminder, one delivers it each time. `deliveredTo` names that machine; it is absent if this machine or none has done so. `deliveredOffline` means that this was decided without the shared database. `author` set the reminder, if that was not the user. */
export interface Reminder {
  /** Its id. */
  id: string;
  /** What to be reminded of. */
  text: string;
  /** When it is next due. */
  at: number;
  /** The same time in its time zone, in ISO format. */
  local: string;
  /** Name of the time zone in the tz database. */
  timezone: string;
  /** True for what is due now or was before. */
  due: boolean;
  /** When it was set. */
  createdAt: number;
  /** How it recurs; missing for once. */
  recurrence?: "daily" | "monthly" | "weekdays" | "weekly" | "yearly" | null;
  /** When the reminder was done with. */
  clearedAt?: number | null;
  /** The only agent that is told; without one, every agent. */
  agent?: string | null;
  /** Session it was set in. */
  sessionId?: string | null;
  /** Id of the memory it hangs on, which may be gone by now. */
  memoryId?: string | null;
  /** The role of somebody else who set it, where memories are shared. */
  author?: string | null;
  /** Another machine that delivered this time of it, so that this one does not. */
  deliveredTo?: string | null;
  /** True if it was delivered while the shared database was away. */
  deliveredOffline?: boolean | null;
}

/** One reminder. */
export interface ReminderParams {
  /** Its id. */
  id: string;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** Ask for the repository's map as seen from files and identifiers in play; without any, from everywhere. */
export interface RepoMapParams {
  /** Most tokens of the map. */
  budgetTokens?: number;
  /** Paths of files in play. */
  files?: string[];
  /** Names in play. */
  identifiers?: string[];
  /** Asks for `$/progress` under this token, as in LSP. */
  workDoneToken?: string | number | null;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** Files with their key symbols, most important first, one per line, within the budget. `files` are the files in the text, in its order. The map lacks the `pending` files, which are not read yet. */
export interface RepoMapResult {
  /** The map. */
  text: string;
  /** Size of the text in tokens, estimated. */
  tokens: number;
  /** The files in the text, in its order. */
  files: string[];
  /** Files that are still to be read; the answer is without them. */
  pending?: number;
}

/** Run the hooks of an event whose matcher fits the tool, in order, up to the first that blocks. */
export interface RunHooksParams {
  /** The agent's name of the event, such as `PreToolUse`. */
  event: string;
  /** Name of the tool, which matchers are compared with. */
  tool?: string | null;
  /** The tool's input, as the agent has it. */
  input?: unknown;
  /** Id of the agent's session, as the agent calls it. */
  sessionId?: string | null;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** `refused` are the matching commands that the settings do not allow to run (`hooks.run`). */
export interface RunHooksResult {
  /** True if a hook blocked the use of the tool. */
  blocked: boolean;
  /** One for each hook that was run. */
  outcomes: HookOutcome[];
  /** Commands that match and that the setting `hooks.run` does not allow. */
  refused: string[];
  /** What the hook that blocked said. */
  reason?: string | null;
}

/** Find memories. Filters apply before ranking. Archived, resolved and expired memories are found only on request. A memory of an agent is found for that agent only: without `agent`, memories of no agent are found; with a name, also those of that agent; with `"*"`, which is for people, those of any agent. */
export interface SearchParams {
  /** The words to look for. */
  query: string;
  /** Most results of one answer. */
  limit?: number;
  /** Only memories of these scopes. */
  scopes?: ("global" | "personal" | "project")[] | null;
  /** Only memories of these types. */
  types?: ("feedback" | "project" | "reference" | "user")[] | null;
  /** Only memories of these categories. */
  categories?: ("blocker" | "conversation" | "decision" | "directive" | "event" | "fact" | "idea" | "plan" | "procedure" | "reminder")[] | null;
  /** Only for this agent and for every agent; `*` for any. */
  agent?: string | null;
  /** Only memories about any of these paths. */
  files?: string[] | null;
  /** Only what changed at this time or later, in epoch milliseconds UTC. */
  since?: number | null;
  /** Archived, resolved or expired ones, too. */
  include?: ("archived" | "expired" | "resolved")[];
  /** Where the next page begins: send it back as it came. Missing at the end. */
  cursor?: string | null;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** The hits, best first. `cursor` leads to further hits. */
export interface SearchResult {
  /** The results, in the order that the description says. */
  items: Hit[];
  /** Where the next page begins: send it back as it came. Missing at the end. */
  cursor?: string | null;
}

/** One session of a workspace. An `expired` session did not end, but its process is gone or sent no heartbeat for 30 minutes. Lists show the `claims`; a session that is not active has none. `elsewhere` is the session's machine, if it is another one. */
export interface Session {
  /** Id of the agent's session, as the agent calls it. */
  sessionId: string;
  /** How it stands. */
  state: "active" | "ended" | "expired";
  /** When the session began. */
  startedAt: number;
  /** When the session last gave a sign of life. */
  heartbeatAt: number;
  /** Name of the agent it is for or from; without one, every agent. */
  agent?: string | null;
  /** What the session works on. */
  workingOn?: string | null;
  /** When the session ended. */
  endedAt?: number | null;
  /** What it said at its end. */
  summary?: string | null;
  /** Items that the session has claimed. */
  claims?: Claim[];
  /** The machine that it works on, if it is another one. */
  elsewhere?: string | null;
}

/** How many sessions worked in another folder; an empty `folder` stands for unknown folders. */
export interface SessionsElsewhere {
  /** The folder the sessions worked in; empty if unknown. */
  folder: string;
  /** How many sessions. */
  sessions: number;
}

/** What was read of one agent's sessions. */
export interface SessionsRead {
  /** The agent. */
  agent: string;
  /** Sessions that were read. */
  sessions: number;
  /** Messages of the user. */
  messages: number;
}

/** Sessions that were not read, and why. `count` is 0 if their number is unknown. */
export interface SessionsSkipped {
  /** The agent. */
  agent: string;
  /** Why. */
  reason: string;
  /** How many; 0 if unknown. */
  count?: number;
}

/** Set a reminder. `at`: an ISO time, `+2h`, `in 3 days`, `17:00`, `tomorrow 9am`, `friday 17:00`, `next monday`. Times are local to `timezone`, by default this machine's. When the clocks change, a recurring reminder keeps its local time; if that time is skipped, it comes as much later. In a month that is too short, it falls on the last day. */
export interface SetReminderParams {
  /** What to be reminded of. */
  text: string;
  /** When: an ISO time, `+2h`, `tomorrow 9am`, `next monday`. */
  at: string;
  /** How it recurs; missing for once. */
  recurrence?: "daily" | "monthly" | "weekdays" | "weekly" | "yearly" | null;
  /** Name of the time zone in the tz database. */
  timezone?: string | null;
  /** Name of the agent it is for or from; without one, every agent. */
  agent?: string | null;
  /** Id of the agent's session, as the agent calls it. */
  sessionId?: string | null;
  /** Id of the memory it hangs on. */
  memoryId?: string | null;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** The reminder. `created` is false if one with the same text and times waits already. */
export interface SetReminderResult {
  /** The reminder as it is kept. */
  reminder: Reminder;
  /** False if the same waits already. */
  created: boolean;
}

/** A memory that says nearly the same under another name. `score` is in 0..1. */
export interface Similar {
  /** Its id. */
  id: string;
  /** Its name: a short title, unique for scope, type and agent. */
  name: string;
  /** How alike they are. */
  score: number;
}

/** Start a session, or resume an ended or expired one. */
export interface StartParams {
  /** Id of the agent's session, as the agent calls it. */
  sessionId: string;
  /** What the session works on. */
  workingOn?: string | null;
  /** Name of the agent it is for or from; without one, every agent. */
  agent?: string | null;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** One of the memories that were shown in most sessions. */
export interface StatsMemory {
  /** Its id. */
  id: string;
  /** Its name: a short title, unique for scope, type and agent. */
  name: string;
  /** Who sees it: `personal` (you, here), `project` (everyone here), `global` (you, everywhere). */
  scope: "global" | "personal" | "project";
  /** How often sessions were shown it. */
  shown: number;
  /** How often somebody said that it was of use. */
  useful: number;
  /** How often somebody said that it was of no use. */
  notUseful: number;
}

/** Ask about the last `weeks`, the current one included: this workspace's memories and those for all workspaces. */
export interface StatsParams {
  /** How many weeks back. */
  weeks?: number;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** Counts of memories that are not archived. `weeks` also count archived memories, but no deleted ones. `candidates` has a count for each status. `shown` is how often a session was shown a memory; `unseen` counts the memories that no session was ever shown. */
export interface StatsResult {
  /** How many are not archived. */
  memories: number;
  /** How many are archived. */
  archived: number;
  /** Counts by who made them: `recorded`, `learned`, `imported`. */
  bySource: Record<string, number>;
  /** Counts by type. */
  byType: Record<string, number>;
  /** Counts by status. */
  candidates: Record<string, number>;
  /** How often sessions were shown it. */
  shown: number;
  /** Memories that no session was ever shown. */
  unseen: number;
  /** How often somebody said that it was of use. */
  useful: number;
  /** How often somebody said that it was of no use. */
  notUseful: number;
  /** One entry a week, oldest first. */
  weeks: StatsWeek[];
  /** The memories that most sessions were shown, at most 10. */
  mostShown: StatsMemory[];
}

/** Seven days from `start`: memories by who made them, and how often a session was shown one. A person or an agent made the `recorded` ones on purpose. The `learned` ones come from what happened in sessions, the `imported` ones from other tools or from the project's own files. */
export interface StatsWeek {
  /** When the week begins. */
  start: number;
  /** Recorded on purpose by a person or an agent. */
  recorded: number;
  /** Learned from what happened in sessions. */
  learned: number;
  /** Taken in from other tools or the project's own files. */
  imported: number;
  /** How often a session was shown a memory. */
  shown: number;
}

/** Ask about every open workspace, or about the one that `workspaceUri` names. */
export interface StatusParams {
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** The state of the process. `hitRates` (0 to 1) are keyed by what is looked up, `queues` (lengths) by what waits. */
export interface StatusResult {
  /** Version of memory-sidecar. */
  version: string;
  /** Process id of the server. */
  pid: number;
  /** For how many milliseconds the server has run. */
  uptimeMs: number;
  /** False where memory is switched off for all. */
  enabled: boolean;
  /** The open workspaces. */
  workspaces: WorkspaceStatus[];
  /** Requests that wait, by lane. */
  queues: Record<string, number>;
  /** Share of look-ups that found something, from 0 to 1, by what was looked up. */
  hitRates: Record<string, number>;
  /** Tokens of files that sessions were briefed on and did not read, less those of the briefings. */
  tokensSaved: number;
  /** What is wrong with the settings, a sentence each. */
  settingsProblems: string[];
  /** Tokens that models used today (UTC), over all workspaces. */
  modelTokensToday?: number;
}

/** An open blocker that stays open, because it also names other issues, merge requests or epics. */
export interface StillBlocked {
  /** Id of the blocker. */
  id: string;
  /** What else the blocker names. */
  others: string[];
}

/** One store on disk. `notice` says what was migrated, salvaged or set aside when it was opened. */
export interface StoreStatus {
  /** Path relative to the workspace. */
  path: string;
  /** Size on disk. */
  bytes: number;
  /** Version of the store's layout. */
  schemaVersion: number;
  /** What was migrated, salvaged or set aside when the store was opened. */
  notice?: string | null;
}

/** Ask for the briefing of a file. `intent: edit` means that the exact text is about to be needed. If `sessionId` is given, the tokens that the session need not read are counted. */
export interface SummaryParams {
  /** Path relative to the workspace. */
  path: string;
  /** `edit` if the exact text is about to be needed. */
  intent?: "edit" | "explore";
  /** Lets it be counted what the session need not have read. */
  sessionId?: string | null;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** What an agent gets instead of the file's content, for the bytes that were on disk at the request. `origin` says who wrote `summary`: the sidecar (the outline and the facets as they are), a model about the content, or a model about content and facets. `tokens` is the size of `summary`, `fileTokens` that of the file. `advice`, if any, says why to read the file instead. `formerFacets` were learned from earlier contents of the file and may no longer be true: verify one before you use it, and report it with `file/observe`. */
export interface SummaryResult {
  /** Path relative to the workspace. */
  path: string;
  /** Hash of the content (xxh3-128, hex). */
  hash: string;
  /** Who wrote `summary`. */
  origin: "aggregated" | "model" | "structural";
  /** True: the answer is for the bytes on disk now. */
  fresh: boolean;
  /** True if parts of the file could not be read. */
  partial: boolean;
  /** The language it was read as. */
  language: string;
  /** The briefing. */
  summary: string;
  /** Facts about the file that were checked against it. */
  facets: Facet[];
  /** The file's named parts. */
  outline: Symbol[];
  /** Lines of the file. */
  lines: number;
  /** Size of the briefing in tokens. */
  tokens: number;
  /** Size of the file in tokens. */
  fileTokens: number;
  /** Why to read the file instead; missing when the briefing will do. */
  advice?: string | null;
  /** Facts learned of an earlier content, which may hold no more. */
  formerFacets?: Facet[];
}

/** A named part of a file. Lines count from 1, both ends included. */
export interface Symbol {
  /** Of what kind, such as `class` or `function`. */
  kind: string;
  /** Its name. */
  name: string;
  /** Its first line, counted from 1. */
  startLine: number;
  /** Its last line, counted from 1. */
  endLine: number;
  /** Its declaration, without the body. */
  signature: string;
  /** The first sentence of its documentation. */
  doc?: string | null;
  /** False for what the language or its conventions call private. */
  public?: boolean;
  /** Named parts inside it. */
  children?: Symbol[];
}

/** Sharing memories through a database. It is `off` without a database or anything to share, and `idle` before it has begun here. `notJoined` means that this workspace is not shared, or that the role is not a member; `elsewhere`, that another process of this machine shares. When `offline`, the sidecar tries again by itself; when `refused`, a person must act. `detail` says what happened. `waiting` changes are not shared yet. At `syncedAt`, both sides were last the same. */
export interface TeamStatus {
  /** How sharing stands. */
  state: "connecting" | "elsewhere" | "idle" | "notJoined" | "off" | "offline" | "readOnly" | "refused" | "shared";
  /** Host and database, without credentials. */
  server?: string | null;
  /** Changes that are not shared yet. */
  waiting?: number;
  /** Changes taken in since the workspace was opened. */
  pulled?: number;
  /** Changes sent since the workspace was opened. */
  pushed?: number;
  /** Changes that met another's and were merged, since the workspace was opened. */
  merged?: number;
  /** When both sides last said the same. */
  syncedAt?: number | null;
  /** What is amiss and what to do, in a sentence. */
  detail?: string | null;
}

/** A tool is about to be used. `callId` connects the result with this call. */
export interface ToolCallParams {
  /** Id of the agent's session, as the agent calls it. */
  sessionId: string;
  /** Name of the tool. */
  tool: string;
  /** The tool's input, as the agent has it. */
  input?: unknown;
  /** The agent's own id of the call, which ties a result to its call. */
  callId?: string | null;
  /** Name of the agent it is for or from; without one, every agent. */
  agent?: string | null;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** A tool was used. `input` is needed if no call was sent before. */
export interface ToolResultParams {
  /** Id of the agent's session, as the agent calls it. */
  sessionId: string;
  /** Name of the tool. */
  tool: string;
  /** What the tool printed or answered, as the agent has it. */
  output?: unknown;
  /** The tool's input; needed if no call was sent before. */
  input?: unknown;
  /** Exit code of the process; missing or null if unknown, never 0 for that. */
  exitCode?: number | number | string | null;
  /** The same as `exitCode`, as some agents spell it. */
  exit_code?: number | number | string | null;
  /** What else the agent says of the result; `exit` or `exitCode` in it counts as exit code. */
  metadata?: unknown;
  /** The agent's own id of the call, which ties a result to its call. */
  callId?: string | null;
  /** Name of the agent it is for or from; without one, every agent. */
  agent?: string | null;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** What GitLab or GitHub says about an issue, a merge or pull request, or an epic, if the settings allow asking. Other people wrote all the texts, so show them as quotations. `resolved` are the blockers that were resolved when the entity was found closed or merged; `memory/reopen` or `memory/undo` opens them again. */
export interface TrackedEntity {
  /** Of what kind it is. */
  kind: "epic" | "issue" | "mergeRequest";
  /** Its title on the forge. */
  title: string;
  /** Whether it is open. */
  state: "closed" | "merged" | "open";
  /** Labels on the forge. */
  labels: string[];
  /** When the forge was asked. */
  checkedAt: number;
  /** Who opened it. */
  author?: string | null;
  /** Where to read it. */
  url?: string | null;
  /** When it last changed on the forge. */
  updatedAt?: number | null;
  /** When it was closed or merged. */
  closedAt?: number | null;
  /** Ids of the blockers that were resolved when it was found closed. */
  resolved?: string[];
}

/** Requests to GitLab or GitHub about what memories name. While this is `off`, it is not configured and nothing is ever sent. While it is `paused`, no request is sent until `pausedUntil`. `detail` gives the reason, or describes another problem. `known` items were found there, `missing` ones not. `resolved` counts blockers of closed items. */
export interface TrackerStatus {
  /** How it stands. */
  state: "failed" | "idle" | "off" | "paused" | "working";
  /** The forge that is asked. */
  host?: string | null;
  /** The project on the forge. */
  project?: string | null;
  /** Things that were found on the forge. */
  known?: number;
  /** Things that were asked for and do not exist. */
  missing?: number;
  /** How many blockers were resolved by it. */
  resolved?: number;
  /** When the forge was last asked. */
  checkedAt?: number | null;
  /** When the forge is asked again. */
  pausedUntil?: number | null;
  /** What is amiss, in a sentence. */
  detail?: string | null;
}

/** Change some fields of a memory. The earlier version is kept; `null` clears an optional field. With `expectedVersion`, the change is conditional: if the memory has another version, the answer is an error and nothing is written. */
export interface UpdateParams {
  /** Its id. */
  id: string;
  /** The text itself, 16,000 characters at most. */
  content?: string;
  /** A new title. */
  name?: string;
  /** One line about it. */
  description?: string | null;
  /** `user` (who the user is), `feedback` (ways of working), `project` (facts of the code), `reference` (where to look). */
  type?: "feedback" | "project" | "reference" | "user";
  /** A finer kind than the type. */
  category?: "blocker" | "conversation" | "decision" | "directive" | "event" | "fact" | "idea" | "plan" | "procedure" | "reminder" | null;
  /** The only agent that will see it; null for every agent. */
  agent?: string | null;
  /** Paths of files it is about. */
  files?: string[];
  /** Words to file it under. */
  tags?: string[];
  /** When it stops being shown, in epoch milliseconds UTC. */
  expiresAt?: number | null;
  /** True if it never fades. */
  pinned?: boolean;
  /** Only write if the memory still has this version. */
  expectedVersion?: number | null;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** The memory as it stands now, and what was redacted from the new text. A name that was made from the text changes with the text. `nameHint` says that a given name no longer fits the new text. */
export interface UpdateResult {
  /** The memory as it stands now. */
  memory: Memory;
  /** Secrets that were taken out before anything was written. */
  redactions: Redaction[];
  /** Says that the name tells what the text no longer does. */
  nameHint?: string | null;
}

/** The user said something to the agent. */
export interface UserMessageParams {
  /** Id of the agent's session, as the agent calls it. */
  sessionId: string;
  /** What the user said. */
  text: string;
  /** Name of the agent it is for or from; without one, every agent. */
  agent?: string | null;
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** Check the hook scripts of this workspace and of the user. */
export interface VerifyHooksParams {
  /** Which workspace; needed only if several are open and no path in the request decides. */
  workspaceUri?: string | null;
}

/** The problems, in the order of the configuration; `configured` counts the hooks that were checked. */
export interface VerifyHooksResult {
  /** What is wrong, in the order of the configuration. */
  problems: HookProblem[];
  /** Hooks that were looked at. */
  configured: number;
}

/** A memory as it was after one change. `memory` is missing if the change deleted it. */
export interface Version {
  /** Counts up with each change. */
  version: number;
  /** What was done. */
  change: "archived" | "created" | "deleted" | "merged" | "promoted" | "redone" | "reopened" | "resolved" | "restored" | "undone" | "updated";
  /** When. */
  at: number;
  /** The memory as it stood then; missing when it was gone. */
  memory?: Memory | null;
  /** Why, in the words of who made the change. */
  reason?: string | null;
}

/** Background reading of the workspace's files. */
export interface WarmupStatus {
  /** How it stands. */
  state: "cancelled" | "done" | "failed" | "idle" | "running";
  /** How many are done. */
  done: number;
  /** How many files there are to read. */
  total: number;
  /** What started it. */
  cause?: string | null;
}

/** Who tells the sidecar of file changes. If the system refused a watch, it is `polling`; `detail` says why. */
export interface WatcherStatus {
  /** How it stands. */
  state: "client" | "off" | "own" | "polling";
  /** What is amiss, in a sentence. */
  detail?: string | null;
}

/** One open workspace. `memories` counts by scope, `candidates` those that wait, `files` remembered contents. `tokensSaved` counts, since the workspace was first opened, the tokens of files on which sessions were briefed and that they did not read afterwards, less those of the briefings. `enabled` is false if memory is switched off for the workspace. `alone` says why it does not share the memory of a folder of which it claims to be a clone, and what to do if it is one. */
export interface WorkspaceStatus {
  /** The workspace, as the client calls it. */
  uri: string;
  /** Identity of the workspace, which names its stores. */
  id: string;
  /** Counts by scope. */
  memories: Record<string, number>;
  /** Contents that are remembered. */
  files: number;
  /** Facts about files. */
  facets: number;
  /** Who tells of changed files. */
  watcher: WatcherStatus;
  /** State of reading the workspace's files. */
  warmup: WarmupStatus;
  /** The stores on disk. */
  stores: StoreStatus[];
  /** The state of MEMORY.md. */
  memoryFile?: MemoryFileStatus | null;
  /** The chat model. */
  model?: ModelStatus | null;
  /** What file search and the repository map are made from. */
  code?: CodeStatus | null;
  /** The model that finds memories by meaning. */
  embedding?: EmbeddingStatus | null;
  /** Tokens of files that sessions were briefed on and did not read, less those of the briefings. */
  tokensSaved?: number;
  /** The state of asking GitLab or GitHub. */
  trackers?: TrackerStatus | null;
  /** Sharing through a database. */
  team?: TeamStatus | null;
  /** How many candidates wait. */
  candidates?: number;
  /** False where the settings switch memory off. */
  enabled?: boolean;
  /** Why the folder does not share a memory that it seems to belong to, and what to do. */
  alone?: string | null;
}

/** Requests to the sidecar. */
export interface Methods {
  /** Store a memory; return it and whether it was created, merged or already known. */
  "memory/record": { params: RecordParams; result: RecordResult };
  /** Return the block of memories and briefings to put in front of an agent, within a token budget. */
  "memory/inject": { params: InjectParams; result: InjectResult };
  /** Say how likely a memory is relevant to a prompt, which evidence counts, and what would change that. */
  "memory/explain": { params: ExplainParams; result: ExplainResult };
  /** Find memories by text, with filters. */
  "memory/search": { params: SearchParams; result: SearchResult };
  /** Return one memory, whatever its status. */
  "memory/get": { params: IdParams; result: Memory };
  /** List the memories that pass the filters, newest first. */
  "memory/list": { params: ListParams; result: ListResult };
  /** Change fields of a memory; its earlier version is kept. */
  "memory/update": { params: UpdateParams; result: UpdateResult };
  /** Hide a memory from retrieval; it is not lost. */
  "memory/archive": { params: ArchiveParams; result: Memory };
  /** Record whether a memory helped; this changes its weight. */
  "memory/rate": { params: RateParams; result: Memory };
  /** Restore an archived or deleted memory. */
  "memory/restore": { params: IdParams; result: Memory };
  /** Delete a memory; its history stays for undo unless it is purged. */
  "memory/delete": { params: DeleteParams; result: DeleteResult };
  /** List the versions of a memory, newest first. */
  "memory/history": { params: IdParams; result: HistoryResult };
  /** Undo a memory's last change, with its effects in other scopes; repeat it to go further back. */
  "memory/undo": { params: IdParams; result: Memory };
  /** Redo the change that was undone last. */
  "memory/redo": { params: IdParams; result: Memory };
  /** List what may become a memory, each with the words or commands that support it. */
  "memory/candidates": { params: CandidatesParams; result: CandidatesResult };
  /** Turn a candidate into a memory, as it is or reworded. */
  "memory/confirm": { params: ConfirmParams; result: RecordResult };
  /** Reject a candidate for good. */
  "memory/reject": { params: RejectParams; result: Candidate };
  /** Synchronise MEMORY.md and memories; trust the repository, or decide what becomes of vanished entries. */
  "memory/file": { params: MemoryFileParams; result: MemoryFileStatus };
  /** Link two memories, or remove their link. */
  "memory/link": { params: LinkParams; result: LinkResult };
  /** List the links of one or several memories. */
  "memory/links": { params: LinksParams; result: LinksResult };
  /** Confirm that a memory still holds although its files have changed. */
  "memory/verify": { params: IdParams; result: Memory };
  /** Give a memory a wider scope, and merge it with a memory of the same name there. */
  "memory/promote": { params: PromoteParams; result: PromoteResult };
  /** Mark a blocker as resolved. */
  "memory/resolve": { params: IdParams; result: Memory };
  /** Mark a resolved blocker as blocking again. */
  "memory/reopen": { params: IdParams; result: Memory };
  /** Merge duplicates, fade and archive what is unused, promote, propose merges; or preview all this. */
  "memory/maintain": { params: MaintainParams; result: MaintainResult };
  /** Count what was learned, shown and useful, week by week. */
  "memory/stats": { params: StatsParams; result: StatsResult };
  /** Export memories with their versions and links as JSON Lines that restore exactly, page by page. */
  "memory/export": { params: ExportParams; result: ExportResult };
  /** Import the memories of an export or of another tool's files: all of them, or none. */
  "memory/import": { params: ImportParams; result: ImportResult };
  /** Record first facts of the project from its README, manifests and CI files; repeating it adds nothing. */
  "memory/bootstrap": { params: BootstrapParams; result: BootstrapResult };
  /** Return the briefing of a file as it is on disk now. */
  "file/summary": { params: SummaryParams; result: SummaryResult };
  /** Start a session, or resume an ended or expired one. */
  "session/start": { params: StartParams; result: Session };
  /** Report that a session is still running. */
  "session/heartbeat": { params: HeartbeatParams; result: Session };
  /** End a session, after storing what it taught and, as a memory, its summary. */
  "session/end": { params: EndParams; result: Session };
  /** List who works here now, and on what. */
  "session/list": { params: ListSessionsParams; result: ListSessionsResult };
  /** Claim an item for one session, until that releases it, ends or expires. */
  "session/claim": { params: ClaimParams; result: ClaimResult };
  /** Release a claimed item. */
  "session/release": { params: ClaimParams; result: ReleaseResult };
  /** Learn from this project's sessions that agents keep on this machine; repeating it reads only what is new. */
  "session/import": { params: ImportSessionsParams; result: ImportSessionsResult };
  /** Set a reminder for a time, once or recurring. */
  "reminder/set": { params: SetReminderParams; result: SetReminderResult };
  /** Clear a reminder and all its recurrences. */
  "reminder/clear": { params: ReminderParams; result: Reminder };
  /** Move a reminder to its next occurrence, or clear it if it does not recur. */
  "reminder/advance": { params: ReminderParams; result: Reminder };
  /** List reminders by the time at which they are due. */
  "reminder/list": { params: ListRemindersParams; result: ListRemindersResult };
  /** Return what to know at the start of a session: directives, blockers, reminders, who works on what. */
  "context/boot": { params: BootParams; result: BootResult };
  /** Return the memories that name exactly this issue, merge request, epic, user, URL, file or symbol. */
  "context/entity": { params: EntityParams; result: EntityResult };
  /** Report that an issue or merge request is closed; this resolves the blockers that name nothing else. */
  "context/close": { params: CloseParams; result: CloseResult };
  /** Report that an agent has read a file, which its next words may be about. */
  "file/recordRead": { params: RecordReadParams; result: RecordReadResult };
  /** Store durable facts about files; the result says why others were refused. */
  "file/observe": { params: ObserveParams; result: ObserveResult };
  /** Return a session's last files in a line each, for a sub-agent. */
  "file/handoff": { params: HandoffParams; result: HandoffResult };
  /** Find the files that a text is about, by their content and by what similar commits touched. */
  "file/search": { params: FileSearchParams; result: FileSearchResult };
  /** Return the repository's files and key symbols, most important first, within a token budget. */
  "workspace/repoMap": { params: RepoMapParams; result: RepoMapResult };
  /** Return health, sizes, queues and hit rates. */
  "sidecar/status": { params: StatusParams; result: StatusResult };
  /** Return figures of this process and its stores in the text format of Prometheus. */
  "sidecar/metrics": { params: MetricsParams; result: MetricsResult };
  /** List hook scripts that are configured but cannot run, or that nothing is configured to run. */
  "hooks/verify": { params: VerifyHooksParams; result: VerifyHooksResult };
  /** Run the hooks that match an event and a tool, in order, up to the first that blocks. */
  "hooks/run": { params: RunHooksParams; result: RunHooksResult };
}

/** Notifications to the sidecar. */
export interface ClientNotifications {
  /** Report that a tool is about to be used. */
  "event/toolCall": ToolCallParams;
  /** Report that a tool was used, what it printed and how it ended. */
  "event/toolResult": ToolResultParams;
  /** Report what the user said. */
  "event/userMessage": UserMessageParams;
  /** Report what the agent thought or said. */
  "event/reasoning": ReasoningParams;
  /** Report an agent's summary of its context. */
  "event/compaction": CompactionParams;
}

/** Notifications from the sidecar. */
export interface SidecarNotifications {
  /** Memories changed. */
  "memory/didChange": DidChangeMemories;
  /** Remembered files changed on disk. */
  "file/didInvalidate": DidInvalidateFiles;
}

/** Methods that change what is kept, by the lane they run in. */
export const WRITES: ReadonlySet<string> = new Set([
  "memory/record",
  "memory/update",
  "memory/archive",
  "memory/rate",
  "memory/restore",
  "memory/delete",
  "memory/undo",
  "memory/redo",
  "memory/confirm",
  "memory/reject",
  "memory/file",
  "memory/link",
  "memory/verify",
  "memory/promote",
  "memory/resolve",
  "memory/reopen",
  "session/start",
  "session/heartbeat",
  "session/end",
  "session/claim",
  "session/release",
  "reminder/set",
  "reminder/clear",
  "reminder/advance",
  "context/close",
  "event/toolCall",
  "event/toolResult",
  "event/userMessage",
  "event/reasoning",
  "event/compaction",
  "file/recordRead",
  "file/observe",
]);

/** Codes of errors. */
export const ERROR_CODES = {
  PARSE_ERROR: -32700,
  INVALID_REQUEST: -32600,
  METHOD_NOT_FOUND: -32601,
  INVALID_PARAMS: -32602,
  INTERNAL_ERROR: -32603,
  SERVER_NOT_INITIALIZED: -32002,
  REQUEST_CANCELLED: -32800,
  MEMORY_NOT_FOUND: -32010,
  OUTSIDE_WORKSPACE: -32011,
  FILE_UNAVAILABLE: -32012,
  VERSION_CONFLICT: -32013,
  STORE_UNAVAILABLE: -32014,
  DISABLED: -32015,
  WORKSPACE_UNKNOWN: -32016,
  SESSION_NOT_ACTIVE: -32017,
} as const;

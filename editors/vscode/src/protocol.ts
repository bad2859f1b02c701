// Generated from protocol/ by `python -m protocol.generate`. Do not edit.

/** Put one memory away; `reason` is kept with the version and shown by `memory/history`. */
export interface ArchiveParams {
  /** Time-ordered id (UUIDv7). */
  id: string;
  reason?: string | null;
  workspaceUri?: string | null;
}

/** What to know at the start of a session. `include` names the parts wanted, all when it is not given. `sessionId` is the session that asks: it is left out of those that are shown. `exclude` are memories that the agent has in front of it already: `text` does not repeat them. */
export interface BootParams {
  budgetTokens?: number | null;
  agent?: string | null;
  sessionId?: string | null;
  include?: ("blockers" | "candidates" | "decisions" | "directives" | "hotEntities" | "identity" | "plans" | "procedures" | "recentSessions" | "reminders" | "reviews" | "sessions")[] | null;
  exclude?: string[];
  workspaceUri?: string | null;
}

/** The parts, and `text`: as many of their lines as the budget (2,000 tokens) holds, as notes inside a fence. The same state and parameters give the same bytes and `etag`. `omitted` counts the lines that had no room. `candidates` are at most three that the user should be asked about, the same all session (setting `memory.ask`); `waiting` counts all that wait. */
export interface BootResult {
  text: string;
  tokens: number;
  etag: string;
  omitted: number;
  identity?: Person | null;
  directives?: Memory[];
  blockers?: Memory[];
  reminders?: Reminder[];
  candidates?: Candidate[];
  waiting?: number;
  sessions?: Session[];
  plans?: Memory[];
  recentSessions?: Session[];
  decisions?: Memory[];
  procedures?: Memory[];
  reviews?: Memory[];
  hotEntities?: HotEntity[];
}

/** One fact, the files that say it, and what became of it. */
export interface BootstrapFact {
  outcome: "created" | "duplicate" | "forgotten" | "merged" | "refused" | "skipped";
  name: string;
  content: string;
  files: string[];
  id?: string | null;
  reason?: string | null;
}

/** Record first facts of the project, from its README, package manifests and CI files. Again adds nothing. A fact whose files have changed since is brought up to date, unless somebody has changed it here. */
export interface BootstrapParams {
  dryRun?: boolean;
  workDoneToken?: string | number | null;
  workspaceUri?: string | null;
}

/** The facts found, in the order of their use. */
export interface BootstrapResult {
  dryRun: boolean;
  facts: BootstrapFact[];
}

/** Something that may become a memory, shown only to reviewers. `rule` names what found it, and `sessions` counts the sessions in which it was said. It is dropped at `expiresAt` unless it is confirmed or said again. `memoryId` is the memory it became or, while it waits, would change. */
export interface Candidate {
  id: string;
  status: "confirmed" | "rejected" | "waiting";
  rule: string;
  content: string;
  type: "feedback" | "project" | "reference" | "user";
  scope: "global" | "personal" | "project";
  files: string[];
  evidence: Evidence[];
  sessions: number;
  /** Epoch milliseconds, UTC. */
  createdAt: number;
  /** Epoch milliseconds, UTC. */
  updatedAt: number;
  name?: string | null;
  category?: "blocker" | "conversation" | "decision" | "directive" | "event" | "fact" | "idea" | "plan" | "procedure" | "reminder" | null;
  agent?: string | null;
  expiresAt?: number | null;
  memoryId?: string | null;
}

/** Candidates, the best supported first: those that wait, or those of `status`. `memoryId` asks for those that one memory came from, whatever their status; `sessionId` for those that were said in one session. */
export interface CandidatesParams {
  status?: ("confirmed" | "rejected" | "waiting")[];
  memoryId?: string | null;
  sessionId?: string | null;
  limit?: number;
  workspaceUri?: string | null;
}

/** At most `limit` of them; `waiting` counts all that wait. */
export interface CandidatesResult {
  items: Candidate[];
  waiting: number;
}

/** An item that a session has claimed. */
export interface Claim {
  item: string;
  /** Epoch milliseconds, UTC. */
  claimedAt: number;
}

/** A session takes an item for itself, or gives it back. Both count as a heartbeat. White space is normalised, and a path inside the workspace is kept relative to it. */
export interface ClaimParams {
  sessionId: string;
  /** What is worked on: a path, a number, any text. */
  item: string;
  workspaceUri?: string | null;
}

/** `claimed`: the session has the item now, or had it already. Else `owner` is the session that has it. `age` is how long that has had it, in milliseconds; `agent` and `workingOn` are what it said of itself, and `elsewhere` whose it is on another machine. */
export interface ClaimResult {
  item: string;
  claimed: boolean;
  owner?: string | null;
  age?: number | null;
  claimedAt?: number | null;
  agent?: string | null;
  workingOn?: string | null;
  elsewhere?: string | null;
}

/** A thing was closed or merged, or is done otherwise. */
export interface CloseParams {
  /** `#12`, `!3`, `&4`, `group/project!12`, `@user`, a URL, a path, a symbol (`C.m`, `a.py::C.m`). */
  entity: string;
  workspaceUri?: string | null;
}

/** `resolved`: the blockers that named it and nothing else. `left`: those that name others, too. */
export interface CloseResult {
  entity: string;
  resolved: Memory[];
  left: StillBlocked[];
}

/** What `file/search` and the repository map are made from; brought up to date when either is asked. `waiting` files have changed and are to be read. `history`: `off` by a setting, `waiting` to be read, `unavailable` without a repository or git. `failed` files met a defect of memory-sidecar, are known without their definitions, and are named in the log. */
export interface CodeStatus {
  files: number;
  waiting: number;
  commits: number;
  history: "off" | "ready" | "unavailable" | "waiting";
  failed?: number;
}

/** The agent summed up its context; a section "Memory Candidates" of the summary is recorded. */
export interface CompactionParams {
  sessionId: string;
  summary: string;
  agent?: string | null;
  workspaceUri?: string | null;
}

/** Make a memory of a candidate, a rejected one too, as it is or with other words, name, type, scope or category. */
export interface ConfirmParams {
  /** Time-ordered id (UUIDv7). */
  id: string;
  content?: string | null;
  name?: string | null;
  type?: "feedback" | "project" | "reference" | "user" | null;
  scope?: "global" | "personal" | "project" | null;
  category?: "blocker" | "conversation" | "decision" | "directive" | "event" | "fact" | "idea" | "plan" | "procedure" | "reminder" | null;
  workspaceUri?: string | null;
}

/** Forget a memory. Its history stays for `memory/undo` and `memory/restore` unless `purge` is true. What was put away because this memory says the same is purged with it. */
export interface DeleteParams {
  /** Time-ordered id (UUIDv7). */
  id: string;
  purge?: boolean;
  workspaceUri?: string | null;
}

/** The id that is gone; `undoable` says whether `memory/undo` can bring it back. */
export interface DeleteResult {
  id: string;
  undoable: boolean;
}

/** `memory/didChange`: memories of a workspace that changed. Changes that this process made come by themselves. Those of other processes come within a second to a client that declares `capabilities.experimental.memorySidecar.didChange = true` in `initialize`, or that can be told to refresh code lenses or diagnostics. An empty `changes` without `candidates` means that anything may have changed, so reload; `candidates` is the number of candidates now waiting. */
export interface DidChangeMemories {
  workspaceUri: string;
  changes: MemoryChange[];
  candidates?: number | null;
}

/** `file/didInvalidate`: files of a workspace whose memory was invalidated. */
export interface DidInvalidateFiles {
  workspaceUri: string;
  files: InvalidatedFile[];
}

/** The model that finds memories by meaning. While it is not `ready`, words decide alone; `reason` says why. `model` is the setting, `name` the exact model, `operation` the making of vectors that are missing, `bytes` what the kept vectors take on disk. */
export interface EmbeddingStatus {
  model: "endpoint" | "minilm" | "multilingual" | "off" | "static";
  state: "failed" | "loading" | "off" | "ready";
  operation: "cancelled" | "done" | "failed" | "idle" | "running";
  bytes: number;
  name?: string | null;
  reason?: string | null;
  hint?: string | null;
}

/** A session is over; its summary is kept as a conversation memory. */
export interface EndParams {
  sessionId: string;
  summary?: string | null;
  workspaceUri?: string | null;
}

/** A memory that names it, and up to 10 of its links. */
export interface EntityMemory {
  memory: Memory;
  links: LinkedMemory[];
}

/** Which memories name this very thing. `#12` is not `#123`; in this project it is also `group/project#12`. */
export interface EntityParams {
  /** `#12`, `!3`, `&4`, `group/project!12`, `@user`, a URL, a path, a symbol (`C.m`, `a.py::C.m`). */
  entity: string;
  agent?: string | null;
  limit?: number;
  workspaceUri?: string | null;
}

/** Newest update first, open and resolved; `total` counts those beyond the limit, too. */
export interface EntityResult {
  entity: string;
  kind: "file" | "mark" | "symbol" | "url" | "user";
  items: EntityMemory[];
  total: number;
  tracked?: TrackedEntity | null;
}

/** `path` is the JSON path of the offending field, `reason` a word to switch on, `hint` what to do. */
export interface ErrorData {
  path?: string | null;
  reason?: string | null;
  hint?: string | null;
}

/** What a candidate rests on: the words, or the commands, who gave them, and what stood before. `before` is the end of what the agent had said. The `repository` speaks through its own memory file. */
export interface Evidence {
  /** Epoch milliseconds, UTC. */
  at: number;
  speaker: "agent" | "model" | "repository" | "tool" | "user";
  words: string;
  before?: string | null;
  sessionId?: string | null;
}

/** Why a memory is shown for a prompt, or is not; nothing counts as shown. */
export interface ExplainParams {
  /** Time-ordered id (UUIDv7). */
  id: string;
  prompt: string;
  agent?: string | null;
  sessionId?: string | null;
  workspaceUri?: string | null;
}

/** The probability that a memory bears on a prompt and the least that is shown, with what speaks for it. `best` is the probability of the likeliest memory, which must reach `opens` for anything to be shown at all; `change` says in a sentence each what would alter the outcome. */
export interface ExplainResult {
  probability: number;
  label: string;
  threshold: number;
  best: number;
  opens: number;
  gains: Gain[];
  words: string[];
  cosine: number | null;
  rank: number | null;
  change: string[];
}

/** The memories of these scopes (all, when none is named) as lines of JSON that `memory/import` restores exactly. `history`: with every earlier version. `deleted`: with what was deleted and could still be undone; without it only digests say that something was deleted. With the project's memories come the reminders, and what was learned about contents of files; with those of each scope its candidates, whatever their status. With `types`, `categories`, `tags` (any of them) or `since`, only the memories that fit, and nothing else. The answer is a page; ask again with its `cursor` until there is none. */
export interface ExportParams {
  scopes?: ("global" | "personal" | "project")[] | null;
  history?: boolean;
  deleted?: boolean;
  types?: ("feedback" | "project" | "reference" | "user")[] | null;
  categories?: ("blocker" | "conversation" | "decision" | "directive" | "event" | "fact" | "idea" | "plan" | "procedure" | "reminder")[] | null;
  tags?: string[] | null;
  since?: number | null;
  cursor?: string | null;
  workDoneToken?: string | number | null;
  workspaceUri?: string | null;
}

/** Lines of an export, in order, each a JSON object without its line break. `memories` counts those of the page. */
export interface ExportResult {
  lines: string[];
  memories: number;
  cursor?: string | null;
}

/** One durable fact about a file, learned while an agent worked. `identifiers` occur in the file. `symbols` are those whose own content it rests on; without any it rests on the whole file. */
export interface Facet {
  text: string;
  symbols: string[];
  identifiers?: string[];
}

/** The files that a text is about: an issue, a task, an error message. `kinds` leaves out files of other kinds. */
export interface FileSearchParams {
  query: string;
  limit?: number;
  kinds?: ("docs" | "other" | "source" | "test")[] | null;
  workDoneToken?: string | number | null;
  workspaceUri?: string | null;
}

/** Likeliest first. `pending` files are still to be read: the answer is without them. `history`: `waiting` while past commits are still to be read, and the answer is without some of them. */
export interface FileSearchResult {
  items: FoundFile[];
  pending?: number;
  history?: "off" | "ready" | "unavailable" | "waiting";
}

/** One file. `score` compares within one answer; `coverage` is the share of the query that the file says, 0 to 1. */
export interface FoundFile {
  path: string;
  score: number;
  coverage: number;
  reasons: string[];
}

/** What one kind of evidence adds to the odds: their natural logarithm, beside a memory of no interest. */
export interface Gain {
  evidence: "meaning" | "prompt" | "verdict" | "words";
  gain: number;
}

/** One file: `text` is its line in the hand-off, at most 150 characters. */
export interface HandoffItem {
  path: string;
  hash: string;
  text: string;
}

/** What a sub-agent should know of the files that a session has in hand. `files` are paths, the last one last, that come before what the session told of itself. */
export interface HandoffParams {
  sessionId: string;
  files?: string[];
  workspaceUri?: string | null;
}

/** The last files of the session, at most 10, the latest first. `text` is empty when there are none. */
export interface HandoffResult {
  text: string;
  tokens: number;
  items: HandoffItem[];
}

/** A session is still there; a session without one for 30 minutes has expired. */
export interface HeartbeatParams {
  sessionId: string;
  workingOn?: string | null;
  workspaceUri?: string | null;
}

/** Versions, newest first. */
export interface HistoryResult {
  versions: Version[];
}

/** A memory found, its score and why it was found. With a query, `score` is the probability that the memory bears on it, and one of `reasons` says so in words: `likely` (from 0.5), `perhaps`, or `only close in words or meaning`: a prompt whose best hit is that is shown nothing. The order is that of the match, so that scores need not fall. Without a query the score is the standing weight. */
export interface Hit {
  memory: Memory;
  score: number;
  reasons: string[];
}

/** One hook that was run, or whose result of a moment ago was taken. `exitCode` is missing after a time-out. */
export interface HookOutcome {
  command: string;
  origin: "user" | "workspace";
  blocked: boolean;
  exitCode?: number | null;
  output?: string;
  error?: string;
  timedOut?: boolean;
  cached?: boolean;
}

/** `missing` or `notExecutable`: configured, and cannot run. `orphaned`: there, and configured nowhere. */
export interface HookProblem {
  problem: "missing" | "notExecutable" | "orphaned";
  path: string;
  origin: "user" | "workspace";
  event?: string | null;
  command?: string | null;
}

/** Something that recent memories name often: in how many, when the last of them changed, and its forge's word. */
export interface HotEntity {
  entity: string;
  memories: number;
  /** Epoch milliseconds, UTC. */
  lastAt: number;
  tracked?: TrackedEntity | null;
}

/** One memory, by its id. */
export interface IdParams {
  /** Time-ordered id (UUIDv7). */
  id: string;
  workspaceUri?: string | null;
}

/** Take in the memories of another tool's files, or of an export. All of it is stored, or none. Only what Prism knows of files is kept fact by fact, each judged against its file as it stands. `path` is a file or folder of the workspace (the command line takes any); `text` is the content of a file instead, called `name` in the answer. `format` is found out when it is not given. `scope` is for formats that do not say. `directives`: standing instructions stay such; by default only those of our own exports do. `forgotten`: an export of ours also brings back what was deleted here since. `workDoneToken` asks for progress, as in LSP. */
export interface ImportParams {
  path?: string | null;
  text?: string | null;
  name?: string | null;
  format?: "claude" | "markdown" | "mcp-memory" | "memory-sidecar" | "opencode" | "prism" | "records" | "semantic-memory" | "serena" | null;
  scope?: "global" | "personal" | "project" | null;
  dryRun?: boolean;
  directives?: boolean | null;
  forgotten?: boolean;
  workDoneToken?: string | number | null;
  workspaceUri?: string | null;
}

/** `counts` has every outcome; `items` lists at most 1,000, what needs a look first, and `more` is how many are not. `links`, `tombstones`, `reminders`, `facets` (facts about files) and `candidates` were added, too. */
export interface ImportResult {
  format: "claude" | "markdown" | "mcp-memory" | "memory-sidecar" | "opencode" | "prism" | "records" | "semantic-memory" | "serena" | "bootstrap";
  dryRun: boolean;
  counts: Record<string, number>;
  items: ImportedItem[];
  links?: number;
  tombstones?: number;
  reminders?: number;
  facets?: number;
  candidates?: number;
  more?: number;
}

/** Learn from the transcripts of this workspace's sessions that agents keep on this machine, oldest first. Again reads only what is new. `agents`: only theirs; what lies in the repository itself is read only where its agent is named. `since`: only sessions that began then or later. `elsewhere` also counts the sessions of other folders, of which nothing is read. */
export interface ImportSessionsParams {
  agents?: ("aider" | "claude-code" | "codex" | "copilot" | "gemini" | "opencode" | "qwen" | "specstory")[] | null;
  since?: number | null;
  dryRun?: boolean;
  elsewhere?: boolean;
  workDoneToken?: string | number | null;
  workspaceUri?: string | null;
}

/** `messages` are the user's, `first` and `last` when the sessions read began. `learned` counts by rule what the sessions taught, `memories` how many there are more than before (of a dry run 0). `items` has the first 200 of a dry run. */
export interface ImportSessionsResult {
  dryRun: boolean;
  sessions: number;
  messages: number;
  first?: number | null;
  last?: number | null;
  agents?: SessionsRead[];
  learned?: Record<string, number>;
  memories?: number;
  skipped?: SessionsSkipped[];
  items?: LearnedFromSession[];
  elsewhere?: SessionsElsewhere[];
}

/** What became of one item, or would. `id` is the memory that says it now, `where` the place in the files. `forgotten`: it was deleted here before. `skipped`: it is no memory, or went another way here. `refused`: it cannot be one, as `reason` says. */
export interface ImportedItem {
  outcome: "created" | "duplicate" | "forgotten" | "merged" | "refused" | "skipped";
  name: string;
  where: string;
  id?: string | null;
  scope?: "global" | "personal" | "project" | null;
  reason?: string | null;
  redactions?: Redaction[];
}

/** What should stand in front of an agent now, inside a token budget (a setting's, 5000, when none is named). `brief` asks for about five memories and 400 tokens, and more only of what is sure to matter: for each prompt of a conversation. A short prompt of a session takes its meaning from the one before. */
export interface InjectParams {
  prompt?: string | null;
  files?: string[];
  agent?: string | null;
  sessionId?: string | null;
  budgetTokens?: number | null;
  format?: "markdown" | "xml";
  excludeShown?: boolean;
  frozen?: boolean;
  brief?: boolean;
  workspaceUri?: string | null;
}

/** The block. `text` is empty when nothing is worth showing. Same state and parameters, same bytes. */
export interface InjectResult {
  text: string;
  tokens: number;
  etag: string;
  items: InjectedItem[];
  omitted: OmittedItem[];
}

/** One item of the block: a memory (`id`) or the briefing of a file (`path`). */
export interface InjectedItem {
  kind: "file" | "memory";
  section: string;
  score: number;
  tokens: number;
  reasons: string[];
  id?: string | null;
  path?: string | null;
}

/** A file whose remembered content is no longer what is on disk. `hash` is missing when it is gone. */
export interface InvalidatedFile {
  path: string;
  reason: "changed" | "deleted" | "renamed";
  oldHash: string;
  hash?: string | null;
  newPath?: string | null;
}

/** Something that a session taught, without its secrets. */
export interface LearnedFromSession {
  rule: string;
  content: string;
  sessionId: string;
  /** Epoch milliseconds, UTC. */
  at: number;
}

/** That two memories belong together. `source` is who said so, or `similar` or `contradiction` when it was found. */
export interface Link {
  from: string;
  to: string;
  kind: "contradicts" | "extends" | "related" | "sameEntity" | "sequence" | "supersedes";
  strength: number;
  /** Epoch milliseconds, UTC. */
  createdAt: number;
  source: string;
}

/** Say that two memories belong together, or, with `remove`, that they do not. `related`, `contradicts` and `sameEntity` have no direction. What supersedes another memory, or contradicts it and is newer, is shown in its place. */
export interface LinkParams {
  /** Time-ordered id (UUIDv7). */
  from: string;
  /** Time-ordered id (UUIDv7). */
  to: string;
  kind?: "contradicts" | "extends" | "related" | "sameEntity" | "sequence" | "supersedes";
  strength?: number;
  remove?: boolean;
  workspaceUri?: string | null;
}

/** What became of the link: `missing` is answered to the removal of a link that there is not. */
export interface LinkResult {
  status: "changed" | "created" | "missing" | "removed" | "unchanged";
  link?: Link | null;
}

/** A link of a memory asked for, and the memory at its other end. */
export interface LinkedMemory {
  link: Link;
  id: string;
  name: string;
  scope: "global" | "personal" | "project";
  status: "active" | "archived" | "deleted" | "resolved" | "suspect";
}

/** One memory, by its `id`, or several by `ids`, of which those that are not found are left out. `kinds`: links of these kinds alone. */
export interface LinksParams {
  id?: string | null;
  ids?: string[] | null;
  kinds?: ("contradicts" | "extends" | "related" | "sameEntity" | "sequence" | "supersedes")[] | null;
  workspaceUri?: string | null;
}

/** The links of one memory after the other, of each oldest first; those to deleted memories are left out. */
export interface LinksResult {
  items: LinkedMemory[];
}

/** Memories by filter, newest first. `agent` is a name or `"*"`, as for `memory/search`. The `status` `deleted` stands alone: what was deleted and can be restored, the latest deletion first. */
export interface ListParams {
  scopes?: ("global" | "personal" | "project")[] | null;
  types?: ("feedback" | "project" | "reference" | "user")[] | null;
  categories?: ("blocker" | "conversation" | "decision" | "directive" | "event" | "fact" | "idea" | "plan" | "procedure" | "reminder")[] | null;
  agent?: string | null;
  files?: string[] | null;
  since?: number | null;
  status?: ("active" | "archived" | "deleted" | "resolved" | "suspect")[] | null;
  include?: ("archived" | "expired" | "resolved")[];
  limit?: number;
  cursor?: string | null;
  workspaceUri?: string | null;
}

/** Reminders by the time at which they are due; `due`: only those that are, `all`: cleared ones, too. */
export interface ListRemindersParams {
  due?: boolean;
  all?: boolean;
  limit?: number;
  workspaceUri?: string | null;
}

/** Reminders, those due first at the front. */
export interface ListRemindersResult {
  items: Reminder[];
}

/** A page of memories; `cursor` is there when more can be had. */
export interface ListResult {
  items: Memory[];
  cursor?: string | null;
}

/** The active sessions, or with `all` those that ended or expired too; the latest heartbeat first. */
export interface ListSessionsParams {
  all?: boolean;
  limit?: number;
  workspaceUri?: string | null;
}

/** Sessions, the latest heartbeat first. */
export interface ListSessionsResult {
  items: Session[];
}

/** Run maintenance now: every step that is switched on, or those of `steps` that are. `dryRun` shows what it would do and writes nothing. `apply` and `dismiss` name proposals of an earlier answer; when either is given and `steps` is not, nothing else is done. */
export interface MaintainParams {
  dryRun?: boolean;
  steps?: ("age" | "archive" | "consolidation" | "duplicates" | "memoryFile" | "promotion" | "references" | "relevance")[] | null;
  apply?: string[];
  dismiss?: string[];
  workDoneToken?: string | number | null;
  workspaceUri?: string | null;
}

/** `skipped`: another process is at it, and nothing was done; `partial`: so for one of the two stores; see `detail`. `counts` has every step that ran. `actions` lists at most 500 things done, changes of relevance last; `more` is how many are not listed. `left` is what could not be done, `switchedOff` the steps that a setting keeps from running. */
export interface MaintainResult {
  state: "done" | "partial" | "skipped";
  dryRun: boolean;
  counts: Record<string, number>;
  actions: MaintenanceAction[];
  left: MaintenanceAction[];
  proposals: Proposal[];
  switchedOff: ("age" | "archive" | "consolidation" | "duplicates" | "memoryFile" | "promotion" | "references" | "relevance")[];
  applied?: string[];
  more?: number;
  detail?: string | null;
}

/** What was done with one memory, or would be, and why; `into` is the memory that it was merged into. */
export interface MaintenanceAction {
  step: "age" | "archive" | "consolidation" | "duplicates" | "memoryFile" | "promotion" | "references" | "relevance";
  id: string;
  name: string;
  scope: "global" | "personal" | "project";
  reason: string;
  into?: string | null;
}

/** One thing learned that outlives a session. `archivedFor` is missing when a person or agent archived it; `mergedInto` is the memory that says it now. One that is `deleted` was so at `updatedAt`: only a list of those shows it, and the step that took it away. `author` is whose words it is where another member of a team wrote it. */
export interface Memory {
  id: string;
  scope: "global" | "personal" | "project";
  type: "feedback" | "project" | "reference" | "user";
  name: string;
  content: string;
  tags: string[];
  files: string[];
  entities: string[];
  references: Reference[];
  relevance: number;
  accessCount: number;
  pinned: boolean;
  status: "active" | "archived" | "deleted" | "resolved" | "suspect";
  source: string;
  /** Epoch milliseconds, UTC. */
  createdAt: number;
  /** Epoch milliseconds, UTC. */
  updatedAt: number;
  version: number;
  category?: "blocker" | "conversation" | "decision" | "directive" | "event" | "fact" | "idea" | "plan" | "procedure" | "reminder" | null;
  description?: string | null;
  agent?: string | null;
  sessionId?: string | null;
  accessedAt?: number | null;
  verifiedAt?: number | null;
  expiresAt?: number | null;
  promotedFrom?: string | null;
  supersedes?: string | null;
  archivedFor?: "faded" | "left" | "merged" | "old" | "promoted" | null;
  mergedInto?: string | null;
  author?: string | null;
  useful?: number;
  notUseful?: number;
}

/** One change of one memory. */
export interface MemoryChange {
  id: string;
  scope: "global" | "personal" | "project";
  change: "archived" | "created" | "deleted" | "merged" | "promoted" | "redone" | "reopened" | "resolved" | "restored" | "undone" | "updated";
}

/** Bring file and memories in step now. `trust`: whether what the repository says in its file counts as the user's word from now on; only a person can say that it does. `vanished`: what is to become of entries that are gone from the file at once: `archive` them, or `bringBack` and write them into the file again. */
export interface MemoryFileParams {
  trust?: boolean | null;
  vanished?: "archive" | "bringBack" | null;
  workspaceUri?: string | null;
}

/** The state of MEMORY.md or its directory form. `leftAlone`: not read or written for now; `detail` says why. `detail` also lists hand edits that were rejected. `held`: so many entries disappeared at once that nothing happens until `memory/file` says whether to archive them. `trusted`: the repository's entries count as the user's own. */
export interface MemoryFileStatus {
  path: string;
  state: "absent" | "current" | "held" | "leftAlone" | "off";
  detail?: string | null;
  vanished?: number;
  trusted?: boolean;
}

/** Figures of every open workspace, or with `workspaceUri` of that one alone. */
export interface MetricsParams {
  workspaceUri?: string | null;
}

/** Figures of this process and its stores in the text format of Prometheus; nothing of what memories say. Workspaces are named by their id. `contentType` is what an HTTP endpoint that passes the text on has to answer. */
export interface MetricsResult {
  text: string;
  contentType: string;
}

/** The chat model that writes about files and reads sessions. `off`: none is configured, and nothing is ever sent. `limit`: the tokens of this day are used. `waiting` counts questions of this checkout; `detail` says what is amiss. `sessions` says who reads what users said, `sessionsToday` how many sessions were read today (UTC), everywhere. */
export interface ModelStatus {
  state: "failed" | "idle" | "limit" | "off" | "working";
  name?: string | null;
  waiting?: number;
  detail?: string | null;
  sessions?: "client" | "command" | "endpoint" | "off";
  sessionsToday?: number;
}

/** What somebody says of files on purpose: of `paths`, else of those that the session has read since its last. Kept is the text as it is if it is short, else the first of its sentences that may be: a statement, a rule of use, or a pair of files that change together. Of several files only those take one that define what it names. */
export interface ObserveParams {
  sessionId: string;
  text: string;
  paths?: string[] | null;
  workspaceUri?: string | null;
}

/** At most one new fact for each file. */
export interface ObserveResult {
  facets: ObservedFacet[];
  refused: RefusedFacet[];
}

/** A fact that is kept, with the file it is about. */
export interface ObservedFacet {
  path: string;
  text: string;
  identifiers: string[];
  symbols: string[];
}

/** A candidate that is not in the block, and why. `id` is a memory's id or a file's path. */
export interface OmittedItem {
  id: string;
  reason: "alreadyShown" | "belowFloor" | "budget" | "contradicted" | "fileUnavailable" | "repeats" | "superseded";
}

/** Who git says commits here. */
export interface Person {
  name?: string | null;
  email?: string | null;
}

/** Give a memory to more readers: to `scope`, or to the next wider one. A global memory has an id of its own. */
export interface PromoteParams {
  /** Time-ordered id (UUIDv7). */
  id: string;
  scope?: "global" | "project" | null;
  workspaceUri?: string | null;
}

/** The memory in its new scope. `archived` is the id of the original, when the memory is another one now. */
export interface PromoteResult {
  memory: Memory;
  changed: boolean;
  archived?: string | null;
}

/** Two memories that say nearly the same. `merge`: the other's text goes into the kept one, and it is archived. `supersede`: the kept one is the newer statement and is marked as superseding the other. `score`: their similarity. */
export interface Proposal {
  id: string;
  kind: "merge" | "supersede";
  keep: string;
  keepName: string;
  other: string;
  otherName: string;
  score: number;
}

/** Say whether a memory was of use. Each verdict moves its weight and the odds that it is shown for a prompt. Four verdicts more on one side count as much as any number. One that was mostly not useful is archived sooner. */
export interface RateParams {
  /** Time-ordered id (UUIDv7). */
  id: string;
  useful: boolean;
  workspaceUri?: string | null;
}

/** The agent thought or said something. */
export interface ReasoningParams {
  sessionId: string;
  text: string;
  agent?: string | null;
  workspaceUri?: string | null;
}

/** Store one memory. `scope` defaults to `personal` for type `user`, else `project`; no agent is called `*`. */
export interface RecordParams {
  content: string;
  name?: string | null;
  description?: string | null;
  type?: "feedback" | "project" | "reference" | "user";
  scope?: "global" | "personal" | "project" | null;
  category?: "blocker" | "conversation" | "decision" | "directive" | "event" | "fact" | "idea" | "plan" | "procedure" | "reminder" | null;
  agent?: string | null;
  sessionId?: string | null;
  files?: string[];
  tags?: string[];
  expiresAt?: number | null;
  pinned?: boolean;
  workspaceUri?: string | null;
}

/** An agent has read a file. `contentHash` is the content it saw, where it knows: if the file is another one by now, what it thinks next is not taken to be about it. */
export interface RecordReadParams {
  /** A `file://` URI or a workspace-relative POSIX path. */
  path: string;
  sessionId: string;
  contentHash?: string | null;
  workspaceUri?: string | null;
}

/** `hash` is the content on disk now; `known`: a facet or a model's summary of it is kept. */
export interface RecordReadResult {
  path: string;
  hash: string;
  known: boolean;
}

/** `created`: new. `merged`: appended to the memory of the same key. `duplicate`: already said. */
export interface RecordResult {
  status: "created" | "duplicate" | "merged";
  memory: Memory;
  similar: Similar[];
  redactions: Redaction[];
}

/** A secret that was taken out before anything was written: what kind, in which field, how often. */
export interface Redaction {
  kind: string;
  field: string;
  count: number;
}

/** Something outside the memory that its text names, as it stood when the memory was recorded. `hash` is that of the file's content, of a `symbol` in a file that of the symbol alone. `stale`: it is not what it was any more, or is gone, in the checkout that asks. */
export interface Reference {
  kind: "epic" | "issue" | "mergeRequest" | "path" | "symbol" | "url" | "user";
  text: string;
  path?: string | null;
  hash?: string | null;
  symbol?: string | null;
  stale?: boolean;
}

/** A sentence that is not kept, and why; without `path` it is for every file. */
export interface RefusedFacet {
  text: string;
  reason: "alreadyInOutline" | "code" | "definedElsewhere" | "full" | "noIdentifier" | "noSuchFile" | "noise" | "notDurable" | "notInFile" | "paraphrase" | "question" | "saysLittle" | "secret" | "task" | "tooLong" | "tooShort";
  path?: string | null;
}

/** Never propose this again, in whatever words. */
export interface RejectParams {
  /** Time-ordered id (UUIDv7). */
  id: string;
  workspaceUri?: string | null;
}

/** `released`: the session had the item. Else `owner` is who has it, for `age` milliseconds; nobody without one. */
export interface ReleaseResult {
  item: string;
  released: boolean;
  owner?: string | null;
  age?: number | null;
}

/** A reminder and when it is next due: `at`, which is `local` in `timezone`. `due`: that is now or past. */
export interface Reminder {
  id: string;
  text: string;
  /** Epoch milliseconds, UTC. */
  at: number;
  local: string;
  timezone: string;
  due: boolean;
  /** Epoch milliseconds, UTC. */
  createdAt: number;
  recurrence?: "daily" | "monthly" | "weekdays" | "weekly" | "yearly" | null;
  clearedAt?: number | null;
  agent?: string | null;
  sessionId?: string | null;
}

/** One reminder. */
export interface ReminderParams {
  /** Time-ordered id (UUIDv7). */
  id: string;
  workspaceUri?: string | null;
}

/** The repository's map, as seen from files and identifiers in play; from everywhere without them. */
export interface RepoMapParams {
  /** Tokens, estimated. */
  budgetTokens?: number;
  files?: string[];
  identifiers?: string[];
  workDoneToken?: string | number | null;
  workspaceUri?: string | null;
}

/** Files with their key symbols, the most important first, each with its line; never above the budget. `files` are those in the text, in its order. `pending` files are still to be read: the map is without them. */
export interface RepoMapResult {
  text: string;
  tokens: number;
  files: string[];
  pending?: number;
}

/** Run the hooks of an event whose matcher fits the tool, in order, up to the first that blocks. */
export interface RunHooksParams {
  event: string;
  tool?: string | null;
  input?: unknown;
  sessionId?: string | null;
  workspaceUri?: string | null;
}

/** `refused` are the commands that match and that the settings do not allow to run (`hooks.run`). */
export interface RunHooksResult {
  blocked: boolean;
  outcomes: HookOutcome[];
  refused: string[];
  reason?: string | null;
}

/** Find memories. Filters apply before ranking; archived, resolved and expired ones only on request. A memory that has an agent is found for that agent only: without `agent`, those of no agent are found; with a name, those and that agent's; with `"*"`, those of any agent, which is for people. */
export interface SearchParams {
  query: string;
  limit?: number;
  scopes?: ("global" | "personal" | "project")[] | null;
  types?: ("feedback" | "project" | "reference" | "user")[] | null;
  categories?: ("blocker" | "conversation" | "decision" | "directive" | "event" | "fact" | "idea" | "plan" | "procedure" | "reminder")[] | null;
  agent?: string | null;
  files?: string[] | null;
  since?: number | null;
  include?: ("archived" | "expired" | "resolved")[];
  cursor?: string | null;
  workspaceUri?: string | null;
}

/** Best first; `cursor` is there when more can be had. */
export interface SearchResult {
  items: Hit[];
  cursor?: string | null;
}

/** One session of a workspace. `expired`: its process is gone or gave no heartbeat for 30 minutes, and no end. `claims` are shown in lists; a session that is not active has none. `elsewhere`: whose it is on another machine. */
export interface Session {
  sessionId: string;
  state: "active" | "ended" | "expired";
  /** Epoch milliseconds, UTC. */
  startedAt: number;
  /** Epoch milliseconds, UTC. */
  heartbeatAt: number;
  agent?: string | null;
  workingOn?: string | null;
  endedAt?: number | null;
  summary?: string | null;
  claims?: Claim[];
  elsewhere?: string | null;
}

/** How many sessions worked in another folder; an empty one is not known. */
export interface SessionsElsewhere {
  folder: string;
  sessions: number;
}

/** What was read of one agent. */
export interface SessionsRead {
  agent: string;
  sessions: number;
  messages: number;
}

/** Sessions that were not read, and why; `count` is 0 where it is not known how many. */
export interface SessionsSkipped {
  agent: string;
  reason: string;
  count?: number;
}

/** Keep a reminder. `at`: an ISO time, `+2h`, `in 3 days`, `17:00`, `tomorrow 9am`, `friday 17:00`, `next monday`. Times are local to `timezone`, which is this machine's unless it is given. What recurs keeps its local time when the clocks change (a time that they skip comes as much later), and falls on the last day of a month that is too short. */
export interface SetReminderParams {
  text: string;
  at: string;
  recurrence?: "daily" | "monthly" | "weekdays" | "weekly" | "yearly" | null;
  timezone?: string | null;
  agent?: string | null;
  sessionId?: string | null;
  workspaceUri?: string | null;
}

/** `created` is false for what waits already, with the same text and times. */
export interface SetReminderResult {
  reminder: Reminder;
  created: boolean;
}

/** A memory that says nearly the same under another name. `score` is in 0..1. */
export interface Similar {
  id: string;
  name: string;
  score: number;
}

/** A session begins, or goes on after it had ended or expired. */
export interface StartParams {
  sessionId: string;
  workingOn?: string | null;
  agent?: string | null;
  workspaceUri?: string | null;
}

/** One of the memories that were shown in most sessions. */
export interface StatsMemory {
  id: string;
  name: string;
  scope: "global" | "personal" | "project";
  shown: number;
  useful: number;
  notUseful: number;
}

/** The last `weeks`, the current one included, over this workspace's memories and those for all workspaces. */
export interface StatsParams {
  weeks?: number;
  workspaceUri?: string | null;
}

/** Counts of memories that are not archived; `weeks` also count those that are, and not those that were deleted. `candidates` has a count for each status, `shown` is the number of times that a session was shown a memory, `unseen` the number of memories that no session was ever shown. */
export interface StatsResult {
  memories: number;
  archived: number;
  bySource: Record<string, number>;
  byType: Record<string, number>;
  candidates: Record<string, number>;
  shown: number;
  unseen: number;
  useful: number;
  notUseful: number;
  weeks: StatsWeek[];
  mostShown: StatsMemory[];
}

/** Seven days from `start`. Memories by who made them, and how often a session was shown one. `recorded`: a person or an agent did so on purpose; `learned` from what happened in sessions; `imported` from other tools or from the project's own files. */
export interface StatsWeek {
  /** Epoch milliseconds, UTC. */
  start: number;
  recorded: number;
  learned: number;
  imported: number;
  shown: number;
}

/** Every open workspace, or with `workspaceUri` that one alone. */
export interface StatusParams {
  workspaceUri?: string | null;
}

/** `hitRates` are in 0..1, keyed by what is looked up; `queues` are lengths, keyed by lane. */
export interface StatusResult {
  version: string;
  pid: number;
  uptimeMs: number;
  enabled: boolean;
  workspaces: WorkspaceStatus[];
  queues: Record<string, number>;
  hitRates: Record<string, number>;
  tokensSaved: number;
  settingsProblems: string[];
  modelTokensToday?: number;
}

/** An open blocker that also names other issues, merge requests or epics, so that it was left as it is. */
export interface StillBlocked {
  /** Time-ordered id (UUIDv7). */
  id: string;
  others: string[];
}

/** One store on disk. `notice` tells what was migrated, salvaged or set aside when it was opened. */
export interface StoreStatus {
  path: string;
  bytes: number;
  schemaVersion: number;
  notice?: string | null;
}

/** The briefing of a file. `intent: edit` means that the exact text is about to be needed. `sessionId` lets it be counted what the session need not have read; without one nothing is. */
export interface SummaryParams {
  /** A `file://` URI or a workspace-relative POSIX path. */
  path: string;
  intent?: "edit" | "explore";
  sessionId?: string | null;
  workspaceUri?: string | null;
}

/** What stands for the file instead of its content, for the bytes that were on disk when it was asked. `origin` says who wrote `summary`: the outline and the facets as they are, a model about the content, or a model about content and facets. `tokens` is the size of `summary`, `fileTokens` that of the file; `advice`, when there is one, says why to read the file instead. `formerFacets` were learned of earlier contents of the file and may hold no more: they are no facts, and offered to whoever wants to verify one and say so with `file/observe`. */
export interface SummaryResult {
  path: string;
  hash: string;
  origin: "aggregated" | "model" | "structural";
  fresh: boolean;
  partial: boolean;
  language: string;
  summary: string;
  facets: Facet[];
  outline: Symbol[];
  lines: number;
  tokens: number;
  fileTokens: number;
  advice?: string | null;
  formerFacets?: Facet[];
}

/** A named part of a file. Lines count from 1, both ends included. */
export interface Symbol {
  kind: string;
  name: string;
  startLine: number;
  endLine: number;
  signature: string;
  doc?: string | null;
  public?: boolean;
  children?: Symbol[];
}

/** Sharing memories through a database. `off`: none is named, or nothing is to be shared; `idle`: not begun here. `notJoined`: this workspace is not shared, or the role is no member. `elsewhere`: another process of this machine does it. `offline`: tried again by itself; `refused`: something must be put right. `detail` says what. `waiting` changes are not shared yet; `syncedAt` is when both sides last said the same. */
export interface TeamStatus {
  state: "connecting" | "elsewhere" | "idle" | "notJoined" | "off" | "offline" | "readOnly" | "refused" | "shared";
  server?: string | null;
  waiting?: number;
  pulled?: number;
  pushed?: number;
  merged?: number;
  syncedAt?: number | null;
  detail?: string | null;
}

/** A tool is about to be used. `callId` ties the result to it. */
export interface ToolCallParams {
  sessionId: string;
  tool: string;
  input?: unknown;
  callId?: string | null;
  agent?: string | null;
  workspaceUri?: string | null;
}

/** A tool was used. `input` is needed where no call was sent before. */
export interface ToolResultParams {
  sessionId: string;
  tool: string;
  output?: unknown;
  input?: unknown;
  exitCode?: number | number | string | null;
  exit_code?: number | number | string | null;
  metadata?: unknown;
  callId?: string | null;
  agent?: string | null;
  workspaceUri?: string | null;
}

/** What GitLab or GitHub says of an issue, merge or pull request, or epic; where the settings let it be asked. All texts are somebody else's: show them as such. `resolved` are the blockers that were resolved when it was found closed or merged; `memory/reopen` or `memory/undo` takes that back. */
export interface TrackedEntity {
  kind: "epic" | "issue" | "mergeRequest";
  title: string;
  state: "closed" | "merged" | "open";
  labels: string[];
  /** Epoch milliseconds, UTC. */
  checkedAt: number;
  author?: string | null;
  url?: string | null;
  updatedAt?: number | null;
  closedAt?: number | null;
  resolved?: string[];
}

/** Asking GitLab or GitHub about what memories name. `off`: not configured, and nothing is ever sent. `paused`: the forge is left alone until `pausedUntil`; `detail` says why, and what is amiss otherwise. `known` things were found there, `missing` ones not; `resolved` counts blockers of what was closed. */
export interface TrackerStatus {
  state: "failed" | "idle" | "off" | "paused" | "working";
  host?: string | null;
  project?: string | null;
  known?: number;
  missing?: number;
  resolved?: number;
  checkedAt?: number | null;
  pausedUntil?: number | null;
  detail?: string | null;
}

/** Change some fields of a memory; the earlier version is kept. `null` clears an optional field. `expectedVersion` makes the change conditional: when the memory has moved on, the answer is an error and nothing is written. */
export interface UpdateParams {
  /** Time-ordered id (UUIDv7). */
  id: string;
  content?: string;
  name?: string;
  description?: string | null;
  type?: "feedback" | "project" | "reference" | "user";
  category?: "blocker" | "conversation" | "decision" | "directive" | "event" | "fact" | "idea" | "plan" | "procedure" | "reminder" | null;
  agent?: string | null;
  files?: string[];
  tags?: string[];
  expiresAt?: number | null;
  pinned?: boolean;
  expectedVersion?: number | null;
  workspaceUri?: string | null;
}

/** The memory as it now stands, and what was redacted from the new text. A name that was made from the text changes with it. `nameHint` says so when a given one tells what the new text no longer does. */
export interface UpdateResult {
  memory: Memory;
  redactions: Redaction[];
  nameHint?: string | null;
}

/** The user said something to the agent. */
export interface UserMessageParams {
  sessionId: string;
  text: string;
  agent?: string | null;
  workspaceUri?: string | null;
}

/** Look at the hook scripts of this workspace and of the user. */
export interface VerifyHooksParams {
  workspaceUri?: string | null;
}

/** What is wrong, in the order of the configuration; `configured` hooks were looked at. */
export interface VerifyHooksResult {
  problems: HookProblem[];
  configured: number;
}

/** A memory as it stood after one change. `memory` is missing when it was gone. */
export interface Version {
  version: number;
  change: "archived" | "created" | "deleted" | "merged" | "promoted" | "redone" | "reopened" | "resolved" | "restored" | "undone" | "updated";
  /** Epoch milliseconds, UTC. */
  at: number;
  memory?: Memory | null;
  reason?: string | null;
}

/** Background reading of the workspace's files. */
export interface WarmupStatus {
  state: "cancelled" | "done" | "failed" | "idle" | "running";
  done: number;
  total: number;
  cause?: string | null;
}

/** Who tells the sidecar of file changes; `polling` when the system refused a watch, `detail` says why. */
export interface WatcherStatus {
  state: "client" | "off" | "own" | "polling";
  detail?: string | null;
}

/** One open workspace. `memories` counts by scope, `candidates` those that wait, `files` remembered contents. `tokensSaved` are the tokens of files that sessions were briefed on and did not read afterwards, less those of the briefings, since the workspace was first opened. `enabled` is false where memory is switched off for it. `alone` says why it does not share the memory of a folder that it claims to be a clone of, and what to do if it is one. */
export interface WorkspaceStatus {
  uri: string;
  id: string;
  memories: Record<string, number>;
  files: number;
  facets: number;
  watcher: WatcherStatus;
  warmup: WarmupStatus;
  stores: StoreStatus[];
  memoryFile?: MemoryFileStatus | null;
  model?: ModelStatus | null;
  code?: CodeStatus | null;
  embedding?: EmbeddingStatus | null;
  tokensSaved?: number;
  trackers?: TrackerStatus | null;
  team?: TeamStatus | null;
  candidates?: number;
  enabled?: boolean;
  alone?: string | null;
}

/** Requests to the sidecar. */
export interface Methods {
  /** Store one memory; answers the stored memory and whether it was created, merged or known. */
  "memory/record": { params: RecordParams; result: RecordResult };
  /** The block of memories and briefings to put in front of an agent, inside a token budget. */
  "memory/inject": { params: InjectParams; result: InjectResult };
  /** How likely a memory bears on a prompt, what speaks for it, and what would change it. */
  "memory/explain": { params: ExplainParams; result: ExplainResult };
  /** Find memories by text, with filters. */
  "memory/search": { params: SearchParams; result: SearchResult };
  /** One memory, whatever its status. */
  "memory/get": { params: IdParams; result: Memory };
  /** Memories by filter, newest first. */
  "memory/list": { params: ListParams; result: ListResult };
  /** Change fields of a memory; the earlier version is kept. */
  "memory/update": { params: UpdateParams; result: UpdateResult };
  /** Take a memory out of retrieval without losing it. */
  "memory/archive": { params: ArchiveParams; result: Memory };
  /** Say whether a memory was of use, which moves its weight. */
  "memory/rate": { params: RateParams; result: Memory };
  /** Bring an archived or deleted memory back. */
  "memory/restore": { params: IdParams; result: Memory };
  /** Forget a memory; its history stays for undo unless purged. */
  "memory/delete": { params: DeleteParams; result: DeleteResult };
  /** The versions of a memory, newest first. */
  "memory/history": { params: IdParams; result: HistoryResult };
  /** Take back all that a memory's last change did, in other scopes too; again steps further back. */
  "memory/undo": { params: IdParams; result: Memory };
  /** Do again what was undone last. */
  "memory/redo": { params: IdParams; result: Memory };
  /** What may become a memory, each with the words or commands that it rests on. */
  "memory/candidates": { params: CandidatesParams; result: CandidatesResult };
  /** Make a memory of a candidate, as it is or reworded. */
  "memory/confirm": { params: ConfirmParams; result: RecordResult };
  /** Drop a candidate; it is not proposed again. */
  "memory/reject": { params: RejectParams; result: Candidate };
  /** Bring MEMORY.md and memories in step; trust the repository, or say what becomes of what vanished. */
  "memory/file": { params: MemoryFileParams; result: MemoryFileStatus };
  /** Say how two memories belong together, or that they do not. */
  "memory/link": { params: LinkParams; result: LinkResult };
  /** The links of a memory, or of several. */
  "memory/links": { params: LinksParams; result: LinksResult };
  /** Say that a memory still holds, although its files have changed. */
  "memory/verify": { params: IdParams; result: Memory };
  /** Give a memory a wider scope; one of its name there is merged with it. */
  "memory/promote": { params: PromoteParams; result: PromoteResult };
  /** Say that a blocker blocks no more. */
  "memory/resolve": { params: IdParams; result: Memory };
  /** Say that a resolved blocker blocks again. */
  "memory/reopen": { params: IdParams; result: Memory };
  /** Merge duplicates, let the unused fade, archive, promote, propose merges; or show what would be done. */
  "memory/maintain": { params: MaintainParams; result: MaintainResult };
  /** What was learned, shown and found useful, week by week. */
  "memory/stats": { params: StatsParams; result: StatsResult };
  /** Memories with their versions and links as JSON Lines that restore exactly, page by page. */
  "memory/export": { params: ExportParams; result: ExportResult };
  /** Take in the memories of an export or of another tool's files: all of them, or none. */
  "memory/import": { params: ImportParams; result: ImportResult };
  /** Record first facts of the project from its README, manifests and CI files; again adds nothing. */
  "memory/bootstrap": { params: BootstrapParams; result: BootstrapResult };
  /** The briefing of a file, for the bytes that are on disk now. */
  "file/summary": { params: SummaryParams; result: SummaryResult };
  /** Begin a session, or take an ended or expired one up again. */
  "session/start": { params: StartParams; result: Session };
  /** Say that a session is still there. */
  "session/heartbeat": { params: HeartbeatParams; result: Session };
  /** End a session; what it learned is stored before the answer, its summary kept as a memory. */
  "session/end": { params: EndParams; result: Session };
  /** Who works here now, and on what. */
  "session/list": { params: ListSessionsParams; result: ListSessionsResult };
  /** Take an item for one session alone, until it gives it back, ends or expires. */
  "session/claim": { params: ClaimParams; result: ClaimResult };
  /** Give a claimed item back. */
  "session/release": { params: ClaimParams; result: ReleaseResult };
  /** Learn from this project's sessions that agents kept on this machine; again reads only what is new. */
  "session/import": { params: ImportSessionsParams; result: ImportSessionsResult };
  /** Keep a reminder for a time, once or again and again. */
  "reminder/set": { params: SetReminderParams; result: SetReminderResult };
  /** A reminder is done with, with all its recurrences. */
  "reminder/clear": { params: ReminderParams; result: Reminder };
  /** On to a reminder's next occurrence; one that does not recur is cleared. */
  "reminder/advance": { params: ReminderParams; result: Reminder };
  /** Reminders, by the time at which they are due. */
  "reminder/list": { params: ListRemindersParams; result: ListRemindersResult };
  /** What to know at the start of a session: directives, blockers, reminders, who works on what. */
  "context/boot": { params: BootParams; result: BootResult };
  /** The memories that name an issue, merge request, epic, user, URL, file or symbol, exactly. */
  "context/entity": { params: EntityParams; result: EntityResult };
  /** Say that an issue or merge request is closed: the blockers that name only it are resolved. */
  "context/close": { params: CloseParams; result: CloseResult };
  /** An agent has read a file: what it says next may be about it. */
  "file/recordRead": { params: RecordReadParams; result: RecordReadResult };
  /** Keep durable facts that somebody says of files; what is refused says why. */
  "file/observe": { params: ObserveParams; result: ObserveResult };
  /** The last files of a session in a line each, for a sub-agent. */
  "file/handoff": { params: HandoffParams; result: HandoffResult };
  /** The files that a text is about, by what they say and by what similar commits touched. */
  "file/search": { params: FileSearchParams; result: FileSearchResult };
  /** The repository's files and key symbols, most important first, inside a token budget. */
  "workspace/repoMap": { params: RepoMapParams; result: RepoMapResult };
  /** Health, sizes, queues and hit rates. */
  "sidecar/status": { params: StatusParams; result: StatusResult };
  /** Figures of this process and its stores in the text format of Prometheus. */
  "sidecar/metrics": { params: MetricsParams; result: MetricsResult };
  /** Hook scripts that are configured and cannot run, or that nothing is configured to run. */
  "hooks/verify": { params: VerifyHooksParams; result: VerifyHooksResult };
  /** Run the hooks that match an event and a tool, in order, up to the first that blocks. */
  "hooks/run": { params: RunHooksParams; result: RunHooksResult };
}

/** Notifications to the sidecar. */
export interface ClientNotifications {
  /** A tool is about to be used. */
  "event/toolCall": ToolCallParams;
  /** A tool was used: what it printed and how it ended. */
  "event/toolResult": ToolResultParams;
  /** The user said something. */
  "event/userMessage": UserMessageParams;
  /** The agent thought or said something. */
  "event/reasoning": ReasoningParams;
  /** The agent summed up its context. */
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

---@meta
-- Generated from protocol/schema.json by scripts/generate_types.py: change that, not this.

--- What to know at the start of a session. `include` names the parts wanted, all when it is not given. `sessionId` is the session that asks: it is left out of those that are shown.
---@class memory_sidecar.BootParams
---@field budgetTokens? integer|vim.NIL
---@field agent? string|vim.NIL
---@field sessionId? string|vim.NIL
---@field include? ('blockers'|'decisions'|'directives'|'hotEntities'|'identity'|'plans'|'procedures'|'recentSessions'|'reminders'|'reviews'|'sessions')[]|vim.NIL
---@field workspaceUri? string|vim.NIL

--- The parts, and `text`: as many of their lines as the budget (2,000 tokens) holds, as notes inside a fence. The same state and parameters give the same bytes and `etag`. `omitted` counts the lines that had no room.
---@class memory_sidecar.BootResult
---@field text string
---@field tokens integer
---@field etag string
---@field omitted integer
---@field identity? memory_sidecar.Person|vim.NIL
---@field directives? memory_sidecar.Memory[]
---@field blockers? memory_sidecar.Memory[]
---@field reminders? memory_sidecar.Reminder[]
---@field sessions? memory_sidecar.Session[]
---@field plans? memory_sidecar.Memory[]
---@field recentSessions? memory_sidecar.Session[]
---@field decisions? memory_sidecar.Memory[]
---@field procedures? memory_sidecar.Memory[]
---@field reviews? memory_sidecar.Memory[]
---@field hotEntities? memory_sidecar.HotEntity[]

--- One fact, the files that say it, and what became of it.
---@class memory_sidecar.BootstrapFact
---@field outcome 'created'|'duplicate'|'forgotten'|'merged'|'refused'|'skipped'
---@field name string
---@field content string
---@field files string[]
---@field id? string|vim.NIL
---@field reason? string|vim.NIL

--- Record first facts of the project, from its README, package manifests and CI files. Again adds nothing. A fact whose files have changed since is brought up to date, unless somebody has changed it here.
---@class memory_sidecar.BootstrapParams
---@field dryRun? boolean
---@field workspaceUri? string|vim.NIL

--- The facts found, in the order of their use.
---@class memory_sidecar.BootstrapResult
---@field dryRun boolean
---@field facts memory_sidecar.BootstrapFact[]

--- An item that a session has claimed.
---@class memory_sidecar.Claim
---@field item string
---@field claimedAt integer

--- A session takes an item for itself, or gives it back. Both count as a heartbeat. White space is normalised, and a path inside the workspace is kept relative to it.
---@class memory_sidecar.ClaimParams
---@field sessionId string
---@field item string
---@field workspaceUri? string|vim.NIL

--- `claimed`: the session has the item now, or had it already. Else `owner` is the session that has it. `age` is how long that has had it, in milliseconds; `agent` and `workingOn` are what it said of itself.
---@class memory_sidecar.ClaimResult
---@field item string
---@field claimed boolean
---@field owner? string|vim.NIL
---@field age? integer|vim.NIL
---@field claimedAt? integer|vim.NIL
---@field agent? string|vim.NIL
---@field workingOn? string|vim.NIL

--- A thing was closed or merged, or is done otherwise.
---@class memory_sidecar.CloseParams
---@field entity string
---@field workspaceUri? string|vim.NIL

--- `resolved`: the blockers that named it and nothing else. `left`: those that name others, too.
---@class memory_sidecar.CloseResult
---@field entity string
---@field resolved memory_sidecar.Memory[]
---@field left memory_sidecar.StillBlocked[]

--- What `file/search` and the repository map are made from; brought up to date when either is asked. `waiting` files have changed and are to be read. `history`: `off` by a setting, `waiting` to be read, `unavailable` without a repository or git.
---@class memory_sidecar.CodeStatus
---@field files integer
---@field waiting integer
---@field commits integer
---@field history 'off'|'ready'|'unavailable'|'waiting'

--- The agent summed up its context; a section "Memory Candidates" of the summary is recorded.
---@class memory_sidecar.CompactionParams
---@field sessionId string
---@field summary string
---@field agent? string|vim.NIL
---@field workspaceUri? string|vim.NIL

--- Forget a memory. Its history stays for `memory/undo` unless `purge` is true.
---@class memory_sidecar.DeleteParams
---@field id string
---@field purge? boolean
---@field workspaceUri? string|vim.NIL

--- The id that is gone; `undoable` says whether `memory/undo` can bring it back.
---@class memory_sidecar.DeleteResult
---@field id string
---@field undoable boolean

--- `memory/didChange`: memories of a workspace that changed. Changes that this process made come by themselves. Those of other processes come within a second to a client that declares `capabilities.experimental.memorySidecar.didChange = true` in `initialize`, or that can be told to refresh code lenses or diagnostics. An empty `changes` means that something changed: look at everything anew.
---@class memory_sidecar.DidChangeMemories
---@field workspaceUri string
---@field changes memory_sidecar.MemoryChange[]

--- `file/didInvalidate`: files of a workspace whose memory was invalidated.
---@class memory_sidecar.DidInvalidateFiles
---@field workspaceUri string
---@field files memory_sidecar.InvalidatedFile[]

--- The model that finds memories by meaning. While it is not `ready`, words decide alone; `reason` says why. `model` is the setting, `name` the exact model, `operation` the making of vectors that are missing, `bytes` what the kept vectors take on disk.
---@class memory_sidecar.EmbeddingStatus
---@field model 'endpoint'|'minilm'|'off'|'static'
---@field state 'failed'|'loading'|'off'|'ready'
---@field operation 'cancelled'|'done'|'failed'|'idle'|'running'
---@field bytes integer
---@field name? string|vim.NIL
---@field reason? string|vim.NIL
---@field hint? string|vim.NIL

--- A session is over; its summary is kept as a conversation memory.
---@class memory_sidecar.EndParams
---@field sessionId string
---@field summary? string|vim.NIL
---@field workspaceUri? string|vim.NIL

--- A memory that names it, and up to 10 of its links.
---@class memory_sidecar.EntityMemory
---@field memory memory_sidecar.Memory
---@field links memory_sidecar.LinkedMemory[]

--- Which memories name this very thing. `#12` is not `#123`; in this project it is also `group/project#12`.
---@class memory_sidecar.EntityParams
---@field entity string
---@field agent? string|vim.NIL
---@field limit? integer
---@field workspaceUri? string|vim.NIL

--- Newest update first, open and resolved; `total` counts those beyond the limit, too.
---@class memory_sidecar.EntityResult
---@field entity string
---@field kind 'file'|'mark'|'symbol'|'url'|'user'
---@field items memory_sidecar.EntityMemory[]
---@field total integer
---@field tracked? memory_sidecar.TrackedEntity|vim.NIL

--- `path` is the JSON path of the offending field, `reason` a word to switch on, `hint` what to do.
---@class memory_sidecar.ErrorData
---@field path? string|vim.NIL
---@field reason? string|vim.NIL
---@field hint? string|vim.NIL

--- The memories of these scopes (all, when none is named) as lines of JSON that `memory/import` restores exactly. `history`: with every earlier version. `deleted`: with what was deleted and could still be undone; without it only digests say that something was deleted. With the project's memories come the reminders, and what was learned about contents of files. The answer is a page; ask again with its `cursor` until there is none.
---@class memory_sidecar.ExportParams
---@field scopes? ('global'|'personal'|'project')[]|vim.NIL
---@field history? boolean
---@field deleted? boolean
---@field cursor? string|vim.NIL
---@field workspaceUri? string|vim.NIL

--- Lines of an export, in order, each a JSON object without its line break. `memories` counts those of the page.
---@class memory_sidecar.ExportResult
---@field lines string[]
---@field memories integer
---@field cursor? string|vim.NIL

--- One durable fact about a file, learned while an agent worked. `identifiers` occur in the file. `symbols` are those whose own content it rests on; without any it rests on the whole file.
---@class memory_sidecar.Facet
---@field text string
---@field symbols string[]
---@field identifiers? string[]

--- The files that a text is about: an issue, a task, an error message. `kinds` leaves out files of other kinds.
---@class memory_sidecar.FileSearchParams
---@field query string
---@field limit? integer
---@field kinds? ('docs'|'other'|'source'|'test')[]|vim.NIL
---@field workspaceUri? string|vim.NIL

--- Likeliest first. `pending` files are still to be read: the answer is without them.
---@class memory_sidecar.FileSearchResult
---@field items memory_sidecar.FoundFile[]
---@field pending? integer

--- One file. `score` compares within one answer; `coverage` is the share of the query that the file says, 0 to 1.
---@class memory_sidecar.FoundFile
---@field path string
---@field score number
---@field coverage number
---@field reasons string[]

--- One file: `text` is its line in the hand-off, at most 150 characters.
---@class memory_sidecar.HandoffItem
---@field path string
---@field hash string
---@field text string

--- What a sub-agent should know of the files that a session has in hand.
---@class memory_sidecar.HandoffParams
---@field sessionId string
---@field workspaceUri? string|vim.NIL

--- The last files of the session, at most 10, the latest first. `text` is empty when there are none.
---@class memory_sidecar.HandoffResult
---@field text string
---@field tokens integer
---@field items memory_sidecar.HandoffItem[]

--- A session is still there; a session without one for 30 minutes has expired.
---@class memory_sidecar.HeartbeatParams
---@field sessionId string
---@field workingOn? string|vim.NIL
---@field workspaceUri? string|vim.NIL

--- Versions, newest first.
---@class memory_sidecar.HistoryResult
---@field versions memory_sidecar.Version[]

--- A memory found, its score and why it was found. With a query, `score` is 0 to 1: how sure it is that there is an answer, times how well this memory matches beside the best one. Below 0.4 (the relevance floor) `reasons` holds `below the relevance floor`: nothing is injected for a query whose best hit is below it. Without a query it is the standing weight.
---@class memory_sidecar.Hit
---@field memory memory_sidecar.Memory
---@field score number
---@field reasons string[]

--- One hook that was run, or whose result of a moment ago was taken. `exitCode` is missing after a time-out.
---@class memory_sidecar.HookOutcome
---@field command string
---@field origin 'user'|'workspace'
---@field blocked boolean
---@field exitCode? integer|vim.NIL
---@field output? string
---@field error? string
---@field timedOut? boolean
---@field cached? boolean

--- `missing` or `notExecutable`: configured, and cannot run. `orphaned`: there, and configured nowhere.
---@class memory_sidecar.HookProblem
---@field problem 'missing'|'notExecutable'|'orphaned'
---@field path string
---@field origin 'user'|'workspace'
---@field event? string|vim.NIL
---@field command? string|vim.NIL

--- Something that recent memories name often: in how many, when the last of them changed, and its forge's word.
---@class memory_sidecar.HotEntity
---@field entity string
---@field memories integer
---@field lastAt integer
---@field tracked? memory_sidecar.TrackedEntity|vim.NIL

--- One memory, by its id.
---@class memory_sidecar.IdParams
---@field id string
---@field workspaceUri? string|vim.NIL

--- Take in the memories of another tool's files, or of an export. All of it is stored, or none. Only what Prism knows of files is kept fact by fact, each judged against its file as it stands. `path` is a file or folder of the workspace (the command line takes any); `text` is the content of a file instead, called `name` in the answer. `format` is found out when it is not given. `scope` is for formats that do not say. `directives`: standing instructions stay such; by default only those of our own exports do. `forgotten`: an export of ours also brings back what was deleted here since. `workDoneToken` asks for progress, as in LSP.
---@class memory_sidecar.ImportParams
---@field path? string|vim.NIL
---@field text? string|vim.NIL
---@field name? string|vim.NIL
---@field format? 'claude'|'markdown'|'mcp-memory'|'memory-sidecar'|'opencode'|'prism'|'semantic-memory'|'serena'|vim.NIL
---@field scope? 'global'|'personal'|'project'|vim.NIL
---@field dryRun? boolean
---@field directives? boolean|vim.NIL
---@field forgotten? boolean
---@field workDoneToken? string|integer|vim.NIL
---@field workspaceUri? string|vim.NIL

--- `counts` has every outcome; `items` lists at most 1,000, what needs a look first, and `more` is how many are not. `links`, `tombstones`, `reminders` and `facets` (facts about files) were added, too.
---@class memory_sidecar.ImportResult
---@field format 'claude'|'markdown'|'mcp-memory'|'memory-sidecar'|'opencode'|'prism'|'semantic-memory'|'serena'|'bootstrap'
---@field dryRun boolean
---@field counts table<string, integer>
---@field items memory_sidecar.ImportedItem[]
---@field links? integer
---@field tombstones? integer
---@field reminders? integer
---@field facets? integer
---@field more? integer

--- What became of one item, or would. `id` is the memory that says it now, `where` the place in the files. `forgotten`: it was deleted here before. `skipped`: it is no memory, or went another way here. `refused`: it cannot be one, as `reason` says.
---@class memory_sidecar.ImportedItem
---@field outcome 'created'|'duplicate'|'forgotten'|'merged'|'refused'|'skipped'
---@field name string
---@field where string
---@field id? string|vim.NIL
---@field scope? 'global'|'personal'|'project'|vim.NIL
---@field reason? string|vim.NIL
---@field redactions? memory_sidecar.Redaction[]

--- What should stand in front of an agent now, inside a token budget (a setting's, 5000, when none is named).
---@class memory_sidecar.InjectParams
---@field prompt? string|vim.NIL
---@field files? string[]
---@field agent? string|vim.NIL
---@field sessionId? string|vim.NIL
---@field budgetTokens? integer|vim.NIL
---@field format? 'markdown'|'xml'
---@field excludeShown? boolean
---@field frozen? boolean
---@field workspaceUri? string|vim.NIL

--- The block. `text` is empty when nothing is worth showing. Same state and parameters, same bytes.
---@class memory_sidecar.InjectResult
---@field text string
---@field tokens integer
---@field etag string
---@field items memory_sidecar.InjectedItem[]
---@field omitted memory_sidecar.OmittedItem[]

--- One item of the block: a memory (`id`) or the briefing of a file (`path`).
---@class memory_sidecar.InjectedItem
---@field kind 'file'|'memory'
---@field section string
---@field score number
---@field tokens integer
---@field reasons string[]
---@field id? string|vim.NIL
---@field path? string|vim.NIL

--- A file whose remembered content is no longer what is on disk. `hash` is missing when it is gone.
---@class memory_sidecar.InvalidatedFile
---@field path string
---@field reason 'changed'|'deleted'|'renamed'
---@field oldHash string
---@field hash? string|vim.NIL
---@field newPath? string|vim.NIL

--- That two memories belong together. `source` is who said so, or `similar` or `contradiction` when it was found.
---@class memory_sidecar.Link
---@field ['from'] string
---@field to string
---@field kind 'contradicts'|'extends'|'related'|'sameEntity'|'sequence'|'supersedes'
---@field strength number
---@field createdAt integer
---@field source string

--- Say that two memories belong together, or, with `remove`, that they do not. `related`, `contradicts` and `sameEntity` have no direction. What supersedes another memory, or contradicts it and is newer, is shown in its place.
---@class memory_sidecar.LinkParams
---@field ['from'] string
---@field to string
---@field kind? 'contradicts'|'extends'|'related'|'sameEntity'|'sequence'|'supersedes'
---@field strength? number
---@field remove? boolean
---@field workspaceUri? string|vim.NIL

--- What became of the link: `missing` is answered to the removal of a link that there is not.
---@class memory_sidecar.LinkResult
---@field status 'changed'|'created'|'missing'|'removed'|'unchanged'
---@field link? memory_sidecar.Link|vim.NIL

--- A link of the memory asked for, and the memory at its other end.
---@class memory_sidecar.LinkedMemory
---@field link memory_sidecar.Link
---@field id string
---@field name string
---@field scope 'global'|'personal'|'project'
---@field status 'active'|'archived'|'resolved'|'suspect'

--- The links of one memory, oldest first; those to deleted memories are left out.
---@class memory_sidecar.LinksResult
---@field items memory_sidecar.LinkedMemory[]

--- Memories by filter, newest first. `agent` is a name or `"*"`, as for `memory/search`.
---@class memory_sidecar.ListParams
---@field scopes? ('global'|'personal'|'project')[]|vim.NIL
---@field types? ('feedback'|'project'|'reference'|'user')[]|vim.NIL
---@field categories? ('blocker'|'conversation'|'decision'|'directive'|'event'|'fact'|'idea'|'plan'|'procedure'|'reminder')[]|vim.NIL
---@field agent? string|vim.NIL
---@field files? string[]|vim.NIL
---@field since? integer|vim.NIL
---@field status? ('active'|'archived'|'resolved'|'suspect')[]|vim.NIL
---@field include? ('archived'|'expired'|'resolved')[]
---@field limit? integer
---@field cursor? string|vim.NIL
---@field workspaceUri? string|vim.NIL

--- Reminders by the time at which they are due; `due`: only those that are, `all`: cleared ones, too.
---@class memory_sidecar.ListRemindersParams
---@field due? boolean
---@field all? boolean
---@field limit? integer
---@field workspaceUri? string|vim.NIL

--- Reminders, those due first at the front.
---@class memory_sidecar.ListRemindersResult
---@field items memory_sidecar.Reminder[]

--- A page of memories; `cursor` is there when more can be had.
---@class memory_sidecar.ListResult
---@field items memory_sidecar.Memory[]
---@field cursor? string|vim.NIL

--- The active sessions, or with `all` those that ended or expired too; the latest heartbeat first.
---@class memory_sidecar.ListSessionsParams
---@field all? boolean
---@field limit? integer
---@field workspaceUri? string|vim.NIL

--- Sessions, the latest heartbeat first.
---@class memory_sidecar.ListSessionsResult
---@field items memory_sidecar.Session[]

--- Run maintenance now: every step that is switched on, or those of `steps` that are. `dryRun` shows what it would do and writes nothing. `apply` and `dismiss` name proposals of an earlier answer; when either is given and `steps` is not, nothing else is done.
---@class memory_sidecar.MaintainParams
---@field dryRun? boolean
---@field steps? ('age'|'archive'|'consolidation'|'duplicates'|'memoryFile'|'promotion'|'references'|'relevance')[]|vim.NIL
---@field apply? string[]
---@field dismiss? string[]
---@field workspaceUri? string|vim.NIL

--- `skipped`: another process is at it, and nothing was done; `partial`: so for one of the two stores; see `detail`. `counts` has every step that ran. `actions` lists at most 500 things done, changes of relevance last; `more` is how many are not listed. `left` is what could not be done, `switchedOff` the steps that a setting keeps from running.
---@class memory_sidecar.MaintainResult
---@field state 'done'|'partial'|'skipped'
---@field dryRun boolean
---@field counts table<string, integer>
---@field actions memory_sidecar.MaintenanceAction[]
---@field left memory_sidecar.MaintenanceAction[]
---@field proposals memory_sidecar.Proposal[]
---@field switchedOff ('age'|'archive'|'consolidation'|'duplicates'|'memoryFile'|'promotion'|'references'|'relevance')[]
---@field applied? string[]
---@field more? integer
---@field detail? string|vim.NIL

--- What was done with one memory, or would be, and why; `into` is the memory that it was merged into.
---@class memory_sidecar.MaintenanceAction
---@field step 'age'|'archive'|'consolidation'|'duplicates'|'memoryFile'|'promotion'|'references'|'relevance'
---@field id string
---@field name string
---@field scope 'global'|'personal'|'project'
---@field reason string
---@field into? string|vim.NIL

--- One thing learned that outlives a session. `archivedFor` is missing when a person or agent archived it; `mergedInto` is the memory that says it now.
---@class memory_sidecar.Memory
---@field id string
---@field scope 'global'|'personal'|'project'
---@field type 'feedback'|'project'|'reference'|'user'
---@field name string
---@field content string
---@field tags string[]
---@field files string[]
---@field entities string[]
---@field references memory_sidecar.Reference[]
---@field relevance number
---@field accessCount integer
---@field pinned boolean
---@field status 'active'|'archived'|'resolved'|'suspect'
---@field source string
---@field createdAt integer
---@field updatedAt integer
---@field version integer
---@field category? 'blocker'|'conversation'|'decision'|'directive'|'event'|'fact'|'idea'|'plan'|'procedure'|'reminder'|vim.NIL
---@field description? string|vim.NIL
---@field agent? string|vim.NIL
---@field sessionId? string|vim.NIL
---@field accessedAt? integer|vim.NIL
---@field verifiedAt? integer|vim.NIL
---@field expiresAt? integer|vim.NIL
---@field promotedFrom? string|vim.NIL
---@field supersedes? string|vim.NIL
---@field archivedFor? 'faded'|'merged'|'old'|'promoted'|vim.NIL
---@field mergedInto? string|vim.NIL

--- One change of one memory.
---@class memory_sidecar.MemoryChange
---@field id string
---@field scope 'global'|'personal'|'project'
---@field change 'archived'|'created'|'deleted'|'merged'|'promoted'|'reopened'|'resolved'|'restored'|'undone'|'updated'

--- MEMORY.md or its directory form. `leftAlone`: neither read nor written for now; `detail` says why. `detail` also names what was written there by hand and could not be taken in.
---@class memory_sidecar.MemoryFileStatus
---@field path string
---@field state 'absent'|'current'|'leftAlone'|'off'
---@field detail? string|vim.NIL

--- No parameters.
---@class memory_sidecar.MetricsParams

--- Figures of this process and its stores in the text format of Prometheus; nothing of what memories say. Workspaces are named by their id. `contentType` is what an HTTP endpoint that passes the text on has to answer.
---@class memory_sidecar.MetricsResult
---@field text string
---@field contentType string

--- The chat model that writes about files. `off`: none is configured, and nothing is ever sent. `limit`: the tokens of this day are used. `waiting` counts questions of this checkout; `detail` says what is amiss.
---@class memory_sidecar.ModelStatus
---@field state 'failed'|'idle'|'limit'|'off'|'working'
---@field name? string|vim.NIL
---@field waiting? integer
---@field detail? string|vim.NIL

--- What an agent thought about files: those of `paths`, else those that the session has read since it last did.
---@class memory_sidecar.ObserveParams
---@field sessionId string
---@field text string
---@field paths? string[]|vim.NIL
---@field workspaceUri? string|vim.NIL

--- At most one new fact for each file.
---@class memory_sidecar.ObserveResult
---@field facets memory_sidecar.ObservedFacet[]
---@field refused memory_sidecar.RefusedFacet[]

--- A fact that is kept, with the file it is about.
---@class memory_sidecar.ObservedFacet
---@field path string
---@field text string
---@field identifiers string[]
---@field symbols string[]

--- A candidate that is not in the block, and why. `id` is a memory's id or a file's path.
---@class memory_sidecar.OmittedItem
---@field id string
---@field reason 'alreadyShown'|'belowFloor'|'budget'|'contradicted'|'fileUnavailable'|'superseded'

--- Who git says commits here.
---@class memory_sidecar.Person
---@field name? string|vim.NIL
---@field email? string|vim.NIL

--- Give a memory to more readers: to `scope`, or to the next wider one. A global memory has an id of its own.
---@class memory_sidecar.PromoteParams
---@field id string
---@field scope? 'global'|'project'|vim.NIL
---@field workspaceUri? string|vim.NIL

--- The memory in its new scope. `archived` is the id of the original, when the memory is another one now.
---@class memory_sidecar.PromoteResult
---@field memory memory_sidecar.Memory
---@field changed boolean
---@field archived? string|vim.NIL

--- Two memories that say nearly the same. `merge`: the other's text goes into the kept one, and it is archived. `supersede`: the kept one is the newer statement and is marked as superseding the other. `score`: their similarity.
---@class memory_sidecar.Proposal
---@field id string
---@field kind 'merge'|'supersede'
---@field keep string
---@field keepName string
---@field other string
---@field otherName string
---@field score number

--- The agent thought or said something.
---@class memory_sidecar.ReasoningParams
---@field sessionId string
---@field text string
---@field agent? string|vim.NIL
---@field workspaceUri? string|vim.NIL

--- Store one memory. `scope` defaults to `personal` for type `user`, else `project`; no agent is called `*`.
---@class memory_sidecar.RecordParams
---@field content string
---@field name? string|vim.NIL
---@field description? string|vim.NIL
---@field type? 'feedback'|'project'|'reference'|'user'
---@field scope? 'global'|'personal'|'project'|vim.NIL
---@field category? 'blocker'|'conversation'|'decision'|'directive'|'event'|'fact'|'idea'|'plan'|'procedure'|'reminder'|vim.NIL
---@field agent? string|vim.NIL
---@field sessionId? string|vim.NIL
---@field files? string[]
---@field tags? string[]
---@field expiresAt? integer|vim.NIL
---@field pinned? boolean
---@field workspaceUri? string|vim.NIL

--- An agent has read a file. `contentHash` is the content it saw, where it knows: if the file is another one by now, what it thinks next is not taken to be about it.
---@class memory_sidecar.RecordReadParams
---@field path string
---@field sessionId string
---@field contentHash? string|vim.NIL
---@field workspaceUri? string|vim.NIL

--- `hash` is the content on disk now; `known`: a facet or a model's summary of it is kept.
---@class memory_sidecar.RecordReadResult
---@field path string
---@field hash string
---@field known boolean

--- `created`: new. `merged`: appended to the memory of the same key. `duplicate`: already said.
---@class memory_sidecar.RecordResult
---@field status 'created'|'duplicate'|'merged'
---@field memory memory_sidecar.Memory
---@field similar memory_sidecar.Similar[]
---@field redactions memory_sidecar.Redaction[]

--- A secret that was taken out before anything was written: what kind, in which field, how often.
---@class memory_sidecar.Redaction
---@field kind string
---@field field string
---@field count integer

--- Something outside the memory that its text names, as it stood when the memory was recorded. `hash` is that of the file's content, of a `symbol` in a file that of the symbol alone. `stale`: it is not what it was any more, or is gone, in the checkout that asks.
---@class memory_sidecar.Reference
---@field kind 'epic'|'issue'|'mergeRequest'|'path'|'symbol'|'url'|'user'
---@field text string
---@field path? string|vim.NIL
---@field hash? string|vim.NIL
---@field symbol? string|vim.NIL
---@field stale? boolean

--- A sentence that is not kept, and why; without `path` it is for every file.
---@class memory_sidecar.RefusedFacet
---@field text string
---@field reason 'alreadyInOutline'|'code'|'full'|'noIdentifier'|'noise'|'notDurable'|'notInFile'|'paraphrase'|'question'|'secret'|'task'|'tooLong'|'tooShort'
---@field path? string|vim.NIL

--- `released`: the session had the item. Else `owner` is who has it, for `age` milliseconds; nobody without one.
---@class memory_sidecar.ReleaseResult
---@field item string
---@field released boolean
---@field owner? string|vim.NIL
---@field age? integer|vim.NIL

--- A reminder and when it is next due: `at`, which is `local` in `timezone`. `due`: that is now or past.
---@class memory_sidecar.Reminder
---@field id string
---@field text string
---@field at integer
---@field local string
---@field timezone string
---@field due boolean
---@field createdAt integer
---@field recurrence? 'daily'|'monthly'|'weekdays'|'weekly'|'yearly'|vim.NIL
---@field clearedAt? integer|vim.NIL
---@field agent? string|vim.NIL
---@field sessionId? string|vim.NIL

--- One reminder.
---@class memory_sidecar.ReminderParams
---@field id string
---@field workspaceUri? string|vim.NIL

--- The repository's map, as seen from files and identifiers in play; from everywhere without them.
---@class memory_sidecar.RepoMapParams
---@field budgetTokens? integer
---@field files? string[]
---@field identifiers? string[]
---@field workspaceUri? string|vim.NIL

--- Files with their key symbols, the most important first, each with its line; never above the budget. `files` are those in the text, in its order. `pending` files are still to be read: the map is without them.
---@class memory_sidecar.RepoMapResult
---@field text string
---@field tokens integer
---@field files string[]
---@field pending? integer

--- Run the hooks of an event whose matcher fits the tool, in order, up to the first that blocks.
---@class memory_sidecar.RunHooksParams
---@field event string
---@field tool? string|vim.NIL
---@field input? any
---@field sessionId? string|vim.NIL
---@field workspaceUri? string|vim.NIL

--- `refused` are the commands that match and that the settings do not allow to run (`hooks.run`).
---@class memory_sidecar.RunHooksResult
---@field blocked boolean
---@field outcomes memory_sidecar.HookOutcome[]
---@field refused string[]
---@field reason? string|vim.NIL

--- Find memories. Filters apply before ranking; archived, resolved and expired ones only on request. A memory that has an agent is found for that agent only: without `agent`, those of no agent are found; with a name, those and that agent's; with `"*"`, those of any agent, which is for people.
---@class memory_sidecar.SearchParams
---@field query string
---@field limit? integer
---@field scopes? ('global'|'personal'|'project')[]|vim.NIL
---@field types? ('feedback'|'project'|'reference'|'user')[]|vim.NIL
---@field categories? ('blocker'|'conversation'|'decision'|'directive'|'event'|'fact'|'idea'|'plan'|'procedure'|'reminder')[]|vim.NIL
---@field agent? string|vim.NIL
---@field files? string[]|vim.NIL
---@field since? integer|vim.NIL
---@field include? ('archived'|'expired'|'resolved')[]
---@field cursor? string|vim.NIL
---@field workspaceUri? string|vim.NIL

--- Best first; `cursor` is there when more can be had.
---@class memory_sidecar.SearchResult
---@field items memory_sidecar.Hit[]
---@field cursor? string|vim.NIL

--- One session of a workspace. `expired`: no heartbeat for 30 minutes, and no end. `claims` are shown in lists; a session that is not active has none.
---@class memory_sidecar.Session
---@field sessionId string
---@field state 'active'|'ended'|'expired'
---@field startedAt integer
---@field heartbeatAt integer
---@field agent? string|vim.NIL
---@field workingOn? string|vim.NIL
---@field endedAt? integer|vim.NIL
---@field summary? string|vim.NIL
---@field claims? memory_sidecar.Claim[]

--- Keep a reminder. `at`: an ISO time, `+2h`, `in 3 days`, `17:00`, `tomorrow 9am`, `friday 17:00`, `next monday`. Times are local to `timezone`, which is this machine's unless it is given. What recurs keeps its local time when the clocks change (a time that they skip comes as much later), and falls on the last day of a month that is too short.
---@class memory_sidecar.SetReminderParams
---@field text string
---@field at string
---@field recurrence? 'daily'|'monthly'|'weekdays'|'weekly'|'yearly'|vim.NIL
---@field timezone? string|vim.NIL
---@field agent? string|vim.NIL
---@field sessionId? string|vim.NIL
---@field workspaceUri? string|vim.NIL

--- `created` is false for what waits already, with the same text and times.
---@class memory_sidecar.SetReminderResult
---@field reminder memory_sidecar.Reminder
---@field created boolean

--- A memory that says nearly the same under another name. `score` is in 0..1.
---@class memory_sidecar.Similar
---@field id string
---@field name string
---@field score number

--- A session begins, or goes on after it had ended or expired.
---@class memory_sidecar.StartParams
---@field sessionId string
---@field workingOn? string|vim.NIL
---@field agent? string|vim.NIL
---@field workspaceUri? string|vim.NIL

--- No parameters.
---@class memory_sidecar.StatusParams

--- `hitRates` are in 0..1, keyed by what is looked up; `queues` are lengths, keyed by lane.
---@class memory_sidecar.StatusResult
---@field version string
---@field pid integer
---@field uptimeMs integer
---@field enabled boolean
---@field workspaces memory_sidecar.WorkspaceStatus[]
---@field queues table<string, integer>
---@field hitRates table<string, number>
---@field tokensSaved integer
---@field settingsProblems string[]
---@field modelTokensToday? integer

--- An open blocker that also names other issues, merge requests or epics, so that it was left as it is.
---@class memory_sidecar.StillBlocked
---@field id string
---@field others string[]

--- One store on disk. `notice` tells what was migrated, salvaged or set aside when it was opened.
---@class memory_sidecar.StoreStatus
---@field path string
---@field bytes integer
---@field schemaVersion integer
---@field notice? string|vim.NIL

--- The briefing of a file. `intent: edit` means that the exact text is about to be needed. `sessionId` lets it be counted what the session need not have read; without one nothing is.
---@class memory_sidecar.SummaryParams
---@field path string
---@field intent? 'edit'|'explore'
---@field sessionId? string|vim.NIL
---@field workspaceUri? string|vim.NIL

--- What stands for the file instead of its content, for the bytes that were on disk when it was asked. `origin` says who wrote `summary`: the outline and the facets as they are, a model about the content, or a model about content and facets. `tokens` is the size of `summary`, `fileTokens` that of the file; `advice`, when there is one, says why to read the file instead. `formerFacets` were learned of earlier contents of the file and may hold no more: they are no facts, and offered to whoever wants to verify one and say so with `file/observe`.
---@class memory_sidecar.SummaryResult
---@field path string
---@field hash string
---@field origin 'aggregated'|'model'|'structural'
---@field fresh boolean
---@field partial boolean
---@field language string
---@field summary string
---@field facets memory_sidecar.Facet[]
---@field outline memory_sidecar.Symbol[]
---@field lines integer
---@field tokens integer
---@field fileTokens integer
---@field advice? string|vim.NIL
---@field formerFacets? memory_sidecar.Facet[]

--- A named part of a file. Lines count from 1, both ends included.
---@class memory_sidecar.Symbol
---@field kind string
---@field name string
---@field startLine integer
---@field endLine integer
---@field signature string
---@field doc? string|vim.NIL
---@field public? boolean
---@field children? memory_sidecar.Symbol[]

--- A tool is about to be used. `callId` ties the result to it.
---@class memory_sidecar.ToolCallParams
---@field sessionId string
---@field tool string
---@field input? any
---@field callId? string|vim.NIL
---@field agent? string|vim.NIL
---@field workspaceUri? string|vim.NIL

--- A tool was used. `input` is needed where no call was sent before.
---@class memory_sidecar.ToolResultParams
---@field sessionId string
---@field tool string
---@field output any
---@field input? any
---@field exitCode? integer|string|vim.NIL
---@field exit_code? integer|string|vim.NIL
---@field metadata? any
---@field callId? string|vim.NIL
---@field agent? string|vim.NIL
---@field workspaceUri? string|vim.NIL

--- What GitLab or GitHub says of an issue, merge or pull request, or epic; where the settings let it be asked. All texts are somebody else's: show them as such. `resolved` are the blockers that were resolved when it was found closed or merged; `memory/reopen` or `memory/undo` takes that back.
---@class memory_sidecar.TrackedEntity
---@field kind 'epic'|'issue'|'mergeRequest'
---@field title string
---@field state 'closed'|'merged'|'open'
---@field labels string[]
---@field checkedAt integer
---@field author? string|vim.NIL
---@field url? string|vim.NIL
---@field updatedAt? integer|vim.NIL
---@field closedAt? integer|vim.NIL
---@field resolved? string[]

--- Asking GitLab or GitHub about what memories name. `off`: not configured, and nothing is ever sent. `paused`: the forge is left alone until `pausedUntil`; `detail` says why, and what is amiss otherwise. `known` things were found there, `missing` ones not; `resolved` counts blockers of what was closed.
---@class memory_sidecar.TrackerStatus
---@field state 'failed'|'idle'|'off'|'paused'|'working'
---@field host? string|vim.NIL
---@field project? string|vim.NIL
---@field known? integer
---@field missing? integer
---@field resolved? integer
---@field checkedAt? integer|vim.NIL
---@field pausedUntil? integer|vim.NIL
---@field detail? string|vim.NIL

--- Change some fields of a memory; the earlier version is kept. `null` clears an optional field. `expectedVersion` makes the change conditional: when the memory has moved on, the answer is an error and nothing is written.
---@class memory_sidecar.UpdateParams
---@field id string
---@field content? string
---@field name? string
---@field description? string|vim.NIL
---@field type? 'feedback'|'project'|'reference'|'user'
---@field category? 'blocker'|'conversation'|'decision'|'directive'|'event'|'fact'|'idea'|'plan'|'procedure'|'reminder'|vim.NIL
---@field agent? string|vim.NIL
---@field files? string[]
---@field tags? string[]
---@field expiresAt? integer|vim.NIL
---@field pinned? boolean
---@field expectedVersion? integer|vim.NIL
---@field workspaceUri? string|vim.NIL

--- The memory as it now stands, and what was redacted from the new text.
---@class memory_sidecar.UpdateResult
---@field memory memory_sidecar.Memory
---@field redactions memory_sidecar.Redaction[]

--- The user said something to the agent.
---@class memory_sidecar.UserMessageParams
---@field sessionId string
---@field text string
---@field agent? string|vim.NIL
---@field workspaceUri? string|vim.NIL

--- Look at the hook scripts of this workspace and of the user.
---@class memory_sidecar.VerifyHooksParams
---@field workspaceUri? string|vim.NIL

--- What is wrong, in the order of the configuration; `configured` hooks were looked at.
---@class memory_sidecar.VerifyHooksResult
---@field problems memory_sidecar.HookProblem[]
---@field configured integer

--- A memory as it stood after one change. `memory` is missing for a deletion.
---@class memory_sidecar.Version
---@field version integer
---@field change 'archived'|'created'|'deleted'|'merged'|'promoted'|'reopened'|'resolved'|'restored'|'undone'|'updated'
---@field at integer
---@field memory? memory_sidecar.Memory|vim.NIL

--- Background reading of the workspace's files.
---@class memory_sidecar.WarmupStatus
---@field state 'cancelled'|'done'|'failed'|'idle'|'running'
---@field done integer
---@field total integer
---@field cause? string|vim.NIL

--- Who tells the sidecar of file changes; `polling` when the system refused a watch, `detail` says why.
---@class memory_sidecar.WatcherStatus
---@field state 'client'|'off'|'own'|'polling'
---@field detail? string|vim.NIL

--- One open workspace. `memories` counts by scope, `files` counts remembered contents. `tokensSaved` are the tokens of files that sessions were briefed on and did not read afterwards, less those of the briefings, since the workspace was first opened.
---@class memory_sidecar.WorkspaceStatus
---@field uri string
---@field id string
---@field memories table<string, integer>
---@field files integer
---@field facets integer
---@field watcher memory_sidecar.WatcherStatus
---@field warmup memory_sidecar.WarmupStatus
---@field stores memory_sidecar.StoreStatus[]
---@field memoryFile? memory_sidecar.MemoryFileStatus|vim.NIL
---@field model? memory_sidecar.ModelStatus|vim.NIL
---@field code? memory_sidecar.CodeStatus|vim.NIL
---@field embedding? memory_sidecar.EmbeddingStatus|vim.NIL
---@field tokensSaved? integer
---@field trackers? memory_sidecar.TrackerStatus|vim.NIL

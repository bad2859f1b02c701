--- Memory has changed, here or in another process: whatever shows it is told, a little later and once.
local M = {}

local TOGETHER = 60

---@class memory_sidecar.Change
---@field workspaces table<string, true> URIs of the workspaces concerned; empty when all may be.
---@field ids table<string, true> Memories that changed; empty when any may have.
---@field files boolean Files changed rather than memories.

---@type table<string, fun(change: memory_sidecar.Change)>
local listeners = {}

---@type memory_sidecar.Change?
local pending

-- Of what is pending: some change named no memories, or no workspaces, and so means all of them.
local all = { ids = false, workspaces = false }

--- Calls a function after changes; one of a name at most.
---@param name string
---@param listener? fun(change: memory_sidecar.Change)
function M.listen(name, listener)
  listeners[name] = listener
end

local function flush()
  local change = pending
  pending = nil
  if not change then
    return
  end
  change.ids = all.ids and {} or change.ids
  change.workspaces = all.workspaces and {} or change.workspaces
  all.ids, all.workspaces = false, false
  for _, name in ipairs(vim.tbl_keys(listeners)) do
    local listener = listeners[name]
    if listener then
      listener(change)
    end
  end
  vim.api.nvim_exec_autocmds('User', {
    pattern = 'MemorySidecarChanged',
    modeline = false,
    data = {
      workspaces = vim.tbl_keys(change.workspaces),
      ids = vim.tbl_keys(change.ids),
      files = change.files,
    },
  })
end

---@param add fun(change: memory_sidecar.Change)
local function noted(add)
  local first = pending == nil
  pending = pending or { workspaces = {}, ids = {}, files = true }
  add(pending)
  if first then
    vim.defer_fn(flush, TOGETHER)
  end
end

--- `memory/didChange`.
---@param params memory_sidecar.DidChangeMemories
function M.memories(params)
  noted(function(change)
    change.workspaces[params.workspaceUri] = true
    change.files = false
    all.ids = all.ids or #params.changes == 0
    for _, each in ipairs(params.changes) do
      change.ids[each.id] = true
    end
  end)
end

--- `file/didInvalidate`.
---@param params memory_sidecar.DidInvalidateFiles
function M.files(params)
  noted(function(change)
    change.workspaces[params.workspaceUri] = true
  end)
end

--- Anything may have changed, as after a restart.
function M.everything()
  noted(function(change)
    change.files = false
    all.ids, all.workspaces = true, true
  end)
end

return M

--- What a statusline shows: never asks while it is drawn, but reads what the last answer said.
local changes = require('memory_sidecar.changes')
local client = require('memory_sidecar.client')

local M = {}

---@type memory_sidecar.StatusResult?
local known

local asking = false
local again = false -- something changed while it was asked, so that the answer may be of before

---@return string? root URI of the workspace of a buffer
local function workspace_of(bufnr)
  local root = require('memory_sidecar.roots').of_buffer(bufnr)
  return root and vim.uri_from_fname(root)
end

local function ask()
  local running = client.running()
  if not running or not running.initialized then
    return
  end
  if asking then
    again = true
    return
  end
  asking, again = true, false
  client.send(running, 'sidecar/status', vim.empty_dict(), function(err, result)
    asking = false
    if not err then
      known = result
      vim.cmd.redrawstatus({ bang = true })
    end
    if again then
      ask()
    end
  end)
end

--- Begins to follow what is remembered.
function M.attach()
  changes.listen('statusline', ask)
  ask()
end

--- The sidecar is gone.
function M.forget()
  known = nil
  asking, again = false, false
  vim.cmd.redrawstatus({ bang = true })
end

--- The last answer of `sidecar/status`.
---@return memory_sidecar.StatusResult?
function M.known()
  return known
end

---@param bufnr integer
---@return string
function M.text(bufnr)
  local running = vim.lsp.get_clients({ name = client.NAME, bufnr = bufnr })[1]
  if not running then
    return ''
  end
  if not known then
    return 'memory …'
  end
  if not known.enabled then
    return 'memory off'
  end
  local uri = vim.b[bufnr].memory_sidecar_uri
  if not uri then
    uri = workspace_of(bufnr)
    vim.b[bufnr].memory_sidecar_uri = uri
  end
  for _, workspace in ipairs(known.workspaces) do
    if workspace.uri == uri then
      local count = 0
      for _, number in pairs(workspace.memories) do
        count = count + number
      end
      local waiting = workspace.candidates or 0
      return ('memory %d'):format(count) .. (waiting > 0 and (' · %d to review'):format(waiting) or '')
    end
  end
  return 'memory …'
end

return M

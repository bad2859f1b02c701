--- Code lenses of the sidecar, and of no other server. Neovim 0.12 asks for them by itself; older versions do here.
local changes = require('memory_sidecar.changes')
local client = require('memory_sidecar.client')

local M = {}

---@type any
local codelens = vim.lsp.codelens -- of 0.12, or of the versions before, which have no enable()
local NATIVE = codelens.enable ~= nil
local SOON = 200
local LATER = 1000
local TRIES = 5

---@type table<integer, integer> The buffers and how many requests each has made.
local attached = {}

local group = vim.api.nvim_create_augroup('memory_sidecar.lenses', { clear = true })

--- Asks for the lenses of a buffer and draws them.
---@param bufnr integer
---@param tries? integer How often it was tried before.
function M.refresh(bufnr, tries)
  local running = vim.lsp.get_clients({ name = client.NAME, bufnr = bufnr })[1]
  if not running or not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  attached[bufnr] = (attached[bufnr] or 0) + 1
  local mine = attached[bufnr]
  local params = { textDocument = { uri = vim.uri_from_bufnr(bufnr) } }
  client.send(running, 'textDocument/codeLens', params, function(err, result)
    if attached[bufnr] ~= mine or not vim.api.nvim_buf_is_loaded(bufnr) then
      return
    end
    if (err or not result) and (tries or 0) < TRIES then
      -- Nothing at all, where a file without memories would get an empty list: it cannot answer yet.
      vim.defer_fn(function()
        if attached[bufnr] == mine then
          M.refresh(bufnr, (tries or 0) + 1)
        end
      end, LATER)
      return
    end
    local context =
      { method = 'textDocument/codeLens', client_id = running.id, bufnr = bufnr, params = params }
    codelens.on_codelens(nil, result or {}, context)
  end, bufnr)
end

---@param bufnr integer
local function soon(bufnr)
  local mine = attached[bufnr]
  vim.defer_fn(function()
    if mine and attached[bufnr] == mine then
      M.refresh(bufnr)
    end
  end, SOON)
end

--- Shows lenses in a buffer from now on.
---@param running vim.lsp.Client
---@param bufnr integer
function M.attach(running, bufnr)
  if NATIVE then
    codelens.enable(true, { client_id = running.id })
    return
  end
  changes.listen('lenses', function()
    for each in pairs(attached) do
      M.refresh(each)
    end
  end)
  if not attached[bufnr] then
    vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave', 'TextChanged', 'BufWritePost' }, {
      group = group,
      buffer = bufnr,
      callback = function()
        soon(bufnr)
      end,
    })
    vim.api.nvim_create_autocmd('BufUnload', {
      group = group,
      buffer = bufnr,
      callback = function()
        attached[bufnr] = nil
        vim.api.nvim_clear_autocmds({ group = group, buffer = bufnr })
      end,
    })
  end
  M.refresh(bufnr)
end

--- The sidecar is about to end. Neovim 0.12 would ask it once more for lenses, 0.2 s after the last change, and fail
--- because it is gone.
---@param running vim.lsp.Client
function M.ending(running)
  if NATIVE then
    codelens.enable(false, { client_id = running.id })
  end
end

--- Shows no lenses of the sidecar any more.
function M.off()
  changes.listen('lenses', nil)
  local running = client.running()
  if NATIVE then
    if running then
      codelens.enable(false, { client_id = running.id })
    end
    return
  end
  vim.api.nvim_clear_autocmds({ group = group })
  for bufnr in pairs(attached) do
    if running then
      codelens.clear(running.id, bufnr)
    end
    attached[bufnr] = nil
  end
end

return M

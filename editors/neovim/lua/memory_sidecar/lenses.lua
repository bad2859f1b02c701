--- Code lenses of the sidecar, and of no other server. Neovim 0.12 asks for them by itself; older versions do here.
local changes = require('memory_sidecar.changes')
local client = require('memory_sidecar.client')

local M = {}

---@type any
local codelens = vim.lsp.codelens -- of 0.12, or of the versions before, which have no enable()
local NATIVE = codelens.enable ~= nil

local source = require('memory_sidecar.lens_source').new(
  'memory_sidecar.lenses',
  function(bufnr, lenses, running, params)
    local context =
      { method = 'textDocument/codeLens', client_id = running.id, bufnr = bufnr, params = params }
    codelens.on_codelens(nil, lenses, context)
  end
)

--- Asks for the lenses of a buffer and draws them.
M.refresh = source.refresh

--- Shows lenses in a buffer from now on.
---@param running vim.lsp.Client
---@param bufnr integer
function M.attach(running, bufnr)
  if NATIVE then
    codelens.enable(true, { client_id = running.id })
    return
  end
  changes.listen('lenses', function()
    for each in pairs(source.attached) do
      source.refresh(each)
    end
  end)
  source.follow(bufnr, { 'BufEnter', 'InsertLeave', 'TextChanged', 'BufWritePost' })
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
  source.forget(function(bufnr)
    if running then
      codelens.clear(running.id, bufnr)
    end
  end)
end

return M

--- The sidecar's lenses of a buffer, asked for again when something changes: for those who draw them.
local client = require('memory_sidecar.client')

local M = {}

local SOON = 200
local LATER = 1000
local TRIES = 5

---@class memory_sidecar.LensSource
---@field attached table<integer, integer> The buffers and how many requests each has made.
---@field refresh fun(bufnr: integer)
---@field follow fun(bufnr: integer, events: string[])
---@field forget fun(done: fun(bufnr: integer))

---@param name string Of the group of autocommands.
---@param draw fun(bufnr: integer, lenses: lsp.CodeLens[], running: vim.lsp.Client, params: table)
---@return memory_sidecar.LensSource
function M.new(name, draw)
  local group = vim.api.nvim_create_augroup(name, { clear = true })
  ---@type table<integer, integer>
  local attached = {}

  ---@param bufnr integer
  ---@param tries integer How often it was tried before.
  local function ask(bufnr, tries)
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
      if (err or not result) and tries < TRIES then
        -- Nothing at all, where a file without memories would get an empty list: it cannot answer yet.
        vim.defer_fn(function()
          if attached[bufnr] == mine then
            ask(bufnr, tries + 1)
          end
        end, LATER)
        return
      end
      draw(bufnr, result or {}, running, params)
    end, bufnr)
  end

  ---@type memory_sidecar.LensSource
  return {
    attached = attached,
    refresh = function(bufnr)
      ask(bufnr, 0)
    end,
    -- Asks now, and again a little after each of these events.
    follow = function(bufnr, events)
      if not attached[bufnr] then
        vim.api.nvim_create_autocmd(events, {
          group = group,
          buffer = bufnr,
          callback = function()
            local mine = attached[bufnr]
            vim.defer_fn(function()
              if mine and attached[bufnr] == mine then
                ask(bufnr, 0)
              end
            end, SOON)
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
      ask(bufnr, 0)
    end,
    forget = function(done)
      vim.api.nvim_clear_autocmds({ group = group })
      for bufnr in pairs(attached) do
        done(bufnr)
        attached[bufnr] = nil
      end
    end,
  }
end

return M

--- How many memories a line has, at its end. Off unless `virtual_text` is set or `:Memory toggle virtual_text` is used.
local changes = require('memory_sidecar.changes')
local client = require('memory_sidecar.client')

local M = {}

local SOON = 200
local LATER = 1000
local TRIES = 5
local namespace = vim.api.nvim_create_namespace('memory_sidecar.virtual_text')
local group = vim.api.nvim_create_augroup('memory_sidecar.virtual_text', { clear = true })

---@type table<integer, integer>
local attached = {}

---@param bufnr integer
---@param lenses lsp.CodeLens[]
local function draw(bufnr, lenses)
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  local last = vim.api.nvim_buf_line_count(bufnr) - 1
  for _, lens in ipairs(lenses) do
    local title = lens.command and lens.command.title
    if title and lens.range.start.line <= last then
      local suspect = title:find('suspect', 1, true) ~= nil
      local highlight = suspect and 'MemorySidecarSuspect' or 'MemorySidecarCount'
      vim.api.nvim_buf_set_extmark(bufnr, namespace, lens.range.start.line, 0, {
        virt_text = { { '■ ' .. title, highlight } },
        virt_text_pos = 'eol',
        hl_mode = 'combine',
      })
    end
  end
end

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
    draw(bufnr, result or {})
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

---@param bufnr integer
function M.attach(bufnr)
  vim.api.nvim_set_hl(0, 'MemorySidecarCount', { link = 'LspCodeLens', default = true })
  vim.api.nvim_set_hl(0, 'MemorySidecarSuspect', { link = 'DiagnosticVirtualTextWarn', default = true })
  changes.listen('virtual_text', function()
    for each in pairs(attached) do
      M.refresh(each)
    end
  end)
  if not attached[bufnr] then
    vim.api.nvim_create_autocmd({ 'InsertLeave', 'TextChanged', 'BufWritePost' }, {
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

function M.off()
  changes.listen('virtual_text', nil)
  vim.api.nvim_clear_autocmds({ group = group })
  for bufnr in pairs(attached) do
    if vim.api.nvim_buf_is_loaded(bufnr) then
      vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
    end
    attached[bufnr] = nil
  end
end

return M

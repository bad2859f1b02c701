--- How many memories a line has, at its end. Off unless `virtual_text` is set or `:Memory toggle virtual_text` is used.
local changes = require('memory_sidecar.changes')

local M = {}

local namespace = vim.api.nvim_create_namespace('memory_sidecar.virtual_text')

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

local source = require('memory_sidecar.lens_source').new('memory_sidecar.virtual_text', draw)

M.refresh = source.refresh

---@param bufnr integer
function M.attach(bufnr)
  vim.api.nvim_set_hl(0, 'MemorySidecarCount', { link = 'LspCodeLens', default = true })
  vim.api.nvim_set_hl(0, 'MemorySidecarSuspect', { link = 'DiagnosticVirtualTextWarn', default = true })
  changes.listen('virtual_text', function()
    for each in pairs(source.attached) do
      source.refresh(each)
    end
  end)
  source.follow(bufnr, { 'InsertLeave', 'TextChanged', 'BufWritePost' })
end

function M.off()
  changes.listen('virtual_text', nil)
  source.forget(function(bufnr)
    if vim.api.nvim_buf_is_loaded(bufnr) then
      vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
    end
  end)
end

return M

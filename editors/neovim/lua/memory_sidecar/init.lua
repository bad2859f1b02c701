--- memory-sidecar for Neovim. Nothing has to be called: `vim.lsp.enable('memory_sidecar')` and `:Memory` do.
local M = {}

--- Sets options and enables the server. Not needed where `vim.lsp.enable('memory_sidecar')` is used.
---@param options? memory_sidecar.Options
function M.setup(options)
  require('memory_sidecar.config').set(options)
  local problems = require('memory_sidecar.config').problems()
  for _, problem in ipairs(problems) do
    require('memory_sidecar.notify').warn(problem)
  end
  M.enable()
end

--- Attaches the sidecar to files from now on. In Neovim 0.10, which has no `vim.lsp.enable()`, the plugin does it.
function M.enable()
  if vim.lsp.enable then
    return vim.lsp.enable('memory_sidecar')
  end
  local group = vim.api.nvim_create_augroup('memory_sidecar.enable', { clear = true })
  local function attach(bufnr)
    require('memory_sidecar.roots').decide(bufnr, function(root)
      require('memory_sidecar.client').start(root, bufnr)
    end)
  end
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    callback = function(event)
      attach(event.buf)
    end,
  })
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].filetype ~= '' then
      attach(bufnr)
    end
  end
end

--- For a statusline: `memory 12`, `memory 12 · 2 to review`, or nothing in a buffer without the sidecar.
---@param bufnr? integer
---@return string
function M.statusline(bufnr)
  if not package.loaded['memory_sidecar.lifecycle'] then
    return ''
  end
  return require('memory_sidecar.statusline').text(bufnr or vim.api.nvim_get_current_buf())
end

return M

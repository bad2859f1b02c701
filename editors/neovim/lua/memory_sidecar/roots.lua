--- Which folder is the workspace of a buffer.
local M = {}

local URI = '^memory%-sidecar://(.*)/%.memory/'

--- The markers, as the user's configuration has them.
---@return string[]
function M.markers()
  local ok, client_config = pcall(require('memory_sidecar.client').config)
  local markers = ok and client_config.root_markers or { '.git' }
  local flat = {}
  for _, marker in ipairs(markers) do
    ---@type any
    local group = type(marker) == 'table' and marker or { marker }
    vim.list_extend(flat, group)
  end
  return flat
end

--- The nearest folder, from a path upwards, that has any of the markers.
---@param path string
---@return string? root
---@return string? marker
function M.of_path(path)
  local markers = M.markers()
  local folder = vim.fn.isdirectory(path) == 1 and path or vim.fs.dirname(path)
  while folder do
    for _, marker in ipairs(markers) do
      if vim.uv.fs_stat(vim.fs.joinpath(folder, marker)) then
        return folder, marker
      end
    end
    local parent = vim.fs.dirname(folder)
    if parent == folder then
      return nil
    end
    folder = parent
  end
end

--- The workspace of a buffer that shows a file, or a memory of a workspace.
---@param bufnr integer
---@return string? root
---@return string? marker
function M.of_buffer(bufnr)
  local name = vim.api.nvim_buf_get_name(bufnr)
  local workspace = vim.b[bufnr].memory_sidecar_root or name:match(URI)
  if workspace then
    return workspace, 'a buffer of memory-sidecar'
  end
  if name == '' or vim.bo[bufnr].buftype ~= '' or name:match('^%a[%w+.-]+://') then
    return nil
  end
  return M.of_path(vim.fs.normalize(vim.fn.fnamemodify(name, ':p')))
end

--- The workspace that a command means: the buffer's, else that of the current folder, else the folder itself.
---@param bufnr integer
---@return string? root
---@return string? problem
function M.for_command(bufnr)
  local root = M.of_buffer(bufnr)
  if root then
    return root
  end
  local here = vim.fs.normalize(vim.fn.getcwd())
  root = M.of_path(here)
  if root then
    return root
  end
  if here == vim.fs.normalize(vim.uv.os_homedir() or '') or here == vim.fs.dirname(here) then
    return nil, ('%s is no project. Open a file of one, or :cd to one.'):format(here)
  end
  return here
end

--- `root_dir` of the configuration: calls back for buffers that are to be attached, and for no others.
---@param bufnr integer
---@param on_dir fun(root: string)
function M.decide(bufnr, on_dir)
  local root = M.of_buffer(bufnr)
  if not root or vim.bo[bufnr].buftype ~= '' then
    return
  end
  local client = require('memory_sidecar.client')
  if type(client.config().cmd) == 'table' or require('memory_sidecar.executable').available() then
    on_dir(root)
  end
end

return M

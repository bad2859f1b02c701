--- `:Memory record`: a text, a selection, or a buffer to write it in.
local arguments = require('memory_sidecar.arguments')
local client = require('memory_sidecar.client')
local notify = require('memory_sidecar.notify')
local roots = require('memory_sidecar.roots')
local wording = require('memory_sidecar.wording')

local M = {}

---@type table<string, memory_sidecar.Option>
M.options = {
  agent = {},
  category = { values = arguments.CATEGORIES },
  expires = {},
  files = { parse = 'list' },
  name = {},
  pinned = { parse = 'flag' },
  scope = { values = arguments.SCOPES },
  tags = { parse = 'list' },
  type = { values = arguments.TYPES },
}

local PROSE = { '', 'markdown', 'text', 'rst', 'asciidoc', 'org', 'gitcommit' }

local DONE = { created = 'Remembered', merged = 'Added to', duplicate = 'Already known:' }

--- What recording came to.
---@param result memory_sidecar.RecordResult
---@return string
function M.told(result)
  local text = ('%s “%s”.'):format(
    DONE[result.status] or 'Remembered',
    wording.line(result.memory.name, 60)
  )
  if #result.similar > 0 then
    text = text .. (' %s like it.'):format(wording.counted(#result.similar, 'memory is', 'memories are'))
  end
  return text .. require('memory_sidecar.edit').redacted(result.redactions)
end

--- The text of a range: exactly what was selected, when the range is that of the last selection.
---@param bufnr integer
---@param first integer
---@param last integer
---@return string
local function selected(bufnr, first, last)
  local from, to = vim.fn.getpos("'<"), vim.fn.getpos("'>")
  if from[2] == first and to[2] == last and vim.fn.visualmode() ~= 'V' then
    return table.concat(vim.fn.getregion(from, to, { type = vim.fn.visualmode() }), '\n')
  end
  return table.concat(vim.api.nvim_buf_get_lines(bufnr, first - 1, last, false), '\n')
end

---@param text string
---@return string
local function fenced(text)
  local longest = 2
  for run in text:gmatch('`+') do
    longest = math.max(longest, #run)
  end
  local mark = ('`'):rep(longest + 1)
  return ('%s\n%s\n%s'):format(mark, text, mark)
end

--- The path of a buffer's file inside a workspace.
---@param bufnr integer
---@param root string
---@return string?
function M.path(bufnr, root)
  bufnr = vim.b[bufnr].memory_sidecar_source or bufnr
  if not vim.api.nvim_buf_is_valid(bufnr) then
    return nil
  end
  local name = vim.api.nvim_buf_get_name(bufnr)
  if vim.bo[bufnr].buftype ~= '' or name == '' then
    return nil
  end
  local full = vim.fs.normalize(vim.fn.fnamemodify(name, ':p'))
  local folder = vim.fs.normalize(root)
  folder = folder:match('/$') and folder or folder .. '/'
  return vim.startswith(full, folder) and full:sub(#folder + 1) or nil
end

---@param bufnr integer
---@param root string
---@param command memory_sidecar.Command
---@return string content
---@return string? path
local function from_range(bufnr, root, command)
  local text = selected(bufnr, command.line1, command.line2)
  local path = M.path(bufnr, root)
  if not path or vim.tbl_contains(PROSE, vim.bo[bufnr].filetype) then
    return text, path
  end
  local lines = command.line1 == command.line2 and ('line %d'):format(command.line1)
    or ('lines %d to %d'):format(command.line1, command.line2)
  return ('`%s`, %s:\n\n%s'):format(path, lines, fenced(text)), path
end

---@param command memory_sidecar.Command
function M.run(command)
  local bufnr = vim.api.nvim_get_current_buf()
  local parsed, problem = arguments.parse(command.rest, M.options)
  if not parsed then
    return notify.error(problem or '')
  end
  local root, nowhere = roots.for_command(bufnr)
  if not root then
    return notify.error(nowhere or '')
  end
  local options, content = parsed.options, parsed.text
  if command.range > 0 then
    local text, path = from_range(bufnr, root, command)
    content = content == '' and text or ('%s\n\n%s'):format(content, text)
    options.files = options.files or (path and { path } or nil)
  end
  if content == '' or command.bang then
    return require('memory_sidecar.edit').new(root, options, content)
  end
  local document = require('memory_sidecar.document')
  if options.expires and not document.time(options.expires) then
    return notify.error('expires is a date like 2026-12-31.')
  end
  local fields =
    vim.tbl_extend('force', options, { content = content, pinned = tostring(options.pinned or false) })
  client.request(bufnr, 'memory/record', document.record(fields), function(result)
    notify.info(M.told(result))
  end)
end

return M

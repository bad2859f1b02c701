--- `:Memory summary`: what stands for the current file, and the facts learned about it.
local client = require('memory_sidecar.client')
local notify = require('memory_sidecar.notify')
local record = require('memory_sidecar.record')
local roots = require('memory_sidecar.roots')
local view = require('memory_sidecar.view')
local wording = require('memory_sidecar.wording')

local M = {}

local BAR = 24

local ORIGINS = {
  structural = 'from the outline',
  model = 'by a model',
  aggregated = 'by a model, of content and facts',
}

---@param result memory_sidecar.SummaryResult
---@return memory_sidecar.Shown
local function shown(result)
  local share = result.fileTokens > 0 and result.tokens / result.fileTokens or 0
  local bar = wording.bar(share, BAR)
  local state = ORIGINS[result.origin] or result.origin
  if result.partial then
    state = state .. ', partial'
  end
  local lines = {
    ('%s %s of the file’s %s tokens · %s · %s'):format(
      bar,
      wording.figure(result.tokens),
      wording.figure(result.fileTokens),
      wording.counted(result.lines, 'line'),
      state
    ),
  }
  local marks = { { line = 0, from = 0, to = #bar, group = 'DiagnosticOk' } }
  local function heading(text, group)
    lines[#lines + 1] = ''
    lines[#lines + 1] = text
    marks[#marks + 1] = { line = #lines - 1, from = 0, to = -1, group = group or 'Title' }
  end
  if wording.given(result.advice) then
    lines[#lines + 1] = ('Advice to an agent: %s'):format(result.advice)
    marks[#marks + 1] = { line = 1, from = 0, to = -1, group = 'DiagnosticInfo' }
  end
  lines[#lines + 1] = ''
  vim.list_extend(lines, vim.split(result.summary, '\n', { plain = true, trimempty = true }))
  local function facets(title, list, group)
    if #list == 0 then
      return
    end
    heading(title, group)
    for _, facet in ipairs(list) do
      local on = #facet.symbols > 0 and (' (%s)'):format(table.concat(facet.symbols, ', ')) or ''
      lines[#lines + 1] = ('- %s%s'):format(wording.line(facet.text), on)
    end
  end
  facets('Facts', result.facets)
  facets('Of earlier versions, to be verified', result.formerFacets or {}, 'DiagnosticWarn')
  return { lines = lines, marks = marks }
end

--- From a line of the outline to the line of the file: `class TokenStore L9-23`.
---@param root string
---@param path string
---@return fun(self: memory_sidecar.View)
local function going(root, path)
  return function(self)
    local text, column = vim.api.nvim_get_current_line(), vim.fn.col('.')
    -- A line may name several symbols, each before its lines: the one under the cursor is meant.
    local line = tonumber(text:match('%f[%w]L(%d+)', column) or text:match('%f[%w]L(%d+)'))
    if not line then
      return notify.warn('this line names no line of the file.')
    end
    view.close(self)
    local full = vim.fs.joinpath(root, path)
    if vim.api.nvim_buf_get_name(0) ~= full then
      vim.cmd.edit({ args = { vim.fn.fnameescape(full) } })
    end
    vim.cmd("normal! m'")
    vim.api.nvim_win_set_cursor(0, { math.min(line, vim.api.nvim_buf_line_count(0)), 0 })
    vim.cmd('normal! zvzz')
  end
end

---@param command memory_sidecar.Command
function M.run(command)
  local bufnr = vim.api.nvim_get_current_buf()
  local root, nowhere = roots.for_command(bufnr)
  if not root then
    return notify.error(nowhere or '')
  end
  local path = command.rest ~= '' and command.rest or record.path(bufnr, root)
  if not path then
    return notify.error(
      'the current buffer shows no file of the workspace; name one: :Memory summary src/x.py'
    )
  end
  view.open({
    name = 'summary',
    root = root,
    title = ('Summary · %s'):format(path),
    keys = { ['<CR>'] = { label = 'to the line', action = going(root, path) } },
    load = function(show, self)
      client.request(self.buf, 'file/summary', { path = path }, function(result)
        show(shown(result))
      end, view.failing(self))
    end,
  })
end

return M

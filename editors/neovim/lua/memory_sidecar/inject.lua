--- `:Memory inject`: what an agent would be given for a prompt and files, what it costs, and why.
local arguments = require('memory_sidecar.arguments')
local client = require('memory_sidecar.client')
local notify = require('memory_sidecar.notify')
local record = require('memory_sidecar.record')
local roots = require('memory_sidecar.roots')
local view = require('memory_sidecar.view')
local wording = require('memory_sidecar.wording')

local M = {}

local BAR = 24
local DEFAULT_BUDGET = 5000

---@type table<string, memory_sidecar.Option>
M.options = {
  agent = {},
  budget = { parse = 'number' },
  files = { parse = 'list' },
  format = { values = { 'markdown', 'xml' } },
}

local WHY_NOT = {
  alreadyShown = 'was shown in this session already',
  belowFloor = 'hardly bears on the prompt',
  repeats = 'another one says the same',
  budget = 'does not fit into the budget',
  contradicted = 'is contradicted by a newer one',
  fileUnavailable = 'its file has no briefing',
  superseded = 'is superseded by another',
}

---@param id string
---@param names table<string, string>
---@return string
local function called(id, names)
  return names[id] or id
end

---@param result memory_sidecar.InjectResult
---@param budget integer
---@param names table<string, string>
---@return memory_sidecar.Shown
local function shown(result, budget, names)
  local share = result.tokens / budget
  local bar = wording.bar(share, BAR)
  local lines = {
    ('%s %s of %s tokens · %s · %s left out'):format(
      bar,
      wording.figure(result.tokens),
      wording.figure(budget),
      wording.counted(#result.items, 'item'),
      wording.figure(#result.omitted)
    ),
    '',
  }
  local marks = { { line = 0, from = 0, to = #bar, group = 'DiagnosticOk' } }
  local function heading(text)
    lines[#lines + 1] = text
    marks[#marks + 1] = { line = #lines - 1, from = 0, to = -1, group = 'Title' }
  end
  if #result.items > 0 then
    heading('Why, with score and tokens')
    for _, item in ipairs(result.items) do
      local name = wording.given(item.path) or called(tostring(wording.given(item.id)), names)
      local score, size = ('%5.2f'):format(item.score), wording.figure(item.tokens)
      local head = ('%s %5s  %s'):format(score, size, wording.line(tostring(name), 44))
      lines[#lines + 1] = ('%s · %s'):format(head, table.concat(item.reasons, ', '))
      marks[#marks + 1] = { line = #lines - 1, from = #head, to = -1, group = 'Comment' }
    end
    lines[#lines + 1] = ''
  end
  if #result.omitted > 0 then
    heading('Left out')
    for _, item in ipairs(result.omitted) do
      local why = WHY_NOT[item.reason] or item.reason
      lines[#lines + 1] = ('%s: %s'):format(wording.line(called(item.id, names), 70), why)
    end
    lines[#lines + 1] = ''
  end
  if result.text == '' then
    lines[#lines + 1] = 'Nothing: no memory is worth showing for this.'
  else
    heading('What the agent reads')
    vim.list_extend(lines, vim.split(result.text, '\n', { plain = true, trimempty = true }))
  end
  return { lines = lines, marks = marks }
end

---@param command memory_sidecar.Command
function M.run(command)
  local bufnr = vim.api.nvim_get_current_buf()
  local parsed, problem = arguments.parse(command.rest, M.options)
  local root, nowhere = roots.for_command(bufnr)
  if not parsed or not root then
    return notify.error(problem or nowhere or '')
  end
  local options, prompt = parsed.options, parsed.text
  if command.range > 0 then
    local lines = vim.api.nvim_buf_get_lines(bufnr, command.line1 - 1, command.line2, false)
    prompt = vim.trim(prompt .. '\n' .. table.concat(lines, '\n'))
  end
  local path = record.path(bufnr, root)
  local files = options.files or (path and not command.bang and { path } or nil)
  local configured = require('memory_sidecar.config').get().budget_tokens
  local budget = options.budget or configured
  local params = {
    prompt = prompt ~= '' and prompt or nil,
    files = files,
    agent = options.agent,
    budgetTokens = budget,
    format = options.format,
  }
  local about = prompt ~= '' and ('“%s”'):format(wording.line(prompt, 40)) or 'no prompt'
  view.open({
    name = 'inject',
    root = root,
    title = ('Inject · %s%s'):format(about, files and ' · ' .. table.concat(files, ', ') or ''),
    load = function(show, self)
      client.request(self.buf, 'memory/inject', vim.deepcopy(params), function(result)
        local ids = {}
        for _, item in ipairs(result.items) do
          ids[#ids + 1] = wording.given(item.id)
        end
        for _, item in ipairs(result.omitted) do
          if item.id:match('^%x+%-%x+%-%x+%-%x+%-%x+$') then
            ids[#ids + 1] = item.id
          end
        end
        require('memory_sidecar.target').get(self.buf, ids, function(memories)
          local names = {}
          for _, memory in ipairs(memories) do
            names[memory.id] = memory.name
          end
          show(shown(result, budget or DEFAULT_BUDGET, names))
        end)
      end, view.failing(self))
    end,
  })
end

return M

--- `:Memory remind` and `:Memory reminders`: set one, see those that wait, say that one is done.
local arguments = require('memory_sidecar.arguments')
local client = require('memory_sidecar.client')
local notify = require('memory_sidecar.notify')
local roots = require('memory_sidecar.roots')
local view = require('memory_sidecar.view')
local wording = require('memory_sidecar.wording')

local M = {}

---@type table<string, memory_sidecar.Option>
M.options = {
  at = { values = { '+30m', '+2h', '17:00', 'tomorrow', 'monday' } },
  every = { values = { 'daily', 'weekdays', 'weekly', 'monthly', 'yearly' } },
}

---@param reminder memory_sidecar.Reminder
---@return string
local function when(reminder)
  return (reminder['local']:sub(1, 16):gsub('T', ' '))
end

---@param command memory_sidecar.Command
function M.set(command)
  -- Any time may be said, not only those that complete.
  local known = { at = {}, every = M.options.every }
  local parsed, problem = arguments.parse(command.rest, known)
  if not parsed then
    return notify.error(problem or '')
  elseif not parsed.options.at or parsed.text == '' then
    return notify.error('say when and of what: :Memory remind at="tomorrow 9am" Renew the certificate')
  end
  local params = { text = parsed.text, at = parsed.options.at, recurrence = parsed.options.every }
  client.request(vim.api.nvim_get_current_buf(), 'reminder/set', params, function(result)
    notify.info(('You and your agents are reminded at %s.'):format(when(result.reminder)))
  end)
end

---@param reminders memory_sidecar.Reminder[]
---@return memory_sidecar.Shown
local function shown(reminders)
  if #reminders == 0 then
    return { lines = { 'No reminder waits. :Memory remind at=+2h … sets one.' } }
  end
  local lines, marks = {}, {}
  for index, each in ipairs(reminders) do
    local every = wording.given(each.recurrence)
    local author = wording.given(each.author) --[[@as string?]]
    local head = each.due and 'due  ' or '     '
    lines[index] = ('%s%s  %s%s%s'):format(
      head,
      when(each),
      wording.line(each.text, 200),
      every and (' (%s)'):format(every) or '',
      author and (' · by %s'):format(wording.line(author, 60)) or ''
    )
    if each.due then
      marks[#marks + 1] = { line = index - 1, from = 0, to = 3, group = 'DiagnosticWarn' }
    end
  end
  return { lines = lines, marks = marks }
end

---@param method string
---@return fun(view: memory_sidecar.View)
local function changing(method)
  return function(self)
    local reminder = (self.state.reminders or {})[vim.fn.line('.')]
    if not reminder then
      return
    end
    if method == 'reminder/advance' and not wording.given(reminder.recurrence) then
      return notify.warn('it comes once; x says that it is done.')
    end
    client.request(self.buf, method, { id = reminder.id }, function()
      view.refresh(self)
    end)
  end
end

function M.list()
  local root, nowhere = roots.for_command(vim.api.nvim_get_current_buf())
  if not root then
    return notify.error(nowhere or '')
  end
  view.open({
    name = 'reminders',
    root = root,
    title = 'Reminders',
    filetype = 'text',
    keys = {
      x = { label = 'done', action = changing('reminder/clear') },
      n = { label = 'next time', action = changing('reminder/advance') },
    },
    load = function(show, self)
      client.request(self.buf, 'reminder/list', { limit = 100 }, function(result)
        self.state.reminders = result.items
        show(shown(result.items))
      end, view.failing(self))
    end,
  })
end

return M

--- `:Memory review` and `:Memory why`: what may become a memory, and the words that one came from.
local client = require('memory_sidecar.client')
local notify = require('memory_sidecar.notify')
local view = require('memory_sidecar.view')
local wording = require('memory_sidecar.wording')

local M = {}

local MOST = 200
local SPEAKERS = {
  user = 'the user',
  agent = 'the agent',
  tool = 'commands',
  model = 'a model',
  repository = 'the repository’s MEMORY.md',
}
local HELP = 'k keeps it, e edits and keeps it, s keeps it for a scope of your choice, r rejects it for good, '
  .. 'l leaves it for later, u takes the last decision back, <CR> shows or hides the words behind it, q closes.'

---@param session string|vim.NIL|nil
---@return string
local function in_session(session)
  local given = wording.given(session)
  return given and ' in session ' .. wording.line(tostring(given), 40) or ''
end

--- Text under a beginning, its further lines below it.
---@param lines string[]
---@param beginning string
---@param text string
local function add(lines, beginning, text)
  for index, line in ipairs(view.split(vim.trim(text))) do
    lines[#lines + 1] = index == 1 and ('  %s: %s'):format(beginning, line) or '    ' .. line
  end
end

--- The words behind a candidate, indented, so that they are one fold.
---@param lines string[]
---@param candidate memory_sidecar.Candidate
local function evidence(lines, candidate)
  for _, each in ipairs(candidate.evidence) do
    local who = ('%s %s%s'):format(SPEAKERS[each.speaker], wording.time(each.at), in_session(each.sessionId))
    add(lines, who, each.words)
    local before = wording.given(each.before)
    if before then
      add(lines, 'before it', tostring(before))
    end
  end
  local ends = wording.given(candidate.expiresAt) --[[@as integer?]]
  lines[#lines + 1] = ('  found by %s%s'):format(
    candidate.rule,
    ends and ', forgotten on ' .. wording.time(ends):sub(1, 10) .. ' if nobody keeps it' or ''
  )
end

---@param items memory_sidecar.Candidate[]
---@return string[] lines
---@return memory_sidecar.Mark[] marks
---@return integer[] heads The line of each candidate, from 1.
local function listed(items)
  local lines, marks, heads = {}, {}, {}
  for index, candidate in ipairs(items) do
    if index > 1 then
      lines[#lines + 1] = ''
    end
    local text = wording.line(candidate.content)
    lines[#lines + 1] = ('%s  %s  %s  %s'):format(
      text,
      wording.sort(candidate --[[@as any]]),
      wording.counted(candidate.sessions, 'session'),
      wording.age(candidate.updatedAt)
    )
    heads[index] = #lines
    marks[#marks + 1] = { line = #lines - 1, from = #text, to = -1, group = 'Comment' }
    evidence(lines, candidate)
  end
  return lines, marks, heads
end

--- The candidate under the cursor, and its place in the list.
---@param self memory_sidecar.View
---@return memory_sidecar.Candidate?
---@return integer index
local function under(self)
  local line, index = vim.fn.line('.'), 0
  for at, head in ipairs(self.state.heads or {}) do
    index = head <= line and at or index
  end
  return (self.state.items or {})[index], index
end

---@param self memory_sidecar.View
---@param method string
---@param params table<string, any>
---@param told fun(result: any): string
---@param back? fun(result: any) What takes it back, if anything does.
local function decide(self, method, params, told, back)
  local _, index = under(self)
  client.request(self.buf, method, params, function(result)
    notify.info(told(result))
    self.state.index = index
    self.state.back = back and function()
      back(result)
    end
    view.refresh(self)
  end)
end

---@param self memory_sidecar.View
---@param id string
---@param scope? string
local function keep(self, id, scope)
  decide(self, 'memory/confirm', { id = id, scope = scope }, function(result)
    return require('memory_sidecar.record').told(result) .. ' u takes that back.'
  end, function(result)
    local created = result.status == 'created'
    local method = created and 'memory/delete' or 'memory/undo'
    if result.status ~= 'duplicate' then
      decide(self, method, { id = result.memory.id }, function()
        return created and 'Forgotten again.' or 'Undone.'
      end)
    end
  end)
end

---@param self memory_sidecar.View
---@param candidate memory_sidecar.Candidate
local function reject(self, candidate)
  decide(self, 'memory/reject', { id = candidate.id }, function()
    local called = wording.line(candidate.content, 50)
    return ('Rejected “%s”; it is not proposed again. u keeps it after all.'):format(called)
  end, function()
    keep(self, candidate.id)
  end)
end

---@param self memory_sidecar.View
---@param candidate memory_sidecar.Candidate
local function scoped(self, candidate)
  local prompt = ('Keep for whom (proposed: %s)'):format(candidate.scope)
  local scopes = require('memory_sidecar.arguments').SCOPES
  vim.ui.select(scopes, { prompt = prompt }, function(scope)
    if scope then
      keep(self, candidate.id, scope)
    end
  end)
end

---@param win integer
---@param line? integer
local function folded(win, line)
  vim.bo[vim.api.nvim_win_get_buf(win)].shiftwidth = 2
  local look = { foldmethod = 'indent', foldlevel = 0, foldtext = '', fillchars = 'fold: ,eob: ' }
  for name, value in pairs(look) do
    vim.wo[win][name] = value
  end
  if line then
    vim.api.nvim_win_set_cursor(win, { line, 0 })
  end
end

--- Every key but those of the view: what it does with the candidate under the cursor.
---@param root string
---@return table<string, { action: fun(view: memory_sidecar.View), label: string }>
local function keys(root)
  ---@param label string
  ---@param act fun(self: memory_sidecar.View, candidate: memory_sidecar.Candidate)
  local function on(label, act)
    return {
      label = label,
      action = function(self)
        local candidate = under(self)
        if candidate then
          act(self, candidate)
        end
      end,
    }
  end
  return {
    k = on('keep', function(self, candidate)
      keep(self, candidate.id)
    end),
    e = on('edit', function(self, candidate)
      view.close(self)
      require('memory_sidecar.edit').confirm(root, candidate)
    end),
    s = on('scope', scoped),
    r = on('reject', reject),
    l = on('later', function(self, candidate)
      self.state.later[candidate.id] = candidate.updatedAt
      self.state.index = select(2, under(self))
      view.refresh(self)
    end),
    ['<CR>'] = on('words', function(self)
      local _, index = under(self)
      local line = self.state.heads[index] + 1
      vim.cmd(line .. (vim.fn.foldclosed(line) > 0 and 'foldopen!' or 'foldclose'))
    end),
    u = {
      label = 'undo',
      action = function(self)
        local back = self.state.back
        self.state.back = nil
        if not back then
          return notify.info('there is no decision to take back.')
        end
        back()
      end,
    },
    ['?'] = {
      label = 'help',
      action = function()
        notify.info(HELP)
      end,
    },
  }
end

---@param command memory_sidecar.Command
function M.run(command)
  local rejected = command.rest == 'rejected'
  if command.rest ~= '' and not rejected then
    return notify.error((':Memory review takes no %s, only rejected.'):format(command.rest))
  end
  local root, nowhere = require('memory_sidecar.roots').for_command(vim.api.nvim_get_current_buf())
  if not root then
    return notify.error(nowhere or '')
  end
  local title = rejected and 'Rejected candidates' or 'Candidates'
  view.open({
    name = 'review',
    root = root,
    title = title,
    filetype = 'text',
    concerns = function(change)
      return not change.files
    end,
    keys = keys(root),
    load = function(show, self)
      self.state.later = self.state.later or {}
      local params = { status = { rejected and 'rejected' or 'waiting' }, limit = MOST }
      client.request(self.buf, 'memory/candidates', params, function(result)
        self.state.items = vim.tbl_filter(function(candidate)
          return self.state.later[candidate.id] ~= candidate.updatedAt
        end, result.items)
        local lines, marks, heads = listed(self.state.items)
        self.state.heads = heads
        if #lines == 0 then
          lines = { rejected and 'Nothing was rejected.' or 'No candidate waits.' }
        end
        local index = math.min(self.state.index or 1, #heads)
        self.state.index = nil
        show({
          lines = lines,
          marks = marks,
          title = ('%s · %d'):format(title, #heads),
          after = function(win)
            folded(win, heads[index])
          end,
        })
      end, view.failing(self))
    end,
  })
end

--- Where a memory came from: who recorded it, and the words behind it where it was a candidate.
---@param command memory_sidecar.Command
function M.why(command)
  local everything = { include = { 'archived', 'resolved', 'expired' } }
  require('memory_sidecar.target').find(command.rest, everything, 'Why', function(chosen)
    local memory = chosen.memory
    view.open({
      name = 'why',
      root = chosen.root,
      title = ('Why · %s'):format(wording.line(memory.name, 50)),
      filetype = 'text',
      load = function(show, self)
        client.request(self.buf, 'memory/candidates', { memoryId = memory.id }, function(result)
          local lines = {
            ('recorded %s by %s%s'):format(
              wording.time(memory.createdAt),
              memory.source,
              in_session(memory.sessionId)
            ),
            '',
          }
          local found, marks = listed(result.items)
          for _, mark in ipairs(marks) do
            mark.line = mark.line + #lines
          end
          if #found == 0 then
            found = { 'It was never a candidate: no other words are kept behind it.' }
          end
          show({ lines = vim.list_extend(lines, found), marks = marks })
        end, view.failing(self))
      end,
    })
  end)
end

return M

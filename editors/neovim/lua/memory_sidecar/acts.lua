--- What is done to one memory: archive, restore, undo, pin, resolve, verify, promote, delete and their opposites.
local arguments = require('memory_sidecar.arguments')
local client = require('memory_sidecar.client')
local notify = require('memory_sidecar.notify')
local wording = require('memory_sidecar.wording')

local M = {}

local ALL = { include = { 'archived', 'resolved', 'expired' } }

---@class memory_sidecar.Act
---@field method string
---@field done string What it came to, before the name.
---@field title string The question when a memory is to be chosen.
---@field filter table<string, any> Which memories it may be done to.
---@field params? table<string, any>
---@field options? table<string, memory_sidecar.Option>
---@field back? string The command that takes it back.
---@field ask? string A question to be answered first.

---@type table<string, memory_sidecar.Act>
M.all = {
  archive = { method = 'memory/archive', done = 'Archived', title = 'Archive', filter = {}, back = 'restore' },
  restore = {
    method = 'memory/restore',
    done = 'Restored',
    title = 'Restore',
    filter = { status = { 'archived' }, include = { 'archived' } },
  },
  undo = { method = 'memory/undo', done = 'Undone', title = 'Undo the last change of', filter = ALL },
  pin = {
    method = 'memory/update',
    done = 'Pinned',
    title = 'Pin',
    filter = {},
    params = { pinned = true },
    back = 'unpin',
  },
  unpin = {
    method = 'memory/update',
    done = 'Unpinned',
    title = 'Unpin',
    filter = {},
    params = { pinned = false },
  },
  resolve = {
    method = 'memory/resolve',
    done = 'Resolved',
    title = 'Resolve',
    filter = { categories = { 'blocker' } },
    back = 'reopen',
  },
  reopen = {
    method = 'memory/reopen',
    done = 'Opened again',
    title = 'Open again',
    filter = { status = { 'resolved' }, include = { 'resolved' } },
  },
  verify = {
    method = 'memory/verify',
    done = 'Verified',
    title = 'Still holds',
    filter = { status = { 'suspect' } },
  },
  useful = {
    method = 'memory/rate',
    done = 'Useful',
    title = 'Useful',
    filter = {},
    params = { useful = true },
  },
  unhelpful = {
    method = 'memory/rate',
    done = 'Not useful',
    title = 'Not useful',
    filter = {},
    params = { useful = false },
  },
  promote = {
    method = 'memory/promote',
    done = 'Promoted',
    title = 'Promote',
    filter = { scopes = { 'personal', 'project' } },
    options = { scope = { values = { 'project', 'global' } } },
  },
  delete = {
    method = 'memory/delete',
    done = 'Deleted',
    title = 'Delete',
    filter = ALL,
    ask = 'Delete “%s”?',
  },
}

---@param name string
---@param act memory_sidecar.Act
---@param memory memory_sidecar.Memory
---@param result any
---@return string
local function told(name, act, memory, result)
  local called = wording.line(memory.name, 60)
  if name == 'promote' then
    local scope = result.memory.scope
    return result.changed and ('“%s” is now seen by scope %s.'):format(called, scope)
      or ('“%s” was seen by scope %s already.'):format(called, scope)
  elseif name == 'delete' then
    return ('Deleted “%s”.%s'):format(
      called,
      result.undoable and (' :Memory undo %s brings it back.'):format(memory.id) or ''
    )
  end
  local back = act.back and (' :Memory %s takes that back.'):format(act.back) or ''
  return ('%s “%s”.%s'):format(act.done, called, back)
end

---@param prompt string
---@param go fun()
local function confirmed(prompt, go)
  vim.ui.select({ 'Yes', 'No' }, { prompt = prompt }, function(answer)
    if answer == 'Yes' then
      go()
    end
  end)
end

--- Does it to a memory.
---@param bufnr integer The buffer whose workspace has the memory: a picker or float may be current by now.
---@param name string
---@param memory memory_sidecar.Memory
---@param options? table<string, any>
---@param after? fun()
function M.apply(bufnr, name, memory, options, after)
  local act = M.all[name]
  local function go()
    local params = vim.tbl_extend('force', { id = memory.id }, act.params or {}, options or {})
    client.request(bufnr, act.method, params, function(result)
      notify.info(told(name, act, memory, result))
      if after then
        after()
      end
    end)
  end
  if not act.ask then
    return go()
  end
  confirmed(act.ask:format(wording.line(memory.name, 60)), go)
end

--- Does it to several memories, one after the other, and tells once.
---@param bufnr integer
---@param name string
---@param memories memory_sidecar.Memory[]
---@param options? table<string, any>
---@param after? fun()
function M.each(bufnr, name, memories, options, after)
  local act = M.all[name]
  local done, problems = 0, {}
  local function step(index)
    local memory = memories[index]
    if not memory then
      local count = wording.counted(done, 'memory', 'memories')
      local back = act.back and (' :Memory %s takes one back.'):format(act.back) or ''
      notify.info(('%s %s.%s'):format(act.done, count, back))
      for problem in vim.spairs(problems) do
        notify.error(problem)
      end
      return after and after()
    end
    local params = vim.tbl_extend('force', { id = memory.id }, act.params or {}, options or {})
    client.request(bufnr, act.method, params, function()
      done = done + 1
      step(index + 1)
    end, function(message)
      problems[message] = true
      step(index + 1)
    end)
  end
  step(1)
end

---@param name string
---@param command memory_sidecar.Command
function M.run(name, command)
  local act = M.all[name]
  local bufnr = vim.api.nvim_get_current_buf()
  local parsed, problem = arguments.parse(command.rest, act.options or {})
  if not parsed then
    return notify.error(problem or '')
  end
  -- What was deleted is in no list any more, but its id is still known.
  local id = parsed.text:match('^%x+%-%x+%-%x+%-%x+%-%x+$')
  if name == 'undo' and id then
    ---@type any
    local gone = { id = id, name = id }
    return M.apply(bufnr, 'undo', gone, {}, nil)
  end
  local target = require('memory_sidecar.target')
  if command.bang then
    return target.all(bufnr, parsed.text, act.filter, function(memories)
      local lines = vim.tbl_map(function(memory)
        return '  ' .. wording.line(memory.name, 70)
      end, vim.list_slice(memories, 1, 10))
      if #memories > 10 then
        lines[#lines + 1] = ('  and %d more'):format(#memories - 10)
      end
      local count = wording.counted(#memories, 'memory', 'memories')
      confirmed(('%s\n%s %s?'):format(table.concat(lines, '\n'), act.title, count), function()
        M.each(bufnr, name, memories, parsed.options)
      end)
    end)
  end
  target.find(parsed.text, act.filter, act.title, function(chosen)
    M.apply(bufnr, name, chosen.memory, parsed.options, nil)
  end)
end

return M

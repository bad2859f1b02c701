--- `:Memory`: which subcommands there are, and what completes them.
local notify = require('memory_sidecar.notify')

local M = {}

---@class memory_sidecar.Command
---@field rest string What follows the subcommand.
---@field bang boolean
---@field range integer
---@field line1 integer
---@field line2 integer
---@field mods vim.api.keyset.cmd_mods

---@class memory_sidecar.Subcommand
---@field run fun(command: memory_sidecar.Command)
---@field complete? fun(lead: string, rest: string): string[]
---@field range? boolean Whether it takes a selection.

---@param options fun(): table<string, memory_sidecar.Option>
---@return fun(lead: string): string[]
local function completing(options)
  return function(lead)
    return require('memory_sidecar.arguments').complete(lead, options())
  end
end

---@param filter fun(): table<string, any>
---@return fun(lead: string, rest: string): string[]
local function names(filter)
  return function(_, rest)
    return require('memory_sidecar.target').complete(rest, filter())
  end
end

local EVERYTHING = { include = { 'archived', 'resolved', 'expired' } }

---@type table<string, memory_sidecar.Subcommand>
local subcommands = {
  record = {
    range = true,
    run = function(command)
      require('memory_sidecar.record').run(command)
    end,
    complete = completing(function()
      return require('memory_sidecar.record').options
    end),
  },
  search = {
    run = function(command)
      require('memory_sidecar.search').run(command)
    end,
    complete = completing(function()
      return require('memory_sidecar.search').search_options
    end),
  },
  list = {
    run = function(command)
      require('memory_sidecar.search').list(command)
    end,
    complete = completing(function()
      return require('memory_sidecar.search').list_options
    end),
  },
  inject = {
    range = true,
    run = function(command)
      require('memory_sidecar.inject').run(command)
    end,
    complete = completing(function()
      return require('memory_sidecar.inject').options
    end),
  },
  summary = {
    run = function(command)
      require('memory_sidecar.summary').run(command)
    end,
    complete = function(lead)
      return vim.fn.getcompletion(lead, 'file')
    end,
  },
  edit = {
    run = function(command)
      require('memory_sidecar.target').find(command.rest, EVERYTHING, 'Edit', function(chosen)
        require('memory_sidecar.edit').open(chosen.root, chosen.memory.id, command.mods)
      end)
    end,
    complete = names(function()
      return EVERYTHING
    end),
  },
  history = {
    run = function(command)
      require('memory_sidecar.history').run(command)
    end,
    complete = names(function()
      return EVERYTHING
    end),
  },
  review = {
    run = function(command)
      require('memory_sidecar.review').run(command)
    end,
    complete = function(lead)
      return vim.startswith('rejected', lead) and { 'rejected' } or {}
    end,
  },
  why = {
    run = function(command)
      require('memory_sidecar.review').why(command)
    end,
    complete = names(function()
      return EVERYTHING
    end),
  },
  link = {
    run = function(command)
      require('memory_sidecar.links').link(command)
    end,
    complete = function(lead, rest)
      local found = completing(function()
        return require('memory_sidecar.links').options
      end)(lead)
      local text = rest:gsub('^%l+=%S*%s+', '')
      return vim.list_extend(found, require('memory_sidecar.target').complete(text, {}))
    end,
  },
  links = {
    run = function(command)
      require('memory_sidecar.links').list(command)
    end,
    complete = names(function()
      return EVERYTHING
    end),
  },
  remind = {
    run = function(command)
      require('memory_sidecar.reminders').set(command)
    end,
    complete = completing(function()
      return require('memory_sidecar.reminders').options
    end),
  },
  reminders = {
    run = function()
      require('memory_sidecar.reminders').list()
    end,
  },
  export = {
    run = function(command)
      require('memory_sidecar.export').run(command)
    end,
    complete = function(lead)
      return vim.fn.getcompletion(lead, 'file')
    end,
  },
  maintain = {
    run = function(command)
      require('memory_sidecar.maintain').run(command)
    end,
  },
  status = {
    run = function()
      require('memory_sidecar.status').run()
    end,
  },
  log = {
    run = function()
      require('memory_sidecar.status').log()
    end,
  },
  restart = {
    run = function()
      require('memory_sidecar.lifecycle').restart()
    end,
  },
  toggle = {
    run = function(command)
      require('memory_sidecar.toggle').run(command.rest)
    end,
    complete = function(lead)
      return vim.tbl_filter(function(each)
        return vim.startswith(each, lead)
      end, { 'code_lens', 'virtual_text' })
    end,
  },
}

for _, act in ipairs({
  'archive',
  'restore',
  'undo',
  'pin',
  'unpin',
  'resolve',
  'reopen',
  'verify',
  'useful',
  'unhelpful',
  'promote',
  'delete',
}) do
  subcommands[act] = {
    run = function(command)
      require('memory_sidecar.acts').run(act, command)
    end,
    complete = function(lead, rest)
      local known = require('memory_sidecar.acts').all[act]
      local found = {}
      if known.options and not rest:find('%s') then
        found = require('memory_sidecar.arguments').complete(lead, known.options)
      end
      local text = rest:gsub('^%l+=%S*%s+', '')
      return vim.list_extend(found, require('memory_sidecar.target').complete(text, known.filter))
    end,
  }
end

---@return string[]
function M.names()
  local found = vim.tbl_keys(subcommands)
  table.sort(found)
  return found
end

--- `:Memory` with what the user typed after it.
---@param command vim.api.keyset.create_user_command.command_args
function M.run(command)
  local name, rest = vim.trim(command.args):match('^(%S+)%s*(.-)$')
  if not name then
    name, rest = 'status', ''
  end
  local subcommand = subcommands[name]
  if not subcommand then
    return notify.error(
      ('there is no subcommand %s. There are %s.'):format(name, table.concat(M.names(), ', '))
    )
  end
  if command.range > 0 and not subcommand.range then
    return notify.error((':Memory %s takes no range.'):format(name))
  end
  subcommand.run({
    rest = rest,
    bang = command.bang,
    range = command.range,
    line1 = command.line1,
    line2 = command.line2,
    mods = command.smods,
  })
end

--- Completion of `:Memory`.
---@param lead string
---@param line string
---@param position integer
---@return string[]
function M.complete(lead, line, position)
  local typed = line:sub(1, position):match('Memory!?%s+(.*)$') or ''
  local name, rest = typed:match('^(%S+)%s+(.*)$')
  if not name then
    return vim.tbl_filter(function(each)
      return vim.startswith(each, lead)
    end, M.names())
  end
  local subcommand = subcommands[name]
  if not subcommand or not subcommand.complete then
    return {}
  end
  return subcommand.complete(lead, rest)
end

return M

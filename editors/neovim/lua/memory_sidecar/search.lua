--- `:Memory search` and `:Memory list`: a picker with a preview, the words asked of the sidecar as they are typed.
local arguments = require('memory_sidecar.arguments')
local client = require('memory_sidecar.client')
local notify = require('memory_sidecar.notify')
local roots = require('memory_sidecar.roots')

local M = {}

local MOST = 50

---@class memory_sidecar.Entry
---@field memory memory_sidecar.Memory
---@field reasons string[]

---@class memory_sidecar.Picking
---@field title string
---@field root string
---@field bufnr integer The buffer that it was opened from.
---@field entries? memory_sidecar.Entry[] What to choose from; nil with `source`.
---@field source? fun(query: string, done: fun(entries: memory_sidecar.Entry[])) Asked for each query.
---@field query? string The first query.
---@field choose fun(entry: memory_sidecar.Entry)
---@field acts boolean Whether the keys that change memories are offered.

---@class memory_sidecar.Picker
---@field live boolean Whether it takes a source.
---@field open fun(picking: memory_sidecar.Picking)

local MODULES = { telescope = 'telescope', ['fzf-lua'] = 'fzf-lua', snacks = 'snacks' }

--- Keys of the pickers that change the memory under the cursor.
M.KEYS = { a = 'archive', p = 'pin', r = 'resolve', v = 'verify' }

---@type table<string, memory_sidecar.Option>
M.search_options = {
  agent = {},
  categories = { values = arguments.CATEGORIES, parse = 'list' },
  include = { values = { 'archived', 'expired', 'resolved' }, parse = 'list' },
  limit = { parse = 'number' },
  scopes = { values = arguments.SCOPES, parse = 'list' },
  types = { values = arguments.TYPES, parse = 'list' },
  files = { parse = 'list' },
}

---@type table<string, memory_sidecar.Option>
M.list_options = vim.tbl_extend('force', M.search_options, {
  status = { values = arguments.STATUSES, parse = 'list' },
})

--- Which picker is used: the one of the options, else the first of those that are there.
---@return string
function M.picker()
  local chosen = require('memory_sidecar.config').get().picker
  if chosen ~= 'auto' then
    return chosen
  end
  -- What is loaded is what the user works with; else whatever can be loaded.
  for _, name in ipairs({ 'telescope', 'fzf-lua' }) do
    if package.loaded[MODULES[name]] then
      return name
    end
  end
  local snacks = rawget(_G, 'Snacks')
  if snacks and snacks.config and snacks.config.picker and snacks.config.picker.enabled then
    return 'snacks'
  end
  for _, name in ipairs({ 'telescope', 'fzf-lua' }) do
    if #vim.api.nvim_get_runtime_file(('lua/%s/init.lua'):format(MODULES[name]), false) > 0 then
      return name
    end
  end
  return 'select'
end

---@return memory_sidecar.Picker
local function module()
  local name = M.picker()
  ---@type boolean, any
  local ok, picker = pcall(require, 'memory_sidecar.pickers.' .. name:gsub('-', '_'))
  if ok then
    return picker
  end
  notify.warn(('%s cannot be used (%s), so vim.ui.select is.'):format(name, vim.split(picker, '\n')[1]))
  return require('memory_sidecar.pickers.select')
end

---@param memories memory_sidecar.Memory[]
---@return memory_sidecar.Entry[]
local function entries_of(memories)
  return vim.tbl_map(function(memory)
    return { memory = memory, reasons = {} }
  end, memories)
end

--- Chooses one of these memories.
---@param memories memory_sidecar.Memory[]
---@param root string
---@param title string
---@param done fun(memory: memory_sidecar.Memory)
function M.choose(memories, root, title, done)
  module().open({
    title = title,
    root = root,
    bufnr = vim.api.nvim_get_current_buf(),
    entries = entries_of(memories),
    acts = false,
    choose = function(entry)
      done(entry.memory)
    end,
  })
end

---@param root string
---@return fun(entry: memory_sidecar.Entry)
local function opener(root)
  return function(entry)
    require('memory_sidecar.edit').open(root, entry.memory.id)
  end
end

---@param command memory_sidecar.Command
---@param known table<string, memory_sidecar.Option>
---@return memory_sidecar.Parsed?
---@return string root
local function prepared(command, known)
  local parsed, problem = arguments.parse(command.rest, known)
  local root, nowhere = roots.for_command(vim.api.nvim_get_current_buf())
  if not parsed or not root then
    notify.error(problem or nowhere or '')
    return nil, ''
  end
  return parsed, root
end

---@param command memory_sidecar.Command
function M.run(command)
  local parsed, root = prepared(command, M.search_options)
  if not parsed then
    return
  end
  local bufnr = vim.api.nvim_get_current_buf()
  local filter = vim.tbl_extend('keep', parsed.options, { agent = '*', limit = MOST })
  local function source(query, done)
    client.request(
      bufnr,
      'memory/search',
      vim.tbl_extend('force', filter, { query = query }),
      function(result)
        done(result.items)
      end,
      function(message)
        notify.error(message)
        done({})
      end
    )
  end
  local picker = module()
  if picker.live then
    return picker.open({
      title = 'Memories',
      root = root,
      bufnr = bufnr,
      source = source,
      query = parsed.text,
      acts = true,
      choose = opener(root),
    })
  end
  local function search(query)
    source(query, function(entries)
      if #entries == 0 then
        return notify.info(('nothing is remembered about “%s”.'):format(query))
      end
      local title = ('Memories: %s'):format(query)
      picker.open({
        title = title,
        root = root,
        bufnr = bufnr,
        entries = entries,
        acts = true,
        choose = opener(root),
      })
    end)
  end
  if parsed.text ~= '' then
    return search(parsed.text)
  end
  vim.ui.input({ prompt = 'Search memories: ' }, function(query)
    if query and vim.trim(query) ~= '' then
      search(query)
    end
  end)
end

---@param command memory_sidecar.Command
function M.list(command)
  local parsed, root = prepared(command, M.list_options)
  if not parsed then
    return
  end
  local bufnr = vim.api.nvim_get_current_buf()
  require('memory_sidecar.target').list(bufnr, parsed.options, function(memories)
    if #memories == 0 then
      local filtered = next(parsed.options) ~= nil
      return notify.info(
        filtered and 'no memory is like that.' or 'nothing is remembered yet. :Memory record begins.'
      )
    end
    module().open({
      title = 'Memories',
      root = root,
      bufnr = bufnr,
      entries = entries_of(memories),
      query = parsed.text,
      acts = true,
      choose = opener(root),
    })
  end)
end

--- Changes the memories of entries, for a picker's key.
---@param picking memory_sidecar.Picking
---@param key string
---@param entries memory_sidecar.Entry[]
---@param after fun()
function M.act(picking, key, entries, after)
  local acts = require('memory_sidecar.acts')
  local name, first = M.KEYS[key], entries[1]
  if not first then
    return
  end
  if name == 'pin' and first.memory.pinned then
    name = 'unpin'
  end
  -- The buffer may be gone while the picker is open; then the folder of Neovim says where.
  local bufnr = vim.api.nvim_buf_is_valid(picking.bufnr) and picking.bufnr or vim.api.nvim_get_current_buf()
  if #entries == 1 then
    return acts.apply(bufnr, name, first.memory, nil, after)
  end
  local memories = vim.tbl_map(function(entry)
    return entry.memory
  end, entries)
  acts.each(bufnr, name, memories, nil, after)
end

return M

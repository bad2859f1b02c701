--- snacks.nvim: results of the sidecar as one types, a preview beside them.
local picker = require('snacks.picker')

local search = require('memory_sidecar.search')
local wording = require('memory_sidecar.wording')

---@type memory_sidecar.Picker
local M = { live = true, open = function() end }

---@param entry memory_sidecar.Entry
---@param index integer
---@return table
local function item(entry, index)
  local memory = entry.memory
  return {
    idx = index,
    score_add = -index,
    text = ('%s %s'):format(memory.name, wording.line(memory.content)),
    entry = entry,
    preview = { text = table.concat(wording.page(memory, entry.reasons), '\n'), ft = 'markdown', loc = false },
  }
end

---@param each table
---@return table
local function format(each)
  local memory = each.entry.memory
  local states = wording.states(memory)
  table.insert(states, wording.age(memory.updatedAt))
  return {
    { wording.line(memory.name, 60) },
    { '  ' .. wording.sort(memory), 'SnacksPickerComment' },
    {
      '  ' .. table.concat(states, ' '),
      memory.status == 'suspect' and 'DiagnosticWarn' or 'SnacksPickerTime',
    },
  }
end

---@param picking memory_sidecar.Picking
function M.open(picking)
  local function find(_, context)
    if not picking.source then
      local items = {}
      for index, entry in ipairs(picking.entries) do
        items[index] = item(entry, index)
      end
      return items
    end
    local query = context.filter.search
    return function(add)
      local async, over = context.async, false
      vim.schedule(function()
        picking.source(query, function(entries)
          for index, entry in ipairs(entries) do
            add(item(entry, index))
          end
          over = true
          async:resume()
        end)
      end)
      while not over do
        async:suspend()
      end
    end
  end

  local actions, keys = {}, {}
  for key, name in pairs(picking.acts and search.KEYS or {}) do
    actions['memory_' .. name] = function(self, chosen)
      local some = self:selected({ fallback = true })
      if chosen then
        local entries = vim.tbl_map(function(each)
          return each.entry
        end, some)
        search.act(picking, key, entries, function()
          if not self.closed then
            self:find()
          end
        end)
      end
    end
    keys[('<a-%s>'):format(key)] = { 'memory_' .. name, mode = { 'i', 'n' } }
  end
  picker.pick({
    source = 'memory_sidecar',
    title = picking.title,
    live = picking.source ~= nil,
    supports_live = picking.source ~= nil,
    search = picking.source and picking.query or nil,
    pattern = not picking.source and picking.query or nil,
    finder = find,
    format = format,
    preview = 'preview',
    sort = { fields = { 'idx' } },
    actions = actions,
    win = { input = { keys = keys }, preview = { wo = { wrap = true } } },
    confirm = function(self, chosen)
      self:close()
      if chosen then
        vim.schedule(function()
          picking.choose(chosen.entry)
        end)
      end
    end,
  })
end

return M

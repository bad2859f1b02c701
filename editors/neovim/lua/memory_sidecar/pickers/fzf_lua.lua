--- fzf-lua: results of the sidecar as one types, a preview beside them.
local fzf = require('fzf-lua')

local search = require('memory_sidecar.search')
local wording = require('memory_sidecar.wording')

---@type memory_sidecar.Picker
local M = { live = true, open = function() end }

---@param picking memory_sidecar.Picking
function M.open(picking)
  ---@type table<string, memory_sidecar.Entry>
  local shown = {}

  -- The id goes first and is not displayed: two memories may look the same.
  ---@param entry memory_sidecar.Entry
  ---@return string
  local function line(entry)
    shown[entry.memory.id] = entry
    return ('%s\t%s'):format(entry.memory.id, (wording.item(entry.memory, 70):gsub('\t', ' ')))
  end

  ---@param lines? string[]
  ---@return memory_sidecar.Entry[]
  local function entries_of(lines)
    local entries = {}
    for _, each in ipairs(lines or {}) do
      entries[#entries + 1] = shown[each:match('^(%S+)\t')]
    end
    return entries
  end

  ---@param lines? string[]
  ---@return memory_sidecar.Entry?
  local function entry_of(lines)
    return entries_of(lines)[1]
  end

  local options = {
    prompt = picking.title .. '> ',
    query = picking.query,
    fzf_opts = {
      ['--delimiter'] = '\t',
      ['--with-nth'] = '2..',
      [picking.acts and '--multi' or '--no-multi'] = true,
      ['--preview-window'] = 'wrap',
    },
    preview = function(lines)
      local entry = entry_of(lines)
      return entry and table.concat(wording.page(entry.memory, entry.reasons), '\n') or ''
    end,
    actions = {
      ['enter'] = function(lines)
        local entry = entry_of(lines)
        if entry then
          picking.choose(entry)
        end
      end,
    },
  }
  for key in pairs(picking.acts and search.KEYS or {}) do
    options.actions['alt-' .. key] = function(lines)
      search.act(picking, key, entries_of(lines), function() end)
    end
  end

  if picking.source then
    options.exec_empty_query = true
    fzf.fzf_live(function(args)
      local query = type(args) == 'table' and args[1] or args
      return function(add)
        picking.source(query or '', function(entries)
          for _, entry in ipairs(entries) do
            add(line(entry))
          end
          add(nil)
        end)
      end
    end, options)
  else
    fzf.fzf_exec(vim.tbl_map(line, picking.entries), options)
  end
end

return M

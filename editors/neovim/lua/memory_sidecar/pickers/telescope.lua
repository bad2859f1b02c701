--- telescope.nvim: results of the sidecar as one types, a preview beside them.
local actions = require('telescope.actions')
local action_state = require('telescope.actions.state')
local conf = require('telescope.config').values
local displays = require('telescope.pickers.entry_display')
local finders = require('telescope.finders')
local pickers = require('telescope.pickers')
local previewers = require('telescope.previewers')
local sorters = require('telescope.sorters')

local search = require('memory_sidecar.search')
local wording = require('memory_sidecar.wording')

---@type memory_sidecar.Picker
local M = { live = true, open = function() end }

local display =
  displays.create({ separator = '  ', items = { { width = 0.6 }, { width = 18 }, { remaining = true } } })

---@param entry memory_sidecar.Entry
---@return table
local function made(entry)
  local memory = entry.memory
  local states = wording.states(memory)
  table.insert(states, wording.age(memory.updatedAt))
  return {
    value = entry,
    ordinal = ('%s %s'):format(memory.name, memory.content),
    display = function()
      return display({
        wording.line(memory.name),
        { wording.sort(memory), 'TelescopeResultsComment' },
        {
          table.concat(states, ' '),
          memory.status == 'suspect' and 'DiagnosticWarn' or 'TelescopeResultsNumber',
        },
      })
    end,
  }
end

--- A finder that asks the sidecar for every prompt. Of answers that come late, none is shown.
---@param picking memory_sidecar.Picking
---@return table
local function live(picking)
  local round = 0
  return setmetatable({ close = function() end }, {
    __call = function(_, prompt, on_result, on_complete)
      round = round + 1
      local mine = round
      picking.source(prompt or '', function(entries)
        if mine ~= round then
          return
        end
        for index, entry in ipairs(entries) do
          local result = made(entry)
          result.index = index
          if on_result(result) then
            return
          end
        end
        on_complete()
      end)
    end,
  })
end

---@param picking memory_sidecar.Picking
function M.open(picking)
  local finder = picking.source and live(picking)
    or finders.new_table({ results = picking.entries, entry_maker = made })
  pickers
    .new({}, {
      prompt_title = picking.title,
      results_title = picking.acts and 'Tab several · M-a archive · M-p pin · M-r resolve · M-v verify'
        or nil,
      default_text = picking.query,
      finder = finder,
      sorter = picking.source and sorters.empty() or conf.generic_sorter({}),
      previewer = previewers.new_buffer_previewer({
        title = 'Memory',
        define_preview = function(self, entry)
          local lines = wording.page(entry.value.memory, entry.value.reasons)
          vim.api.nvim_buf_set_lines(self.state.bufnr, 0, -1, false, lines)
          vim.bo[self.state.bufnr].filetype = 'markdown'
          vim.wo[self.state.winid].wrap = true
          vim.wo[self.state.winid].linebreak = true
        end,
      }),
      attach_mappings = function(prompt, map)
        actions.select_default:replace(function()
          local chosen = action_state.get_selected_entry()
          actions.close(prompt)
          if chosen then
            picking.choose(chosen.value)
          end
        end)
        for key in pairs(picking.acts and search.KEYS or {}) do
          map({ 'i', 'n' }, ('<M-%s>'):format(key), function()
            local several = action_state.get_current_picker(prompt):get_multi_selection()
            if #several == 0 then
              several = { action_state.get_selected_entry() }
            end
            local entries = vim.tbl_map(function(each)
              return each.value
            end, several)
            search.act(picking, key, entries, function()
              if vim.api.nvim_buf_is_valid(prompt) and picking.source then
                action_state.get_current_picker(prompt):refresh(live(picking), { reset_prompt = false })
              elseif vim.api.nvim_buf_is_valid(prompt) then
                actions.close(prompt)
              end
            end)
          end)
        end
        return true
      end,
    })
    :find()
end

return M

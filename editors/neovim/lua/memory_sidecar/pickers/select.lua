--- `vim.ui.select`, which is always there.
local wording = require('memory_sidecar.wording')

---@type memory_sidecar.Picker
local M = { live = false, open = function() end }

---@param picking memory_sidecar.Picking
function M.open(picking)
  vim.ui.select(picking.entries or {}, {
    prompt = picking.title,
    kind = 'memory_sidecar',
    format_item = function(entry)
      return wording.item(entry.memory, math.max(20, vim.o.columns - 50))
    end,
  }, function(entry)
    if entry then
      picking.choose(entry)
    end
  end)
end

return M

--- `:Memory toggle`: code lenses or virtual text, for this session.
local client = require('memory_sidecar.client')
local notify = require('memory_sidecar.notify')

local M = {}

---@type table<string, boolean>
local shown = {}

---@param name string
function M.run(name)
  if name ~= 'code_lens' and name ~= 'virtual_text' then
    return notify.error(':Memory toggle takes code_lens or virtual_text.')
  end
  local options = require('memory_sidecar.config').get()
  if shown[name] == nil then
    shown[name] = options[name] and not (name == 'code_lens' and options.virtual_text)
  end
  shown[name] = not shown[name]
  local module = require(name == 'code_lens' and 'memory_sidecar.lenses' or 'memory_sidecar.virtual_text')
  if not shown[name] then
    module.off()
    return notify.info(name .. ' is off.')
  end
  local running = client.running()
  for bufnr in pairs(running and running.attached_buffers or {}) do
    if name == 'code_lens' then
      module.attach(running, bufnr)
    else
      module.attach(bufnr)
    end
  end
  notify.info(name .. ' is on.')
end

return M

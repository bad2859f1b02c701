--- Messages to the user.
local M = {}

local TITLE = 'memory-sidecar'

---@param text string
---@param level integer
local function send(text, level)
  vim.notify(('%s: %s'):format(TITLE, text), level, { title = TITLE })
end

---@param text string
function M.info(text)
  send(text, vim.log.levels.INFO)
end

---@param text string
function M.warn(text)
  send(text, vim.log.levels.WARN)
end

---@param text string
function M.error(text)
  send(text, vim.log.levels.ERROR)
end

--- What went wrong with a request, with the way out that the sidecar names.
---@param err { message?: string, data?: any }
---@return string
function M.reason(err)
  local data = type(err.data) == 'table' and err.data or {}
  local hint = type(data.hint) == 'string' and (' ' .. data.hint) or ''
  return (err.message or 'The request failed.') .. hint
end

--- `window/showMessage` of the sidecar.
---@param params { type: integer, message: string }
function M.shown(params)
  local levels = { vim.log.levels.ERROR, vim.log.levels.WARN, vim.log.levels.INFO }
  local level = levels[params.type] or vim.log.levels.INFO
  vim.schedule(function()
    send(params.message, level)
  end)
end

return M

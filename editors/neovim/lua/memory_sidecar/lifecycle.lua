--- What happens when the sidecar is attached, ends, or is to be started again.
local notify = require('memory_sidecar.notify')

local M = {}

local WINDOW = 180000
local DELAYS = { 100, 1000, 5000 }
local AFTER_NEOVIM = 50 -- which tells first, in its own words, that a client has quit
local KILLED_BY_US = 15
local STOP_MILLISECONDS = 3000

---@type table<integer, true>
local buffers = {}

---@type integer[]
local restarts = {}

local restarting = false

--- A buffer is attached to a sidecar.
---@param client vim.lsp.Client
---@param bufnr integer
function M.attached(client, bufnr)
  buffers[bufnr] = true
  local options = require('memory_sidecar.config').get()
  if options.code_lens and not options.virtual_text then
    require('memory_sidecar.lenses').attach(client, bufnr)
  end
  if options.virtual_text then
    require('memory_sidecar.virtual_text').attach(bufnr)
  end
  require('memory_sidecar.statusline').attach()
end

--- Attaches every buffer that was attached before.
local function attach_again()
  local client = require('memory_sidecar.client')
  local roots = require('memory_sidecar.roots')
  local any = false
  for bufnr in pairs(buffers) do
    local root = vim.api.nvim_buf_is_loaded(bufnr) and roots.of_buffer(bufnr)
    if root then
      any = client.start(root, bufnr) ~= nil or any
    else
      buffers[bufnr] = nil
    end
  end
  return any
end

local function start_again()
  restarting = false
  if not attach_again() then
    require('memory_sidecar.client').ensure(vim.api.nvim_get_current_buf(), function() end)
  end
  require('memory_sidecar.changes').everything()
end

--- `on_exit` of the configuration. Not in the main loop.
---@param code integer
---@param signal integer
---@param client_id integer
function M.on_exit(code, signal, client_id)
  vim.schedule(function()
    require('memory_sidecar.client').gone(client_id)
    require('memory_sidecar.statusline').forget()
    if vim.v.exiting ~= vim.NIL then
      return
    end
    if restarting then
      return start_again()
    end
    if code == 0 and (signal == 0 or signal == KILLED_BY_US) then
      return
    end
    M.recover(code, signal)
  end)
end

--- Starts an unexpectedly ended sidecar again, unless it has ended too often.
---@param code integer
---@param signal integer
function M.recover(code, signal)
  local now = vim.uv.now()
  restarts = vim.tbl_filter(function(at)
    return now - at < WINDOW
  end, restarts)
  local what = signal ~= 0 and ('signal %d'):format(signal) or ('exit code %d'):format(code)
  local most = require('memory_sidecar.config').get().restarts
  if #restarts >= most then
    return notify.error(
      ('the sidecar ended (%s), %d times in three minutes. :Memory log shows why, :Memory restart tries again.'):format(
        what,
        #restarts + 1
      )
    )
  end
  restarts[#restarts + 1] = now
  vim.defer_fn(function()
    notify.warn(('the sidecar ended unexpectedly (%s); it is started again.'):format(what))
  end, AFTER_NEOVIM)
  vim.defer_fn(function()
    if not require('memory_sidecar.client').running() then
      start_again()
    end
  end, DELAYS[math.min(#restarts, #DELAYS)])
end

--- Ends the sidecar and starts it again. While that is under way, another call does nothing.
function M.restart()
  if restarting then
    return notify.info('the sidecar is being started again already.')
  end
  restarts = {}
  local client = require('memory_sidecar.client')
  local running = client.running()
  notify.info('starting the sidecar again.')
  if not running then
    return start_again()
  end
  restarting = true
  require('memory_sidecar.lenses').ending(running)
  client.stop(running)
  vim.defer_fn(function()
    if restarting then
      running.rpc.terminate()
    end
  end, STOP_MILLISECONDS)
end

return M

--- The one client of Neovim: starts it, gives it folders, sends requests.
local executable = require('memory_sidecar.executable')
local notify = require('memory_sidecar.notify')
local roots = require('memory_sidecar.roots')

local M = {}

M.NAME = 'memory_sidecar'

local METHODS = vim.fn.has('nvim-0.11') == 1 -- a client's functions take the client as their first argument

---@alias memory_sidecar.Ready fun(client: vim.lsp.Client, workspace_uri: string)

---@class memory_sidecar.Waiting
---@field ready memory_sidecar.Ready
---@field failed fun(message: string)
---@field uri string

---@type table<integer, memory_sidecar.Waiting[]>
local waiting = {}

---@type table<integer, lsp.WorkspaceFolder[]>
local unsent = {}

---@type table<integer, true>
local stopping = {}

--- The configuration, with what the user has changed of it.
---@return vim.lsp.Config
function M.config()
  if vim.lsp.config then
    ---@type any
    local configs = vim.lsp.config
    local config = assert(configs[M.NAME], 'lsp/memory_sidecar.lua is not in the runtimepath')
    return config
  end
  local file = assert(
    vim.api.nvim_get_runtime_file('lsp/memory_sidecar.lua', false)[1],
    'lsp/memory_sidecar.lua is not in the runtimepath'
  )
  local config = dofile(file)
  config.name = M.NAME
  config.capabilities =
    vim.tbl_deep_extend('force', vim.lsp.protocol.make_client_capabilities(), config.capabilities)
  return config
end

--- The running client, or the one that is starting.
---@return vim.lsp.Client?
function M.running()
  for _, client in ipairs(vim.lsp.get_clients({ name = M.NAME, _uninitialized = true })) do
    if not M.stopped(client) then
      return client
    end
  end
end

---@param client vim.lsp.Client
---@return boolean
function M.stopped(client)
  if stopping[client.id] then
    return true
  end
  if METHODS then
    return client:is_stopped()
  end
  return client.is_stopped() ---@diagnostic disable-line: missing-parameter
end

--- Asks a client to end. It is not used any more from now on.
---@param client vim.lsp.Client
function M.stop(client)
  stopping[client.id] = true
  if METHODS then
    client:stop()
  else
    client.stop() ---@diagnostic disable-line: missing-parameter
  end
end

---@param client vim.lsp.Client
---@param method string
---@param params table
local function tell(client, method, params)
  if METHODS then
    client:notify(method, params)
  else
    client.notify(method, params) ---@diagnostic disable-line: param-type-mismatch
  end
end

--- Shows pulled diagnostics. Neovim may still ask a sidecar that is ending for them; that it refuses is no news.
---@param err lsp.ResponseError?
---@param context lsp.HandlerContext
function M.diagnosed(err, result, context, config)
  local client = vim.lsp.get_client_by_id(context.client_id)
  if not (err and (not client or M.stopped(client))) then
    return vim.lsp.handlers['textDocument/diagnostic'](err, result, context, config)
  end
end

--- Sends one request. `done` is called exactly once.
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param done fun(err: lsp.ResponseError?, result: any)
---@param bufnr? integer
function M.send(client, method, params, done, bufnr)
  local function handler(err, result)
    done(err, result)
  end
  local sent
  if METHODS then
    sent = client:request(method, params, handler, bufnr)
  else
    sent = client.request(method, params, handler, bufnr) ---@diagnostic disable-line
  end
  if not sent then
    done({ code = -32000, message = 'The sidecar is not running.' }, nil)
  end
end

--- `reuse_client` of the configuration: one process serves every folder; a new one is added to it.
---@param client vim.lsp.Client
---@param config vim.lsp.ClientConfig
---@return boolean
function M.reuse(client, config)
  if client.name ~= M.NAME or M.stopped(client) then
    return false
  end
  local root = config.root_dir
  if root then
    local uri = vim.uri_from_fname(root)
    client.workspace_folders = client.workspace_folders or {}
    for _, folder in ipairs(client.workspace_folders) do
      if folder.uri == uri then
        return true
      end
    end
    local folder = { uri = uri, name = root }
    table.insert(client.workspace_folders, folder)
    if client.initialized then
      local event = { added = { folder }, removed = {} }
      tell(client, 'workspace/didChangeWorkspaceFolders', { event = event })
    else
      unsent[client.id] = unsent[client.id] or {}
      table.insert(unsent[client.id], folder)
    end
  end
  return true
end

---@param params lsp.InitializeParams
---@param config vim.lsp.ClientConfig
function M.before_init(params, config)
  local settings = require('memory_sidecar.config').get().settings
  local given = vim.tbl_deep_extend('force', settings, config.init_options or {})
  params.initializationOptions = next(given) and given or vim.empty_dict()
end

---@param client vim.lsp.Client
function M.on_init(client)
  local added = unsent[client.id]
  unsent[client.id] = nil
  if added then
    tell(client, 'workspace/didChangeWorkspaceFolders', { event = { added = added, removed = {} } })
  end
  local calls = waiting[client.id] or {}
  waiting[client.id] = nil
  for _, call in ipairs(calls) do
    call.ready(client, call.uri)
  end
end

--- The client is gone: whoever waits for it is told.
---@param client_id integer
function M.gone(client_id)
  unsent[client_id] = nil
  stopping[client_id] = nil
  local calls = waiting[client_id] or {}
  waiting[client_id] = nil
  for _, call in ipairs(calls) do
    call.failed('The sidecar ended before it was ready. :Memory log shows why.')
  end
end

--- Starts a client for a folder, or gives the folder to the one that runs.
---@param root string
---@param bufnr? integer The buffer to attach.
---@return integer? client_id
function M.start(root, bufnr)
  local config = vim.deepcopy(M.config())
  config.root_dir = root
  if METHODS then
    return vim.lsp.start(config, { bufnr = bufnr, attach = bufnr ~= nil, reuse_client = M.reuse })
  end
  local running = M.running()
  local id = running and M.reuse(running, config) and running.id
  id = id or vim.lsp.start_client(config) ---@diagnostic disable-line: deprecated
  if id and bufnr then
    vim.lsp.buf_attach_client(bufnr, id)
  end
  return id
end

--- Calls back with a client that is ready and knows the workspace of the buffer.
---@param bufnr integer
---@param ready memory_sidecar.Ready
---@param failed? fun(message: string)
function M.ensure(bufnr, ready, failed)
  failed = failed or notify.error
  local root, problem = roots.for_command(bufnr)
  if not root then
    return failed(problem or 'There is no workspace.')
  end
  if type(M.config().cmd) ~= 'table' then
    local found, missing = executable.find()
    if not found then
      return failed(missing and missing.message or 'The sidecar was not found.')
    end
  end
  local started, id = pcall(M.start, root)
  local client = started and id and vim.lsp.get_client_by_id(id)
    or vim.tbl_filter(function(each)
      return each.id == id
    end, vim.lsp.get_clients({ name = M.NAME, _uninitialized = true }))[1]
  if not client then
    return failed(started and 'The sidecar could not be started. :Memory log shows why.' or tostring(id))
  end
  local uri = vim.uri_from_fname(root)
  if client.initialized then
    return ready(client, uri)
  end
  waiting[client.id] = waiting[client.id] or {}
  table.insert(waiting[client.id], { ready = ready, failed = failed, uri = uri })
end

--- Sends a request about the workspace of a buffer; starts the sidecar when it does not run.
---@param bufnr integer
---@param method string
---@param params table
---@param done fun(result: any, client: vim.lsp.Client, workspace_uri: string)
---@param failed? fun(message: string, err?: lsp.ResponseError) A message is shown without it.
function M.request(bufnr, method, params, done, failed)
  M.ensure(bufnr, function(client, uri)
    if not vim.startswith(method, 'sidecar/') then
      params = vim.tbl_extend('keep', params, { workspaceUri = uri })
    elseif not next(params) then
      params = vim.empty_dict()
    end
    M.send(client, method, params, function(err, result)
      if err then
        local message = notify.reason(err)
        if failed then
          return failed(message, err)
        end
        return notify.error(message)
      end
      done(result, client, uri)
    end)
  end, failed)
end

--- The same, waiting for the answer.
---@param bufnr integer
---@param method string
---@param params table
---@param milliseconds? integer
---@return any result
---@return string? message
---@return lsp.ResponseError? err
function M.request_sync(bufnr, method, params, milliseconds)
  local over, result, message, err = false, nil, nil, nil
  M.request(bufnr, method, params, function(answer)
    over, result = true, answer
  end, function(text, error)
    over, message, err = true, text, error
  end)
  vim.wait(milliseconds or 20000, function()
    return over
  end, 5)
  if not over then
    return nil, 'The sidecar did not answer in time.', nil
  end
  return result, message, err
end

return M

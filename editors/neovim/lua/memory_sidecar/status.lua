--- `:Memory status` and `:Memory log`.
local client = require('memory_sidecar.client')
local executable = require('memory_sidecar.executable')
local notify = require('memory_sidecar.notify')
local view = require('memory_sidecar.view')
local wording = require('memory_sidecar.wording')

local M = {}

---@param milliseconds integer
---@return string
local function lasted(milliseconds)
  local minutes = math.floor(milliseconds / 60000)
  if minutes < 1 then
    return ('%d s'):format(milliseconds / 1000)
  elseif minutes < 120 then
    return ('%d min'):format(minutes)
  end
  return ('%d h'):format(minutes / 60)
end

---@param workspace memory_sidecar.WorkspaceStatus
---@return string[]
local function workspace_lines(workspace)
  local counts, total = {}, 0
  for scope, count in vim.spairs(workspace.memories) do
    counts[#counts + 1] = ('%s %s'):format(wording.figure(count), scope)
    total = total + count
  end
  local lines = {
    '## ' .. vim.uri_to_fname(workspace.uri),
    '',
    ('- %s (%s)'):format(wording.counted(total, 'memory', 'memories'), table.concat(counts, ', ')),
    ('- %s known, %s'):format(
      wording.counted(workspace.files, 'file'),
      wording.counted(workspace.facets, 'fact')
    ),
    ('- %s: :Memory review'):format(wording.counted(workspace.candidates or 0, 'candidate') .. ' to review'),
    ('- %s tokens of reading saved'):format(wording.figure(workspace.tokensSaved or 0)),
    ('- watching files: %s'):format(workspace.watcher.state),
  }
  local warm = workspace.warmup
  if warm.state == 'running' then
    lines[#lines + 1] = ('- reading the workspace: %d of %d files'):format(warm.done, warm.total)
  end
  local file = wording.given(workspace.memoryFile)
  if file then
    lines[#lines + 1] = ('- %s: %s'):format(file.path, file.state)
  end
  local embedding = wording.given(workspace.embedding)
  if embedding then
    lines[#lines + 1] = ('- meaning: %s, %s'):format(embedding.model, embedding.state)
  end
  local model = wording.given(workspace.model)
  if model then
    lines[#lines + 1] = ('- chat model: %s'):format(model.state)
  end
  for _, problem in ipairs(M.problems(workspace)) do
    lines[#lines + 1] = '- amiss: ' .. problem
  end
  lines[#lines + 1] = ''
  return lines
end

--- What is amiss with a workspace, in a sentence each.
---@param workspace memory_sidecar.WorkspaceStatus
---@return string[]
function M.problems(workspace)
  local found = {}
  local function add(about, text)
    if wording.given(text) then
      found[#found + 1] = ('%s: %s'):format(about, text)
    end
  end
  add('memory', workspace.enabled == false and 'switched off here (memory.enabled)' or nil)
  for _, store in ipairs(workspace.stores) do
    add(store.path, store.notice)
  end
  add('watching', workspace.watcher.detail)
  add('reading', workspace.warmup.state == 'failed' and workspace.warmup.cause or nil)
  local file = wording.given(workspace.memoryFile)
  add(file and file.path or '', file and file.detail)
  local embedding = wording.given(workspace.embedding)
  add(
    'meaning',
    embedding and embedding.state == 'failed' and (wording.given(embedding.reason) or 'failed') or nil
  )
  local model = wording.given(workspace.model)
  add('chat model', model and model.detail)
  return found
end

---@param status memory_sidecar.StatusResult
---@return memory_sidecar.Shown
local function shown(status)
  local lines = {
    ('memory-sidecar %s · process %d · running for %s%s'):format(
      status.version,
      status.pid,
      lasted(status.uptimeMs),
      status.enabled and '' or ' · switched off by memory.enabled'
    ),
    '',
  }
  for _, workspace in ipairs(status.workspaces) do
    vim.list_extend(lines, workspace_lines(workspace))
  end
  for _, problem in ipairs(status.settingsProblems) do
    lines[#lines + 1] = '- setting: ' .. problem
  end
  if lines[#lines] == '' then
    lines[#lines] = nil
  end
  return { lines = lines }
end

function M.run()
  local bufnr = vim.api.nvim_get_current_buf()
  local root = require('memory_sidecar.roots').for_command(bufnr)
  view.open({
    name = 'status',
    root = root,
    title = 'Memory sidecar',
    load = function(show, self)
      client.request(self.buf, 'sidecar/status', {}, function(status)
        show(shown(status))
      end, view.failing(self))
    end,
  })
end

--- Where the sidecar's own log is, as far as its settings tell.
---@param done fun(path: string?)
local function log_path(done)
  local found = executable.find()
  if not found then
    return done(nil)
  end
  local command = vim.list_extend(vim.list_slice(found.program), { 'settings', '--json' })
  vim.system(command, { text = true, timeout = 20000, cwd = vim.uv.os_homedir() }, function(result)
    local ok, settings = pcall(vim.json.decode, result.stdout or '')
    vim.schedule(function()
      local given = ok and type(settings) == 'table' and settings.settings or {}
      local function value(name)
        return given[name] and wording.given(given[name].value)
      end
      if value('log.file') then
        return done(value('log.file'))
      end
      if value('store.folder') then
        return done(vim.fs.joinpath(value('store.folder'), 'logs', 'sidecar.log'))
      end
      local home = vim.uv.os_homedir() or ''
      if vim.fn.has('mac') == 1 then
        return done(vim.fs.joinpath(home, 'Library', 'Logs', 'memory-sidecar', 'sidecar.log'))
      end
      local state = vim.env.XDG_STATE_HOME or vim.fs.joinpath(home, '.local', 'state')
      done(vim.fs.joinpath(state, 'memory-sidecar', 'log', 'sidecar.log'))
    end)
  end)
end

--- Opens the log at its end; where there is none, that of Neovim's clients, which has what the sidecar wrote to stderr.
function M.log()
  log_path(function(path)
    if not path or not vim.uv.fs_stat(path) then
      local log = require('vim.lsp.log')
      path = log.get_filename and log.get_filename() or vim.lsp.get_log_path()
      notify.info('the sidecar has no log of its own yet; this is that of the language clients.')
    end
    vim.cmd.split({ args = { vim.fn.fnameescape(path) } })
    vim.bo.autoread = true
    vim.bo.modifiable = false
    vim.cmd.normal({ 'G', bang = true })
  end)
end

return M

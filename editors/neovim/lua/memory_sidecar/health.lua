--- `:checkhealth memory_sidecar`: whether everything is in its place, and what to do where it is not.
local client = require('memory_sidecar.client')
local config = require('memory_sidecar.config')
local executable = require('memory_sidecar.executable')
local roots = require('memory_sidecar.roots')
local wording = require('memory_sidecar.wording')

local M = {}

local health = vim.health
local ANSWER_MILLISECONDS = 20000
local WATCHED = {
  own = 'files watched by the sidecar',
  client = 'files watched by Neovim',
  off = 'files not watched so far',
}

local function neovim()
  health.start('Neovim')
  local version = tostring(vim.version()):gsub('%+.*', '') ---@diagnostic disable-line: call-non-callable
  if vim.fn.has('nvim-0.11') == 1 then
    health.ok('Neovim ' .. version)
  elseif vim.fn.has('nvim-0.10') == 1 then
    health.warn('Neovim ' .. version .. ' has no vim.lsp.enable()', {
      "Call require('memory_sidecar').setup(), which does the same, or use Neovim 0.11 or newer.",
    })
  else
    health.error('Neovim ' .. version .. ' is too old', { 'Use Neovim 0.10 or newer.' })
  end
  local problems = config.problems()
  if #problems == 0 then
    health.ok('The options of the plugin are valid')
  end
  for _, problem in ipairs(problems) do
    health.error(problem)
  end
  health.info('Memories are picked with ' .. require('memory_sidecar.search').picker())
end

---@return boolean
local function program()
  health.start('The sidecar')
  local own = client.config().cmd
  if type(own) == 'table' then
    local present = vim.fn.executable(own[1]) == 1
    local say = present and health.ok or health.error
    say(('vim.lsp.config names the command: %s'):format(table.concat(own, ' ')))
    return present
  end
  local found, missing = executable.find()
  if not found then
    health.error(missing and missing.message or 'not found', missing and missing.advice)
    return false
  end
  local version, problem = executable.version(found)
  local where = found.origin == 'uvx' and table.concat(found.program, ' ') or vim.fn.exepath(found.program[1])
  if not version then
    health.error(('%s (%s) does not run: %s'):format(where, found.origin, problem or ''), {
      'Try it in a shell, and install it anew: `uv tool install --reinstall /path/to/memory-sidecar`',
    })
    return false
  end
  health.ok(('%s: %s (found by %s)'):format(version, where, found.origin))
  return true
end

---@param bufnr integer
---@return boolean
local function workspace(bufnr)
  health.start('Workspace')
  local root, marker = roots.of_buffer(bufnr)
  if root then
    health.ok(('%s, because of %s'):format(root, marker))
    return true
  end
  local folder, problem = roots.for_command(bufnr)
  if not folder then
    health.warn(problem or 'There is no workspace.')
    return false
  end
  health.info(
    ('%s, for :Memory. Only files below a folder with %s are attached.'):format(
      folder,
      table.concat(roots.markers(), ' or ')
    )
  )
  return true
end

---@param status memory_sidecar.StatusResult
local function stores(status)
  health.start('Memory')
  if not status.enabled then
    health.warn(
      'Memory is switched off',
      { 'Set memory.enabled = true in ~/.config/memory-sidecar/settings.toml.' }
    )
  end
  for _, each in ipairs(status.workspaces) do
    local total = 0
    for _, count in pairs(each.memories) do
      total = total + count
    end
    local path = vim.uri_to_fname(each.uri)
    local problems = require('memory_sidecar.status').problems(each)
    local facts = ('%s: %s, %s known, %s'):format(
      path,
      wording.counted(total, 'memory', 'memories'),
      wording.counted(each.files, 'file'),
      WATCHED[each.watcher.state] or ('watching: ' .. each.watcher.state)
    )
    if #problems == 0 then
      health.ok(facts)
    else
      health.warn(facts, problems)
    end
  end
  if #status.settingsProblems == 0 then
    health.ok('The settings of the sidecar are valid')
  else
    health.warn('Settings of the sidecar are wrong', status.settingsProblems)
  end
end

---@param bufnr integer
local function server(bufnr)
  health.start('Server')
  local enabled = true
  if vim.lsp.is_enabled then
    enabled = vim.lsp.is_enabled(client.NAME)
  elseif vim.lsp._enabled_configs then
    enabled = vim.lsp._enabled_configs[client.NAME] ~= nil
  end
  if not enabled then
    health.warn('Not enabled: files are not attached, only :Memory works', {
      "Put vim.lsp.enable('memory_sidecar') into your init.lua.",
    })
  end
  local before = client.running()
  local status, problem = client.request_sync(bufnr, 'sidecar/status', {}, ANSWER_MILLISECONDS)
  if not status then
    return health.error(
      problem or 'no answer',
      { ':Memory log may say why.', ':Memory restart starts it again.' }
    )
  end
  local count = before and vim.tbl_count(before.attached_buffers) or 0
  health.ok(
    ('Version %s, process %d, %s'):format(
      status.version,
      status.pid,
      before and wording.counted(count, 'buffer') .. ' attached' or 'started for this check'
    )
  )
  stores(status)
end

function M.check()
  -- The report has a buffer of its own; the one before it is what the user looks at.
  local bufnr = vim.fn.bufnr('#') > 0 and vim.fn.bufnr('#') or vim.api.nvim_get_current_buf()
  neovim()
  local runs = program()
  local somewhere = workspace(bufnr)
  if runs and somewhere then
    server(bufnr)
  end
end

return M

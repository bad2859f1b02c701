--- Finds the sidecar: the `cmd` option, PATH, then uvx where an option allows it.
local config = require('memory_sidecar.config')
local notify = require('memory_sidecar.notify')

local M = {}

local PROGRAM = 'memory-sidecar'
local INSTALL = 'Install it from a clone: `uv tool install /path/to/memory-sidecar`, or `pipx install` it'
local CMD =
  "Name its place: vim.g.memory_sidecar = { cmd = { '/path/to/memory-sidecar', 'serve', '--stdio' } }"
local UVX = "Let uvx download and run it: vim.g.memory_sidecar = { uvx = '/path/to/memory-sidecar' }, or its "
  .. "'git+https://…', or true for the package index you have configured"
local NO_UVX = 'The option uvx is set, but there is no uvx on your PATH'
local AGAIN = 'Then :Memory restart'

---@class memory_sidecar.Found
---@field cmd string[] The whole command that serves over stdio.
---@field program string[] Its beginning, to which a subcommand of the command line can be added.
---@field origin 'option'|'PATH'|'uvx'

---@class memory_sidecar.Missing
---@field message string What is wrong and what to do.
---@field advice string[] What to do, a way a line.

local told = false

--- The command to start, or why there is none.
---@return memory_sidecar.Found?
---@return memory_sidecar.Missing?
function M.find()
  local options = config.get()
  if options.cmd then
    if vim.fn.executable(options.cmd[1]) == 0 then
      return nil,
        {
          message = ('cmd names %s, which cannot be run.'):format(options.cmd[1]),
          advice = { CMD, AGAIN },
        }
    end
    local program = {}
    for _, word in ipairs(options.cmd) do
      if word == 'serve' then
        break
      end
      program[#program + 1] = word
    end
    return { cmd = options.cmd, program = program, origin = 'option' }
  end
  if vim.fn.executable(PROGRAM) == 1 then
    return { cmd = { PROGRAM, 'serve', '--stdio' }, program = { PROGRAM }, origin = 'PATH' }
  end
  if options.uvx and vim.fn.executable('uvx') == 1 then
    local from = type(options.uvx) == 'string' and options.uvx --[[@as string]] or PROGRAM
    local program = { 'uvx', '--from', from, PROGRAM }
    return {
      cmd = vim.list_extend(vim.list_slice(program), { 'serve', '--stdio' }),
      program = program,
      origin = 'uvx',
    }
  end
  return nil,
    {
      message = ('%s is not on your PATH. Install it ("uv tool install" or "pipx install" a clone), name its '):format(
        PROGRAM
      )
        .. 'place in the option cmd, or let uvx run it with the option uvx. See :checkhealth memory_sidecar.',
      advice = { INSTALL, CMD, options.uvx and NO_UVX or UVX, AGAIN },
    }
end

--- Whether there is a command; says once what to do when there is none.
---@return boolean
function M.available()
  local found, missing = M.find()
  if missing and not told then
    told = true
    vim.schedule(function()
      notify.error(missing.message)
    end)
  end
  return found ~= nil
end

--- Starts the sidecar for a client. Raises when there is none.
---@param dispatchers vim.lsp.rpc.Dispatchers
---@param client_config? vim.lsp.ClientConfig
---@return vim.lsp.rpc.PublicClient
function M.spawn(dispatchers, client_config)
  local found, missing = M.find()
  if not found then
    error(missing and missing.message or 'not found', 0)
  end
  told = false
  if found.origin == 'uvx' then
    notify.info('not installed, so uvx runs it; the first time it is downloaded, which may take a minute.')
  end
  client_config = client_config or {}
  return vim.lsp.rpc.start(found.cmd, dispatchers, {
    -- Not the project's folder: uvx would take the settings of a project that nobody has looked at.
    cwd = client_config.cmd_cwd or vim.uv.os_homedir(),
    env = client_config.cmd_env,
    detached = client_config.detached,
  })
end

--- The version that the command tells of itself. Waits for it.
---@param found memory_sidecar.Found
---@return string? version
---@return string? problem
function M.version(found)
  local command = vim.list_extend(vim.list_slice(found.program), { '--version' })
  local started, process = pcall(vim.system, command, { text = true, timeout = 20000 })
  if not started then
    return nil, tostring(process)
  end
  local done = process:wait()
  if done.code ~= 0 then
    return nil, vim.trim((done.stderr or '') .. (done.stdout or ''))
  end
  return vim.trim(done.stdout or ''), nil
end

return M

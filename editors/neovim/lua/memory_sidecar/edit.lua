--- Memories in buffers: `:w` writes back, and nothing that somebody else wrote meanwhile is lost.
local changes = require('memory_sidecar.changes')
local client = require('memory_sidecar.client')
local document = require('memory_sidecar.document')
local notify = require('memory_sidecar.notify')
local wording = require('memory_sidecar.wording')

local M = {}

local VERSION_CONFLICT = -32013

---@class memory_sidecar.Page
---@field root string
---@field id? string Missing for a memory that is still to be recorded.
---@field version? integer Only this version, to be read.
---@field memory? memory_sidecar.Memory What was last read or written.
---@field conflict? boolean
---@field candidate? string The candidate that becomes this memory when it is written.

---@type table<integer, memory_sidecar.Page>
local pages = {}

local drafts = 0

--- The name of the buffer of a memory.
---@param root string
---@param id string
---@param version? integer
---@return string
function M.name(root, id, version)
  return ('memory-sidecar://%s/.memory/%s%s.md'):format(root, id, version and ('@%d'):format(version) or '')
end

---@param name string
---@return memory_sidecar.Page?
local function parsed(name)
  local root, last = name:match('^memory%-sidecar://(.*)/%.memory/(.+)%.md$')
  if not root then
    return nil
  end
  local id, version = last:match('^(.-)@(%d+)$')
  return { root = root, id = id or not last:match('^new%-') and last or nil, version = tonumber(version) }
end

--- The memory that a buffer shows.
---@param bufnr integer
---@return memory_sidecar.Memory?
function M.memory_of(bufnr)
  local page = pages[bufnr]
  return page and page.memory
end

---@param bufnr integer
---@param memory memory_sidecar.Memory
local function about(bufnr, memory)
  local states = wording.states(memory)
  table.insert(states, 1, memory.scope)
  vim.b[bufnr].memory_sidecar_title = ('%s (%s, version %d)'):format(
    wording.line(memory.name, 50),
    table.concat(states, ', '),
    memory.version
  )
  for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
    vim.wo[win].winbar = '%{get(b:, "memory_sidecar_title", "")}%m'
  end
end

---@param bufnr integer
---@param lines string[]
local function fill(bufnr, lines)
  local before = vim.bo[bufnr].modifiable
  vim.bo[bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].modifiable = before
  vim.bo[bufnr].modified = false
end

---@param bufnr integer
---@param memory memory_sidecar.Memory
local function show(bufnr, memory)
  local page = pages[bufnr]
  page.memory, page.conflict = memory, false
  local lines = document.lines(memory)
  if not vim.deep_equal(lines, vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)) then
    fill(bufnr, lines)
  end
  vim.bo[bufnr].modified = false
  about(bufnr, memory)
end

--- Somebody has changed memories: pages without changes of one's own show it, others say so.
---@param change memory_sidecar.Change
local function changed(change)
  for bufnr, page in pairs(pages) do
    local concerned = page.id and (next(change.ids) == nil or change.ids[page.id]) and not change.files
    if not vim.api.nvim_buf_is_valid(bufnr) then
      pages[bufnr] = nil
    elseif concerned and page.memory and not page.version then
      client.request(bufnr, 'memory/get', { id = page.id }, function(memory)
        -- Not what was asked for before one's own `:w`, and answered after it.
        if not vim.api.nvim_buf_is_loaded(bufnr) or memory.version <= page.memory.version then
          return
        end
        if not vim.bo[bufnr].modified then
          show(bufnr, memory)
        elseif not page.conflict then
          page.conflict = true
          notify.warn(
            ('“%s” was changed elsewhere while you edit it; :w will show both.'):format(
              wording.line(memory.name, 50)
            )
          )
        end
      end, function(message)
        if vim.api.nvim_buf_is_loaded(bufnr) then
          notify.warn(message)
        end
      end)
    end
  end
end

---@param bufnr integer
---@param page memory_sidecar.Page
---@return memory_sidecar.Memory?
---@return string? problem
local function fetch(bufnr, page)
  if not page.version then
    local memory, problem = client.request_sync(bufnr, 'memory/get', { id = page.id })
    return memory, problem
  end
  local history, problem = client.request_sync(bufnr, 'memory/history', { id = page.id })
  for _, version in ipairs(history and history.versions or {}) do
    if version.version == page.version and wording.given(version.memory) then
      return version.memory
    end
  end
  return nil, problem or ('There is no version %d.'):format(page.version)
end

--- `BufReadCmd` of memory-sidecar://
---@param bufnr integer
function M.read(bufnr)
  local page = parsed(vim.api.nvim_buf_get_name(bufnr))
  if not page then
    return notify.error('This is no name of a memory; :Memory edit opens one.')
  end
  vim.b[bufnr].memory_sidecar_root = page.root
  vim.bo[bufnr].swapfile = false
  -- Before the file type, so that no language server takes it for a file on disk.
  vim.bo[bufnr].buftype = page.version and 'nofile' or 'acwrite'
  vim.bo[bufnr].filetype = 'markdown'
  if page.id then
    local memory, problem = fetch(bufnr, page)
    if not memory then
      vim.bo[bufnr].modifiable = false
      return notify.error(problem or 'The memory could not be read.')
    end
    vim.bo[bufnr].modifiable = true
    pages[bufnr] = page
    show(bufnr, memory)
    vim.bo[bufnr].modifiable = page.version == nil
  else
    pages[bufnr] = page
    if vim.api.nvim_buf_line_count(bufnr) <= 1 then
      fill(bufnr, document.blank({}, ''))
    end
  end
  changes.listen('edit', changed)
  vim.api.nvim_create_autocmd({ 'BufWipeout', 'BufUnload' }, {
    buffer = bufnr,
    once = true,
    callback = function()
      pages[bufnr] = nil
    end,
  })
end

--- Shows what is stored beside what one wants to write.
---@param bufnr integer
---@param page memory_sidecar.Page
local function compare(bufnr, page)
  local memory, problem = client.request_sync(bufnr, 'memory/get', { id = page.id })
  if not memory then
    return notify.error(problem or 'The memory could not be read.')
  end
  page.conflict = true
  -- Not while the buffer is being written: reading the other one is an autocommand of its own.
  vim.schedule(function()
    local win = vim.fn.win_findbuf(bufnr)[1]
    if win then
      vim.api.nvim_win_call(win, function()
        vim.cmd.diffthis()
        local name = M.name(page.root, page.id, memory.version)
        vim.cmd.vsplit({ args = { vim.fn.fnameescape(name) }, mods = { split = 'belowright' } })
        vim.cmd.diffthis()
        vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = true, nowait = true, desc = 'close' })
      end)
    end
    notify.error(
      ('not written: version %d of somebody else is shown beside. :w! keeps yours, :e! takes it.'):format(
        memory.version
      )
    )
  end)
end

---@param redactions memory_sidecar.Redaction[]
---@return string
function M.redacted(redactions)
  local count = 0
  for _, each in ipairs(redactions) do
    count = count + each.count
  end
  return count > 0 and (' %s taken out.'):format(wording.counted(count, 'secret was', 'secrets were')) or ''
end

---@param bufnr integer
---@param page memory_sidecar.Page
---@param fields table<string, any>
local function create(bufnr, page, fields)
  local params = document.record(fields)
  if params.content == '' then
    return notify.error('not written: there is no text below the second line ---.')
  end
  params.id = page.candidate
  local method = page.candidate and 'memory/confirm' or 'memory/record'
  local result, problem = client.request_sync(bufnr, method, params)
  if not result then
    return notify.error('not written: ' .. (problem or ''))
  end
  page.id = result.memory.id
  vim.api.nvim_buf_set_name(bufnr, M.name(page.root, page.id))
  show(bufnr, result.memory)
  notify.info(require('memory_sidecar.record').told(result))
end

--- `BufWriteCmd` of memory-sidecar://
---@param bufnr integer
---@param force boolean `:w!`: over what somebody else has written meanwhile.
function M.write(bufnr, force)
  local page = pages[bufnr]
  if not page or page.version then
    return notify.error('not written: this shows an earlier version; :Memory undo steps back to it.')
  end
  local fields, problem = document.parse(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false))
  if not fields then
    return notify.error('not written: ' .. problem)
  end
  if not page.id then
    return create(bufnr, page, fields)
  end
  local before = assert(document.parse(document.lines(page.memory)))
  local params, wrong = document.changes(before, fields)
  if not params then
    return notify.error('not written: ' .. wrong)
  end
  if not next(params) then
    vim.bo[bufnr].modified = false
    return notify.info('nothing has changed.')
  end
  params.id = page.id
  if not force then
    params.expectedVersion = page.memory.version
  end
  local result, message, err = client.request_sync(bufnr, 'memory/update', params)
  if result then
    if page.conflict then
      for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
        vim.api.nvim_win_call(win, vim.cmd.diffoff)
      end
    end
    show(bufnr, result.memory)
    local told = ('wrote “%s”, version %d.'):format(
      wording.line(result.memory.name, 50),
      result.memory.version
    )
    return notify.info(told .. M.redacted(result.redactions))
  end
  if err and err.code == VERSION_CONFLICT then
    return compare(bufnr, page)
  end
  notify.error('not written: ' .. (message or ''))
end

--- Opens a memory in a buffer of the current window.
---@param root string
---@param id string
---@param mods? vim.api.keyset.cmd_mods
function M.open(root, id, mods)
  local name = vim.fn.fnameescape(M.name(root, id))
  if mods and (mods.vertical or mods.tab and mods.tab >= 0 or (mods.split or '') ~= '') then
    vim.cmd.split({ args = { name }, mods = mods })
  else
    vim.cmd.edit({ args = { name } })
  end
end

---@param root string
---@param lines string[]
---@return integer bufnr
local function draft(root, lines)
  drafts = drafts + 1
  vim.cmd.edit({ args = { vim.fn.fnameescape(M.name(root, ('new-%d'):format(drafts))) } })
  local bufnr = vim.api.nvim_get_current_buf()
  fill(bufnr, lines)
  vim.api.nvim_win_set_cursor(0, { #lines, 0 })
  return bufnr
end

--- Opens a buffer for a memory that is still to be recorded.
---@param root string
---@param options table<string, any>
---@param content string
function M.new(root, options, content)
  draft(root, document.blank(options, content))
end

--- Opens a buffer for a candidate, which `:w` makes a memory of.
---@param root string
---@param candidate memory_sidecar.Candidate
function M.confirm(root, candidate)
  local lines = document.compose({
    { 'name', wording.given(candidate.name) or '' },
    { 'type', candidate.type },
    { 'scope', candidate.scope },
    { 'category', wording.given(candidate.category) or '' },
  }, candidate.content)
  pages[draft(root, lines)].candidate = candidate.id
  vim.bo.modified = true
  notify.info(':w keeps it, :bw! leaves it as it was.')
end

return M

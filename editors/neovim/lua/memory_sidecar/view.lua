--- Floats that show something and keep showing what is so: `q` closes, `r` asks again, changes do by themselves.
local changes = require('memory_sidecar.changes')
local notify = require('memory_sidecar.notify')

local M = {}

local MOST_WIDTH = 110
local PATIENCE = 700

---@class memory_sidecar.Shown
---@field lines string[]
---@field title? string
---@field marks? memory_sidecar.Mark[]
---@field after? fun(win: integer) What is left to do once it is drawn.

---@class memory_sidecar.Mark
---@field line integer From 0.
---@field from integer Byte.
---@field to integer Byte; -1: the end of the line.
---@field group string

---@class memory_sidecar.ViewSpec
---@field name string What it shows; a second view of the same name takes its place.
---@field title string
---@field load fun(show: fun(shown: memory_sidecar.Shown), view: memory_sidecar.View) Finds what to show.
---@field filetype? string 'markdown' when nil.
---@field keys? table<string, { action: fun(view: memory_sidecar.View), label: string }>
---@field concerns? fun(change: memory_sidecar.Change): boolean Whether a change is of interest; all are when nil.
---@field root? string The workspace's folder.

---@class memory_sidecar.View
---@field spec memory_sidecar.ViewSpec
---@field buf integer
---@field win? integer
---@field round integer
---@field state table<string, any> Of whoever opened it.

local namespace = vim.api.nvim_create_namespace('memory_sidecar.view')

---@type table<string, memory_sidecar.View>
local open = {}

---@param text string
---@return string[]
function M.split(text)
  return vim.split(text:gsub('\r\n', '\n'), '\n', { plain = true })
end

---@param view memory_sidecar.View
function M.close(view)
  if open[view.spec.name] == view then
    open[view.spec.name] = nil
  end
  if next(open) == nil then
    changes.listen('views', nil)
  end
  if view.win and vim.api.nvim_win_is_valid(view.win) then
    vim.api.nvim_win_close(view.win, true)
  end
  if vim.api.nvim_buf_is_valid(view.buf) then
    vim.api.nvim_buf_delete(view.buf, { force = true })
  end
end

---@param spec memory_sidecar.ViewSpec
---@return string
local function footer(spec)
  local parts = {}
  for key, each in vim.spairs(spec.keys or {}) do
    parts[#parts + 1] = ('%s %s'):format(key, each.label)
  end
  if not (spec.keys or {}).r then
    parts[#parts + 1] = 'r refresh'
  end
  parts[#parts + 1] = 'q close'
  return ' ' .. table.concat(parts, ' · ') .. ' '
end

--- Size and place of a float for these lines: as small as they allow, in the middle.
---@param lines string[]
---@param least integer
---@return vim.api.keyset.win_config
local function layout(lines, least)
  local width = least
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
  end
  width = math.max(20, math.min(width + 1, MOST_WIDTH, vim.o.columns - 6))
  local height = 0
  for _, line in ipairs(lines) do
    height = height + math.max(1, math.ceil(vim.fn.strdisplaywidth(line) / width))
  end
  height = math.max(1, math.min(height, vim.o.lines - vim.o.cmdheight - 5))
  return {
    relative = 'editor',
    width = width,
    height = height,
    row = math.max(0, math.floor((vim.o.lines - vim.o.cmdheight - height - 2) / 2)),
    col = math.max(0, math.floor((vim.o.columns - width - 2) / 2)),
  }
end

---@return string|string[]
local function border()
  local chosen = require('memory_sidecar.config').get().border
  if chosen then
    return chosen
  end
  local named, everywhere = pcall(function()
    return vim.o.winborder
  end)
  return named and everywhere ~= '' and everywhere or 'rounded'
end

---@param view memory_sidecar.View
---@param shown memory_sidecar.Shown
local function draw(view, shown)
  local spec, lines = view.spec, {}
  for _, line in ipairs(shown.lines) do
    vim.list_extend(lines, M.split(line))
  end
  if not vim.api.nvim_buf_is_valid(view.buf) then
    return
  end
  vim.bo[view.buf].modifiable = true
  vim.api.nvim_buf_set_lines(view.buf, 0, -1, false, lines)
  vim.bo[view.buf].modifiable = false
  vim.api.nvim_buf_clear_namespace(view.buf, namespace, 0, -1)
  for _, mark in ipairs(shown.marks or {}) do
    local last = mark.to < 0 and #(lines[mark.line + 1] or '') or mark.to
    pcall(vim.api.nvim_buf_set_extmark, view.buf, namespace, mark.line, mark.from, {
      end_col = last,
      hl_group = mark.group,
    })
  end
  local title = ' ' .. (shown.title or spec.title) .. ' '
  local below = footer(spec)
  local config = layout(lines, math.max(vim.fn.strdisplaywidth(title), vim.fn.strdisplaywidth(below)) + 2)
  config.title, config.title_pos = title, 'center'
  config.footer, config.footer_pos = below, 'right'
  config.border = border()
  if view.win and vim.api.nvim_win_is_valid(view.win) then
    vim.api.nvim_win_set_config(view.win, config)
  else
    config.style = 'minimal'
    view.win = vim.api.nvim_open_win(view.buf, true, config)
    vim.wo[view.win].wrap = true
    vim.wo[view.win].linebreak = true
    vim.wo[view.win].breakindent = true
    -- What an agent is given is shown as it is, with every mark in it.
    vim.wo[view.win].conceallevel = 0
  end
  if shown.after then
    shown.after(view.win)
  end
end

--- For requests of `load`: says what went wrong, and closes what has nothing to show.
---@param view memory_sidecar.View
---@return fun(message: string)
function M.failing(view)
  return function(message)
    notify.error(message)
    if not view.win then
      M.close(view)
    end
  end
end

--- Asks again what a view shows.
---@param view memory_sidecar.View
function M.refresh(view)
  view.round = view.round + 1
  local mine = view.round
  view.spec.load(function(shown)
    if view.round == mine and open[view.spec.name] == view then
      draw(view, shown)
    end
  end, view)
end

---@param change memory_sidecar.Change
local function changed(change)
  for _, view in pairs(open) do
    if view.win and (not view.spec.concerns or view.spec.concerns(change)) then
      M.refresh(view)
    end
  end
end

--- Opens a view. Nothing is seen before there is something to show.
---@param spec memory_sidecar.ViewSpec
---@return memory_sidecar.View
function M.open(spec)
  local before = open[spec.name]
  if before then
    M.close(before)
  end
  local buf = vim.api.nvim_create_buf(false, true)
  ---@type memory_sidecar.View
  local view = { spec = spec, buf = buf, round = 0, state = {} }
  open[spec.name] = view
  vim.bo[buf].buftype = 'nofile'
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].swapfile = false
  vim.bo[buf].modifiable = false
  vim.b[buf].memory_sidecar_root = spec.root
  -- What the user looks at is the file below, also for commands that are typed in a float.
  local below = vim.api.nvim_get_current_buf()
  vim.b[buf].memory_sidecar_source = vim.b[below].memory_sidecar_source or below
  vim.bo[buf].filetype = spec.filetype or 'markdown'
  local function map(key, label, action)
    vim.keymap.set('n', key, action, { buffer = buf, nowait = true, silent = true, desc = label })
  end
  local function close()
    M.close(view)
  end
  map('q', 'close', close)
  map('<Esc>', 'close', close)
  map('r', 'refresh', function()
    M.refresh(view)
  end)
  for key, each in pairs(spec.keys or {}) do
    map(key, each.label, function()
      each.action(view)
    end)
  end
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = buf,
    once = true,
    callback = function()
      if open[spec.name] == view then
        open[spec.name] = nil
      end
    end,
  })
  changes.listen('views', changed)
  M.refresh(view)
  vim.defer_fn(function()
    if open[spec.name] == view and not view.win then
      notify.info('asking the sidecar …')
    end
  end, PATIENCE)
  return view
end

return M

--- A memory as a text to edit: fields between two lines of `---`, then the content.
local given = require('memory_sidecar.wording').given
local arguments = require('memory_sidecar.arguments')

local M = {}

M.FENCE = '---'

---@class memory_sidecar.Draft
---@field name string
---@field description string
---@field type string
---@field scope? string
---@field category string
---@field agent string
---@field tags string[]
---@field files string[]
---@field expires string
---@field pinned string
---@field content string

local TIME = '%Y-%m-%d %H:%M'

---@param values string[]
---@return string
local function listed(values)
  local shown = {}
  for _, value in ipairs(values) do
    shown[#shown + 1] = value:find('[,"]') and vim.json.encode(value) or value
  end
  return table.concat(shown, ', ')
end

---@param text string
---@return string[]?
---@return string? problem
local function list_of(text)
  local values, rest = {}, vim.trim(text)
  while rest ~= '' do
    local value
    if rest:sub(1, 1) == '"' then
      local last = 1
      repeat
        last = rest:find('"', last + 1, true)
      until not last or rest:sub(last - 1, last - 1) ~= '\\'
      local ok, decoded = pcall(vim.json.decode, last and rest:sub(1, last) or '')
      if not ok or type(decoded) ~= 'string' then
        return nil, 'a quoted value has no end'
      end
      value, rest = decoded, rest:sub(last + 1)
    else
      value = rest:match('^[^,]*')
      rest = rest:sub(#value + 1)
      value = vim.trim(value)
    end
    if value ~= '' then
      values[#values + 1] = value
    end
    rest = vim.trim((vim.trim(rest):gsub('^,', '')))
  end
  return values
end

--- The lines of a memory.
---@param memory memory_sidecar.Memory
---@return string[]
function M.lines(memory)
  local expires = given(memory.expiresAt)
  local fields = {
    { 'name', memory.name },
    { 'description', given(memory.description) or '' },
    { 'type', memory.type },
    { 'category', given(memory.category) or '' },
    { 'agent', given(memory.agent) or '' },
    { 'tags', listed(memory.tags) },
    { 'files', listed(memory.files) },
    { 'expires', expires and os.date(TIME, math.floor(expires / 1000)) or '' },
    { 'pinned', tostring(memory.pinned) },
  }
  return M.compose(fields, memory.content)
end

--- The lines of a memory that is still to be written.
---@param options table<string, any>
---@param content string
---@return string[]
function M.blank(options, content)
  return M.compose({
    { 'name', options.name or '' },
    { 'type', options.type or 'project' },
    { 'scope', options.scope or '' },
    { 'category', options.category or '' },
    { 'tags', listed(options.tags or {}) },
    { 'files', listed(options.files or {}) },
    { 'expires', options.expires or '' },
    { 'pinned', tostring(options.pinned or false) },
  }, content)
end

---@param fields { [1]: string, [2]: any }[]
---@param content string
---@return string[]
function M.compose(fields, content)
  local lines = { M.FENCE }
  for _, field in ipairs(fields) do
    lines[#lines + 1] = vim.trim(('%s: %s'):format(field[1], (tostring(field[2]):gsub('%s*\n%s*', ' '))))
  end
  lines[#lines + 1] = M.FENCE
  vim.list_extend(lines, vim.split(content, '\n', { plain = true }))
  return lines
end

local KEYS = {
  name = true,
  description = true,
  type = arguments.TYPES,
  scope = arguments.SCOPES,
  category = arguments.CATEGORIES,
  agent = true,
  tags = 'list',
  files = 'list',
  expires = 'time',
  pinned = { 'true', 'false' },
}

---@param text string
---@return integer? milliseconds
function M.time(text)
  local year, month, day, rest = text:match('^(%d%d%d%d)%-(%d%d)%-(%d%d)(.*)$')
  if not year then
    return nil
  end
  local hour, minute = rest:match('^[ T](%d%d):(%d%d)$')
  if rest ~= '' and not hour then
    return nil
  end
  ---@type any
  local date = {
    year = tonumber(year) or 0,
    month = tonumber(month) or 1,
    day = tonumber(day) or 1,
    hour = tonumber(hour) or 0,
    min = tonumber(minute) or 0,
    sec = 0,
  }
  local at = os.time(date)
  return at and at * 1000
end

--- What the lines say. The problem names the line.
---@param lines string[]
---@return table<string, any>? fields
---@return string? problem
function M.parse(lines)
  if lines[1] ~= M.FENCE then
    return nil, 'line 1 has to be ---: the fields stand between two such lines.'
  end
  ---@type table<string, any>
  local fields = {}
  local number = 2
  while lines[number] ~= M.FENCE do
    local line = lines[number]
    if not line then
      return nil, 'the second line --- is missing: the fields stand between two such lines.'
    end
    local key, value = line:match('^(%l+):%s*(.-)%s*$')
    local kind = key and KEYS[key]
    if not kind and vim.trim(line) ~= '' then
      return nil,
        ('line %d: %s is no field. Fields are %s.'):format(
          number,
          key or vim.trim(line),
          'name, description, type, scope, category, agent, tags, files, expires, pinned'
        )
    elseif kind == 'list' then
      local values, problem = list_of(value)
      if not values then
        return nil, ('line %d: %s.'):format(number, problem)
      end
      fields[key] = values
    elseif kind == 'time' then
      if value ~= '' and not M.time(value) then
        return nil, ('line %d: expires is a date like 2026-12-31, or 2026-12-31 17:00.'):format(number)
      end
      fields[key] = value
    elseif type(kind) == 'table' then
      if value ~= '' and not vim.tbl_contains(kind, value) then
        return nil, ('line %d: %s is one of %s.'):format(number, key, table.concat(kind, ', '))
      end
      fields[key] = value
    elseif kind then
      fields[key] = value
    end
    number = number + 1
  end
  fields.content = table.concat(vim.list_slice(lines, number + 1), '\n')
  return fields
end

local NULL_WHEN_EMPTY = { description = true, category = true, agent = true }

--- Parameters of `memory/update` for what differs; empty when nothing does.
---@param before table<string, any>
---@param after table<string, any>
---@return table<string, any>? changes
---@return string? problem
function M.changes(before, after)
  local changes = {}
  for key, value in pairs(after) do
    if not vim.deep_equal(before[key], value) then
      if key == 'expires' then
        changes.expiresAt = value == '' and vim.NIL or M.time(value)
      elseif key == 'pinned' then
        changes.pinned = value == 'true'
      elseif key == 'scope' then
        return nil, 'the scope is changed by :Memory promote.'
      elseif NULL_WHEN_EMPTY[key] and value == '' then
        changes[key] = vim.NIL
      elseif value == '' then
        return nil, ('%s may not be empty.'):format(key)
      else
        changes[key] = value
      end
    end
  end
  for key in pairs(before) do
    if after[key] == nil and key ~= 'content' then
      return nil, ('the line of %s is gone. Leave it empty to clear it.'):format(key)
    end
  end
  return changes
end

--- Parameters of `memory/record`.
---@param fields table<string, any>
---@return table<string, any>
function M.record(fields)
  local params = { content = vim.trim(fields.content) }
  for _, key in ipairs({ 'name', 'description', 'type', 'scope', 'category', 'agent' }) do
    if fields[key] and fields[key] ~= '' then
      params[key] = fields[key]
    end
  end
  for _, key in ipairs({ 'tags', 'files' }) do
    if fields[key] and #fields[key] > 0 then
      params[key] = fields[key]
    end
  end
  if fields.expires and fields.expires ~= '' then
    params.expiresAt = M.time(fields.expires)
  end
  params.pinned = fields.pinned == 'true' or nil
  return params
end

return M

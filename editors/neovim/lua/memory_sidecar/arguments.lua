--- The words after a subcommand: `key=value` options first, then text.
local M = {}

M.TYPES = { 'user', 'feedback', 'project', 'reference' }
M.SCOPES = { 'personal', 'project', 'global' }
M.CATEGORIES = {
  'decision',
  'blocker',
  'procedure',
  'fact',
  'event',
  'directive',
  'plan',
  'idea',
  'conversation',
  'reminder',
}
M.STATUSES = { 'active', 'archived', 'resolved', 'suspect' }

---@class memory_sidecar.Option
---@field values? string[]
---@field parse? 'list'|'number'|'flag'

---@class memory_sidecar.Parsed
---@field options table<string, any>
---@field text string

--- Takes one value off the front: a quoted text, or a word.
---@param rest string
---@return string value
---@return string rest
local function value_of(rest)
  local quote = rest:match('^["\']')
  if quote then
    local last = rest:find(quote, 2, true)
    if last then
      return rest:sub(2, last - 1), rest:sub(last + 1)
    end
  end
  local word = rest:match('^%S*')
  return word, rest:sub(#word + 1)
end

---@param name string
---@param value string
---@param option memory_sidecar.Option
---@return any value
---@return string? problem
local function converted(name, value, option)
  if option.parse == 'list' then
    local list = vim.split(value, ',', { trimempty = true })
    for _, each in ipairs(list) do
      if option.values and not vim.tbl_contains(option.values, each) then
        return nil, ('%s is not %s; it is one of %s.'):format(name, each, table.concat(option.values, ', '))
      end
    end
    return list
  elseif option.parse == 'number' then
    local number = tonumber(value)
    return number, not number and ('%s has to be a number.'):format(name) or nil
  elseif option.parse == 'flag' then
    if value ~= 'true' and value ~= 'false' then
      return nil, ('%s is true or false.'):format(name)
    end
    return value == 'true'
  elseif option.values and not vim.tbl_contains(option.values, value) then
    return nil, ('%s is not %s; it is one of %s.'):format(name, value, table.concat(option.values, ', '))
  end
  return value
end

--- Options and text of the words after a subcommand. A word `x=y` whose key is no option begins the text, as does `--`.
---@param words string
---@param known table<string, memory_sidecar.Option>
---@return memory_sidecar.Parsed?
---@return string? problem
function M.parse(words, known)
  local options, rest = {}, vim.trim(words)
  while true do
    local name, after = rest:match('^(%l+)=(.*)$')
    if not name or not known[name] then
      break
    end
    local value
    value, rest = value_of(after)
    local result, problem = converted(name, value, known[name])
    if problem then
      return nil, problem
    end
    options[name] = result
    rest = vim.trim(rest)
  end
  rest = rest:gsub('^%-%-%s+', '')
  return { options = options, text = rest }
end

--- What the last word may become.
---@param lead string
---@param known table<string, memory_sidecar.Option>
---@return string[]
function M.complete(lead, known)
  local name, value = lead:match('^(%l+)=(.*)$')
  local found = {}
  if name and known[name] then
    local values = known[name].parse == 'flag' and { 'true', 'false' } or known[name].values or {}
    local kept = known[name].parse == 'list' and value:match('^(.*,)') or ''
    for _, each in ipairs(values) do
      found[#found + 1] = ('%s=%s%s'):format(name, kept, each)
    end
  else
    for each in vim.spairs(known) do
      found[#found + 1] = each .. '='
    end
  end
  return vim.tbl_filter(function(each)
    return vim.startswith(each, lead)
  end, found)
end

return M

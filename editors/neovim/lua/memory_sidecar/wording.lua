--- How memories and figures are written in lists and floats.
local M = {}

local MINUTE, HOUR, DAY = 60, 3600, 86400

--- 12345 as 12,345.
---@param number number
---@return string
function M.figure(number)
  local text = ('%d'):format(number)
  local result = text:reverse():gsub('(%d%d%d)', '%1,'):reverse()
  return (result:gsub('^,', ''))
end

---@param count integer
---@param one string
---@param many? string
---@return string
function M.counted(count, one, many)
  return ('%s %s'):format(M.figure(count), count == 1 and one or many or one .. 's')
end

--- How long ago: `5m`, `3h`, `12d`.
---@param milliseconds integer
---@param now? integer In seconds.
---@return string
function M.age(milliseconds, now)
  local seconds = math.max(0, (now or os.time()) - math.floor(milliseconds / 1000))
  if seconds < MINUTE then
    return 'now'
  elseif seconds < HOUR then
    return ('%dm'):format(seconds / MINUTE)
  elseif seconds < DAY then
    return ('%dh'):format(seconds / HOUR)
  end
  return ('%dd'):format(seconds / DAY)
end

---@param milliseconds integer
---@return string
function M.time(milliseconds)
  return tostring(os.date('%Y-%m-%d %H:%M', math.floor(milliseconds / 1000)))
end

--- Text in one line, cut at a width.
---@param text string
---@param width? integer
---@return string
function M.line(text, width)
  local single = vim.trim((text:gsub('%s+', ' ')))
  if width and vim.fn.strdisplaywidth(single) > width then
    return vim.fn.strcharpart(single, 0, width - 1) .. '…'
  end
  return single
end

--- What is special about a memory, in words.
---@param memory memory_sidecar.Memory
---@return string[]
function M.states(memory)
  local states = {}
  if memory.status ~= 'active' then
    states[#states + 1] = memory.status
  end
  if memory.pinned then
    states[#states + 1] = 'pinned'
  end
  return states
end

--- What kind of memory it is, whole: `project · feedback · decision`.
---@param memory memory_sidecar.Memory
---@return string
function M.kind(memory)
  local kind = { memory.scope }
  if memory.type ~= memory.scope then
    kind[#kind + 1] = memory.type
  end
  kind[#kind + 1] = M.given(memory.category)
  return table.concat(kind, ' · ')
end

--- The same for a list: `project decision`.
---@param memory memory_sidecar.Memory
---@return string
function M.sort(memory)
  local finer = M.given(memory.category) or memory.type
  return finer == memory.scope and finer or ('%s %s'):format(memory.scope, finer)
end

--- One line of a list: name, kind, states and age.
---@param memory memory_sidecar.Memory
---@param width? integer Of the name.
---@return string
function M.item(memory, width)
  local parts = { M.line(memory.name, width or 60), M.sort(memory) }
  vim.list_extend(parts, M.states(memory))
  parts[#parts + 1] = M.age(memory.updatedAt)
  return table.concat(parts, '  ')
end

--- A memory as a page: name, what it is, the text, what it rests on.
---@param memory memory_sidecar.Memory
---@param reasons? string[]
---@return string[]
function M.page(memory, reasons)
  local lines = { '# ' .. M.line(memory.name), '' }
  local kind = M.kind(memory)
  for _, state in ipairs(M.states(memory)) do
    kind = kind .. ' · ' .. state
  end
  lines[#lines + 1] = kind
  lines[#lines + 1] = ('updated %s · version %d · from %s'):format(
    M.time(memory.updatedAt),
    memory.version,
    memory.source
  )
  if reasons and #reasons > 0 then
    lines[#lines + 1] = 'found: ' .. table.concat(reasons, ', ')
  end
  lines[#lines + 1] = ''
  vim.list_extend(lines, vim.split(memory.content, '\n', { plain = true }))
  if #memory.files > 0 then
    lines[#lines + 1] = ''
    lines[#lines + 1] = 'Files: ' .. table.concat(memory.files, ', ')
  end
  if #memory.tags > 0 then
    lines[#lines + 1] = 'Tags: ' .. table.concat(memory.tags, ', ')
  end
  for _, reference in ipairs(memory.references) do
    if reference.stale then
      lines[#lines + 1] = reference.gone and ('%s is gone'):format(reference.text)
        or ('Recorded against an older version of %s'):format(reference.text)
    end
  end
  return lines
end

--- A bar of a share: `██████░░░░`.
---@param share number 0 to 1; above it the bar is full.
---@param width integer
---@return string
function M.bar(share, width)
  local full = math.min(width, math.floor(share * width + 0.5))
  if share > 0 then
    full = math.max(1, full)
  end
  return ('█'):rep(full) .. ('░'):rep(width - full)
end

--- A value that may be null.
---@generic T
---@param value T|vim.NIL
---@return T?
function M.given(value)
  if value == vim.NIL then
    return nil
  end
  return value
end

return M

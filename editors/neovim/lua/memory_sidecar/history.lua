--- `:Memory history`: the versions of a memory, what each changed, and a way back.
local notify = require('memory_sidecar.notify')
local client = require('memory_sidecar.client')
local view = require('memory_sidecar.view')
local wording = require('memory_sidecar.wording')

local M = {}

---@param lines string[]
---@param marks memory_sidecar.Mark[]
---@param text string
---@param group string
local function add(lines, marks, text, group)
  lines[#lines + 1] = text
  marks[#marks + 1] = { line = #lines - 1, from = 0, to = -1, group = group }
end

--- The lines that one version has changed of the one before.
---@param lines string[]
---@param marks memory_sidecar.Mark[]
---@param now memory_sidecar.Memory?
---@param before memory_sidecar.Memory?
local function difference(lines, marks, now, before)
  if not now or not before then
    return
  end
  local document = require('memory_sidecar.document')
  local old = table.concat(document.lines(before), '\n') .. '\n'
  local new = table.concat(document.lines(now), '\n') .. '\n'
  local compare = vim.text and vim.text.diff or vim.diff
  local diff = compare(old, new, { ctxlen = 0 }) --[[@as string]]
  for _, line in ipairs(vim.split(diff, '\n', { plain = true, trimempty = true })) do
    if line:match('^[+-]') then
      add(lines, marks, '  ' .. line, line:sub(1, 1) == '+' and 'Added' or 'Removed')
    end
  end
end

---@param versions memory_sidecar.Version[]
---@return memory_sidecar.Shown
local function shown(versions)
  local lines, marks = {}, {}
  for index, version in ipairs(versions) do
    if index > 1 then
      lines[#lines + 1] = ''
    end
    add(
      lines,
      marks,
      ('version %d · %s · %s'):format(version.version, version.change, wording.time(version.at)),
      'Title'
    )
    local memory = wording.given(version.memory)
    local earlier = versions[index + 1]
    if not earlier and memory then
      for _, line in ipairs(vim.split(memory.content, '\n', { plain = true })) do
        lines[#lines + 1] = '  ' .. line
      end
    end
    difference(lines, marks, memory, earlier and wording.given(earlier.memory))
  end
  return { lines = lines, marks = marks }
end

---@param command memory_sidecar.Command
function M.run(command)
  local everything = { include = { 'archived', 'resolved', 'expired' } }
  require('memory_sidecar.target').find(command.rest, everything, 'History', function(chosen)
    local memory = chosen.memory
    view.open({
      name = 'history',
      root = chosen.root,
      title = ('History · %s'):format(wording.line(memory.name, 50)),
      filetype = 'text',
      concerns = function(change)
        return not change.files and (next(change.ids) == nil or change.ids[memory.id] == true)
      end,
      keys = {
        u = {
          label = 'undo the last change',
          action = function(self)
            client.request(self.buf, 'memory/undo', { id = memory.id }, function(result)
              notify.info(
                ('Undone: “%s” is as in its version before.'):format(wording.line(result.name, 50))
              )
              view.refresh(self)
            end)
          end,
        },
      },
      load = function(show, self)
        client.request(self.buf, 'memory/history', { id = memory.id }, function(result)
          show(shown(result.versions))
        end, view.failing(self))
      end,
    })
  end)
end

return M

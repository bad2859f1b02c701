--- `:Memory export`: the memories of a workspace in a file, which restores them exactly.
local client = require('memory_sidecar.client')
local notify = require('memory_sidecar.notify')
local wording = require('memory_sidecar.wording')

local M = {}

---@param bufnr integer
---@param file file
---@param done fun(memories: integer)
---@param failed fun(message: string)
local function pages(bufnr, file, done, failed)
  local memories = 0
  local function page(cursor)
    client.request(bufnr, 'memory/export', { history = true, cursor = cursor }, function(result)
      local written, problem = file:write(table.concat(result.lines, '\n'), '\n')
      if not written then
        return failed(problem or 'it could not be written')
      end
      memories = memories + result.memories
      if wording.given(result.cursor) then
        return page(result.cursor)
      end
      done(memories)
    end, failed)
  end
  page(nil)
end

---@param command memory_sidecar.Command
function M.run(command)
  local bufnr = vim.api.nvim_get_current_buf()
  local default = ('memories-%s.jsonl'):format(os.date('%Y-%m-%d'))
  local path = vim.fs.normalize(vim.fn.fnamemodify(command.rest ~= '' and command.rest or default, ':p'))
  if vim.fn.filereadable(path) == 1 and not command.bang then
    return notify.error(('%s is there already; :Memory! export %s replaces it.'):format(path, command.rest))
  end
  -- A part of it would look like all of it, so it gets its name when it is whole.
  local part = path .. '.part'
  local file, problem = io.open(part, 'w')
  if not file then
    return notify.error(('it cannot be written: %s'):format(problem))
  end
  vim.fn.setfperm(part, 'rw-------')
  local function failed(message)
    file:close()
    os.remove(part)
    notify.error(message)
  end
  pages(bufnr, file, function(memories)
    local closed, wrong = file:close()
    local renamed, why = os.rename(part, path)
    if not closed or not renamed then
      os.remove(part)
      return notify.error(('it cannot be written: %s'):format(wrong or why))
    end
    notify.info(
      ('Exported %s with their history to %s. It is not encrypted.'):format(
        wording.counted(memories, 'memory', 'memories'),
        vim.fn.fnamemodify(path, ':~:.')
      )
    )
  end, failed)
end

return M

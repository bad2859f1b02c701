--- `:Memory link` and `:Memory links`: what belongs together.
local arguments = require('memory_sidecar.arguments')
local client = require('memory_sidecar.client')
local notify = require('memory_sidecar.notify')
local target = require('memory_sidecar.target')
local view = require('memory_sidecar.view')
local wording = require('memory_sidecar.wording')

local M = {}

---@type table<string, memory_sidecar.Option>
M.options = {
  kind = { values = { 'related', 'extends', 'supersedes', 'contradicts', 'sameEntity', 'sequence' } },
}

---@type table<string, { [1]: string, [2]: string }>
local WORDS = {
  related = { 'is related to', 'is related to' },
  extends = { 'extends', 'is extended by' },
  supersedes = { 'supersedes', 'is superseded by' },
  contradicts = { 'stands against', 'stands against' },
  sameEntity = { 'is about the same as', 'is about the same as' },
  sequence = { 'comes before', 'comes after' },
}

---@param command memory_sidecar.Command
function M.link(command)
  local parsed, problem = arguments.parse(command.rest, M.options)
  if not parsed then
    return notify.error(problem or '')
  end
  local bufnr = vim.api.nvim_get_current_buf()
  local kind = parsed.options.kind or 'related'
  target.find('', {}, 'Link which memory', function(from)
    if not vim.api.nvim_buf_is_valid(bufnr) then
      return
    end
    target.find_in(
      bufnr,
      from.root,
      parsed.text,
      {},
      ('“%s” %s'):format(wording.line(from.memory.name, 40), WORDS[kind][1]),
      function(to)
        if to.memory.id == from.memory.id then
          return notify.error('a memory is not linked to itself.')
        end
        local params = { from = from.memory.id, to = to.memory.id, kind = kind }
        client.request(bufnr, 'memory/link', params, function(result)
          notify.info(
            ('“%s” %s “%s”%s.'):format(
              wording.line(from.memory.name, 50),
              WORDS[kind][1],
              wording.line(to.memory.name, 50),
              result.status == 'unchanged' and ', as it did' or ''
            )
          )
        end)
      end
    )
  end)
end

---@param items memory_sidecar.LinkedMemory[]
---@param id string
---@return memory_sidecar.Shown
local function shown(items, id)
  if #items == 0 then
    return { lines = { 'It is linked to no other memory.' } }
  end
  local lines = {}
  for index, each in ipairs(items) do
    local both = WORDS[each.link.kind]
    local words = each.link.from == id and both[1] or both[2]
    local status = each.status ~= 'active' and (', ' .. each.status) or ''
    lines[index] = ('%s “%s” (%s%s)'):format(words, wording.line(each.name, 80), each.scope, status)
  end
  return { lines = lines }
end

---@param command memory_sidecar.Command
function M.list(command)
  local everything = { include = { 'archived', 'resolved', 'expired' } }
  target.find(command.rest, everything, 'Links', function(chosen)
    local memory = chosen.memory
    local function under(self)
      return (self.state.items or {})[vim.fn.line('.')]
    end
    view.open({
      name = 'links',
      root = chosen.root,
      title = ('Links · %s'):format(wording.line(memory.name, 50)),
      filetype = 'text',
      keys = {
        ['<CR>'] = {
          label = 'open',
          action = function(self)
            local each = under(self)
            if each then
              view.close(self)
              require('memory_sidecar.edit').open(chosen.root, each.id)
            end
          end,
        },
        x = {
          label = 'take the link back',
          action = function(self)
            local each = under(self)
            if not each then
              return
            end
            local link = each.link
            local params = { from = link.from, to = link.to, kind = link.kind, remove = true }
            client.request(self.buf, 'memory/link', params, function()
              view.refresh(self)
            end)
          end,
        },
      },
      load = function(show, self)
        client.request(self.buf, 'memory/links', { id = memory.id }, function(result)
          self.state.items = result.items
          show(shown(result.items, memory.id))
        end, view.failing(self))
      end,
    })
  end)
end

return M

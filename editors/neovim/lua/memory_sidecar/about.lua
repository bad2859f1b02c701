--- What a code lens leads to: everything that is remembered about a file or a symbol.
local client = require('memory_sidecar.client')
local notify = require('memory_sidecar.notify')
local roots = require('memory_sidecar.roots')
local view = require('memory_sidecar.view')

local M = {}

---@param command lsp.Command
---@param context { bufnr: integer, client_id: integer }
function M.show(command, context)
  local asked = command.arguments and command.arguments[1]
  if type(asked) ~= 'table' or type(asked.uri) ~= 'string' then
    return notify.error('this lens names no file.')
  end
  ---@type any
  local about = asked
  local bufnr = context.bufnr or vim.api.nvim_get_current_buf()
  local line = vim.fn.line('.') - 1
  local root = roots.of_path(vim.uri_to_fname(about.uri))
  local path = vim.fn.fnamemodify(vim.uri_to_fname(about.uri), ':t')
  view.open({
    name = 'about',
    root = root,
    title = about.symbol and ('%s · %s'):format(about.symbol, path) or path,
    keys = {
      e = {
        label = 'edit a memory',
        action = function(self)
          require('memory_sidecar.target').at(bufnr, line, function(memories)
            view.close(self)
            local function open(memory)
              require('memory_sidecar.edit').open(root or '', memory.id)
            end
            if #memories == 0 then
              return notify.info('there is no memory here that could be edited.')
            elseif #memories == 1 then
              return open(memories[1])
            end
            require('memory_sidecar.search').choose(memories, root or '', 'Edit', open)
          end)
        end,
      },
    },
    load = function(show, self)
      client.ensure(bufnr, function(running)
        local argument = vim.tbl_extend('force', about, { quiet = true })
        client.send(running, 'workspace/executeCommand', {
          command = 'memorySidecar.showFile',
          arguments = { argument },
        }, function(err, result)
          if err then
            return view.failing(self)(notify.reason(err))
          end
          show({ lines = vim.split(result.text, '\n', { plain = true }) })
        end)
      end, view.failing(self))
    end,
  })
end

return M

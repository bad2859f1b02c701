-- Commands and autocommands only; everything else is loaded when it is first used.
if vim.g.loaded_memory_sidecar then
  return
end
vim.g.loaded_memory_sidecar = true

if vim.fn.has('nvim-0.10') == 0 then
  vim.api.nvim_create_user_command('Memory', function()
    vim.notify('memory-sidecar needs Neovim 0.10 or newer.', vim.log.levels.ERROR)
  end, { nargs = '*', range = true, bang = true })
  return
end

vim.api.nvim_create_user_command('Memory', function(command)
  require('memory_sidecar.commands').run(command)
end, {
  nargs = '*',
  range = true,
  bang = true,
  desc = 'Look at and change what the memory sidecar remembers',
  complete = function(lead, line, position)
    return require('memory_sidecar.commands').complete(lead, line, position)
  end,
})

local group = vim.api.nvim_create_augroup('memory_sidecar', { clear = true })

vim.api.nvim_create_autocmd('BufReadCmd', {
  group = group,
  pattern = 'memory-sidecar://*',
  callback = function(event)
    require('memory_sidecar.edit').read(event.buf)
  end,
})

vim.api.nvim_create_autocmd('BufWriteCmd', {
  group = group,
  pattern = 'memory-sidecar://*',
  callback = function(event)
    require('memory_sidecar.edit').write(event.buf, vim.v.cmdbang == 1)
  end,
})

vim.api.nvim_create_autocmd('LspAttach', {
  group = group,
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == 'memory_sidecar' then
      require('memory_sidecar.lifecycle').attached(client, event.buf)
    end
  end,
})

-- The configuration that `vim.lsp.enable('memory_sidecar')` looks for (Neovim 0.11 and newer). Nothing is loaded
-- until a buffer is attached. See `:help memory-sidecar-lsp`.

---@type vim.lsp.Config
return {
  -- An option, PATH or, where it is allowed, uvx: see `:help memory-sidecar-executable`.
  cmd = function(dispatchers, config)
    return require('memory_sidecar.executable').spawn(dispatchers, config)
  end,
  root_markers = { '.agents/memory-sidecar.toml', '.agents/MEMORY.md', '.git', '.jj', '.hg' },
  -- The nearest folder with any of the markers. A file outside of every such folder is not attached.
  root_dir = function(bufnr, on_dir)
    require('memory_sidecar.roots').decide(bufnr, on_dir)
  end,
  workspace_required = true,
  -- One process serves all folders.
  reuse_client = function(client, config)
    return require('memory_sidecar.client').reuse(client, config)
  end,
  capabilities = {
    -- Be told of what other processes remember; what is recorded here is a person's. Watching files is left to the
    -- sidecar, which does it by itself where the client does not (Neovim on Linux).
    experimental = { memorySidecar = { didChange = true, person = true } },
  },
  before_init = function(params, config)
    require('memory_sidecar.client').before_init(params, config)
  end,
  on_init = function(client)
    require('memory_sidecar.client').on_init(client)
  end,
  on_exit = function(code, signal, client_id)
    require('memory_sidecar.lifecycle').on_exit(code, signal, client_id)
  end,
  handlers = {
    ['memory/didChange'] = function(_, params)
      require('memory_sidecar.changes').memories(params)
    end,
    ['file/didInvalidate'] = function(_, params)
      require('memory_sidecar.changes').files(params)
    end,
    ['textDocument/diagnostic'] = function(err, result, context, config)
      return require('memory_sidecar.client').diagnosed(err, result, context, config)
    end,
    ['window/showMessage'] = function(_, params)
      require('memory_sidecar.notify').shown(params)
    end,
  },
  commands = {
    ['memorySidecar.showFile'] = function(command, context)
      require('memory_sidecar.about').show(command, context)
    end,
  },
}

--- The plugin's own options: `vim.g.memory_sidecar`, then `setup()`, over what comes with it.
local M = {}

---@class memory_sidecar.Options
---@field cmd? string[] The command that starts the sidecar, instead of looking for one.
---@field uvx? boolean|string Let `uvx` download and run it where it is not installed; a text names its source.
---@field settings? table<string, any> Of the sidecar, in its own names: `{ memory = { learn = 'off' } }`.
---@field code_lens? boolean Show how many memories there are, above symbols and at the top of a file.
---@field virtual_text? boolean Show the same at the end of the line instead.
---@field picker? 'auto'|'telescope'|'fzf-lua'|'snacks'|'select' What `:Memory search` and `list` use.
---@field budget_tokens? integer The budget of `:Memory inject`; the sidecar's own when nil.
---@field border? string The border of floats; 'winborder' when nil.
---@field restarts? integer How often within three minutes a sidecar that ended unexpectedly is started again.

---@class memory_sidecar.Effective: memory_sidecar.Options
---@field uvx boolean|string
---@field settings table<string, any>
---@field code_lens boolean
---@field virtual_text boolean
---@field picker 'auto'|'telescope'|'fzf-lua'|'snacks'|'select'
---@field restarts integer

M.PICKERS = { 'auto', 'telescope', 'fzf-lua', 'snacks', 'select' }

---@type memory_sidecar.Effective
local defaults = {
  cmd = nil,
  -- It would run whatever stands in the package index under this name, so somebody has to say so.
  uvx = false,
  settings = {},
  code_lens = true,
  virtual_text = false,
  picker = 'auto',
  budget_tokens = nil,
  border = nil,
  restarts = 3,
}

---@type memory_sidecar.Options
local given = {}

---@type table<string, fun(value: any): boolean>
local valid = {
  cmd = function(value)
    return type(value) == 'table' and type(value[1]) == 'string'
  end,
  uvx = function(value)
    return type(value) == 'boolean' or type(value) == 'string'
  end,
  settings = function(value)
    return type(value) == 'table'
  end,
  code_lens = function(value)
    return type(value) == 'boolean'
  end,
  virtual_text = function(value)
    return type(value) == 'boolean'
  end,
  picker = function(value)
    return vim.tbl_contains(M.PICKERS, value)
  end,
  budget_tokens = function(value)
    return type(value) == 'number' and value >= 1
  end,
  border = function(value)
    return type(value) == 'string' or type(value) == 'table'
  end,
  restarts = function(value)
    return type(value) == 'number' and value >= 0
  end,
}

---@type table<string, string>
local wanted = {
  cmd = "a list of words, like { 'memory-sidecar', 'serve', '--stdio' }",
  uvx = 'true, false or the source of the package, as for uvx --from',
  settings = 'a table of settings of the sidecar',
  code_lens = 'true or false',
  virtual_text = 'true or false',
  picker = 'one of ' .. table.concat(M.PICKERS, ', '),
  budget_tokens = 'a number from 1',
  border = 'the name of a border, as for nvim_open_win()',
  restarts = 'a number from 0',
}

---@return memory_sidecar.Options
local function global()
  local value = vim.g.memory_sidecar
  if type(value) == 'function' then
    value = value()
  end
  return type(value) == 'table' and value or {}
end

--- Options of `setup()`.
---@param options? memory_sidecar.Options
function M.set(options)
  given = options or {}
end

--- What holds now. A value that is not valid is left out; `problems` names it.
---@return memory_sidecar.Effective
function M.get()
  ---@type any
  local result = vim.deepcopy(defaults)
  for _, source in ipairs({ global(), given }) do
    for key, value in pairs(source) do
      if valid[key] and valid[key](value) then
        result[key] = value
      end
    end
  end
  return result
end

--- What is wrong with the options, in a sentence each.
---@return string[]
function M.problems()
  local found = {}
  local value = vim.g.memory_sidecar
  if value ~= nil and type(value) ~= 'table' and type(value) ~= 'function' then
    found[#found + 1] = 'vim.g.memory_sidecar is no table.'
  end
  for _, source in ipairs({ { 'vim.g.memory_sidecar', global() }, { 'setup()', given } }) do
    for key, each in vim.spairs(source[2]) do
      if not valid[key] then
        found[#found + 1] = ('%s: there is no option %s. See :help memory-sidecar-options.'):format(
          source[1],
          key
        )
      elseif not valid[key](each) then
        found[#found + 1] = ('%s: %s has to be %s.'):format(source[1], key, wanted[key])
      end
    end
  end
  return found
end

return M

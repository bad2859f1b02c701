--- Which memory a command means: by its name or id, by the cursor, or by choosing.
local client = require('memory_sidecar.client')
local notify = require('memory_sidecar.notify')
local roots = require('memory_sidecar.roots')

local M = {}

local ID = '^%x%x%x%x%x%x%x%x%-%x%x%x%x%-%x%x%x%x%-%x%x%x%x%-%x%x%x%x%x%x%x%x%x%x%x%x$'
local MOST = 200
local COMPLETION_MILLISECONDS = 700
local LATER = 300
local TRIES = 3

---@class memory_sidecar.Chosen
---@field memory memory_sidecar.Memory
---@field root string

---@param filter table<string, any>
---@return table<string, any>
local function listing(filter)
  return vim.tbl_extend('keep', filter, { agent = '*', limit = MOST })
end

--- Memories of a list, all pages of it.
---@param bufnr integer
---@param filter table<string, any>
---@param done fun(memories: memory_sidecar.Memory[])
function M.list(bufnr, filter, done)
  local found = {}
  local function page(cursor)
    client.request(
      bufnr,
      'memory/list',
      vim.tbl_extend('force', listing(filter), { cursor = cursor }),
      function(result)
        vim.list_extend(found, result.items)
        if result.cursor and result.cursor ~= vim.NIL then
          page(result.cursor)
        else
          done(found)
        end
      end
    )
  end
  page(nil)
end

--- Names for completion. Waits a little for a sidecar that runs, and starts none.
---@param lead string
---@param filter table<string, any>
---@return string[]
function M.complete(lead, filter)
  local running = client.running()
  if not running or not running.initialized then
    return {}
  end
  local bufnr = vim.api.nvim_get_current_buf()
  local result = client.request_sync(bufnr, 'memory/list', listing(filter), COMPLETION_MILLISECONDS)
  local names, plain = {}, lead:gsub('\\ ', ' '):lower()
  for _, memory in ipairs(result and result.items or {}) do
    if vim.startswith(memory.name:lower(), plain) then
      names[#names + 1] = (memory.name:gsub('\\', '\\\\'):gsub('%s', '\\ '))
    end
  end
  return names
end

--- Memories about the place of the cursor: an entry of MEMORY.md, a symbol, the top of a file.
---@param bufnr integer
---@param line integer From 0.
---@param done fun(memories: memory_sidecar.Memory[])
---@param tries? integer How often it was tried before.
function M.at(bufnr, line, done, tries)
  local running = vim.lsp.get_clients({ name = client.NAME, bufnr = bufnr })[1]
  if not running then
    return done({})
  end
  local position = { line = line, character = 0 }
  client.send(running, 'textDocument/codeAction', {
    textDocument = { uri = vim.uri_from_bufnr(bufnr) },
    range = { start = position, ['end'] = position },
    context = { diagnostics = {}, only = { 'refactor.memorySidecar.memory' }, triggerKind = 1 },
  }, function(err, result)
    if (err or not result) and (tries or 0) < TRIES then
      -- No list, where there would be an empty one: it cannot answer yet.
      vim.defer_fn(function()
        M.at(bufnr, line, done, (tries or 0) + 1)
      end, LATER)
      return
    end
    local ids, seen = {}, {}
    for _, action in ipairs(result or {}) do
      local given = action.command and action.command.arguments and action.command.arguments[1]
      if type(given) == 'table' and given.id and not seen[given.id] then
        seen[given.id] = true
        ids[#ids + 1] = given.id
      end
    end
    M.get(bufnr, ids, done)
  end, bufnr)
end

--- Memories by their ids; those that are gone are left out.
---@param bufnr integer
---@param ids string[]
---@param done fun(memories: memory_sidecar.Memory[])
function M.get(bufnr, ids, done)
  local found, left = {}, #ids
  if left == 0 then
    return done({})
  end
  for number, id in ipairs(ids) do
    local function got(memory)
      found[number] = memory
      left = left - 1
      if left == 0 then
        local present = {}
        for index = 1, #ids do
          present[#present + 1] = found[index]
        end
        done(present)
      end
    end
    client.request(bufnr, 'memory/get', { id = id }, got, function()
      got(nil)
    end)
  end
end

---@param memories memory_sidecar.Memory[]
---@param text string
---@return memory_sidecar.Memory[]
local function named(memories, text)
  local wanted = text:gsub('\\ ', ' '):lower()
  local exact, beginning = {}, {}
  for _, memory in ipairs(memories) do
    local name = memory.name:lower()
    if name == wanted then
      exact[#exact + 1] = memory
    elseif vim.startswith(name, wanted) then
      beginning[#beginning + 1] = memory
    end
  end
  return #exact > 0 and exact or beginning
end

--- All memories of the buffer's workspace whose name begins with a text.
---@param bufnr integer
---@param text string
---@param filter table<string, any>
---@param done fun(memories: memory_sidecar.Memory[])
function M.all(bufnr, text, filter, done)
  if text == '' then
    return notify.error('say how the names of the memories begin.')
  end
  M.list(bufnr, filter, function(memories)
    local wanted = text:gsub('\\ ', ' '):lower()
    local found = vim.tbl_filter(function(memory)
      return vim.startswith(memory.name:lower(), wanted)
    end, memories)
    if #found == 0 then
      return notify.warn(('there is no such memory: %s.'):format(text))
    end
    done(found)
  end)
end

--- Finds the memory that a name means; chosen from all of them without one.
---@param bufnr integer
---@param root string
---@param text string
---@param filter table<string, any>
---@param title string
---@param done fun(chosen: memory_sidecar.Chosen)
function M.find_in(bufnr, root, text, filter, title, done)
  M.list(bufnr, filter, function(memories)
    local found = text == '' and memories or named(memories, text)
    if #found == 0 then
      return notify.warn(('there is no such memory: %s.'):format(text))
    elseif #found == 1 then
      return done({ memory = found[1], root = root })
    end
    require('memory_sidecar.search').choose(found, root, title, function(memory)
      done({ memory = memory, root = root })
    end)
  end)
end

--- Finds the memory that is meant, and asks when several may be.
---@param text string A name, the beginning of one, an id, or nothing: what the buffer or the cursor shows.
---@param filter table<string, any> Of `memory/list`.
---@param title string
---@param done fun(chosen: memory_sidecar.Chosen)
function M.find(text, filter, title, done)
  local bufnr = vim.api.nvim_get_current_buf()
  local line = vim.fn.line('.') - 1
  local root, problem = roots.for_command(bufnr)
  if not root then
    return notify.error(problem or '')
  end
  local function chosen(memory)
    done({ memory = memory, root = root })
  end
  local function choose(memories, nothing)
    if #memories == 0 then
      return notify.warn(nothing)
    elseif #memories == 1 and text ~= '' then
      return chosen(memories[1])
    end
    require('memory_sidecar.search').choose(memories, root, title, chosen)
  end
  if text:match(ID) then
    return client.request(bufnr, 'memory/get', { id = text }, chosen)
  end
  if text ~= '' then
    return M.list(bufnr, filter, function(memories)
      choose(named(memories, text), ('there is no such memory: %s.'):format(text))
    end)
  end
  local shown = require('memory_sidecar.edit').memory_of(bufnr)
  if shown then
    return client.request(bufnr, 'memory/get', { id = shown.id }, chosen)
  end
  M.at(bufnr, line, function(here)
    if #here == 1 then
      return chosen(here[1])
    elseif #here > 1 then
      return choose(here, '')
    end
    M.list(bufnr, filter, function(memories)
      choose(memories, 'there is no memory to choose from.')
    end)
  end)
end

return M

--- `:Memory maintain`: shows what maintenance would do; only then, and when told to, does it.
local client = require('memory_sidecar.client')
local notify = require('memory_sidecar.notify')
local roots = require('memory_sidecar.roots')
local view = require('memory_sidecar.view')
local wording = require('memory_sidecar.wording')

local M = {}

---@param result memory_sidecar.MaintainResult
---@return memory_sidecar.Shown
local function shown(result)
  local lines, marks = {}, {}
  local function heading(text)
    lines[#lines + 1] = ''
    lines[#lines + 1] = text
    marks[#marks + 1] = { line = #lines - 1, from = 0, to = -1, group = 'Title' }
  end
  local counts = {}
  for step, count in vim.spairs(result.counts) do
    counts[#counts + 1] = ('%s %d'):format(step, count)
  end
  if result.state ~= 'done' then
    lines[#lines + 1] = ('%s: %s'):format(result.state, wording.given(result.detail) or '')
  end
  lines[#lines + 1] = (result.dryRun and 'It would do: ' or 'It has done: ') .. table.concat(counts, ' · ')
  if #result.actions > 0 then
    heading(result.dryRun and 'What would change' or 'What has changed')
    for _, action in ipairs(result.actions) do
      lines[#lines + 1] = ('- %s: %s (%s)'):format(action.step, wording.line(action.name, 60), action.reason)
    end
    if (result.more or 0) > 0 then
      lines[#lines + 1] = ('and %s more'):format(wording.figure(result.more))
    end
  elseif #result.proposals == 0 then
    lines[#lines + 1] = 'Nothing needs to be done.'
  end
  if #result.proposals > 0 then
    heading('Proposals, for you to decide')
    for _, each in ipairs(result.proposals) do
      local text = each.kind == 'merge' and '- merge “%s” into “%s” (%.2f alike)'
        or '- “%s” is superseded by “%s” (%.2f alike)'
      lines[#lines + 1] =
        text:format(wording.line(each.otherName, 40), wording.line(each.keepName, 40), each.score)
    end
  end
  if #result.left > 0 then
    heading('Could not be done')
    for _, action in ipairs(result.left) do
      lines[#lines + 1] = ('- %s: %s (%s)'):format(action.step, wording.line(action.name, 60), action.reason)
    end
  end
  if #result.switchedOff > 0 then
    heading('Switched off by settings: ' .. table.concat(result.switchedOff, ', '))
  end
  return { lines = lines, marks = marks }
end

---@param command memory_sidecar.Command
function M.run(command)
  local root, problem = roots.for_command(vim.api.nvim_get_current_buf())
  if not root then
    return notify.error(problem or '')
  end
  local dry = not command.bang
  local proposals = {}
  ---@type table<string, { action: fun(view: memory_sidecar.View), label: string }>
  local keys = {}
  local spec = {
    name = 'maintain',
    root = root,
    title = dry and 'Maintenance · what it would do' or 'Maintenance',
    keys = keys,
    -- Asking again is for the user: the memories that it has changed itself would make it run over and over.
    concerns = function()
      return false
    end,
    load = function(show, self)
      client.request(self.buf, 'memory/maintain', { dryRun = dry }, function(result)
        proposals = result.proposals
        show(shown(result))
      end, view.failing(self))
    end,
  }
  if dry then
    keys.d = {
      label = 'do it',
      action = function(self)
        client.request(self.buf, 'memory/maintain', { dryRun = false }, function(result)
          view.close(self)
          notify.info(
            result.state == 'done' and 'maintenance is done.' or ('maintenance: %s.'):format(result.state)
          )
        end)
      end,
    }
    keys.p = {
      label = 'decide on proposals',
      action = function(self)
        M.decide(self, proposals)
      end,
    }
  end
  view.open(spec)
end

--- Applies or dismisses proposals, one at a time.
---@param self memory_sidecar.View
---@param proposals memory_sidecar.Proposal[]
function M.decide(self, proposals)
  if #proposals == 0 then
    return notify.info('there are no proposals.')
  end
  vim.ui.select(proposals, {
    prompt = 'Which proposal?',
    format_item = function(each)
      return ('%s: “%s” and “%s”'):format(
        each.kind,
        wording.line(each.keepName, 40),
        wording.line(each.otherName, 40)
      )
    end,
  }, function(proposal)
    if not proposal then
      return
    end
    vim.ui.select({ 'Apply', 'Dismiss', 'Neither' }, { prompt = proposal.kind }, function(answer)
      if not answer or answer == 'Neither' then
        return
      end
      local params = answer == 'Apply' and { apply = { proposal.id } } or { dismiss = { proposal.id } }
      client.request(self.buf, 'memory/maintain', params, function()
        view.refresh(self)
      end)
    end)
  end)
end

return M

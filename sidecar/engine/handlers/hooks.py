"""`hooks/*`: the hook scripts that agents are configured with."""

from __future__ import annotations

from pathlib import Path

from protocol import hooks as api
from sidecar.engine.mapping import to_wire
from sidecar.engine.workspaces import Workspaces
from sidecar.hook_scripts.configured import configured_hooks, find_problems
from sidecar.hook_scripts.running import Runner
from sidecar.runtime.cancellation import Context
from sidecar.runtime.clock import Clock


class HooksHandler:
    def __init__(self, workspaces: Workspaces, clock: Clock) -> None:
        self._workspaces = workspaces
        self._runner = Runner(clock)

    def hooks_verify(self, params: api.VerifyHooksParams, context: Context) -> api.VerifyHooksResult:
        """Return the hook scripts that are configured but cannot run, or can run but are not configured."""
        folder, home = self._workspaces.find(params.workspace_uri).folder, Path.home()
        problems = [
            to_wire(
                api.HookProblem,
                problem,
                event=problem.hook.event if problem.hook else None,
                command=problem.hook.command if problem.hook else None,
            )
            for problem in find_problems(folder, home)
        ]
        return api.VerifyHooksResult(problems=problems, configured=len(configured_hooks(folder, home)))

    def hooks_run(self, params: api.RunHooksParams, context: Context) -> api.RunHooksResult:
        handle = self._workspaces.find(params.workspace_uri)
        allowed = handle.settings.hooks.run
        origins = {"never": (), "user": ("user",), "all": ("user", "workspace")}[allowed]
        fitting = [
            hook for hook in configured_hooks(handle.folder, Path.home()) if hook.matches(params.event, params.tool)
        ]
        outcomes = self._runner.run(
            [hook for hook in fitting if hook.origin in origins],
            handle.folder,
            params.event,
            params.tool,
            params.input,
            params.session_id,
        )
        blocking = next((outcome for outcome in outcomes if outcome.blocked), None)
        return api.RunHooksResult(
            blocked=blocking is not None,
            reason=blocking.reason if blocking is not None else None,
            outcomes=[
                to_wire(
                    api.HookOutcome,
                    outcome,
                    command=outcome.hook.command,
                    origin=outcome.hook.origin,
                    exit_code=outcome.code,
                    timed_out=outcome.code is None,
                )
                for outcome in outcomes
            ],
            refused=[hook.command for hook in fitting if hook.origin not in origins],
        )

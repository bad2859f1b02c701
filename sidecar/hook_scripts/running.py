"""Run hooks in order until one blocks. The outcomes of PreToolUse hooks are cached for a moment."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import xxhash

from sidecar.hook_scripts.configured import Hook, script_of
from sidecar.learning.tools import read_use
from sidecar.runtime.clock import Clock

MAX_CACHED = 100
CACHED_MS = 5_000
CACHED_EVENT = "PreToolUse"
# The exit code by which a hook blocks (Claude Code's protocol).
BLOCKING_CODE = 2
# Bytes returned of each output stream.
MAX_STREAM_BYTES = 64 * 1024
_MAX_HASHED_FILE_BYTES = 10_000_000


@dataclass(frozen=True, slots=True)
class HookOutcome:
    """The outcome of one hook. `code` is None for a hook that was killed after its time limit."""

    hook: Hook
    code: int | None
    output: str
    error: str
    cached: bool = False

    @property
    def blocked(self) -> bool:
        return self.code == BLOCKING_CODE or (self.code == 0 and _denies(self.output))

    @property
    def reason(self) -> str:
        answer = _decode_output(self.output)
        inner = answer.get("hookSpecificOutput")
        text = answer.get("reason") or (inner.get("permissionDecisionReason") if isinstance(inner, dict) else None)
        return str(text or self.error.strip() or "A hook blocked it.")


class Runner:
    """Runs hooks on any thread; `clock` returns epoch milliseconds."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._cache: dict[str, tuple[int, HookOutcome]] = {}

    def run(
        self, hooks: Sequence[Hook], folder: Path, event: str, tool: str | None, tool_input: Any, session_id: str | None
    ) -> list[HookOutcome]:
        """Return the outcomes, in order. If a hook blocks, its outcome is the last."""
        fields = {"hook_event_name": event, "session_id": session_id, "cwd": str(folder)}
        fields |= {"tool_name": tool, "tool_input": tool_input} if tool is not None else {}
        payload = msgspec.json.encode({key: value for key, value in fields.items() if value is not None})
        outcomes: list[HookOutcome] = []
        for hook in hooks:
            files = _digests(hook, folder, tool, tool_input) if hook.event == CACHED_EVENT else None
            outcomes.append(self._run_hook(hook, folder, payload, files))
            if outcomes[-1].blocked:
                break
        return outcomes

    def _run_hook(self, hook: Hook, folder: Path, payload: bytes, files: Sequence[str] | None) -> HookOutcome:
        """Run a hook, or return its recent outcome for equal input and digests; without digests, always run it."""
        if files is None:
            return _start_and_wait(hook, folder, payload)
        key = xxhash.xxh3_128_hexdigest(msgspec.json.encode([hook.command, str(folder), files]) + payload)
        now = self._clock()
        with self._lock:
            cached = self._cache.get(key)
        if cached is not None and 0 <= now - cached[0] < CACHED_MS:
            return replace(cached[1], cached=True)
        outcome = _start_and_wait(hook, folder, payload)
        if outcome.code is not None:
            with self._lock:
                self._cache.pop(key, None)
                self._cache[key] = (self._clock(), outcome)
                if len(self._cache) > MAX_CACHED:
                    del self._cache[next(iter(self._cache))]  # the oldest outcome
        return outcome


def _start_and_wait(hook: Hook, folder: Path, payload: bytes) -> HookOutcome:
    environ = {**os.environ, "CLAUDE_PROJECT_DIR": str(folder)}
    with tempfile.TemporaryFile() as input, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as error:
        input.write(payload)
        input.seek(0)
        # Commands are written for a shell. The caller runs only hooks that the user allowed.
        process = subprocess.Popen(
            ["/bin/sh", "-c", hook.command],
            cwd=folder,
            env=environ,
            stdin=input,
            stdout=output,
            stderr=error,
            start_new_session=True,
        )
        try:
            code: int | None = process.wait(hook.timeout)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        return HookOutcome(hook, code, _read_output(output), _read_output(error))


def _read_output(file: Any) -> str:
    file.seek(0)
    return str(file.read(MAX_STREAM_BYTES).decode("utf-8", "replace"))


def _digests(hook: Hook, folder: Path, tool: str | None, tool_input: Any) -> list[str]:
    """Return the digests of what the outcome may depend on: the hook's script and the files that the input names."""
    script, _ = script_of(hook.command, folder, Path.home())
    paths: list[str | Path] = [*read_use(tool or "", tool_input).paths]
    if isinstance(script, Path):
        paths.append(script)
    digests: list[str] = []
    for name in paths:
        try:
            with open(folder / name, "rb") as file:
                digests.append(xxhash.xxh3_128_hexdigest(file.read(_MAX_HASHED_FILE_BYTES)))
        except (OSError, ValueError):
            digests.append("-")
    return digests


def _decode_output(output: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(output, type=dict[str, Any])
    except (msgspec.MsgspecError, RecursionError):
        return {}


def _denies(output: str) -> bool:
    answer = _decode_output(output)
    inner = answer.get("hookSpecificOutput")
    denied = isinstance(inner, dict) and inner.get("permissionDecision") == "deny"
    return denied or answer.get("decision") == "block" or answer.get("continue") is False

"""Ask a program that the user already has: an agent's command line, or any other that answers on stdout.

The question goes to stdin, so that it is neither read by a shell nor in an argument list. The program runs in an empty
folder, with our own hooks silenced, in a process group that is killed at the time-out. Agents replace `@path` by a
file's content; an invisible character after each `@` prevents that.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

from sidecar.models.chat import MAX_ANSWER_CHARS, ModelAnswer, ModelFailed
from sidecar.models.presets import preset_of
from sidecar.models.quiet import QUIET_VARIABLE
from sidecar.text.tokens import estimate

# An agent takes several seconds only to start.
_MIN_QUESTION_SECONDS: Final = 120.0
_WORD_JOINER: Final = "\u2060"


class CommandModel:
    """A program that answers one question at a time. Thread-safe."""

    def __init__(self, command: str, timeout: float) -> None:
        self._preset = preset_of(command)
        self._command = self._preset.arguments
        self._timeout = max(timeout, _MIN_QUESTION_SECONDS)
        self._lock = threading.Lock()
        self._running: subprocess.Popen[bytes] | None = None
        self._closed = False

    def ask(self, instructions: str, text: str, max_tokens: int) -> ModelAnswer:
        """Answer `text` under `instructions`. Raises `ModelFailed`. Blocks, so never call it for a request."""
        question = f"{instructions}\n\n{text}\n".replace("@", f"@{_WORD_JOINER}")
        with tempfile.TemporaryDirectory(prefix="memory-sidecar-ask-", ignore_cleanup_errors=True) as folder:
            for name, content in self._preset.files.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True)
                path.write_text(content, "utf-8")
            process = self._start(folder)
            try:
                out, _ = process.communicate(question.encode("utf-8", "replace"), timeout=self._timeout)
            except subprocess.TimeoutExpired:
                raise ModelFailed(f"{self._command[0]} gave no answer in {self._timeout:.0f} s.") from None
            except (OSError, ValueError) as error:
                raise ModelFailed(f"{self._command[0]} could not be queried ({type(error).__name__}).") from None
            finally:
                _kill(process)
                with self._lock:
                    self._running = None
        if process.returncode:
            raise ModelFailed(f"{self._command[0]} ended with status {process.returncode}.")
        answer = out.decode("utf-8", "replace").replace(_WORD_JOINER, "").strip()
        if not answer or len(answer) > MAX_ANSWER_CHARS:
            raise ModelFailed(f"{self._command[0]} wrote {'nothing' if not answer else 'far too much'}.")
        return ModelAnswer(answer, self._preset.adds + estimate(question) + estimate(answer))

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._running is not None:
                _kill(self._running)

    def _start(self, folder: str) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._closed:
                raise ModelFailed("The model is closed.")
            try:
                self._running = subprocess.Popen(
                    self._command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    cwd=folder,
                    env={**os.environ, **self._preset.environment, QUIET_VARIABLE: "1"},
                    start_new_session=True,
                )
            except OSError as error:
                name = self._command[0] if self._command else "models.command"
                raise ModelFailed(f"{name} cannot be run: {error.strerror}.", lasting=True) from None
            return self._running


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(OSError, subprocess.TimeoutExpired):
        process.wait(5)

"""Check, detach and end other processes; limit this process."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import subprocess

if sys.platform == "win32":
    _SYNCHRONIZE = 0x0010_0000
    _WAIT_TIMEOUT = 0x102
    _BELOW_NORMAL = 0x4000
    DETACHED = 0x0208  # CREATE_NEW_PROCESS_GROUP | DETACHED_PROCESS

    def is_alive(process_id: int) -> bool:
        import _winapi

        try:
            handle = _winapi.OpenProcess(_SYNCHRONIZE, False, process_id)
        except (PermissionError, OverflowError):
            return True
        except OSError:
            return False
        try:
            return _winapi.WaitForSingleObject(handle, 0) == _WAIT_TIMEOUT
        finally:
            _winapi.CloseHandle(handle)

    def host_name() -> str:
        return os.environ.get("COMPUTERNAME", "")

    def kill(process_id: int) -> None:
        import signal

        os.kill(process_id, signal.SIGTERM)  # TerminateProcess

    def kill_with_children(process: subprocess.Popen[bytes]) -> None:
        import subprocess

        command = ["taskkill", "/PID", str(process.pid), "/T", "/F"]
        subprocess.run(command, capture_output=True, check=False, timeout=5)
        process.kill()

    def lower_priority() -> None:
        import ctypes

        ctypes.windll.kernel32.SetPriorityClass(ctypes.windll.kernel32.GetCurrentProcess(), _BELOW_NORMAL)

    def limit(what: Literal["AS", "CPU"], maximum: int) -> None:
        """Do nothing: Windows limits only jobs."""

else:
    DETACHED = 0
    """The `creationflags`, beside `start_new_session=True`, of a process that outlives its parent's terminal."""

    def is_alive(process_id: int) -> bool:
        """Return whether a process with this id exists, regardless of its owner."""
        try:
            os.kill(process_id, 0)
        except ProcessLookupError:
            return False
        except (PermissionError, OverflowError):
            return True
        return True

    def host_name() -> str:
        return os.uname().nodename

    def kill(process_id: int) -> None:
        """End a process without warning. Raises OSError."""
        import signal

        os.kill(process_id, signal.SIGKILL)

    def kill_with_children(process: subprocess.Popen[bytes]) -> None:
        """Kill a process that was started with `start_new_session=True`, and its children. Raises OSError."""
        import signal

        os.killpg(process.pid, signal.SIGKILL)

    def lower_priority() -> None:
        """Give other processes priority. Raises OSError."""
        os.nice(10)

    def limit(what: Literal["AS", "CPU"], maximum: int) -> None:
        """Limit our address space (bytes) or processor time (seconds), if the system allows that."""
        import resource

        with suppress(OSError, ValueError):
            kind = resource.RLIMIT_AS if what == "AS" else resource.RLIMIT_CPU
            resource.setrlimit(kind, (maximum, resource.getrlimit(kind)[1]))

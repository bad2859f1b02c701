"""A private PostgreSQL server, started from the installed programs."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any, Final

from sidecar.runtime.errors import StoreUnavailable

START_SECONDS: Final = 60.0  # within which the server must answer
_INSTALL_FOLDERS = ("/usr/lib/postgresql", "/usr/pgsql", "/opt/homebrew/opt/postgresql", "/usr/local/opt/postgresql")


def programs() -> Path | None:
    """Return the folder of the newest `initdb` and `postgres`; None if PostgreSQL is not installed."""
    initdb = shutil.which("initdb")
    if initdb is not None and shutil.which("postgres") is not None:
        return Path(initdb).resolve().parent
    folders: list[Path] = []
    for place in map(Path, _INSTALL_FOLDERS):
        folders += [*place.parent.glob(f"{place.name}*/bin"), *place.parent.glob(f"{place.name}*/*/bin")]
    usable = [folder for folder in folders if (folder / "initdb").exists() and (folder / "postgres").exists()]
    return max(
        usable,
        key=lambda folder: [int(part) for part in folder.parent.name.split(".") if part.isdigit()] or [0],
        default=None,
    )


class LocalServer:
    """One server in `folder`, reached by a Unix socket there, and on 127.0.0.1 if it has a `port`.

    Its only user is `owner`; whoever may enter the folder may connect. PostgreSQL refuses to run as root, so root
    starts it as another user.
    """

    owner = "memory"

    def __init__(self, folder: Path, port: int | None = None, *, settings: tuple[str, ...] = ()) -> None:
        binaries = programs()
        if binaries is None:
            raise StoreUnavailable(
                "PostgreSQL is not installed here.",
                reason="postgresql",
                hint="Install it (apt install postgresql, brew install postgresql), or use a server elsewhere.",
            )
        self.programs = binaries
        self.folder = folder
        self.port = port
        self._settings = settings
        self._user = _server_user() if os.geteuid() == 0 else None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"postgresql://{self.owner}@/postgres?host={self.folder}&port={self.port or 5432}"

    def make(self) -> None:
        """Create the server's files. Raises `StoreUnavailable`."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if self._user is not None:
            os.chown(self.folder, self._user.pw_uid, self._user.pw_gid)
        done = self._run("initdb", "-D", str(self._data), "-U", self.owner, "-A", "trust", "-N", "-E", "UTF8")
        if done.returncode != 0:
            raise StoreUnavailable(f"initdb failed: {done.stderr.decode(errors='replace').strip()[-300:]}")

    def start(self) -> None:
        """Start the server and wait until it answers. Raises `StoreUnavailable`.

        After a kill the system may take a moment to free what the killed processes shared, so the start is retried.
        """
        options = [f"unix_socket_directories={self.folder}", f"port={self.port or 5432}", "fsync=off"]
        options.append(f"listen_addresses={'127.0.0.1' if self.port is not None else ''}")
        command = [str(self.programs / "postgres"), "-D", str(self._data)]
        for option in (*options, *self._settings):
            command += ["-c", option]
        until = time.monotonic() + START_SECONDS
        while not self._answers():
            if time.monotonic() > until:
                self.stop()
                raise StoreUnavailable(f"PostgreSQL does not start; {self.folder / 'server.log'} says why.")
            if self._process is None or self._process.poll() is not None:
                self._process = self._spawn(command)
            time.sleep(0.05)

    def stop(self) -> None:
        """Stop the server at once, cleanly. Idempotent."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(30)
            except subprocess.TimeoutExpired:
                self.kill()
            self._process = None

    def kill(self) -> None:
        """End all of the server's processes without warning, like a machine that loses power."""
        if self._process is not None:
            children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
            ended = [self._process.pid, *(map(int, children.read_text().split()) if children.exists() else ())]
            for pid in ended:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def _answers(self) -> bool:
        return self._run("pg_isready", "-h", str(self.folder), "-p", str(self.port or 5432)).returncode == 0

    def _spawn(self, command: list[str]) -> subprocess.Popen[bytes]:
        with open(self.folder / "server.log", "ab") as log:
            return subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, **self._as_user()
            )

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    def _run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [str(self.programs / program), *arguments], capture_output=True, check=False, **self._as_user()
        )

    def _as_user(self) -> dict[str, Any]:
        user = self._user
        return {"cwd": "/"} if user is None else {"cwd": "/", "user": user.pw_uid, "group": user.pw_gid}


def _server_user() -> pwd.struct_passwd:
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise StoreUnavailable("PostgreSQL does not run as root, and there is no user postgres or nobody.")

"""Run git on a repository's objects, references and index, without the repository's configuration.

A repository is untrusted, and its configuration can name programs in many ways. So each run gets a temporary git
directory: links to git's data, and a configuration of ours without hooks, grafts, replacements or remotes. The
configuration of the user and of the machine is left out, and so is every `GIT_*` variable.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

from sidecar.checkout.gitconfig import read_config
from sidecar.checkout.repository import Repository, find_repository
from sidecar.system.files import owns
from sidecar.system.processes import is_alive

log = logging.getLogger(__name__)

MAX_OUTPUT_BYTES = 64_000_000
_READ_COMMANDS = frozenset({"cat-file", "check-attr", "diff-tree", "ls-files", "rev-list"})
_COMMON_DATA = ("objects", "refs", "packed-refs", "shallow", "reftable", "logs/refs", "info/attributes")
_WORKTREE_DATA = ("index", "sharedindex.*")
_FOLDER_PREFIX = "memory-sidecar-git-"
# A temporary git directory of this age is removed.
_ABANDONED_SECONDS = 3_600.0
_KNOWN_FORMATS = {"extensions.objectformat": ("sha1", "sha256"), "extensions.refstorage": ("files", "reftable")}


def git_output(
    folder: Path,
    arguments: Sequence[str],
    stdin: bytes = b"",
    *,
    max_bytes: int = MAX_OUTPUT_BYTES,
    timeout: float = 10.0,
) -> bytes | None:
    """Return the output of git in `folder`; None on failure, or beyond `timeout` (seconds) or `max_bytes`."""
    if arguments[0] not in _READ_COMMANDS:
        raise ValueError(f"git {arguments[0]} is not among the commands that only read")
    if len(stdin) > 32_768:
        raise ValueError("a pipe takes at most 32 KiB before git reads")
    # A relative entry of PATH could name a folder of the repository.
    path = os.pathsep.join(directory for directory in os.get_exec_path() if os.path.isabs(directory))
    program, repository = shutil.which("git", path=path), find_repository(Path(os.path.realpath(folder)))
    if program is None or repository is None:
        return None
    try:
        with TemporaryDirectory(prefix=f"{_FOLDER_PREFIX}{os.getpid()}-", ignore_cleanup_errors=True) as git_dir:
            _make_git_dir(Path(git_dir), repository)
            command = [program, "--no-pager", "--literal-pathspecs", *arguments]
            return output_of(command, folder, _environment(git_dir, repository), stdin, max_bytes, timeout)
    except (OSError, ValueError) as error:
        log.info("Git %s failed: %s.", arguments[0], type(error).__name__)
        return None


def is_tracked(folder: Path, path: str) -> bool:
    """Return whether git tracks `path`, relative to `folder`, or a file below it."""
    return bool(find_repository(folder) and git_output(folder, ["ls-files", "-z", "--", path]))


def remove_abandoned(folder: Path | None = None) -> None:
    """Remove the temporary git directories of killed processes, by default from the system's temporary folder."""
    for path in (folder or Path(gettempdir())).glob(f"{_FOLDER_PREFIX}*"):
        number = path.name.removeprefix(_FOLDER_PREFIX).partition("-")[0]
        with contextlib.suppress(OSError):
            status = path.lstat()
            old = time.time() - status.st_mtime > _ABANDONED_SECONDS  # processes of other containers are invisible
            if old and owns(status) and not (number.isdecimal() and is_alive(int(number))):
                shutil.rmtree(path, ignore_errors=True)  # follows none of its links


def output_of(
    command: Sequence[str], folder: Path, environ: Mapping[str, str], stdin: bytes, max_bytes: int, timeout: float
) -> bytes | None:
    import subprocess  # imported here so that a hook without git starts faster

    process = subprocess.Popen(
        command, cwd=folder, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    stop = threading.Timer(timeout, process.kill)
    stop.start()
    try:
        with process:
            if process.stdin is None or process.stdout is None:
                raise OSError("git has no pipes")
            process.stdin.write(stdin)
            process.stdin.close()
            answer = process.stdout.read(max_bytes + 1)
            if len(answer) > max_bytes:
                process.kill()
    finally:
        stop.cancel()
    return answer if process.returncode == 0 and len(answer) <= max_bytes else None


def _make_git_dir(git_dir: Path, repository: Repository) -> None:
    """Fill a temporary git directory with links to git's data, a copy of HEAD, and our configuration."""
    head = repository.git_dir / "HEAD"
    if not head.is_file():
        raise FileNotFoundError(head)
    with head.open("rb") as file:
        (git_dir / "HEAD").write_bytes(file.read(1_000))
    data = {name: repository.common_dir / name for name in _COMMON_DATA}
    data |= {path.name: path for pattern in _WORKTREE_DATA for path in repository.git_dir.glob(pattern)}
    data["logs/HEAD"] = repository.git_dir / "logs" / "HEAD"  # each worktree has its own
    for folder in {os.path.dirname(name) for name in data}:
        (git_dir / folder).mkdir(exist_ok=True)
    for name, source in data.items():
        if source.exists():
            (git_dir / name).symlink_to(source)
    formats = {
        key.removeprefix("extensions."): value
        for key, value in read_config(repository.common_dir / "config")
        if value in _KNOWN_FORMATS.get(key, ())
    }
    text = f"[core]\nrepositoryFormatVersion = {int(bool(formats))}\nmultiPackIndex = false\n"
    text += f"bare = {str(_is_bare(repository)).lower()}\n[extensions]\n"
    text += "".join(f"{name} = {value}\n" for name, value in formats.items())
    (git_dir / "config").write_text(text, encoding="utf-8")


def _is_bare(repository: Repository) -> bool:
    return repository.top == repository.git_dir


def _environment(git_dir: str, repository: Repository) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    own = {
        "GIT_DIR": git_dir,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "HOME": git_dir,  # old versions of git do not know GIT_CONFIG_GLOBAL
        "XDG_CONFIG_HOME": git_dir,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }
    return inherited | own | ({} if _is_bare(repository) else {"GIT_WORK_TREE": str(repository.top)})

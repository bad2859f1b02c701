"""Decide which entries of a workspace are ignored, by git's rules, the user's settings and built-in lists.

The first of these sources that matches an entry decides:

1. the built-in lists of `ignored.txt`, and any folder with a `pyvenv.cfg` (a virtual environment);
2. the patterns in the user's settings;
3. the `.gitignore` of the entry's own folder, then of each folder above up to the top of the repository;
4. the repository's `info/exclude`;
5. `core.excludesFile`, by default `~/.config/git/ignore`.

Unlike in git, a rule also ignores tracked files, a `.gitignore` counts without a repository, and rules above a
workspace do not count if they ignore the whole workspace.
"""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from sidecar.checkout.gitconfig import read_user_config
from sidecar.checkout.gitignore import IgnoreRules
from sidecar.checkout.repository import Repository, find_repository, git_dir_of

log = logging.getLogger(__name__)

MAX_RULE_FILE_BYTES = 1_000_000

IgnoreReason = Literal["junk", "generated", "secret", "rule"]

_LIST_LINES = Path(__file__).with_name("ignored.txt").read_text("utf-8").splitlines()
_PATTERN_LISTS = {kind: tuple(names.split()) for kind, _, names in (line.partition(": ") for line in _LIST_LINES)}
# Folders of version control, dependencies and caches; leftovers of editors and systems.
JUNK = _PATTERN_LISTS["junk"]
# Files that tools write, such as lock files, bundles and source maps.
GENERATED = _PATTERN_LISTS["generated"]
# Files whose content must reach no memory and no model.
SECRET = _PATTERN_LISTS["secret"]
# Extensions of files that a walk skips unopened; a request for such a file is judged by its content.
_BINARY_SUFFIXES = frozenset(_PATTERN_LISTS["binary"])


class RuleSource(NamedTuple):
    """The rules of one source, such as a `.gitignore`.

    They are matched against `prefix` + the workspace-relative path without its first `skip` characters.
    """

    rules: IgnoreRules
    prefix: str
    skip: int


RuleChain = tuple[RuleSource, ...]


@cache
def _built_in(*kinds: str) -> IgnoreRules:
    return IgnoreRules([pattern for kind in kinds for pattern in _PATTERN_LISTS[kind]])


def _built_in_reason(path: str, name: str, is_directory: bool) -> IgnoreReason | None:
    if not _built_in("junk", "generated", "secret").match(path, name, is_directory):
        return None  # so most names cost one match
    if _built_in("junk").match(path, name, is_directory):
        return "junk"
    if is_directory:
        return None
    return "secret" if _built_in("secret").match(path, name, False) else "generated"


class Ignores:
    """The ignore rules of one workspace. It follows changed ignore files; changed git settings need `invalidate`."""

    def __init__(self, root: Path, extra: Sequence[str] = ()) -> None:
        self._root = os.fspath(root)
        self.extra = IgnoreRules(extra)
        self._parsed: dict[str, tuple[tuple[int, ...], IgnoreRules]] = {}
        self.invalidate()

    def invalidate(self) -> None:
        """Forget the parsed files, and read git's configuration again."""
        self._parsed = {}
        self._repository = find_repository(Path(self._root))
        self._ignore_case, self._excludes = _git_settings(self._repository)

    def root_rules(self) -> RuleChain:
        """Return the rules for entries of the workspace's own folder."""
        repository = self._repository
        if repository is None:
            return self.folder_rules(self._source_chain((self._excludes,), ""), "")
        return self.folder_rules(self._outer_rules(repository), "")

    def folder_rules(self, chain: RuleChain, directory: str) -> RuleChain:
        """Return the rules for entries of `directory` ("" for the root), whose parent has the rules `chain`."""
        file = f"{self._root}/{directory}/.gitignore" if directory else f"{self._root}/.gitignore"
        rules = self._load(file)
        return (RuleSource(rules, "", len(directory) + 1 if directory else 0), *chain) if rules else chain

    def repository_rules(self, directory: str) -> RuleChain:
        """Return the rules for entries of `directory`, which is the top of a nested repository."""
        sources = (os.path.join(self._root, directory, ".git", "info", "exclude"), self._excludes)
        git_dir = git_dir_of(Path(self._root, directory))
        if git_dir is not None:
            sources = (str(git_dir / "info" / "exclude"), self._excludes)
        return self.folder_rules(self._source_chain(sources, "", len(directory) + 1), directory)

    def decide(self, chain: RuleChain, path: str, name: str, is_directory: bool) -> IgnoreReason | None:
        """Return why an entry in a folder with the rules `chain` is ignored; None if it is not."""
        if (reason := _built_in_reason(path, name, is_directory)) is not None:
            return reason
        if self.extra:
            decided = self.extra.match(path, name, is_directory)
            if decided is not None:
                return "rule" if decided else None
        for rules, prefix, skip in chain:
            decided = rules.match(prefix + path[skip:], name, is_directory)
            if decided is not None:
                return "rule" if decided else None
        return None

    def reason(self, path: str, *, is_directory: bool | None = None) -> IgnoreReason | None:
        """Return why a path or a folder above it is ignored. For many paths, `IgnoreReasons` is faster."""
        return IgnoreReasons(self).reason(path, is_directory=is_directory)

    def rules_inside(self, chain: RuleChain, directory: str) -> RuleChain | IgnoreReason:
        """Return the rules for entries of `directory`, given its parent's rules, or why `directory` is ignored."""
        reason = self.decide(chain, directory, directory.rsplit("/", 1)[-1], True)
        if reason is not None:
            return reason
        if self.is_virtual_environment(directory):
            return "junk"
        return self.repository_rules(directory) if self.is_nested(directory) else self.folder_rules(chain, directory)

    def is_folder(self, path: str) -> bool:
        try:
            return stat.S_ISDIR(os.lstat(f"{self._root}/{path}").st_mode)
        except (OSError, ValueError):
            return False

    def is_nested(self, directory: str) -> bool:
        """Return whether `directory` is the top of a nested repository, such as a submodule."""
        marker = f"{self._root}/{directory}/.git"
        return os.path.lexists(marker) and git_dir_of(Path(self._root, directory)) is not None

    def is_virtual_environment(self, directory: str) -> bool:
        return os.path.lexists(f"{self._root}/{directory}/pyvenv.cfg")

    def _outer_rules(self, repository: Repository) -> RuleChain:
        """Return the rules of files above the workspace, or none if they ignore the workspace itself."""
        top = str(repository.top)
        inner = os.path.relpath(self._root, top).replace(os.sep, "/")
        inner = "" if inner == "." else inner
        sources = (str(repository.common_dir / "info" / "exclude"), self._excludes)
        chain = self._source_chain(sources, f"{inner}/" if inner else "")
        parts = inner.split("/") if inner else []
        for depth in range(len(parts)):
            folder = "/".join(parts[:depth])
            rules = self._load(os.path.join(top, folder, ".gitignore"))
            if rules:
                rest = "/".join(parts[depth:])
                chain = (RuleSource(rules, f"{rest}/", 0), *chain)
            # Check whether the rules so far ignore the next folder on the way down to the workspace.
            ancestor = "/".join(parts[: depth + 1])
            for source_rules, prefix, _ in chain:
                relative = ancestor[len(inner) + 1 - len(prefix) :] if prefix else ancestor
                decided = source_rules.match(relative, parts[depth], True)
                if decided:
                    return ()
                if decided is not None:
                    break
        return chain

    def _source_chain(self, files: Sequence[str | None], prefix: str, skip: int = 0) -> RuleChain:
        loaded = [self._load(file) for file in files if file is not None]
        return tuple(RuleSource(rules, prefix, skip) for rules in loaded if rules)

    def _load(self, file: str) -> IgnoreRules | None:
        try:
            status = os.lstat(file)
            # Like git, follow no symlink; a FIFO would block.
            if not stat.S_ISREG(status.st_mode) and not (file == self._excludes and os.path.isfile(file)):
                return None
            signature = (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)
            cached = self._parsed.get(file)
            if cached is not None and cached[0] == signature:
                return cached[1]
            with open(file, "rb") as stream:
                text = stream.read(MAX_RULE_FILE_BYTES).decode("utf-8", "surrogateescape")
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            log.info("Ignore rules in %s cannot be read: %s.", file, error)
            return None
        rules = IgnoreRules(text.removeprefix("\ufeff").split("\n"), ignore_case=self._ignore_case)
        self._parsed[file] = (signature, rules)
        return rules


class IgnoreReasons:
    """Why many paths are ignored at one moment; each folder's rules are looked up once. Not thread-safe."""

    def __init__(self, ignores: Ignores) -> None:
        self._ignores = ignores
        self._inside: dict[str, RuleChain | IgnoreReason] = {}

    def reason(self, path: str, *, is_directory: bool | None = None) -> IgnoreReason | None:
        if path in ("", "."):
            return None
        directory, _, name = path.rpartition("/")
        rules = self._rules(directory)
        if isinstance(rules, str):
            return rules
        if is_directory is None:
            is_directory = self._ignores.is_folder(path)
        reason = self._ignores.decide(rules, path, name, is_directory)
        if reason is None and is_directory and self._ignores.is_virtual_environment(path):
            return "junk"
        return reason

    def _rules(self, directory: str) -> RuleChain | IgnoreReason:
        """Return the rules for entries of a folder, or why the folder or one above it is ignored."""
        rules = self._inside.get(directory)
        if rules is None:
            if not directory:
                rules = self._ignores.root_rules()
            else:
                rules = self._rules(directory.rpartition("/")[0])
                if not isinstance(rules, str):
                    rules = self._ignores.rules_inside(rules, directory)
            self._inside[directory] = rules
        return rules


def _git_settings(repository: Repository | None) -> tuple[bool, str | None]:
    """Return git's `core.ignoreCase` and the path of its global exclude file, as git-config(1) describes them."""
    values = read_user_config(
        {"HOME": os.path.expanduser("~"), **os.environ},
        None if repository is None else repository.common_dir / "config",
    )
    ignore_case = values.get("core.ignorecase", "").lower() in ("true", "yes", "on", "1")
    excludes = values.get("core.excludesfile")
    if excludes is None:
        config = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
        return ignore_case, os.path.join(config, "git", "ignore")
    path = os.path.expanduser(excludes)
    # Ignore a relative path, whose meaning depends on the folder in which git runs.
    return ignore_case, path if os.path.isabs(path) else None


def is_binary_name(name: str) -> bool:
    dot = name.rfind(".")
    return dot > 0 and name[dot:].lower() in _BINARY_SUFFIXES

"""Find the sessions on this machine that worked in a workspace or in another checkout of it."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from sidecar.checkout.git import git_output
from sidecar.checkout.identity import Identity, identify
from sidecar.checkout.repository import find_repository
from sidecar.transcripts.event import AgentHome, SessionTranscript
from sidecar.transcripts.formats import FORMATS, IN_PROJECT, format_of


class ReadingProblem(NamedTuple):
    agent: str
    reason: str


class FoundSessions(NamedTuple):
    """The sessions of a workspace."""

    here: list[SessionTranscript]  # oldest first
    elsewhere: Counter[str]  # the number of sessions in each other folder
    problems: list[ReadingProblem]


def discover(
    checkouts: Checkouts, home: Path, environ: Mapping[str, str], agents: Collection[str] = ()
) -> FoundSessions:
    """Find sessions of the named agents, or of all; files that git tracks are read only for a named agent."""
    agent_home = AgentHome(home, environ, checkouts.roots)
    by_id: dict[str, SessionTranscript] = {}
    elsewhere: Counter[str] = Counter()
    problems: list[ReadingProblem] = []
    for agent in FORMATS:
        if agents and agent not in agents:
            continue
        for transcript in _sessions(agent, agent_home, problems, with_tracked=agent in agents):
            if not checkouts.contains(transcript.folder):
                elsewhere[transcript.folder] += 1
            else:
                by_id.setdefault(transcript.session_id, transcript)
    return FoundSessions(sorted(by_id.values(), key=lambda transcript: transcript.started_at), elsewhere, problems)


def _sessions(
    agent: str, home: AgentHome, problems: list[ReadingProblem], *, with_tracked: bool
) -> Iterator[SessionTranscript]:
    reader = format_of(agent)
    try:
        files = reader.files(home)
    except OSError as error:
        problems.append(ReadingProblem(agent, str(error)))
        return
    if agent in IN_PROJECT and not with_tracked and (tracked := _tracked_files(files)):
        reason = f"{len(tracked)} in the repository may be other people's; name the agent to read them"
        problems.append(ReadingProblem(agent, reason))
        files = [path for path in files if path not in tracked]
    for path in files:
        try:
            for transcript in reader.sessions(path, home):
                yield transcript._replace(agent=agent)
        except OSError as error:
            problems.append(ReadingProblem(agent, str(error)))


def _tracked_files(files: list[Path]) -> set[Path]:
    """Return the files that their repository tracks. Where git fails, return all files of the folder."""
    tracked: set[Path] = set()
    for folder in {path.parent for path in files}:
        if find_repository(folder) is not None:
            listing = git_output(folder, ["ls-files", "-z", "--", "."])
            in_folder = {path for path in files if path.parent == folder}
            names = None if listing is None else set(os.fsdecode(listing).split("\0"))
            tracked |= {path for path in in_folder if names is None or path.name in names}
    return tracked


class Checkouts:
    """The checkouts of a workspace: its folder, its worktrees, and other clones that sessions name."""

    def __init__(self, workspace: Path, data_home: Path) -> None:
        self._identity, self._data_home = identify(workspace, data_home), data_home
        self._known: dict[str, bool] = {}
        self.roots = tuple(_roots(self._identity))

    def contains(self, folder: str) -> bool:
        if folder not in self._known:
            root = self.root(folder) if "\0" not in folder and Path(folder).is_absolute() else None
            self._known[folder] = root is not None and identify(root, self._data_home).id == self._identity.id
        return self._known[folder]

    def root(self, folder: str) -> Path | None:
        real = Path(os.path.realpath(folder))
        repository = find_repository(real)
        root = self._identity.folder if repository is None else repository.top / self._identity.inner
        return root if real.is_relative_to(root) else None


def _roots(identity: Identity) -> list[Path]:
    repository = find_repository(identity.folder)
    if repository is None:
        return [identity.folder]
    tops = [repository.top, repository.main_top]
    for pointer in sorted(repository.common_dir.glob("worktrees/*/gitdir")):
        with contextlib.suppress(OSError, UnicodeDecodeError):
            tops.append(Path(pointer.read_text(encoding="utf-8").strip()).parent)
    return list(dict.fromkeys(top / identity.inner for top in tops))

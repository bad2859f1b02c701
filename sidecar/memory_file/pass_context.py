"""What the pass over MEMORY.md (`file_pass.py`) and the pass over its directory form (`pages_pass.py`) share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from sidecar.checkout import repository
from sidecar.checkout.git import is_tracked
from sidecar.checkout.hand_edits import GitBusy, GitTrace, hand_edited_paths
from sidecar.memories.book import MemoryBook
from sidecar.memory_file import disk
from sidecar.memory_file.caches import PageCache, ShowableIndex
from sidecar.memory_file.carrying_out import LEFT_REASON, Authorship, PlanOutcome, Ref
from sidecar.memory_file.form import FileForm, RepositoryTrust
from sidecar.memory_file.state import WrittenState, state_time
from sidecar.memory_file.text.layout import FileLimits
from sidecar.memory_file.text.plan import EntryDigests
from sidecar.runtime.clock import Clock
from sidecar.store.memory_store import MemoryStore

# This many entries may always vanish at once; of more entries, one in `VANISHED_SHARE`.
MAX_VANISHED = 3
VANISHED_SHARE = 3
VANISHED_MESSAGE = (
    "{count} entries vanished from {path} at once, so nothing was changed. Run `memory-sidecar file archive` if "
    "you removed them on purpose, or `memory-sidecar file bring-back` to write them again."
)
CONFLICT_MESSAGE = "{} has conflict markers of git; it is left alone until they are resolved"
# What to do about entries that vanished at once.
VanishedDecision = Literal["archive", "bringBack"]


def count_vanished(removed: int, before: int, *, cut: bool = False) -> int:
    """Return the number of vanished entries if it is large enough to need the user's confirmation; otherwise 0.

    An entry that was `cut` short counts as vanished.
    """
    count = removed + cut
    return count if (count > MAX_VANISHED and count * VANISHED_SHARE > before) or (cut and removed) else 0


@dataclass(frozen=True)
class PassResult:
    """The result of a pass."""

    settled: bool  # file and store agreed
    problems: tuple[str, ...] = ()
    unread: bool = False  # the file was not even read
    vanished: int = 0  # if not 0, nothing was done because this many entries vanished at once


@dataclass(eq=False)
class PassContext:
    """What the passes over one file or directory use."""

    form: FileForm
    store: MemoryStore
    book: MemoryBook
    clock: Clock
    limits: FileLimits
    trust: RepositoryTrust

    def __post_init__(self) -> None:
        self.showable = ShowableIndex(self.limits)
        self.pages = PageCache()

    def merge_base(self, state: WrittenState | None) -> dict[str, EntryDigests]:
        """Return the entries last written, but not those archived because another checkout's file lacks them."""
        before = state.entries if state else {}
        records = self.store.get_many(before)
        left = ("archived", LEFT_REASON)
        left_behind = {id for id, record in records.items() if (record.status, record.archived_for) == left}
        return {id: entry for id, entry in before.items() if id not in left_behind}

    def authorship(self, state: WrittenState | None, typed: Callable[[Ref], bool]) -> Authorship[Ref]:
        disputed, refused = (state.disputed, state.refused) if state is not None else ({}, ())
        return Authorship(typed, self.trust.on, disputed, refused)

    def typed_by_hand(self, before: GitTrace | None, now: GitTrace, texts: Mapping[str, str | None]) -> set[str]:
        """Return the paths that somebody edited by hand. Raises `UnusableFile` while git may be at work."""
        try:
            return hand_edited_paths(self.form.root, before, now, texts)
        except GitBusy:
            name = Path(self.form.path).name
            raise disk.UnusableFile(f"git may be writing {name}; it will be read in a moment") from None

    def refuse_merge(self, name: str) -> None:
        """Raise `UnusableFile` if git is in the middle of a merge and tracks the file or folder `name`."""
        operation = repository.operation_in_progress(self.form.root)
        if operation is not None and is_tracked(self.form.root, self.form.path):
            raise disk.UnusableFile(f"git is in the middle of {operation}; {name} is left alone until that is done")

    def finish(
        self,
        state: WrittenState,
        outcome: PlanOutcome[Ref],
        repository_ids: set[str],
        write: Callable[[], bool] | None,
        before: WrittenState | None = None,
    ) -> PassResult:
        """End a pass: announce the new state, write the file and, if the state differs from `before`, save it.

        `write` returns False if somebody else wrote first; it is None if the file stays as it is.
        """
        disputed = {id: lines for id, lines in outcome.disputed.items() if id in repository_ids}
        state = replace(state, at=state_time(), disputed=disputed, refused=tuple(outcome.refused))
        if write is not None:
            self.form.states.announce(state)
            if not write():
                return PassResult(settled=False)
        if before is None or state != replace(before, at=state.at):
            self.form.states.save(state)
        return PassResult(write is None, problems=tuple(outcome.problems))

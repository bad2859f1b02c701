"""Check cheaply, for hooks and commands, whether the single file and the store are unchanged since the last pass."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec.structs import replace

from sidecar.checkout.hand_edits import GitTrace, git_trace, normalise_text
from sidecar.checkout.repository_key import digest
from sidecar.memory_file import disk
from sidecar.settings.model import MemoryFileSettings
from sidecar.store.file_store import FileStore


class SyncMark(msgspec.Struct, frozen=True, kw_only=True):
    """What a pass left."""

    digest: str = ""  # of the file's text
    seq: int = -1  # of the store
    trace: GitTrace | None = None  # git's state

    def holds(self, text: str, seq: int, now: GitTrace) -> bool:
        """Return whether file, store and git's state are unchanged; `now` lacks the contents of git's index."""
        same = self.trace is not None and replace(self.trace, index={}) == now
        return same and (self.digest, self.seq) == (digest(normalise_text(text)), seq)


_mark = msgspec.msgpack.Decoder(SyncMark)


def state_name(checkout: str, form: str) -> str:
    """Return the name under which the file store keeps one form's state in one checkout."""
    return f"memory-file:{checkout}:{form}"


def is_untouched(root: Path, settings: MemoryFileSettings, files: FileStore, checkout: str, seq: int) -> bool:
    """Return whether a pass would find nothing to do; `seq` is the memories'. Raises `StoreUnavailable`."""
    if settings.mode != "file":
        return settings.mode == "off"
    try:
        text = disk.read_text(disk.resolve_inside(root, settings.path))
    except disk.UnusableFile:
        return False
    stored = files.get_blob(state_name(checkout, settings.mode))
    if text is None or not stored:
        return text is None and not stored and seq == 0
    try:
        mark = _mark.decode(stored)
    except msgspec.DecodeError:
        return False
    return mark.holds(text, seq, git_trace(root))

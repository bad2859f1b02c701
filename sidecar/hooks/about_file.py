"""What an agent is told of a file that it is about to read or change, once a session for each of the two."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sidecar.hooks.front import Visit

LEAST_BYTES: Final = 2_000
"""Of a smaller file nothing is told when it is read: it is quicker read than told about."""


def about_file(visit: Visit) -> str:
    """The text; empty when there is nothing to say, or it was said. Opens the engine only where it may be needed."""
    from sidecar.learning.tools import read_use

    event = visit.event
    if not visit.settings.memory.inject_about_files or not event.tool_name:
        return ""
    use = read_use(event.tool_name, event.tool_input)
    if use.kind not in ("read", "edit") or len(use.paths) != 1:
        return ""
    edit = use.kind == "edit"
    try:
        path = Path(use.folder or event.cwd or visit.folder, use.paths[0]).resolve()
        found = path.stat()
    except (OSError, ValueError, RuntimeError):
        return ""  # it is to be made
    if not stat.S_ISREG(found.st_mode) or not path.is_relative_to(visit.folder):
        return ""
    least = 0 if edit else LEAST_BYTES
    if not least <= found.st_size <= visit.settings.files.max_file_bytes:
        return ""
    what = f"{'edit' if edit else 'read'} {path}"
    if visit.journal.was_told(what):
        return ""
    from sidecar.engine.handlers.file_notes import notes

    with visit.engine() as engine:
        text = notes(engine.call, str(path), edit=edit)
    return text if visit.journal.tell_once(what) else ""

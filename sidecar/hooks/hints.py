"""Texts that an agent is given once per session: notes on a file that it uses, and a question for the user."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Final

from protocol.method import answer_of
from sidecar.hooks.run import HookRun
from sidecar.text.own_blocks import ON_THE_USERS_WORD

# A smaller file is as short as notes on it.
MIN_FILE_BYTES: Final = 2_000
MAX_CANDIDATES_ASKED: Final = 3
CANDIDATES_MARK: Final = "candidates"
_ASK: Final = "Before you end, ask the user in one short question whether these hold beyond this task. "


def file_notes_text(run: HookRun) -> str:
    """Return the notes on the tool's file; "" if there are none, or the session was given them already."""
    from sidecar.learning.tools import read_use

    event = run.event
    if not run.settings.memory.inject_about_files or not event.tool_name:
        return ""
    use = read_use(event.tool_name, event.tool_input)
    if use.kind not in ("read", "edit") or len(use.paths) != 1:
        return ""
    edit = use.kind == "edit"
    try:
        path = Path(use.folder or event.cwd or run.folder, use.paths[0]).resolve()
        status = path.stat()
    except (OSError, ValueError, RuntimeError):
        return ""  # the file does not exist yet
    if not stat.S_ISREG(status.st_mode) or not path.is_relative_to(run.folder):
        return ""
    min_bytes = 0 if edit else MIN_FILE_BYTES
    if not min_bytes <= status.st_size <= run.settings.files.max_file_bytes:
        return ""
    mark = f"{'edit' if edit else 'read'} {path}"
    if run.journal.was_told(mark):
        return ""
    from sidecar.engine.handlers.file_notes import notes

    with run.peer_or_engine() as answerer:
        text = notes(answerer.call, str(path), edit=edit)
    return text if run.journal.record_told(mark) else ""


def question_about_candidates(run: HookRun) -> str:
    """Return the question about the session's candidates; "" without any, once it was asked, or if not allowed."""
    if run.settings.memory.ask != "stop" or not run.learns:
        return ""
    from protocol.candidates import CandidatesParams, CandidatesResult
    from sidecar.engine.handlers.boot_text import candidate_item
    from sidecar.text import fence

    if run.journal.was_told(CANDIDATES_MARK):
        return ""
    run.wait_until_learned()
    params = CandidatesParams(session_id=run.event.session_id, limit=MAX_CANDIDATES_ASKED)
    with run.peer_or_engine() as answerer:
        candidates = answer_of(CandidatesResult, answerer.call, "memory/candidates", params).items
    if not candidates or not run.journal.record_told(CANDIDATES_MARK):
        return ""
    return f"{_ASK}{ON_THE_USERS_WORD}\n" + fence.frame(
        "".join(f"{candidate_item(candidate).text}\n" for candidate in candidates)
    )

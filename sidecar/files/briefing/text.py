"""The full text of a briefing: the outline, with a model's summary and learned facts under the title.

`WorkspaceFiles.briefing` calls `tell`, which takes the outline from `render`.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from sidecar.files.briefing.render import render
from sidecar.files.clean_text import clean, shorten
from sidecar.store.records import ContentRecord
from sidecar.text.tokens import estimate

_BUDGET_SHARE = 2 / 3
"""Share of a budget that all text besides the outline may take."""

_FACT_CHARS = 300
_TEXT_CHARS = 4_000


def tell(
    record: ContentRecord,
    *,
    path: str,
    project_imports: Sequence[str],
    budget: int,
    described: str | None = None,
    facts: Sequence[str] = (),
) -> str:
    """Return the briefing of the file at `path`, within `budget` tokens.

    `described` is a model's text; it replaces the file's own first sentence. As many of `facts` are listed as fit, in
    order. The same arguments always give the same text.
    """
    if not described and not facts:
        return render(record, path=path, project_imports=project_imports, budget=budget)
    room = int(budget * _BUDGET_SHARE)
    lines = _described(described, room) if described else []
    bare = msgspec.structs.replace(record, doc=None) if lines else record
    listed = [f"- {clean(fact, _FACT_CHARS)}" for fact in facts]
    while listed and estimate("\n".join([*lines, "Learned:", *listed])) > room:
        listed.pop()
    while True:
        block = [*lines, *(["Learned:", *listed] if listed else [])]
        left = budget - estimate("\n".join(block)) - 2 if block else budget
        title, *rest = render(bare, path=path, project_imports=project_imports, budget=left).split("\n")
        text = "\n".join([title, *block, *rest])
        if estimate(text) <= budget or not block:
            return text
        if listed:
            listed.pop()
        else:
            lines, bare = [], record


def _described(text: str, room: int) -> list[str]:
    lines = [clean(line, _TEXT_CHARS) for line in text.split("\n") if line.strip()]
    whole = "\n".join(lines)
    most = len(whole)
    while lines and estimate("\n".join(lines)) > room:
        most = most * 3 // 4
        if most < 40:
            return []
        lines = shorten(whole, most).split("\n")
    return lines

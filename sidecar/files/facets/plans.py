"""Leaves out of a text what is announced as a plan or a report: the items under "Changes needed:", a section "Fix".

An item of such a list reads like a fact ("`save` writes to a temporary file") and tells what is to be
or what was done.
One pass over the lines.
"""

from __future__ import annotations

import re
from typing import Final

_HEADING: Final = re.compile(r"\s{0,3}#{1,6}\s+(.*)")
_ITEM: Final = re.compile(r"\s*(?:[-*+•–]|\(?(?:\d{1,3}|[a-zA-Z])[.)])\s+\S")
_BOLD: Final = re.compile(r"\s*\*\*([^*]{3,120})\*\*\s*:?\s*")
_MOST: Final = 240
"""Characters of a line that may announce a list; a longer one is a paragraph."""

_ANNOUNCES: Final = re.compile(
    r"\b(?:plans?|fix(?:es|ed)?|chang(?:e|es|ed|ing)|approach(?:es)?|options?|recommend\w*|propos\w+|suggest\w*"
    r"|next|steps?|need|needs|needed|should|would|could|will|want|wants|to-?dos?|tasks?|implement\w*|summary|done|did"
    r"|landed|updated|added|removed|renamed|moved|verif\w*|tests?|tested|results?|clean-?up|refactor\w*|migrat\w*"
    r"|reviews?|reviewed|findings?|issues?|problems?|concerns?|nits?|improvements?|going to|i'll|let me|let's|before"
    r"|after|was|were|decisions?|trade-?offs?|alternatives?|pros|cons|risks?|effort|questions?|scope|requirements?"
    r"|acceptance|deliverables?|checklist|status|progress|commits?|cases|solutions?|bug|root cause|conflicts?)\b"
)


def without_plans(text: str) -> str:
    """The text with the lines of such lists and sections empty, all others as they were."""
    kept: list[str] = []
    section = listed = started = False
    for line in text.split("\n"):
        bare = line.strip()
        heading = _HEADING.match(line)
        if heading:
            section, listed = _ANNOUNCES.search(heading[1].lower()) is not None, False
        elif listed and (_ITEM.match(line) or (started and line[:1].isspace())):
            started = True
            bare = ""
        elif bare:
            listed, started = _announces(bare), False
        kept.append(line if heading or (bare and not section) else "")
    return "\n".join(kept)


def _announces(line: str) -> bool:
    bold = _BOLD.fullmatch(line)
    if bold is None and not (line.endswith(":") and len(line) <= _MOST):
        return False
    return _ANNOUNCES.search((bold[1] if bold else line).lower()) is not None

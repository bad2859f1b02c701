"""Find what a person typed in a user's message. Agents add reminders, contexts and outputs to it."""

from __future__ import annotations

import re

from sidecar.text.lazy_patterns import lazy
from sidecar.text.own_blocks import without_own_text

_TAG_PATTERN = (
    r"[A-Za-z]+(?:[-_][A-Za-z]+)+"  # no HTML element has such a name
    r"|(?:permissions|skills|apps|plugins|collaboration_mode)\s+instructions|INSTRUCTIONS|skill|reminder|tools|context"
    r"|objective|caveat"
)
_BLOCK = lazy(rf"^[ \t]*<({_TAG_PATTERN})(?:\s[^<>]*)?>.*?</\1>[ \t]*", re.DOTALL | re.MULTILINE)
_INLINE_BLOCK = lazy(r"<(system[-_]reminder|ide_selection|ide_opened_file)>.*?</\1>", re.DOTALL)
_COMMAND_ARGUMENTS = lazy(r"<command-args>(.*?)</command-args>", re.DOTALL)
_COMMAND_MARK = lazy(r"<command-(?:name|message)>")
_USER_QUERY = lazy(r"<user_query>\s*(.*?)\s*</user_query>", re.DOTALL)
# An editor's context stands before it.
_REQUEST_HEADING = lazy(r"^#{1,3} My request(?: for [\w ]+)?:?[ \t]*$", re.MULTILINE)
_FILES_HEADING = "--- Content from referenced files ---"
# The beginnings of messages that no person typed.
_UNTYPED_OPENINGS = (
    "# AGENTS.md instructions",
    "# Context from my IDE setup",
    "Caveat: The messages below",
    "[Request interrupted",
    "Base directory for this skill:",
    "Stop hook feedback",
    "Warmup",
)
# No person types a longer message.
MAX_MESSAGE_CHARS = 200_000
# The beginning of a compaction's summary, if nothing else marks it.
CONTINUED = "This session is being continued from a previous conversation"


def typed_text(text: str) -> str:
    """Return the typed part of a message; "" if there is none."""
    text = text[:MAX_MESSAGE_CHARS]
    if "<" in text:
        if queried := _USER_QUERY.search(text):
            text = queried[1]
        if _COMMAND_MARK.search(text):
            arguments = _COMMAND_ARGUMENTS.search(text)
            return arguments[1].strip() if arguments else ""
        text = _BLOCK.sub("", _INLINE_BLOCK.sub("", text))
    if match := _REQUEST_HEADING.search(text):
        text = text[match.end() :]
    text = without_own_text(text.partition(_FILES_HEADING)[0]).strip()
    return "" if text.startswith(_UNTYPED_OPENINGS) else text

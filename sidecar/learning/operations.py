"""Ask a chat model what a session teaches, and check the operations in its answer; `summaries` sends the prompt.

At most a few operations are accepted. The quotation of each must occur in the user's words, its names must have been
said, its scope may not be wider than allowed, and it may hold no secret.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple

import msgspec

from sidecar.text.lazy_patterns import lazy
from sidecar.text.secrets import redact
from sidecar.text.words import terms

MAX_OPERATIONS: Final = 5  # accepted for one session
MAX_SESSION_CHARS: Final = 40_000  # of a session's messages; of more, the first and the last are used
MAX_TEXT_CHARS: Final = 400  # characters of a text
ANSWER_TOKENS: Final = 900
INSTRUCTIONS: Final = Path(__file__).with_name("session_prompt.txt").read_text("utf-8")
_MAX_MESSAGE_CHARS: Final = 2_000  # characters of one message
_MAX_AGENT_CHARS: Final = 500  # characters of what the agent said
_MIN_QUOTE_CHARS: Final = 8  # characters; a shorter quotation occurs anywhere
_MIN_GROUNDED_SHARE: Final = 0.5  # of a text's significant words, the share that the session must contain
_RULER: Final = "=" * 40
_JSON: Final = lazy(r"\{.*\}", re.DOTALL)
_WHITESPACE: Final = lazy(r"\s+")
_CODE: Final = lazy(r"`([^`]+)`")
_PLAIN_SIGNS: Final = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "..."})


class UserTurn(NamedTuple):
    """A message of the user, and the end of what the agent had said before."""

    before: str
    message: str


class SessionOperation(msgspec.Struct, frozen=True):
    """A checked operation."""

    op: Literal["add", "confirm", "reword", "supersede", "forget"]
    quote: str
    message: int  # number of the message that contains `quote`
    text: str
    type: str
    scope: str
    target: str  # name of a known memory or candidate


class RefusedOperation(NamedTuple):
    text: str
    reason: str


class _RawOperation(msgspec.Struct):
    """An operation as a model wrote it, unchecked."""

    op: Literal["add", "confirm", "reword", "supersede", "forget"]
    quote: str
    message: int = 0
    text: str = ""
    type: Literal["user", "feedback", "project", "reference"] = "project"
    scope: str = ""
    id: str = ""


class _OperationsAnswer(msgspec.Struct):
    operations: list[msgspec.Raw]


_operation_decoder = msgspec.json.Decoder(_RawOperation)
_answer = msgspec.json.Decoder(_OperationsAnswer)


def shortened(turns: Sequence[UserTurn]) -> list[UserTurn]:
    """Shorten a session to what a prompt may hold: keep the ends of long messages, and drop messages in its middle."""
    shorter = [UserTurn(turn.before[-_MAX_AGENT_CHARS:], _ends(turn.message)) for turn in turns]
    while sum(len(turn.before) + len(turn.message) for turn in shorter) > MAX_SESSION_CHARS and len(shorter) > 2:
        del shorter[len(shorter) // 2]
    return shorter


def session_prompt(turns: Sequence[UserTurn], texts_by_name: Mapping[str, str]) -> str:
    """Return a session's prompt, bounded and redacted; it names memories `M1`, `M2`, ... and candidates `C1`, ..."""
    named = [f"{name}: {' '.join(text.split())[:MAX_TEXT_CHARS]}" for name, text in texts_by_name.items()]
    remembered = "\n".join(named) or "nothing yet"
    parts = ("Remembered already:", _RULER, _data(remembered), _RULER, "The session:", _RULER, _session(turns), _RULER)
    return "\n".join(parts)


def checked_answer(
    answer: str, turns: Sequence[UserTurn], texts_by_name: Mapping[str, str]
) -> tuple[list[SessionOperation], list[RefusedOperation]]:
    """Return the valid and the refused operations of an answer; without the requested JSON, all of it is refused."""
    match = _JSON.search(answer)
    try:
        raw_operations = _answer.decode(match[0] if match else "").operations
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return [], [RefusedOperation(answer[:200], "not the JSON asked for")]
    valid: list[SessionOperation] = []
    refused: list[RefusedOperation] = []
    for raw in raw_operations:
        written = bytes(raw).decode("utf-8", "replace")
        try:
            raw_operation = _operation_decoder.decode(raw)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            refused.append(RefusedOperation(written[:200], "not an operation"))
            continue
        verdict = _checked_operation(raw_operation, turns, texts_by_name)
        if isinstance(verdict, str):
            refused.append(RefusedOperation(written[:200], verdict))
        elif len(valid) < MAX_OPERATIONS and verdict not in valid:
            valid.append(verdict)
    return valid, refused


def _checked_operation(
    operation: _RawOperation, turns: Sequence[UserTurn], texts_by_name: Mapping[str, str]
) -> SessionOperation | str:
    quote = _folded(operation.quote)
    if len(quote) < _MIN_QUOTE_CHARS:
        return "no quotation"
    number = next((n for n, turn in enumerate(turns, 1) if quote in _folded(turn.message)), 0)
    if not number:
        return "the user did not say so"
    if operation.op != "add" and operation.id not in texts_by_name:
        return "no such memory or candidate"
    if operation.op in ("reword", "supersede", "forget") and not operation.id.startswith("M"):
        return "not a memory"
    if operation.op == "confirm" and not operation.id.startswith("C"):
        return "not a candidate"
    text = " ".join(operation.text.split())
    if operation.op in ("add", "reword", "supersede"):
        if not 12 <= len(text) <= MAX_TEXT_CHARS:
            return "too short or too long"
        if redact(text)[1]:
            return "holds a secret"
        if (missing := _ungrounded(text, turns, texts_by_name.get(operation.id, ""))) is not None:
            return missing
    scope = "personal" if operation.type == "user" or operation.scope == "personal" else "project"
    return SessionOperation(operation.op, operation.quote.strip(), number, text, operation.type, scope, operation.id)


def _ungrounded(text: str, turns: Sequence[UserTurn], before: str) -> str | None:
    """Return why a text says more than the session does, or None."""
    session_text = _folded(" ".join((before, *(f"{turn.before} {turn.message}" for turn in turns))))
    for name in _CODE.findall(text):
        if _folded(name) not in session_text:
            return f"nobody named `{name}`"
    words = set(terms(text))
    return None if len(words & set(terms(session_text))) >= _MIN_GROUNDED_SHARE * len(words) else "more than was said"


def _session(turns: Sequence[UserTurn]) -> str:
    return "\n".join(
        f"[agent] ...{_data(turn.before)}\n[{number}] user: {_data(turn.message)}"
        if turn.before.strip()
        else f"[{number}] user: {_data(turn.message)}"
        for number, turn in enumerate(turns, 1)
    )


def _ends(message: str) -> str:
    if len(message) <= _MAX_MESSAGE_CHARS:
        return message
    return f"{message[: _MAX_MESSAGE_CHARS // 2]}\n[...]\n{message[-_MAX_MESSAGE_CHARS // 2 :]}"


def _data(text: str) -> str:
    return text.replace(_RULER, " ")


def _folded(text: str) -> str:
    return _WHITESPACE.sub(" ", text.translate(_PLAIN_SIGNS)).strip().casefold()

"""Check a memory's fields against limits and vocabulary. A value that is too long is refused, never cut."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from sidecar.runtime.errors import InvalidField
from sidecar.store.vocabulary import CATEGORIES, SCOPES, TYPES

# The most characters of each field, and the most entries of each list; the protocol states the same limits.
NAME_CHARS = 200
CONTENT_CHARS = 16_000
DESCRIPTION_CHARS = 1_000
AGENT_CHARS = 200
SESSION_CHARS = 200
TAG_CHARS = 100
MAX_TAGS = 50
PATH_CHARS = 4_096
MAX_FILES = 200
LATEST_TIME_MS = 2**53 - 1  # epoch milliseconds: the largest integer that every JSON reader reads exactly


def check_content(value: str) -> str:
    """Return the content without white space at its ends. Raises InvalidField if blank, too long or not storable."""
    text = _check_unicode(value, "$.content").strip()
    if not text:
        raise InvalidField("A memory needs a text.", path="$.content", hint="Say in a sentence what to remember.")
    _check_length(
        text, CONTENT_CHARS, "$.content", "Split it into several memories, or keep a pointer to a file instead."
    )
    return text


def check_name(value: str) -> str:
    """Return a name on one line, in Unicode normal form C, so that names that look alike are equal."""
    text = unicodedata.normalize("NFC", " ".join(_check_unicode(value, "$.name").split()))
    if not text:
        raise InvalidField("A name must not be blank.", path="$.name", hint="Leave it out to have one derived.")
    _check_length(text, NAME_CHARS, "$.name", "Shorten the name; details belong in the content.")
    return text


def check_description(value: str | None) -> str | None:
    """Return the description without white space at its ends; None if it is blank."""
    if value is None:
        return None
    text = _check_unicode(value, "$.description").strip()
    _check_length(text, DESCRIPTION_CHARS, "$.description", "Shorten it; details belong in the content.")
    return text or None


def check_agent(value: str | None) -> str | None:
    if value is None:
        return None
    text = _check_unicode(value, "$.agent").strip()
    if not text:
        raise InvalidField("An agent's name must not be blank.", path="$.agent", hint="Leave it out for every agent.")
    _check_length(text, AGENT_CHARS, "$.agent", "Shorten the agent's name.")
    return text


def check_session(value: str | None) -> str | None:
    if value is None:
        return None
    text = _check_unicode(value, "$.sessionId")
    if not text.isprintable() or not text.strip():
        raise InvalidField("A session's id must be printable text.", path="$.sessionId")
    _check_length(text, SESSION_CHARS, "$.sessionId", "Use an id, such as a UUID.")
    return text


def check_tags(value: Iterable[str]) -> tuple[str, ...]:
    return _texts(value, "$.tags", TAG_CHARS, MAX_TAGS, "tags")


def check_files(value: Iterable[str]) -> tuple[str, ...]:
    return _texts(value, "$.files", PATH_CHARS, MAX_FILES, "files")


def check_scope(value: str | None, memory_type: str) -> str:
    """Return `value` or, if it is None, the type's default scope: `personal` for `user`, otherwise `project`."""
    if value is None:
        return "personal" if memory_type == "user" else "project"
    return _one_of(value, SCOPES, "$.scope")


def check_memory_type(value: str) -> str:
    return _one_of(value, TYPES, "$.type")


def check_category(value: str | None) -> str | None:
    return None if value is None else _one_of(value, CATEGORIES, "$.category")


def check_expires_at(value: int | None, now: int) -> int | None:
    """Return a time later than `now` (epoch milliseconds); None for a memory that does not expire."""
    if value is None:
        return None
    if value <= now:
        hint = "Give a time in epoch milliseconds after now; archive a memory to hide it."
        raise InvalidField(
            f"The memory would expire in the past: {value} is not after {now}.", path="$.expiresAt", hint=hint
        )
    return value


def check_count(values: tuple[str, ...], max_count: int, path: str, what: str) -> None:
    if len(values) > max_count:
        message = f"{len(values)} {what} where at most {max_count} are kept."
        raise InvalidField(message, path=path, reason="tooMany", hint=f"Keep the {what} that matter.")


def _texts(values: Iterable[str], path: str, longest: int, max_count: int, what: str) -> tuple[str, ...]:
    seen: dict[str, None] = {}
    for position, item in enumerate(values):
        where = f"{path}[{position}]"
        text = unicodedata.normalize("NFC", _check_unicode(item, where).strip())
        if not text:
            raise InvalidField("An entry must not be blank.", path=where, hint="Leave it out.")
        _check_length(text, longest, where, "Shorten it.")
        seen[text] = None
    entries = tuple(seen)
    check_count(entries, max_count, path, what)
    return entries


def _one_of(value: str, allowed: tuple[str, ...], path: str) -> str:
    if value not in allowed:
        raise InvalidField(f"{value!r} is not one of {', '.join(allowed)}.", path=path)
    return value


def _check_unicode(value: str, path: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        hint = "Send well-formed Unicode: a surrogate stands for nothing alone."
        raise InvalidField("The text holds half a character.", path=path, hint=hint) from None
    return value


def _check_length(text: str, max_length: int, path: str, hint: str) -> None:
    if len(text) > max_length:
        message = f"{len(text):,} characters where at most {max_length:,} are kept."
        raise InvalidField(message, path=path, reason="tooLong", hint=hint)

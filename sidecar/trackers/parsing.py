"""Read one item from the JSON of a forge's REST API. Its texts are shortened, because anybody may have written them."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from sidecar.store.records import TrackedRecord
from sidecar.text.secrets import redact
from sidecar.text.times import millis
from sidecar.trackers.forge import ForgeProduct
from sidecar.trackers.targets import Target

MAX_TITLE_CHARS: Final = 300
MAX_LABELS: Final = 20
# The limit of an author's or a label's name.
MAX_NAME_CHARS: Final = 100
_STATE_BY_NAME: Final[dict[str, str]] = {
    "open": "open",
    "opened": "open",
    "reopened": "open",
    "locked": "open",  # a merge request that is being merged
    "closed": "closed",
    "merged": "merged",
}


class Unusable(Exception):
    """An answer cannot be used, but other requests may work. The message says why."""


def parse_item(forge: ForgeProduct, target: Target, body: bytes) -> TrackedRecord:
    """Parse an answer. Raises Unusable, also if the answer is about another item than the one requested."""
    try:
        fields = msgspec.json.decode(body, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Unusable("is not a JSON object") from error
    state = _STATE_BY_NAME.get(str(fields.get("state")).lower())
    number = fields.get("number" if forge == "github" else "iid")
    if state is None or not isinstance(fields.get("title"), str):
        raise Unusable("is not an issue or merge request")
    pull = fields.get("pull_request")
    kind = "mergeRequest" if forge == "github" and isinstance(pull, dict) else target.kind
    merged = millis(pull.get("merged_at")) if isinstance(pull, dict) else millis(fields.get("merged_at"))
    if state == "closed" and merged is not None:
        state = "merged"
    if number != target.number and forge == "gitlab":
        raise Unusable("is about another item")
    author = fields.get("user" if forge == "github" else "author")
    name = author.get("login" if forge == "github" else "username") if isinstance(author, dict) else None
    return TrackedRecord(
        key=target.key,
        kind=kind,
        title=_short_text(fields["title"], MAX_TITLE_CHARS) or "(no title)",
        state=state,
        labels=_labels(fields.get("labels")),
        author=_short_text(name, MAX_NAME_CHARS),
        url=_url(fields.get("html_url" if forge == "github" else "web_url")),
        updated_at=millis(fields.get("updated_at")),
        closed_at=None if state == "open" else merged or millis(fields.get("closed_at")),
    )


def _labels(labels: object) -> tuple[str, ...]:
    named = labels if isinstance(labels, list) else []
    names = (_short_text(label.get("name") if isinstance(label, dict) else label, MAX_NAME_CHARS) for label in named)
    return tuple(name for name in names if name is not None)[:MAX_LABELS]


def _short_text(text: object, max_chars: int) -> str | None:
    if not isinstance(text, str):
        return None
    line = " ".join("".join(char if char.isprintable() else " " for char in text[: 4 * max_chars]).split())
    line = redact(line)[0]
    return (line if len(line) <= max_chars else f"{line[: max_chars - 1]}…") or None


def _url(text: object) -> str | None:
    plain = isinstance(text, str) and len(text) <= 500 and text.isprintable() and " " not in text
    return text if plain and isinstance(text, str) and text.startswith(("https://", "http://")) else None

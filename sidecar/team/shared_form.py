"""Turn memories into the form that is shared, and forms that arrive into records.

A directive, preference or pin loses that status here if its author is not trusted.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from sidecar.memories.recording import checks
from sidecar.runtime.digests import blake2b
from sidecar.store.records import MemoryRecord, ReferenceRecord
from sidecar.store.sharing import SharedRecord
from sidecar.store.vocabulary import CATEGORIES, REPOSITORY_SOURCE, TYPES
from sidecar.text.secrets import redact

EVERYBODY: Final = "*"
_MAX_NAME_CHARS = 60
_SHARED_STATUSES = ("active", "archived", "resolved")
# Reasons for archiving that hold on this machine only: not used here, or missing in this checkout's file.
_LOCAL_REASONS = ("faded", "left")
Claims = tuple[str, str | None, bool]


class SharedForm(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True, rename="camel"):
    """A memory as it is sent. Its digest covers all fields but the last group."""

    type: str
    name: str
    content: str
    source: str
    created_at: int
    status: str = "active"
    category: str | None = None
    description: str | None = None
    agent: str | None = None
    tags: tuple[str, ...] = ()
    pinned: bool = False
    expires_at: int | None = None
    promoted_from: str | None = None
    supersedes: str | None = None
    archived_for: str | None = None
    merged_into: str | None = None
    name_given: bool | None = None

    updated_at: int = 0
    files: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    references: tuple[ReferenceRecord, ...] = ()

    @property
    def claims(self) -> Claims:
        return self.type, self.category, self.pinned


_NOT_DIGESTED = ("updated_at", "files", "entities", "references")
_COPIED_FIELDS = tuple(field for field in SharedForm.__struct_fields__ if field not in ("status", "references"))
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(SharedForm)


class SharedRow(NamedTuple):
    """A memory as the database has it. `form` is None if it was deleted."""

    id: str
    version: int
    seq: int
    digest: str
    gone: str | None
    author: str
    claimed_by: str
    author_name: str
    form: SharedForm | None


def is_shared(record: MemoryRecord, scope: str) -> bool:
    """Return whether a memory is shared: of this scope, not from the repository's file, not a session summary."""
    return record.scope == scope and record.source != REPOSITORY_SOURCE and record.category != "conversation"


def form_of(record: MemoryRecord, last_shared: SharedRecord | None) -> SharedForm:
    """Return the form of a memory that is sent, with the claims that it lost when it arrived here."""
    status, why = record.status, record.archived_for
    if status == "suspect" or (status == "archived" and why in _LOCAL_REASONS):
        status, why = "active", None
    values = {field: getattr(record, field) for field in _COPIED_FIELDS}
    form = SharedForm(**{**values, "status": status, "archived_for": why, "references": _portable(record.references)})
    if last_shared is not None and last_shared.claims is not None and form.claims == _reduce_claims(last_shared.claims):
        kind, category, pinned = last_shared.claims
        form = replace(form, type=kind, category=category, pinned=pinned)
    if "\0" in form.content or "\0" in form.name:  # PostgreSQL stores no zero byte
        form = replace(form, content=form.content.replace("\0", "\ufffd"), name=form.name.replace("\0", "\ufffd"))
    return form


def digest_of(form: SharedForm) -> str:
    """Return a digest of a memory that is the same on each machine."""
    values = [getattr(form, field) for field in SharedForm.__struct_fields__ if field not in _NOT_DIGESTED]
    return blake2b(_encoder.encode(values), digest_size=16).hexdigest()


def decode(text: str | None) -> SharedForm | None:
    """Decode the database's form. A form that this program never sends is ignored (None)."""
    if text is None:
        return None
    try:
        form = _decoder.decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    known = form.type in TYPES and form.category in (None, *CATEGORIES) and form.status in _SHARED_STATUSES
    short = len(form.content) <= checks.CONTENT_CHARS and 0 < len(form.name) <= checks.NAME_CHARS
    few = len(form.tags) <= checks.MAX_TAGS and len(form.files) <= checks.MAX_FILES
    return form if known and short and few and form.source != REPOSITORY_SOURCE else None


def without_secrets(form: SharedForm) -> SharedForm:
    """Remove secrets from a form that arrived, because the other machine may have older rules."""
    content, name = redact(form.content)[0], redact(form.name)[0]
    description = form.description and redact(form.description)[0]
    if (content, name, description) == (form.content, form.name, form.description):
        return form
    return replace(form, content=content, name=name, description=description)


class SharedScope(NamedTuple):
    """One scope."""

    name: str
    me: str
    trusted_roles: Collection[str]  # they may give directives
    resync: bool = False  # the database may have lost versions

    def is_unchanged(self, local: MemoryRecord | None, last_shared: SharedRecord | None) -> bool:
        """Return whether the memory is still as it was when it was last shared."""
        if local is None or not is_shared(local, self.name):
            return last_shared is None or last_shared.gone is not None
        return (
            last_shared is not None
            and last_shared.gone is None
            and digest_of(form_of(local, last_shared)) == last_shared.digest
        )

    def record_from(
        self, row: SharedRow, form: SharedForm, local: MemoryRecord | None, version: int
    ) -> tuple[MemoryRecord, SharedRecord]:
        """Return the local record of a row, and the record of what was shared."""
        trusted = all(
            who == self.me or not {who, EVERYBODY}.isdisjoint(self.trusted_roles)
            for who in (row.author, row.claimed_by)
        )
        display_name = " ".join(row.author_name[:_MAX_NAME_CHARS].split())
        named = display_name if display_name in ("", row.author) else f"{display_name} ({row.author})"
        author = None if row.author == self.me else named or row.author
        kind, category, pinned = form.claims if trusted else _reduce_claims(form.claims)
        claims = None if (kind, category, pinned) == form.claims else form.claims
        values = {field: getattr(form, field) for field in _COPIED_FIELDS}
        faded = local is not None and local.status == "archived" and local.archived_for in _LOCAL_REASONS
        keeps = local is not None and faded and form.status == "active" and local.content == form.content
        record = MemoryRecord(
            id=row.id,
            scope=self.name,
            version=version,
            relevance=local.relevance if local is not None else 1.0,
            verified_at=local.verified_at if local is not None else None,
            session_id=local.session_id if local is not None else None,
            author=author,
            references=_portable(form.references),
            **{
                **values,
                "type": kind,
                "category": category,
                "pinned": pinned,
                "status": "archived" if keeps else form.status,
                "archived_for": local.archived_for if keeps and local is not None else form.archived_for,
            },
        )
        return record, SharedRecord(version=row.version, digest=digest_of(form), author=author, claims=claims)


def _portable(references: tuple[ReferenceRecord, ...]) -> tuple[ReferenceRecord, ...]:
    """Return references without the fields that hold on one machine only."""
    return tuple(replace(reference, former=None, stale=False, gone=False) for reference in references)


def _reduce_claims(claims: Claims) -> Claims:
    kind, category, _ = claims
    return "project" if kind == "user" else kind, None if category == "directive" else category, False

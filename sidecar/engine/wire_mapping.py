"""Conversion between the wire's structs and the domains' plain values: shapes and names only, no decisions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec import UNSET

from protocol import context as wire_context
from protocol import files as wire_files
from protocol import links as wire_links
from protocol import memories as wire
from protocol.wire import Result
from sidecar.checkout.tree import Tree
from sidecar.memories.drafts import Draft, Filters, InjectRequest
from sidecar.runtime.errors import OutsideWorkspace
from sidecar.store.records import FacetRecord, LinkRecord, MemoryRecord, SymbolRecord, TrackedRecord, VersionRecord
from sidecar.text import fence

if TYPE_CHECKING:
    from sidecar.files.memory import Summary
    from sidecar.files.pointers import Invalidated
    from sidecar.memories.announcing import ChangedMemory
    from sidecar.memories.links import Linked
    from sidecar.memories.results import Explanation, Found, Injection, Recorded, Redaction, Updated

EMPTY_BLOCK = wire.InjectResult(text="", tokens=0, etag="", items=[], omitted=[])

# Fields of a stored memory that the wire shows unchanged: (name on the wire, name in the record).
_MEMORY_FIELDS = tuple(
    (encoded, name)
    for encoded, name in zip(wire.Memory.__struct_encode_fields__, wire.Memory.__struct_fields__, strict=True)
    if name in MemoryRecord.__struct_fields__
)

R = TypeVar("R", bound=Result)


def struct(kind: type[R], /, **values: Any) -> R:
    """Build a wire struct from stored text with validation, so that an old or damaged record cannot reach the wire."""
    return msgspec.convert(values, kind, from_attributes=True)


def relative(tree: Tree, paths: Iterable[str], field: str = "files") -> tuple[str, ...]:
    """Return a request's paths relative to the workspace. Raises `OutsideWorkspace` that names the field."""
    found: list[str] = []
    for at, path in enumerate(paths):
        try:
            found.append(tree.relative(path))
        except OutsideWorkspace as error:
            raise OutsideWorkspace(error.message, path=f"$.{field}[{at}]", hint=error.data.hint) from error
    return tuple(dict.fromkeys(found))


def draft(params: wire.RecordParams, files: tuple[str, ...], source: str) -> Draft:
    return Draft(
        content=params.content,
        name=params.name,
        description=params.description,
        type=params.type,
        scope=params.scope,
        category=params.category,
        agent=params.agent,
        session_id=params.session_id,
        files=files,
        tags=tuple(params.tags),
        expires_at=params.expires_at,
        pinned=params.pinned,
        source=source,
    )


def filters(params: wire.SearchParams | wire.ListParams, tree: Tree) -> Filters:
    def some(values: Sequence[str] | None) -> tuple[str, ...] | None:
        return tuple(values) if values is not None else None

    return Filters(
        scopes=some(params.scopes),
        types=some(params.types),
        categories=some(params.categories),
        agent=params.agent,
        files=relative(tree, params.files) if params.files is not None else None,
        since=params.since,
        include=tuple(params.include),
        status=some(params.status) if isinstance(params, wire.ListParams) else None,
    )


def inject_request(params: wire.InjectParams, tree: Tree, budget_tokens: int) -> InjectRequest:
    return InjectRequest(
        prompt=params.prompt,
        files=relative(tree, params.files),
        agent=params.agent,
        session_id=params.session_id,
        budget_tokens=budget_tokens,
        format=params.format,
        exclude_shown=params.exclude_shown,
        frozen=params.frozen,
        brief=params.brief,
    )


def changes(params: wire.UpdateParams, tree: Tree) -> dict[str, object]:
    """Return the fields that an update names, by their names in the domain."""
    found: dict[str, object] = {}
    for field in msgspec.structs.fields(params):
        value = getattr(params, field.name)
        if value is UNSET or field.name in ("id", "expected_version", "workspace_uri"):
            continue
        found[field.name] = tuple(value) if isinstance(value, list) else value
    if params.files is not UNSET:
        found["files"] = relative(tree, params.files)
    return found


def memory(record: MemoryRecord, accesses: int, accessed_at: int | None = None) -> wire.Memory:
    values = {encoded: getattr(record, name) for encoded, name in _MEMORY_FIELDS}
    values["references"] = [struct(wire.Reference, **msgspec.structs.asdict(r)) for r in record.references]
    return struct(wire.Memory, **values, accessCount=accesses, accessedAt=accessed_at)


def as_memory(result: Found | Updated | Recorded) -> wire.Memory:
    return memory(result.record, result.accesses, result.accessed_at)


def hit(found: Found) -> wire.Hit:
    return wire.Hit(memory=as_memory(found), score=found.score, reasons=list(found.reasons))


def redactions(found: Iterable[Redaction]) -> list[wire.Redaction]:
    return [wire.Redaction(kind=kind, field=field, count=count) for kind, field, count in found]


def recorded(result: Recorded) -> wire.RecordResult:
    return wire.RecordResult(
        status=result.status,
        memory=as_memory(result),
        similar=[wire.Similar(id=s.id, name=s.name, score=s.score) for s in result.similar],
        redactions=redactions(result.redactions),
    )


def injection(result: Injection) -> wire.InjectResult:
    return wire.InjectResult(
        text=result.text,
        tokens=result.tokens,
        etag=result.etag,
        items=[
            wire.InjectedItem(
                kind=i.kind,
                section=i.section,
                score=i.score,
                tokens=i.tokens,
                reasons=list(i.reasons),
                id=i.id,
                path=i.path,
            )
            for i in result.items
        ],
        omitted=[wire.OmittedItem(id=o.id, reason=o.reason) for o in result.omitted],
    )


def explanation(found: Explanation) -> wire.ExplainResult:
    return wire.ExplainResult(
        probability=found.probability,
        label=found.label,
        threshold=found.threshold,
        best=found.best,
        opens=found.opens,
        gains=[struct(wire.Gain, evidence=kind, gain=gain) for kind, gain in found.gains.items()],
        words=list(found.words),
        cosine=found.cosine,
        rank=found.rank,
        change=list(found.change),
    )


def version(record: VersionRecord) -> wire.Version:
    shown = memory(record.memory, 0) if record.memory is not None else None
    return struct(
        wire.Version, version=record.version, change=record.change, at=record.at, memory=shown, reason=record.reason
    )


def symbol(record: SymbolRecord) -> wire_files.Symbol:
    return wire_files.Symbol(
        kind=record.kind,
        name=record.name,
        start_line=record.start,
        end_line=record.end,
        signature=record.signature,
        doc=record.doc,
        public=record.public,
        children=[symbol(child) for child in record.children],
    )


def summary(found: Summary) -> wire_files.SummaryResult:
    """Convert a file's briefing. It is always fresh, since the file was read to answer."""
    content = found.content
    return wire_files.SummaryResult(
        path=found.path,
        hash=found.hash,
        origin=found.note.origin,
        fresh=True,
        partial=content.partial,
        language=content.language,
        summary=found.text,
        facets=[facet(one) for one in found.note.facets],
        outline=[symbol(s) for s in content.symbols],
        lines=content.lines,
        tokens=found.tokens,
        file_tokens=content.file_tokens,
        advice=found.advice,
        former_facets=[facet(one) for one in found.note.former],
    )


def facet(record: FacetRecord) -> wire_files.Facet:
    """Convert a fact about a file, neutralised because clients put it in front of a model unchanged."""
    return wire_files.Facet(
        text=fence.clean(record.text),
        symbols=[name for name, _ in record.symbols],
        identifiers=list(record.identifiers),
    )


def link(record: LinkRecord) -> wire_links.Link:
    return msgspec.convert(
        {
            "from": record.source,
            "to": record.target,
            "kind": record.kind,
            "strength": record.strength,
            "createdAt": record.at,
            "source": record.origin,
        },
        wire_links.Link,
    )


def linked(found: Linked) -> wire_links.LinkedMemory:
    other = found.other
    return struct(
        wire_links.LinkedMemory,
        link=link(found.link),
        id=other.id,
        name=other.name,
        scope=other.scope,
        status=other.status,
    )


def did_change(uri: str, changes: Iterable[ChangedMemory]) -> wire.DidChangeMemories:
    return wire.DidChangeMemories(
        workspace_uri=uri, changes=[struct(wire.MemoryChange, **one._asdict()) for one in changes]
    )


def did_change_candidates(uri: str, waiting: int) -> wire.DidChangeMemories:
    return wire.DidChangeMemories(workspace_uri=uri, changes=[], candidates=waiting)


def did_invalidate(uri: str, told: Sequence[Invalidated]) -> wire_files.DidInvalidateFiles:
    return wire_files.DidInvalidateFiles(
        workspace_uri=uri,
        files=[
            wire_files.InvalidatedFile(
                path=t.path, reason=t.reason, old_hash=t.old_hash, hash=t.hash, new_path=t.new_path
            )
            for t in told
        ],
    )


def tracked(record: TrackedRecord) -> wire_context.TrackedEntity:
    names = wire_context.TrackedEntity.__struct_fields__
    return struct(
        wire_context.TrackedEntity,
        **{
            encoded: getattr(record, name)
            for encoded, name in zip(wire_context.TrackedEntity.__struct_encode_fields__, names, strict=True)
        },
    )

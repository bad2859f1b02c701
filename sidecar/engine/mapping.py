"""Conversion between the wire's structs and the domains' plain values: shapes, names, and the fence of facets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec import UNSET

from protocol import files as files_api
from protocol import links as links_api
from protocol import memories as api
from protocol.wire import Result
from sidecar.checkout.tree import Tree
from sidecar.files.workspace_files import FileBriefing
from sidecar.memories.drafts import Draft, Filters, InjectRequest
from sidecar.memories.results import Explanation, FoundMemory, RecordedMemory, Redaction, UpdatedMemory
from sidecar.runtime.errors import OutsideWorkspace
from sidecar.store.records import FacetRecord, LinkRecord, MemoryRecord, SymbolRecord, VersionRecord
from sidecar.text import fence

if TYPE_CHECKING:
    from sidecar.memories.recording.memory_links import LinkedMemory

EMPTY_BLOCK = api.InjectResult(text="", tokens=0, etag="", items=[], omitted=[])

R = TypeVar("R", bound=Result)

_plans: dict[tuple[object, ...], tuple[list[str], Callable[[object], tuple[object, ...]]]] = {}


def to_wire(kind: type[R], source: object = None, /, *, absent: Sequence[str] = (), **values: Any) -> R:
    """Build a wire struct from the attributes of `source` named like its fields, and from `values`.

    Everything is validated, so that an old or damaged record cannot reach the wire. Only fields that are `absent` get
    their defaults; a missing value of any other field is a bug and raises TypeError.
    """
    plan = _plans.get((kind, type(source), *values))
    if plan is None:
        names = dict(zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True))
        read_names = [name for name in names if hasattr(source, name) and name not in values]
        if missing := names.keys() - {*read_names, *values, *absent}:
            raise TypeError(f"{kind.__name__} from {type(source).__name__} lacks {', '.join(sorted(missing))}")
        # The last two names make `attrgetter` return a tuple even if nothing else is read.
        getter = attrgetter(*read_names, "__class__", "__class__")
        plan = _plans[kind, type(source), *values] = [names[name] for name in (*read_names, *values)], getter
    wire_names, attributes = plan
    return msgspec.convert(
        dict(zip(wire_names, (*attributes(source)[:-2], *values.values()), strict=True)), kind, from_attributes=True
    )


def relative(tree: Tree, paths: Iterable[str], field: str = "files") -> tuple[str, ...]:
    """Return a request's paths relative to the workspace. Raises `OutsideWorkspace`, which names the field."""
    relative_paths: list[str] = []
    for index, path in enumerate(paths):
        try:
            relative_paths.append(tree.relative(path))
        except OutsideWorkspace as error:
            raise OutsideWorkspace(error.message, path=f"$.{field}[{index}]", hint=error.data.hint) from error
    return tuple(dict.fromkeys(relative_paths))


def _shared(kind: type[msgspec.Struct], params: msgspec.Struct, **values: Any) -> dict[str, Any]:
    """Return the fields of `kind` that a request has under the same name, and `values`."""
    names = [name for name in kind.__struct_fields__ if name in params.__struct_fields__]
    return {name: getattr(params, name) for name in names} | values


def draft(params: api.RecordParams, files: tuple[str, ...], source: str) -> Draft:
    return Draft(**_shared(Draft, params, files=files, tags=tuple(params.tags), source=source))


def filters(params: api.SearchParams | api.ListParams, tree: Tree) -> Filters:
    def as_tuple(values: Sequence[str] | str | None) -> tuple[str, ...] | None:
        return (values,) if isinstance(values, str) else tuple(values) if values is not None else None

    return Filters(
        scopes=as_tuple(params.scopes),
        types=as_tuple(params.types),
        categories=as_tuple(params.categories),
        agent=params.agent,
        files=relative(tree, params.files) if params.files is not None else None,
        since=params.since,
        include=tuple(params.include),
        status=as_tuple(params.status) if isinstance(params, api.ListParams) else None,
    )


def inject_request(params: api.InjectParams, tree: Tree, budget_tokens: int, max_lines: int | None) -> InjectRequest:
    limits = {"budget_tokens": budget_tokens, "max_lines": max_lines}
    return InjectRequest(**_shared(InjectRequest, params, files=relative(tree, params.files), **limits))


def changes(params: api.UpdateParams, tree: Tree) -> dict[str, object]:
    """Return the fields that an update names, by their names in the domain."""
    fields: dict[str, object] = {}
    for field in msgspec.structs.fields(params):
        value = getattr(params, field.name)
        if value is UNSET or field.name in ("id", "expected_version", "workspace_uri"):
            continue
        fields[field.name] = tuple(value) if isinstance(value, list) else value
    if params.files is not UNSET:
        fields["files"] = relative(tree, params.files)
    return fields


def memory(record: MemoryRecord, accesses: int, accessed_at: int | None = None) -> api.Memory:
    return to_wire(api.Memory, record, access_count=accesses, accessed_at=accessed_at)


def as_memory(result: FoundMemory | UpdatedMemory | RecordedMemory) -> api.Memory:
    return memory(result.record, result.accesses, result.accessed_at)


def hit(result: FoundMemory) -> api.Hit:
    return api.Hit(memory=as_memory(result), score=result.score, reasons=list(result.reasons))


def redactions(redacted: Iterable[Redaction]) -> list[api.Redaction]:
    return [to_wire(api.Redaction, redaction) for redaction in redacted]


def recorded(result: RecordedMemory) -> api.RecordResult:
    return api.RecordResult(
        status=result.status,
        memory=as_memory(result),
        similar=[to_wire(api.Similar, memory) for memory in result.similar],
        redactions=redactions(result.redactions),
    )


def explanation(explained: Explanation) -> api.ExplainResult:
    gains = [to_wire(api.Gain, evidence=kind, gain=gain) for kind, gain in explained.gains.items()]
    return to_wire(api.ExplainResult, explained, gains=gains)


def version(record: VersionRecord) -> api.Version:
    return to_wire(api.Version, record, memory=memory(record.memory, 0) if record.memory is not None else None)


def symbol(record: SymbolRecord) -> files_api.Symbol:
    return files_api.Symbol(
        kind=record.kind,
        name=record.name,
        start_line=record.start,
        end_line=record.end,
        signature=record.signature,
        doc=record.doc,
        public=record.public,
        children=[symbol(child) for child in record.children],
    )


def summary(briefing: FileBriefing) -> files_api.SummaryResult:
    """Convert a file's briefing, which is always fresh because the file was read to answer."""
    content = briefing.content
    return to_wire(
        files_api.SummaryResult,
        briefing,
        origin=briefing.note.origin,
        fresh=True,
        partial=content.partial,
        language=content.language,
        summary=briefing.text,
        facets=[facet(record) for record in briefing.note.facets],
        outline=[symbol(record) for record in content.symbols],
        lines=content.lines,
        file_tokens=content.file_tokens,
        former_facets=[facet(record) for record in briefing.note.former],
    )


def facet(record: FacetRecord) -> files_api.Facet:
    """Convert a fact about a file, neutralised because clients put it in front of a model unchanged."""
    return to_wire(files_api.Facet, record, text=fence.clean(record.text), symbols=[name for name, _ in record.symbols])


def link(record: LinkRecord) -> links_api.Link:
    return to_wire(
        links_api.Link, record, from_=record.source, to=record.target, created_at=record.at, source=record.origin
    )


def linked(neighbour: LinkedMemory) -> links_api.LinkedMemory:
    return to_wire(links_api.LinkedMemory, neighbour.other, link=link(neighbour.link))

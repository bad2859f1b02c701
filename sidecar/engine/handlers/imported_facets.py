"""Import facts about files from our JSON Lines or Prism's file history.

An imported fact is judged like any other sentence, against the file as it is now. A fact that names nothing in the
file, or was learned from another content, is reported and not stored.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import xxhash

from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.files.facets.admission_result import Refused
from sidecar.interchange.prism import FileFacet, read_facets
from sidecar.runtime.errors import OutsideWorkspace
from sidecar.text.secrets import redact

FacetOutcome = Literal["kept", "wouldKeep", "refused", "skipped"]
_DESCRIPTION: Final = "A description is a model's text: it is made again where a model is set up."


@dataclass(frozen=True)
class ImportedFacet:
    """The outcome for one line's fact; `reason` says why it is not stored."""

    line: int
    path: str | None
    outcome: FacetOutcome
    reason: str | None = None


def import_facets(
    workspace: OpenWorkspace,
    data: bytes,
    now: int,
    *,
    format: str = "files",
    dry_run: bool = False,
    paths: Mapping[str, Sequence[str]] | None = None,
) -> list[ImportedFacet]:
    """Store the facts of a file in our format or Prism's; `now` in epoch milliseconds. Raises `StoreUnavailable`.

    `paths` maps hashes of contents to their paths, for files that list them separately.
    """
    parsed = read_facets(data, paths)
    report = [ImportedFacet(line, None, "refused", reason) for line, reason in parsed.problems]
    for facet in parsed.facets:
        if facet.summary:
            report.append(ImportedFacet(facet.line, facet.path, "skipped", _DESCRIPTION))
        else:
            report.append(_import_one(workspace, facet, f"import:{format}", now, dry_run))
    return sorted(report, key=lambda imported: imported.line)


def _import_one(workspace: OpenWorkspace, facet: FileFacet, source: str, now: int, dry_run: bool) -> ImportedFacet:
    try:
        path = workspace.tree.relative(facet.path)
    except OutsideWorkspace as error:
        return ImportedFacet(facet.line, facet.path, "refused", error.message)
    content = workspace.files.read(path)
    if content is None:
        return ImportedFacet(facet.line, path, "refused", "No text file has this name.")
    bytes_now, _ = content
    if facet.hash is not None and not _is_of(facet.hash, bytes_now.data):
        return ImportedFacet(facet.line, path, "refused", "It was learned of another content of the file.")
    text, _ = redact(facet.text)
    facets = workspace.facets
    at = now if facet.at is None else min(facet.at, now)
    judged = (
        facets.judge(path, text)
        if dry_run
        else facets.store(path, bytes_now.hash, text, (facet.source or source)[:100], None, at=at)
    )
    if isinstance(judged, Refused):
        return ImportedFacet(facet.line, path, "refused", judged.reason)
    return ImportedFacet(facet.line, path, "wouldKeep" if dry_run else "kept")


def _is_of(hash: str, data: bytes) -> bool:
    """Return whether a tool's digest matches these bytes, or is of an unknown kind."""
    makers: dict[int, tuple[Any, ...]] = {
        64: (hashlib.sha256,),
        40: (hashlib.sha1,),
        32: (xxhash.xxh3_128, hashlib.md5),
        16: (xxhash.xxh3_64, xxhash.xxh64),
    }
    bodies = (data, b"blob %d\0%b" % (len(data), data))  # as they are, and as a git blob
    digests = makers.get(len(hash), ())
    return not digests or any(make(body).hexdigest() == hash.lower() for make in digests for body in bodies)

"""`memory/export`, `memory/import` and `memory/bootstrap`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from protocol import interchange as api
from sidecar.engine import mapping
from sidecar.engine.handlers.imported_facets import import_facets
from sidecar.engine.lesson_storer import LessonStorer
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.engine.options import SourceOf
from sidecar.interchange import bootstrapping, importing, jsonl, sources
from sidecar.interchange.exporting import Export, scopes_of
from sidecar.interchange.formats.detect import FILE_FACTS, detect, parse
from sidecar.interchange.importing import ImportReport, ImportRow
from sidecar.interchange.jsonl import Header
from sidecar.interchange.parsed import ImportSource, Omission
from sidecar.interchange.prism import paths_by_hash
from sidecar.memories.announcing import ChangedMemory
from sidecar.memories.recording.restoring import RestoreRules
from sidecar.runtime.cancellation import Context
from sidecar.runtime.clock import Clock
from sidecar.runtime.errors import InvalidField, OutsideWorkspace
from sidecar.store.records import MemoryRecord

MAX_ROWS_SHOWN = 1_000


def _narrowing(params: api.ExportParams) -> Callable[[MemoryRecord], bool] | None:
    """Return the filter that selects memories for an export; None if all are exported."""
    types, categories, tags, since = params.types, params.categories, params.tags, params.since
    if types is None and categories is None and tags is None and since is None:
        return None
    return lambda memory: (
        (types is None or memory.type in types)
        and (categories is None or memory.category in categories)
        and (tags is None or not set(tags).isdisjoint(memory.tags))
        and (since is None or memory.updated_at >= since)
    )


class InterchangeHandler:
    def __init__(self, lessons: LessonStorer, clock: Clock, source: SourceOf) -> None:
        self._lessons, self._clock, self._source = lessons, clock, source

    def memory_export(self, params: api.ExportParams, workspace: OpenWorkspace, context: Context) -> api.ExportResult:
        if params.cursor is None:  # later pages continue what was exported first
            self._lessons.store_lessons_of_folder(workspace.folder)
            workspace.take_in_outside_changes()
        header = Header(scopes_of(params.scopes), params.history, params.deleted)
        knowledge = workspace.knowledge if workspace.is_enabled else None
        export = Export(workspace.memory_store, workspace.user_store, knowledge, header, _narrowing(params))
        page = export.page(params.cursor, lambda: context.step(0, 0, "exporting memories"))
        lines = [line.decode().rstrip("\n") for line in page.lines]
        return api.ExportResult(lines=lines, memories=page.memories, cursor=page.cursor)

    def memory_import(self, params: api.ImportParams, workspace: OpenWorkspace, context: Context) -> api.ImportResult:
        # Edits of the memory file are not read before an export is restored: their entries would get other ids.
        self._lessons.store_lessons_of_folder(workspace.folder)
        if (params.path is None) == (params.text is None):
            raise InvalidField("An import needs a path or a text, and not both.", path="$.path")
        try:
            report = self._restore_own_export(params, context, workspace) or self._import_others(
                params, context, workspace
            )
        except InvalidField as error:
            if params.text is None or error.data.path != "$.path":
                raise
            raise InvalidField(error.message, path="$.text", reason=error.data.reason, hint=error.data.hint) from error
        first = importing.problems_first(report.rows)
        return mapping.to_wire(
            api.ImportResult,
            report,
            dry_run=params.dry_run,
            counts=importing.count_outcomes(report.rows),
            items=[
                mapping.to_wire(api.ImportedItem, row, redactions=mapping.redactions(row.redactions))
                for row in first[:MAX_ROWS_SHOWN]
            ],
            more=max(0, len(first) - MAX_ROWS_SHOWN),
        )

    def memory_bootstrap(
        self, params: api.BootstrapParams, workspace: OpenWorkspace, context: Context
    ) -> api.BootstrapResult:
        report = bootstrapping.bootstrap(
            workspace.tree,
            workspace.book,
            names=params.names,
            dry_run=params.dry_run,
            step=_steps(context, "reading the project"),
        )
        facts = [
            mapping.to_wire(api.BootstrapFact, row, id=None if params.dry_run and row.outcome == "created" else row.id)
            for row in report.rows
        ]
        return api.BootstrapResult(dry_run=params.dry_run, facts=facts)

    def _restore_own_export(
        self, params: api.ImportParams, context: Context, workspace: OpenWorkspace
    ) -> ImportReport | None:
        """Restore an export of ours; return None if the file is something else."""
        path = self._path(params, context, workspace)
        is_own_export = params.format == jsonl.FORMAT or (
            params.format is None
            and (
                jsonl.is_export(params.text[:400].lstrip("\ufeff"))
                if params.text is not None
                else path is not None and sources.is_own_export(path)
            )
        )
        if not is_own_export:
            return None
        if params.scope is not None:
            raise InvalidField(
                "An export of memory-sidecar says itself which scope each memory has.",
                path="$.scope",
                hint="Leave the scope out; choose scopes when you export.",
            )

        def lines() -> Iterable[bytes]:
            if params.text is not None:
                # Not `splitlines`: texts contain separators that are not line breaks of the export.
                return (line.encode() for line in params.text.split("\n"))
            assert path is not None
            return sources.export_lines(path)

        rules = RestoreRules(directives=params.directives is not False, forgotten=params.forgotten)
        with workspace.book.waiting_changed.changing():
            report = importing.restore(
                (workspace.memory_store, workspace.user_store),
                workspace.knowledge,
                params.name or (path.name if path is not None else "text"),
                lines,
                rules,
                self._clock(),
                dry_run=params.dry_run,
                step=_steps(context, "restoring memories"),
            )
        rows = (row for row in report.rows if row.outcome in ("created", "merged"))
        changes = [ChangedMemory(row.id, row.scope, row.outcome) for row in rows if row.id and row.scope]
        if changes and not params.dry_run:
            workspace.book.changed.announce(changes)  # restoring an export bypasses the book
        return report

    def _import_others(self, params: api.ImportParams, context: Context, workspace: OpenWorkspace) -> ImportReport:
        workspace.take_in_edits()
        check = _steps(context, "reading files")
        path = self._path(params, context, workspace)
        omissions: Sequence[Omission] = ()
        if path is None:
            texts = [sources.source_from_text(params.name, params.text or "")]
        else:
            texts, omissions = sources.read_sources(path, lambda: check(0, 0))
        format = params.format or detect(texts)
        if format == FILE_FACTS:
            return self._import_facets(texts, omissions, context, workspace, dry_run=params.dry_run)
        parsed = parse(format, texts, lambda: check(0, 0))
        parsed.skipped += omissions
        return importing.learn_items(
            workspace.book,
            parsed,
            scope=params.scope,
            directives=params.directives is True,
            dry_run=params.dry_run,
            step=_steps(context, "taking in memories"),
        )

    def _import_facets(
        self,
        texts: Sequence[ImportSource],
        omissions: Sequence[Omission],
        context: Context,
        workspace: OpenWorkspace,
        *,
        dry_run: bool,
    ) -> ImportReport:
        rows = [ImportRow("skipped", omitted.name, omitted.where, reason=omitted.reason) for omitted in omissions]
        step = _steps(context, "taking in facts about files")
        paths = paths_by_hash("\n".join(source.text for source in texts).encode())
        for number, source in enumerate(texts):
            step(number, len(texts))
            data = source.text.encode()
            facets = import_facets(workspace, data, self._clock(), format=FILE_FACTS, dry_run=dry_run, paths=paths)
            for facet in facets:
                outcome: str = facet.outcome if facet.outcome in ("refused", "skipped") else "created"
                if facet.reason == "paraphrase":
                    outcome = "duplicate"
                where = f"{source.path}, line {facet.line}"
                rows.append(ImportRow(outcome, facet.path or source.path, where, reason=facet.reason))
        return ImportReport(FILE_FACTS, rows)

    def _path(self, params: api.ImportParams, context: Context, workspace: OpenWorkspace) -> Path | None:
        """Return the file or folder to read. Only a person may name one outside the workspace."""
        if params.path is None:
            return None
        if self._source(context) == "user":
            path = Path(os.path.expanduser(params.path))
            return path if path.is_absolute() else workspace.tree.root / path
        try:
            return workspace.tree.root / workspace.tree.relative(params.path)
        except OutsideWorkspace as error:
            raise OutsideWorkspace(error.message, path="$.path", hint=error.data.hint) from error


def _steps(context: Context, message: str) -> importing.Step:
    return lambda done, total: context.step(done, total, message)

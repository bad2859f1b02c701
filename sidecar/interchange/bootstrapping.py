"""First facts of a project: read its manifests and record what they say."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import asdict

from sidecar.checkout.tree import Tree
from sidecar.interchange import importing
from sidecar.interchange.bootstrap.members import find_manifests
from sidecar.interchange.bootstrap.project import Project
from sidecar.interchange.bootstrap.rules import derive_facts, files_to_read, presence_files
from sidecar.interchange.importing import ImportReport, Step
from sidecar.interchange.parsed import ImportItem, ParsedImport
from sidecar.memories.book import MemoryBook
from sidecar.runtime.errors import FileUnavailable, OutsideWorkspace

FORMAT = "bootstrap"
MAX_FILES_READ = 60  # files, not counting the members' manifests


def bootstrap(
    tree: Tree, book: MemoryBook, *, names: Collection[str] | None = None, dry_run: bool, step: Step
) -> ImportReport:
    """Record first facts (with `names`, only those) in place of earlier ones that nobody edited."""
    parsed = ParsedImport(FORMAT)
    for fact in derive_facts(read_project(tree, step)):
        if names is None or fact.name in names:
            parsed.items.append(ImportItem(key=fact.name, where=fact.files[0], **asdict(fact)))
    return importing.learn_items(book, parsed, scope="project", replaces=True, dry_run=dry_run, step=step)


def read_project(tree: Tree, step: Step) -> Project:
    paths_in_tree = [status.path for status in tree.walk(check=lambda: step(0, 0))]
    paths, present = files_to_read(paths_in_tree)
    texts = _texts(tree, paths[:MAX_FILES_READ], step)
    inner = find_manifests(Project(texts), paths_in_tree)
    texts |= _texts(tree, [path for path in inner if path not in texts], step)
    # Look the lock files up by name, since the tree leaves them out.
    present_files = (path for path in presence_files() if (tree.root / path).is_file())
    return Project(texts, frozenset((*present, *present_files)), tuple(inner))


def _texts(tree: Tree, paths: Sequence[str], step: Step) -> dict[str, str]:
    """Return the text of each file that can be read."""
    texts: dict[str, str] = {}
    for number, path in enumerate(paths):
        step(number, len(paths))
        with suppress(OutsideWorkspace, FileUnavailable):
            texts[path] = tree.read(path).data.decode("utf-8", "replace").removeprefix("\ufeff")
    return texts

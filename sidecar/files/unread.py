"""What is not known yet: files that changed while nobody looked, and contents that no store keeps."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from typing import Final

from sidecar.checkout.ignore import Verdicts
from sidecar.checkout.tree import FileBytes, Tree
from sidecar.errors import FileUnavailable, OutsideWorkspace
from sidecar.files.outline import RECIPE
from sidecar.files.pointers import Pointers
from sidecar.store.file_store import FileStore

LOOKED_UP_AT_ONCE: Final = 128
"""Contents read from the store together: each is some ten kilobytes, and a workspace has tens of thousands."""

READ_AT_ONCE: Final = 64
"""Files read with the ignore rules of one moment: some milliseconds."""

Content = tuple[str, str]
"""Hash and language of a content."""


def unread(
    tree: Tree, pointers: Pointers, store: FileStore | None, check: Callable[[], None]
) -> Iterator[str]:
    """Files of the workspace whose content, as far as `stat` tells, is not known yet; `check` may raise."""
    same: dict[Content, str] = {}
    for stat in tree.walk(check=check):
        pointer = pointers.get(stat.path)
        if pointer is None or (pointer.size, pointer.mtime_ns) != (stat.size, stat.mtime_ns):
            yield stat.path
        elif pointer.hash:  # else it was looked at before: it has no briefing
            same[pointer.hash, pointer.language] = stat.path
    if store is not None:
        for content in unkept(store, same, check):
            yield same[content]


def unkept(store: FileStore, contents: Collection[Content], check: Callable[[], None]) -> Iterator[Content]:
    """Those of which the store knows nothing that can be read. `check` is called often and may raise.

    Raises `StoreUnavailable` and its kin.
    """
    left = iter(contents)
    while some := list(islice(left, LOOKED_UP_AT_ONCE)):
        check()
        kept = store.contents((*content, RECIPE) for content in some)
        yield from (content for content in some if (*content, RECIPE) not in kept)


def read_each(tree: Tree, paths: Sequence[str]) -> Iterator[tuple[str, FileBytes | None]]:
    """Every path with what was read there; None where there is nothing worth remembering."""
    for at, path in enumerate(paths):
        if not at % READ_AT_ONCE:
            verdicts = Verdicts(tree.ignores)
        try:
            yield path, tree.read(path, verdicts)
        except (FileUnavailable, OutsideWorkspace):
            yield path, None

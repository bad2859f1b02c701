"""Tree-sitter queries for what may stand anywhere in a file, such as imports inside functions."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

from sidecar.files.outline.grammars import grammar

if TYPE_CHECKING:
    from tree_sitter import Node, Query

MAX_MATCHES: Final = 2_000


@functools.cache
def query(language: str, text: str) -> Query:
    """A query of a code language, compiled once."""
    from tree_sitter import Query

    return Query(grammar(language), text)


def captures(language: str, text: str, root: Node) -> list[Node]:
    """Every node that the query's captures name, in source order, at most MAX_MATCHES."""
    from tree_sitter import QueryCursor

    found = QueryCursor(query(language, text)).captures(root)
    nodes = [node for group in found.values() for node in group]
    nodes.sort(key=lambda node: node.start_byte)
    return nodes[:MAX_MATCHES]

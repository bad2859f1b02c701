"""What part a file plays in its project, told by its path alone."""

from __future__ import annotations

import re
from typing import Final, Literal

from sidecar.files.language import CODE

Kind = Literal["source", "test", "docs", "other"]

_TEST_FOLDERS: Final = frozenset(
    "test tests spec specs __tests__ __mocks__ e2e testdata test_data fixtures unittests".split()
)
_TEST_NAME: Final = re.compile(
    r"test_.+|tests?\.\w+|conftest\.py|.+[_.-](?:test|tests|spec|specs)\.\w+|.+(?:Tests?|Spec|IT)\.(?:java|kt|cs|scala|swift|php|groovy)"
)
_DOCS_FOLDERS: Final = frozenset("doc docs documentation website man manual".split())
_DOCS_ENDINGS: Final = (".md", ".rst", ".adoc", ".mdx", ".txt", ".org")
SOURCE: Final = (CODE - {"nix", "terraform"}) | frozenset(
    """groovy clojure erlang fsharp r perl objc nim vim lisp cython vue svelte sql protobuf graphql prisma
    css scss""".split()
)


def kind_of(path: str, language: str) -> Kind:
    """Whether the file at `path` is a test (or made for one), documentation, source, or none of them."""
    *folders, name = path.split("/")
    lower = [folder.lower() for folder in folders]
    if not _TEST_FOLDERS.isdisjoint(lower) or (
        lower and (lower[0] == "testing" or lower[-1].endswith("tests"))
    ):
        return "test"
    if language in SOURCE and _TEST_NAME.fullmatch(name):
        return "test"
    if not _DOCS_FOLDERS.isdisjoint(lower[:2]) or name.lower().endswith(_DOCS_ENDINGS):
        return "docs"
    return "source" if language in SOURCE else "other"

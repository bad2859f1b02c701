"""Which role a file plays in its project, by its path alone, and which roles a text asks for."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal

from sidecar.files.language import CODE, language_of

SourceKind = Literal["source", "test", "docs", "other"]

_TEST_FOLDERS: Final = frozenset(
    "test tests spec specs __tests__ __mocks__ e2e testdata test_data fixtures unittests".split()
)
_TEST_NAME: Final = re.compile(
    r"test_.+|tests?\.\w+|conftest\.py|.+[_.-](?:test|tests|spec|specs)\.\w+|.+(?:Tests?|Spec|IT)\.(?:java|kt|cs|scala|swift|php|groovy)"
)
_DOCS_FOLDERS: Final = frozenset("doc docs documentation website man manual".split())
_DOCS_ENDINGS: Final = (".md", ".rst", ".adoc", ".mdx", ".txt", ".org")
SOURCE: Final = (CODE - {"nix", "terraform"}) | frozenset(
    """groovy clojure erlang fsharp r perl objc nim vim lisp cython vue svelte astro erb blade razor sql protobuf
    graphql prisma css scss""".split()
)

_ASKED_BY: Final[dict[SourceKind, frozenset[str]]] = {
    "test": frozenset("test tests testing testcase testcases specs coverage e2e unittest unittests flaky".split()),
    "docs": frozenset(
        "doc docs documentation readme changelog changelogs typo typos guide tutorial contributing badge markdown"
        " grammar wording spelling clarify faq".split()
    ),
    "other": frozenset(
        "ci workflow workflows deps dependency dependencies gitignore build pipeline travis tox yml yaml toml config"
        " dockerfile docker makefile lockfile bump".split()
    ),
}
_ASKING: Final = re.compile(r"[a-z][a-z0-9]+")


def asked_for(text: str) -> frozenset[SourceKind]:
    """Return the kinds other than source that a line asks for, in words or by the name of a file."""
    words = frozenset(_ASKING.findall(text.lower()))
    return frozenset(kind for kind, known in _ASKED_BY.items() if not known.isdisjoint(words))


def kind_by_name(path: str) -> SourceKind:
    """Return the kind of a file that may no longer exist, with its language guessed from its name."""
    return kind_of(path, language_of(path))


@lru_cache(maxsize=20_000)
def kind_of(path: str, language: str) -> SourceKind:
    """Return whether the file at `path` is a test (or made for one), documentation, source, or none of these."""
    *folders, name = path.split("/")
    lower = [folder.lower() for folder in folders]
    if not _TEST_FOLDERS.isdisjoint(lower) or (lower and (lower[0] == "testing" or lower[-1].endswith("tests"))):
        return "test"
    if language in SOURCE and _TEST_NAME.fullmatch(name):
        return "test"
    if not _DOCS_FOLDERS.isdisjoint(lower[:2]) or name.lower().endswith(_DOCS_ENDINGS):
        return "docs"
    return "source" if language in SOURCE else "other"

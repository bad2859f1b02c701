"""Resolve named paths to files, and tell the kinds of files."""

from __future__ import annotations

import pytest

from sidecar.files.kinds import kind_of
from sidecar.files.language import language_of
from sidecar.files.retrieval.places import Places

PLACES = Places(
    [
        "src/flask/app.py",
        "src/flask/config.py",
        "src/flask/json/__init__.py",
        "src/flask/json/tag.py",
        "tests/test_config.py",
        "docs/config.rst",
        "a/util.py",
        "b/util.py",
    ]
)


@pytest.mark.parametrize(
    ("past", "now"),
    [
        ("src/flask/app.py", "src/flask/app.py"),
        ("flask/app.py", "src/flask/app.py"),
        ("lib/flask/json/tag.py", "src/flask/json/tag.py"),
        ("app.py", None),
        ("old/util.py", None),
        ("a/util.py", "a/util.py"),
        ("flask/gone.py", None),
    ],
)
def test_files_of_the_past(past: str, now: str | None) -> None:
    assert PLACES.present_path(past) == now


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("src/flask/config.py", "src/flask/config.py"),
        ("/usr/lib/python3/site-packages/flask/config.py", "src/flask/config.py"),
        ("C:\\code\\flask\\app.py", "src/flask/app.py"),
        ("config.rst", "docs/config.rst"),
        ("util.py", None),
        ("e.g", None),
        ("app.run", None),
        ("x" * 500, None),
        ("///", None),
    ],
)
def test_files_that_a_text_names(text: str, path: str | None) -> None:
    assert PLACES.file_named(text) == path


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("src/app.py", "source"),
        ("testing/test_mark.py", "test"),
        ("src/_pytest/mark.py", "source"),
        ("src/_pytest/pytester.py", "source"),
        ("pkg/server_test.go", "test"),
        ("lib/a.spec.ts", "test"),
        ("src/test/java/a/B.java", "test"),
        ("src/main/java/a/BTest.java", "test"),
        ("src/Polly.Core.Tests/Retry.cs", "test"),
        ("spec/a_spec.rb", "test"),
        ("lib/contest.rb", "source"),
        ("latest.py", "source"),
        ("docs/conf.py", "docs"),
        ("CHANGES.rst", "docs"),
        ("README.md", "docs"),
        ("pyproject.toml", "other"),
        (".github/workflows/ci.yml", "other"),
        ("Makefile", "other"),
    ],
)
def test_a_path_has_a_kind_of_place(path: str, kind: str) -> None:
    assert kind_of(path, language_of(path)) == kind

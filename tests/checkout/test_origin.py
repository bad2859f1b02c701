"""The URL of `origin`, read from git's configuration, is the same however it is spelt."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.checkout.gitconfig import parse_config, read_config
from sidecar.checkout.origin import normalise_origin, read_origin
from sidecar.checkout.repository import Repository


@pytest.mark.parametrize(
    "url",
    [
        "git@github.com:a/b.git",
        "git@github.com:a/b",
        "git@GitHub.com:/a/b.git/",
        "github.com:a/b",
        "ssh://git@github.com/a/b.git",
        "ssh://git@github.com:22/a/b",
        "ssh://github.com:/a/b",
        "https://github.com/a/b.git",
        "https://github.com:443/a/b/",
        "https://user:p%40ss@github.com/a//b.git",
        "https://user:p@ss@GITHUB.COM/a/b",
        "http://github.com:80/a/b",
        "git://github.com:9418/a/b.git",
        "  https://github.com/a/b.git\n",
    ],
)
def test_all_spellings_of_one_remote_agree(url: str, tmp_path: Path) -> None:
    assert normalise_origin(url, tmp_path) == "github.com/a/b"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("ssh://git@host:2222/a/b", "host:2222/a/b"),
        ("ssh://[::1]:22/a", "[::1]/a"),
        ("ssh://[::1]/a", "[::1]/a"),
        ("git@[::1]:a.git", "[::1]/a"),
        ("git@[host:22]:a/b", "host/a/b"),
        ("https://host/a%20b", "host/a b"),
        ("https://host/Case/Kept", "host/Case/Kept"),
        ("ext::ssh -o x %S foo", "ext::ssh -o x %S foo"),
        ("", None),
        ("   ", None),
        ("https://", None),
        ("a\0b", None),
    ],
)
def test_origins_of_unusual_remotes(url: str, expected: str | None, tmp_path: Path) -> None:
    assert normalise_origin(url, tmp_path) == expected


def test_local_remotes_become_real_paths(tmp_path: Path) -> None:
    (tmp_path / "store" / "x").mkdir(parents=True)
    (tmp_path / "bare.git").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "store")
    base = tmp_path / "store"
    want = f"file:{tmp_path}/store/x"
    for url in ("x", "./x", "../store/x", f"{tmp_path}/link/x/", f"file://{tmp_path}/link/x", "x/.git"):
        assert normalise_origin(url, base) == want
    assert normalise_origin(f"file://localhost{tmp_path}/store/x", base) == want
    assert normalise_origin("../bare", base) == f"file:{tmp_path}/bare.git"


@given(st.text(max_size=60))
def test_any_text_is_normalised_without_an_exception(url: str) -> None:
    normalise_origin(url, Path("/nowhere"))


def test_configuration_text_is_parsed_into_keys_and_values(git: object, tmp_path: Path) -> None:
    text = (
        "\ufeff# comment\n[core] bare = false ; tail\n\tflag\n"
        '[remote "ori\\"gin"]\n url = "a # b" ; c\n  url = x\\\n  y\\t\\\\z   # end\n'
        "[Sub.Old]\nKey=v\nbro ken = 1\n[bad\n= nothing\n[s]\nlast=1"
    )
    assert parse_config(text) == [
        ("core.bare", "false"),
        ("core.flag", "true"),
        ('remote.ori"gin.url', "a # b"),
        ('remote.ori"gin.url', "x  y\t\\z"),
        ("sub.old.key", "v"),
        ("sub.old.bro", "true"),
        ("sub.old.ken", "1"),
        ("s.last", "1"),
    ]


@given(st.text(alphabet='[]"\\=;# \n\tab.-', max_size=80))
def test_any_configuration_text_is_read_without_an_exception(text: str) -> None:
    parse_config(text)


def test_a_written_configuration_is_read_as_git_reads_it(tmp_path: Path, git: object) -> None:
    assert callable(git)
    git(tmp_path, "init", "-q")
    values = ["plain", 'with "quotes"', "semi;colon # hash", " blanks around ", "back\\slash", "tab\tin", "ünï"]
    for index, value in enumerate(values):
        git(tmp_path, "config", f"test.a{index}.Key{index}", value)
    read = dict(read_config(tmp_path / ".git" / "config"))
    assert [read[f"test.a{index}.key{index}"] for index in range(len(values))] == values


def test_includes_are_followed_and_cycles_end(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("[include]\n path = b\n[x]\n k = 1\n")
    (tmp_path / "b").write_text("[include]\n path = a\n[y]\n k = 2\n")
    pairs = read_config(tmp_path / "a", includes=True)
    assert ("y.k", "2") in pairs
    assert pairs[-1] == ("x.k", "1")


def test_the_first_url_of_origin_counts(tmp_path: Path) -> None:
    (tmp_path / "config").write_text('[remote "up"]\nurl=h:u\n[remote "origin"]\nurl=h:one\nurl=h:two\n')
    missing = tmp_path / "missing"
    assert read_origin(Repository(tmp_path, tmp_path, tmp_path)) == "h/one"
    assert read_origin(Repository(missing, missing, missing)) is None

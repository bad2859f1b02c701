"""Ignore rules decide as git does, for any patterns, at any place."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sidecar.checkout.gitignore import IgnoreRules, parse_rule
from sidecar.checkout.ignore import IgnoreReasons
from sidecar.checkout.tree import Tree
from tests.checkout.conftest import Git, NewRepository

NAMES = ["a", "b", "ab", "x.log", "logs", "a.c", "a]", "-", "[", "a b", "!a", "#a", "A", "c ", "a.tar.gz", "b\\"]
# Whole and broken pieces of patterns, glued together at random.
PIECES = [
    *"a b * ** ? [ab] [!a] [^b] . log / / / \\* \\a [a-c] []a] [[:alpha:]] [[:foo:]] [ c ! # *** [a - [!]a]".split(" "),
    *"[a-] [--a] \\ [/a] [c-a] [[:al] .c x logs **/ /** *.c a/ /a".split(" "),
    *(" ", "\\ "),
]


@pytest.fixture(scope="module")
def forest(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Make a repository with many odd names; return it and their paths."""
    root = tmp_path_factory.mktemp("forest")
    os.system(f"git init -q {root}")
    chosen = random.Random(7)
    paths = {"/".join(chosen.choice(NAMES) for _ in range(chosen.randint(1, 4))) for _ in range(250)}
    files = sorted(path for path in paths if not any(other.startswith(path + "/") for other in paths))
    for path in files:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("")
    return root, files


pattern_text = st.builds(
    lambda mark, pieces, end: mark + "".join(pieces) + end,
    st.sampled_from(["", "", "!", "/"]),
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=5),
    st.sampled_from(["", "", "/", " "]),
)


@settings(suppress_health_check=list(HealthCheck))
@given(lines=st.lists(pattern_text, min_size=1, max_size=5))
def test_any_patterns_decide_as_git_does(lines: list[str], forest: tuple[Path, list[str]], git: Git) -> None:
    root, files = forest
    (root / ".gitignore").write_text("\n".join(lines) + "\n")
    kept = set(git(root, "ls-files", "-o", "-z", "--exclude-standard").split("\0"))
    rules = IgnoreRules(lines)

    def ignored(path: str) -> bool:
        parts = path.split("/")
        return any(
            rules.match("/".join(parts[:depth]), parts[depth - 1], depth < len(parts))
            for depth in range(1, len(parts) + 1)
        )

    assert {path for path in files if not ignored(path)} == kept & set(files)


PLACES = [".gitignore", "a/.gitignore", "a/b/.gitignore", "ab/.gitignore", ".git/info/exclude", "excludes"]


@settings(suppress_health_check=list(HealthCheck))
@given(rules=st.dictionaries(st.sampled_from(PLACES), st.lists(pattern_text, min_size=1, max_size=4), min_size=2))
def test_rules_at_any_places_decide_as_git_does(
    rules: dict[str, list[str]], forest: tuple[Path, list[str]], git: Git, git_environment: Path
) -> None:
    """With nested `.gitignore` files, info/exclude and core.excludesFile, path by path and many at once."""
    root, files = forest
    places = {place: git_environment / place if place == "excludes" else root / place for place in PLACES}
    (git_environment / ".gitconfig").write_text(f"[core]\n\texcludesFile = {places['excludes']}\n")
    written = {place: path for place, path in places.items() if path.parent.is_dir()}
    try:
        for place, path in written.items():
            path.write_text("".join(line + "\n" for line in rules.get(place, [])))
        said = git(root, "check-ignore", "-z", "--no-index", "--stdin", input="\0".join(files), check=False)
        ignored = set(said.split("\0")) - {""}
        tree = Tree(root)
        together = IgnoreReasons(tree.ignores)
        assert {path for path in files if tree.ignored(path)} == ignored
        assert {path for path in files if together.reason(path) is not None} == ignored
    finally:
        for path in written.values():
            path.unlink(missing_ok=True)


@pytest.mark.parametrize("line", ["", "   ", "# comment", "/", "!", "!/"])
def test_lines_without_a_rule(line: str) -> None:
    assert parse_rule(line) is None


def test_rules_ignore_line_ends_and_case_where_asked() -> None:
    rules = IgnoreRules("\ufeffA.c\r\n*.Log\r\n/Sub/X*\r\n".removeprefix("\ufeff").split("\n"), ignore_case=True)
    for path in ("a.c", "A.C", "x.LOG", "sUB/xy"):
        assert rules.match(path, path.rsplit("/", 1)[-1], False)
    assert IgnoreRules(["A.c"]).match("a.c", "a.c", False) is None


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 60 + "b", "a" * 250),
        ("/" + "*a" * 60 + "b", "a" * 250),
        ("**/a/" * 40 + "b", "a/" * 1500 + "c"),
        ("x/" + "*?" * 60 + "z", "x/" + "q" * 250),
        ("**/*a*/" * 20 + "b", "xax/" * 1000 + "c"),
    ],
)
@pytest.mark.timeout(60)
def test_a_hostile_pattern_cannot_hang(pattern: str, path: str) -> None:
    """Backtracking would outlast the universe; a slow machine takes milliseconds."""
    assert IgnoreRules([pattern]).match(path, path.rsplit("/", 1)[-1], False) is None


def walked(root: Path) -> set[str]:
    return {found.path for found in Tree(root).walk()}


def make(root: Path, *paths: str, text: str = "x = 1\n") -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


@pytest.fixture
def rich(tmp_path: Path, new_repository: NewRepository, git_environment: Path) -> Path:
    """Make a repository with rules at every level that git has."""
    root = new_repository(tmp_path / "rich")
    make(
        root,
        *("README.md", "src/app.py", "src/app.log", "src/keep.log", "src/gen/a.py", "src/gen/keep/b.py"),
        *("docs/build/x.md", "docs/x.md", "docs/deep/build/y.md", "tmp/a.py", "tmp/b/c.py", "local.txt", "o/p/q.bak"),
        *("web/dist/x.js", "web/src/dist/y.js", "web/x.js", "üñï/ç.py", "with space/a b.py", "e/only.skip", "e/f.py"),
    )
    make(root, ".gitignore", text="*.log\n/tmp/*\n!/tmp/b/\n**/gen/\n!src/gen/keep\n")
    make(root, "src/.gitignore", text="!keep.log\n")
    make(root, "docs/.gitignore", text="build/\n!deep/build/\n")
    make(root, "web/.gitignore", text="/dist\n")
    make(root, "e/.gitignore", text="*\n!.gitignore\n!f.py\n")
    make(root, ".git/info/exclude", text="local.txt\n")
    make(git_environment, ".config/git/ignore", text="*.bak\n")
    return root


def test_a_rich_tree_is_walked_as_git_lists_it(rich: Path, git: Git) -> None:
    listed = set(git(rich, "ls-files", "-co", "-z", "--exclude-standard").split("\0")) - {""}
    assert walked(rich) == listed
    assert "src/keep.log" in listed
    assert not {"src/app.log", "local.txt", "o/p/q.bak", "src/gen/keep/b.py"} & listed
    tree = Tree(rich)
    every = {path.relative_to(rich).as_posix() for path in rich.rglob("*") if path.is_file()}
    for path in every:
        if not path.startswith(".git/"):
            assert tree.ignored(path) == (path not in listed), path


@pytest.mark.parametrize("inner", ["src", "docs", "docs/deep", "web", "web/src", "e"])
def test_a_sub_folder_obeys_the_rules_above_it(rich: Path, git: Git, inner: str) -> None:
    listed = set(git(rich / inner, "ls-files", "-co", "-z", "--exclude-standard").split("\0")) - {""}
    assert walked(rich / inner) == listed


def test_global_excludes_are_found_in_all_their_places(rich: Path, git: Git, git_environment: Path) -> None:
    make(git_environment, "my-ignores", text="README.md\n")
    tree = Tree(rich)
    assert not tree.ignored("README.md")
    git(rich, "config", "--global", "core.excludesFile", "~/my-ignores")
    tree.ignores.invalidate()
    assert tree.ignored("README.md")
    assert not tree.ignored("o/p/q.bak")
    git(rich, "config", "core.ignoreCase", "true")
    make(rich, "NEW.LOG")
    tree.ignores.invalidate()
    assert tree.ignored("NEW.LOG")


def test_a_worktree_uses_the_shared_exclude_file(rich: Path, git: Git) -> None:
    git(rich, "worktree", "add", "-q", "../w")
    make(rich.parent / "w", "local.txt", "other.txt")
    assert "local.txt" not in walked(rich.parent / "w")
    assert "other.txt" in walked(rich.parent / "w")


def test_rules_are_never_older_than_the_disk(tmp_path: Path) -> None:
    make(tmp_path, "sub/a.py")
    tree = Tree(tmp_path)
    assert not tree.ignored("sub/a.py")
    make(tmp_path, "sub/.gitignore", text="a.py\n")
    assert tree.ignored("sub/a.py")
    make(tmp_path, "sub/.gitignore", text="b.py\n")
    assert not tree.ignored("sub/a.py")
    (tmp_path / "sub/.gitignore").unlink()
    assert not tree.ignored("sub/a.py")


def test_a_workspace_that_its_repository_ignores_starts_afresh(tmp_path: Path, new_repository: NewRepository) -> None:
    home = new_repository(tmp_path / "home")
    make(home, ".gitignore", text="*\n")
    make(home, "project/a.py", "project/b.log", "project/sub/c.py")
    make(home, "project/.gitignore", text="*.log\n")
    assert walked(home / "project") == {".gitignore", "a.py", "sub/c.py"}
    assert walked(home) == set()


def test_the_built_in_lists_hold_whatever_the_rules_say(tmp_path: Path) -> None:
    junk = [
        *("node_modules/p/index.js", "a/__pycache__/x.py", ".venv/lib/x.py", "app.min.js", "app.js.map", "x.py~"),
        *(
            ".#x.py",
            ".x.py.swp",
            "4913",
            ".agents/.MEMORY.md-12-5nmnx.tmp",
            "Cargo.lock",
            "sub/package-lock.json",
            ".env",
            ".env.local",
            "id_rsa",
        ),
        *("env/pyvenv.cfg", "env/lib/x.py", ".git/config", "deep/.hg/x.py"),
    ]
    kept = ["build/x.py", "dist/x.py", "target/x.rs", ".env.example", "env.py", "venv/x.py", "src/lock.py"]
    make(tmp_path, *junk, *kept)
    make(tmp_path, ".gitignore", text="!node_modules/\n!*.min.js\n!.env\n!__pycache__/\n")
    assert walked(tmp_path) == {*kept, ".gitignore"}
    tree = Tree(tmp_path)
    assert [path for path in junk if not tree.ignored(path)] == []
    assert [path for path in kept if tree.ignored(path)] == []
    assert tree.ignored("node_modules")
    assert tree.ignored("env")
    assert not tree.ignored(".")


def test_patterns_of_the_settings_go_first(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "docs/x.md", "keep.log", "other.log")
    make(tmp_path, ".gitignore", text="*.log\n")
    tree = Tree(tmp_path, extra_ignores=["docs/", "!keep.log"])
    assert {found.path for found in tree.walk()} == {".gitignore", "a.py", "keep.log"}


def test_nested_repositories_have_rules_of_their_own(tmp_path: Path, new_repository: NewRepository) -> None:
    outer = new_repository(tmp_path / "outer")
    inner = new_repository(outer / "sub" / "inner")
    make(outer, ".gitignore", text="*.txt\n")
    make(inner, "a.txt", "b.md", "c.rst")
    make(inner, ".gitignore", text="*.md\n")
    make(inner, ".git/info/exclude", text="c.rst\n")
    assert walked(outer) == {".gitignore", "a.py"}
    tree = Tree(outer)
    assert not tree.ignored("sub/inner/a.txt")
    assert tree.ignored("sub/inner/b.md")
    assert tree.ignored("sub/inner/c.rst")
    assert tree.read("sub/inner/a.py").data == b"A = 1\n"


def test_odd_ignore_files_are_survived(tmp_path: Path) -> None:
    make(tmp_path, "a/x.py", "b/x.py", "c/x.py", "d/x.py", "rules")
    os.mkfifo(tmp_path / "a/.gitignore")
    (tmp_path / "b/.gitignore").symlink_to(tmp_path / "rules")
    (tmp_path / "c/.gitignore").mkdir()
    (tmp_path / "d/.gitignore").write_bytes(b"\xff\xfe\x00[[[\n\\\n" + b"x" * 100_000)
    assert {"a/x.py", "b/x.py", "c/x.py", "d/x.py"} <= walked(tmp_path)

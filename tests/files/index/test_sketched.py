"""A real server reads most files of a large workspace without outlining them, and outlines those that matter."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from sidecar.checkout.tree import Tree
from sidecar.files.retrieval.source_index import vocabulary
from sidecar.files.workers.worker import UNSKETCHED, Batch, batches, parse
from tests.client.git import git
from tests.client.json_value import Json
from tests.client.stdio_client import StdioClient
from tests.waiting import eventually

pytestmark = pytest.mark.slow

COUNT = 40
FEW = """
import sys
from sidecar.files.workers import warm, worker
warm.OUTLINED_AHEAD_OF_MANY, warm.FILES_PER_MESSAGE, warm.UNSKETCHED = 0, 4, 8
worker.UNSKETCHED = 8
from sidecar.cli.entry import main
main()
"""
"""A server that sketches the files of a folder with more than 8."""
NOTIFICATIONS = ["memory/didChange", "file/didInvalidate", "window/logMessage", "$/progress"]
SUSPECT = "// Each tokenizer reads quokka numbers.\n"
"""A line that may hold a secret and holds none."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    root.mkdir()
    for number in range(COUNT):
        (root / f"part{number:02}.rs").write_text(f"pub fn thing_number_{number}() {{}}\n")
    (root / "part99.rs").write_text(f"pub fn sketched_thing() {{\n    call_of_wombat();\n}}\n\n\n{SUSPECT}")
    (root / "notes.md").write_text("# Notes of the platypus\n")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Everything")
    return root


@contextmanager
def serving(root: Path) -> Iterator[StdioClient]:
    """A server that has read all files in the background."""
    env = {"HOME": str(root.parent), "MEMORY_SIDECAR_STORE_FOLDER": str(root.parent / "store")}
    with StdioClient([sys.executable, "-c", FEW, "serve"], cwd=root, env=env, ignore=NOTIFICATIONS) as client:
        client.initialize(root)
        deadline = time.monotonic() + 60
        while files_of(client) != (COUNT + 2, 0) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert files_of(client) == (COUNT + 2, 0)
        yield client


def files_of(client: StdioClient) -> tuple[int, int]:
    """The number of files in the index, and of those that wait."""
    code = client.call("sidecar/status")["workspaces"][0]["code"]
    return (int(code["files"]), int(code["waiting"])) if code else (0, 0)


def found(client: StdioClient, query: str) -> list[str]:
    """Return the paths that a complete answer names."""

    def whole() -> Json | None:
        answer = client.call("file/search", {"query": query})
        return None if answer.get("pending") else answer

    return [str(item["path"]) for item in eventually(whole)["items"]]


def test_a_sketched_file_is_found_and_not_pending(root: Path) -> None:
    with serving(root) as client:
        assert found(client, "sketched thing")[0] == found(client, "call of wombat")[0] == "part99.rs"
        assert found(client, "notes of the platypus") == ["notes.md"]
        assert found(client, "quokka") == []  # no word of a line that may hold a secret
        drawn = client.call("workspace/repoMap", {"budgetTokens": 4_000})
        assert not drawn.get("pending")
        assert "pub fn sketched_thing()" in drawn["text"]


def test_a_sketched_file_is_outlined_when_asked_or_edited_and_known_after_a_restart(root: Path) -> None:
    with serving(root) as client:
        assert "sketched_thing" in str(client.call("file/summary", {"path": "part99.rs"})["outline"])
        assert found(client, "quokka") == ["part99.rs"]
        edited = root / "part23.rs"
        edited.write_text(f"pub fn thing_since() {{}}\n\n\n{SUSPECT}")
        client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": edited.as_uri(), "type": 2}]})
        eventually(lambda: sorted(found(client, "quokka")) == ["part23.rs", "part99.rs"])
        assert found(client, "thing since")[0] == "part23.rs"
    with serving(root) as client:
        assert "part23.rs" in found(client, "quokka")
        assert found(client, "call of wombat")[0] == "part99.rs"
        assert found(client, "thing_number_9")[0] == "part09.rs"


LANGUAGES = {
    "a.cs": (
        "namespace N\n{\n    public class Shop : Base\n    {\n        public List<int> SellAll(int x)\n        {\n"
        '            Call("secret_text");\n        }\n    }\n}\n',
        ["Shop", "SellAll"],
    ),
    "a.rs": (
        "pub struct Unit;\nimpl<T> Shop<T> {\n    pub fn sell_all(&self) {}\n}\nimpl Base for Shop {\n"
        "    fn told(&self) {}\n}\nuse a::b::{Cde, fgh};\nconst MOST: u8 = 3;\n",
        ["Unit", "sell_all", "MOST"],
    ),
    "a.rb": (
        "module Store\n  class Shop < Base\n    LIMIT = 3\n    def sell_all(x)\n      call <<~TEXT\n"
        "        def not_this\n      TEXT\n    end\n  end\nend\n",
        ["Store", "Shop", "LIMIT", "sell_all"],
    ),
}


@pytest.mark.parametrize("name", LANGUAGES)
def test_sketches_find_definitions_without_a_grammar(tmp_path: Path, name: str) -> None:
    text, names = LANGUAGES[name]
    (tmp_path / name).write_text(text)
    batch = Batch(str(tmp_path), 1_000_000, [], [name], outline=False, scan=True, terms=True, sketch=True)
    (parsed,) = parse(batch, terms_of=vocabulary())
    assert parsed.scan is not None
    assert list(parsed.scan.names) == names
    assert parsed.terms is not None
    assert "sellall" in parsed.terms or "sell_all" in parsed.terms


def test_prose_far_behind_the_beginning_counts_only_if_a_file_is_read_exactly(tmp_path: Path) -> None:
    filling = "// Nothing is said here.\n" * 2_000
    (tmp_path / "a.rs").write_text(
        f"// A quokka.\n{filling}// A wombat.\npub fn platypus() {{\n    call_echidna();\n}}\n"
    )
    for sketched in (True, False):
        batch = Batch(str(tmp_path), 1_000_000, [], ["a.rs"], outline=False, scan=True, terms=True, sketch=sketched)
        (parsed,) = parse(batch, terms_of=vocabulary())
        assert parsed.scan is not None
        assert parsed.terms is not None
        assert "platypus" in parsed.scan.names
        assert {"quokka", "platypus", "echidna"} <= parsed.terms.keys()
        assert ("wombat" in parsed.terms) is not sketched


@pytest.mark.parametrize("name", LANGUAGES)
def test_important_files_of_many_are_indexed_as_if_they_were_outlined(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(LANGUAGES[name][0])
    batch = Batch(str(tmp_path), 1_000_000, [], [name], scan=True, terms=True)
    (outlined,) = parse(batch)
    (indexed,) = parse(replace(batch, outline=False, exact=True))
    assert indexed == replace(outlined, content=None)


def test_many_files_are_sketched_but_for_those_outlined_ahead(tmp_path: Path) -> None:
    paths = [f"{number}.py" for number in range(UNSKETCHED + 1)]

    def made(paths: list[str]) -> dict[tuple[bool, bool], int]:
        work = batches(Tree(tmp_path), paths, 10, outlines=40, scan=True, terms=True)
        assert [path for batch in work for path in batch.paths] == paths
        kinds = Counter[tuple[bool, bool]]()
        for batch in work:
            kinds[batch.outline, batch.sketch] += len(batch.paths)
        return kinds

    assert made(paths) == {(True, False): 40, (False, True): UNSKETCHED - 39}
    assert made(paths[1:]) == {(True, False): 40, (False, False): UNSKETCHED - 40}

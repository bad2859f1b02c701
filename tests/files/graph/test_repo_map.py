"""The repository map: what it shows, that it fits, and that it depends on the files alone."""

from __future__ import annotations

import random
import re
from collections.abc import Collection

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.files.graph import snapshot
from sidecar.files.graph.links import distinctiveness
from sidecar.files.graph.node import FileLinks, Node
from sidecar.files.graph.repo_map import RepoMap
from sidecar.files.graph.selection import RenderedMap
from sidecar.files.index.map_files import signatures_of
from sidecar.files.language import language_of
from sidecar.files.outline import RECIPE as OUTLINE_RECIPE
from sidecar.files.outline import outline
from sidecar.files.scan.record import Scan
from sidecar.files.scan.scanning import RECIPE as SCAN_RECIPE
from sidecar.files.scan.scanning import scan
from sidecar.text.tokens import estimate

pytestmark = pytest.mark.slow

FILES = {
    "app/core.py": (
        '"""The engine."""\n\nclass RequestEngine:\n    """Runs."""\n\n    def run_request(self, url: str) -> str:\n'
        "        return url\n\n    def close_engine(self) -> None:\n        return None\n\n"
        "def make_engine(size: int = 3) -> RequestEngine:\n    return RequestEngine()\n"
    ),
    "app/cli.py": (
        "from app.core import make_engine\nfrom app.solo import parse_arguments\n\n"
        "def main_command():\n    make_engine().run_request(parse_arguments())\n"
    ),
    "app/solo.py": "def parse_arguments() -> str:\n    return 'x'\n",
    "app/web.py": (
        "from app.core import RequestEngine, make_engine\nfrom app.text import render_page\n\n"
        "def serve_pages():\n    engine: RequestEngine = make_engine(4)\n    page = engine.run_request('y')\n"
        "    return render_page(page)\n"
    ),
    "app/text.py": "def render_page(text: str) -> str:\n    return text\n\ndef unused_helper(text):\n    return text\n",
    "tests/test_core.py": "from app.core import make_engine\n\ndef test_engine_runs():\n    assert make_engine()\n",
    "README.md": "# App\n\nCalls make_engine.\n",
    "setup.cfg": "[metadata]\nname = app\n",
}


class Map:
    """A map of texts by path, drawn as the code index draws it."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.map = RepoMap()

    def put(self, path: str, text: str) -> None:
        self.texts[path] = text
        self.map.put(path, scan(path, language_of(path), text.encode()))

    def remove(self, path: str) -> None:
        self.texts.pop(path, None)
        self.map.remove(path)

    def restarted(self) -> Map:
        """The same in another process, which begins with what this one kept."""
        held = {path: (text, language_of(path)) for path, text in self.texts.items()}
        packing = self.map.packing(held)
        assert packing is not None
        data = packing()
        other = Map()
        other.texts = dict(self.texts)
        assert other.map.restore(data) == held
        return other

    def draw(self, budget: int, files: Collection[str] = (), identifiers: Collection[str] = ()) -> RenderedMap:
        return self.map.draw(
            self.map.plan(budget, files, identifiers),
            lambda path: signatures_of(*self.map.defined(path), outline(path, self.texts[path].encode(), "").symbols),
        )


def neighbours(made: Map, path: str) -> list[tuple[str, float]]:
    """Return the files that a file refers to, with the share of its links."""
    ranked = made.map.ranks()
    edges = ranked.edges[ranked.numbers[path]]
    return [(ranked.paths[target], share) for target, share in zip(*edges, strict=True)]


def map_of(files: dict[str, str], order: list[str] | None = None) -> Map:
    made = Map()
    for path in order or sorted(files):
        made.put(path, files[path])
    return made


def test_the_most_used_come_first_with_their_lines_and_signatures() -> None:
    drawn = map_of(FILES).draw(2_000)
    assert drawn.files[0] == "app/core.py"
    lines = drawn.text.splitlines()
    assert lines[0] == "app/core.py:"
    assert "    3 class RequestEngine" in lines
    assert "      6 def run_request(self, url: str) -> str" in lines
    assert "   12 def make_engine(size: int = 3) -> RequestEngine" in lines
    assert drawn.tokens == estimate(drawn.text)


@pytest.mark.parametrize("budget", [1, 3, 10, 25, 60, 120, 400, 4096])
def test_the_budget_is_never_exceeded_and_well_used(budget: int) -> None:
    many = {f"pkg/m{n}.py": f"from pkg.m{(n * 7) % 40} import make_thing_{(n * 7) % 40}\n\n"
            f"def make_thing_{n}(alpha: int, beta: str) -> None:\n    make_thing_{(n * 7) % 40}(1, 'x')\n\n"
            f"class Thing{n}Holder:\n    def hold_thing_{n}(self, deep: dict[str, int]) -> None: ...\n"
            for n in range(80)}  # fmt: skip
    drawn = map_of(many).draw(budget)
    assert estimate(drawn.text) == drawn.tokens <= budget
    if 60 <= budget <= 400:
        assert drawn.tokens > 0.85 * budget


def test_a_member_brings_what_it_is_a_member_of() -> None:
    drawn = map_of(FILES).draw(40)
    shown = drawn.text.splitlines()
    for at, line in enumerate(shown):
        if re.match(r"\s{6,}\d", line) and "def run_request" in line:
            assert any("class RequestEngine" in above for above in shown[:at])


def test_files_in_play_move_what_they_use_up() -> None:
    made = map_of(FILES)

    def before(first: str, second: str, in_play: str) -> bool:
        shown = made.draw(2_000, files=[in_play]).files
        return shown.index(first) < shown.index(second)

    assert before("app/text.py", "app/solo.py", in_play="app/web.py")
    assert before("app/solo.py", "app/text.py", in_play="app/cli.py")
    for path in FILES:
        assert path in made.draw(30, files=[path]).files
    assert made.draw(2_000, files=["unknown.py"]) == made.draw(2_000)


def test_identifiers_in_play_bring_their_definitions_up() -> None:
    made = map_of(FILES)
    assert "unused_helper" not in made.draw(60).text
    for identifier in ("unused_helper", "app.text.unused_helper()", "text::unused_helper"):
        assert "unused_helper" in made.draw(60, identifiers=[identifier]).text
    assert made.draw(200, identifiers=["cli"]).files.index("app/cli.py") <= 1
    assert made.draw(200, identifiers=["nothing_of_that_name"]) == made.draw(200)


def test_the_same_files_give_the_same_bytes_whatever_came_before() -> None:
    plain = map_of(FILES)
    order = sorted(FILES)
    random.Random(3).shuffle(order)
    other = map_of({**FILES, "app/gone.py": "def make_engine(): ...\n"}, ["app/gone.py", *order])
    other.draw(500)
    other.put("app/core.py", "def nothing_here(): ...\n")
    other.draw(500)
    other.put("app/core.py", FILES["app/core.py"])
    other.remove("app/gone.py")
    for files, identifiers in (([], []), (["app/web.py"], []), ([], ["render_page"])):
        assert other.draw(500, files, identifiers) == plain.draw(500, files, identifiers)


def test_an_edit_makes_only_the_links_that_it_touches(monkeypatch: pytest.MonkeyPatch) -> None:
    made = map_of(FILES)
    made.draw(500)
    done: list[str] = []
    real = made.map.links.links_of

    def noted(node: Node) -> FileLinks:
        done.append(node.path)
        return real(node)

    monkeypatch.setattr(made.map.links, "links_of", noted)
    made.put("app/text.py", FILES["app/text.py"] + "# a remark\n")
    made.draw(500)
    assert done == ["app/text.py"]
    done.clear()
    made.put("app/text.py", "def render_sheet(text): ...\n")
    made.draw(500)
    assert done == ["app/text.py", "app/web.py"]


def test_a_new_file_is_found_by_the_imports_that_waited_for_it() -> None:
    made = map_of({"a/use.py": "from a.later import make_later\n\nmake_later()\n"})
    made.draw(500)
    made.put("a/later.py", "def make_later(): ...\n")
    assert made.draw(500).files[0] == "a/later.py"
    assert made.draw(500) == map_of(
        {"a/use.py": "from a.later import make_later\n\nmake_later()\n", "a/later.py": "def make_later(): ...\n"}
    ).draw(500)


def test_an_import_decides_between_definitions_of_one_name() -> None:
    made = map_of(
        {
            "one.py": "def build_thing(): ...\n",
            "two.py": "def build_thing(): ...\n",
            "use.py": "from two import build_thing\n\nbuild_thing()\n",
        }
    )
    assert neighbours(made, "use.py") == [("two.py", 1.0)]
    ranked = made.map.ranks()
    assert ranked.rank[ranked.numbers["two.py"]] > ranked.rank[ranked.numbers["one.py"]]


def test_nothing_known_gives_an_empty_map() -> None:
    assert Map().draw(4096, files=["a.py"], identifiers=["x"]).text == ""


def test_names_that_tell_more() -> None:
    assert (
        distinctiveness("run_request")
        > distinctiveness("Engine")
        > distinctiveness("run")
        > distinctiveness("_run_request")
        > 0
    )


NAMES = st.sampled_from(["alpha_one", "BetaTwo", "gamma", "delta_four", "x"])
SOURCE = st.lists(st.tuples(NAMES, NAMES), max_size=4).map(
    lambda pairs: "".join(f"def {name}():\n    return {used}()\n\n" for name, used in pairs)
)


@settings(max_examples=40, deadline=None)
@given(
    st.dictionaries(st.sampled_from(["a.py", "b.py", "p/c.py", "p/__init__.py"]), SOURCE, min_size=1),
    st.lists(st.tuples(st.sampled_from(["a.py", "b.py", "p/c.py", "p/__init__.py"]), st.none() | SOURCE), max_size=5),
    st.integers(1, 300),
)
def test_steps_end_where_the_files_alone_do(
    files: dict[str, str], steps: list[tuple[str, str | None]], budget: int
) -> None:
    made = map_of(files)
    made.draw(budget)
    made = made.restarted()
    now = dict(files)
    for path, text in steps:
        if text is None:
            now.pop(path, None)
            made.remove(path)
        else:
            now[path] = text
            made.put(path, text)
        made.draw(budget)
    assert made.draw(budget) == map_of(now).draw(budget)
    assert made.draw(budget).tokens <= budget


@pytest.mark.parametrize("importing", ["import lib.codec\n", "from lib import codec\n\ncodec.encode_all()\n"])
def test_a_kept_map_follows_files_that_come_and_go(importing: str) -> None:
    files = {
        "app.py": importing,
        "lib/codec.py": "def encode_all():\n    pass\n",
        "other.py": "def other():\n    pass\n",
    }
    made = map_of(files)
    made.draw(300)
    without = {path: text for path, text in files.items() if path != "lib/codec.py"}

    again = made.restarted()
    again.remove("lib/codec.py")
    assert again.draw(300) == map_of(without).draw(300)
    assert neighbours(again, "app.py") == []

    third = again.restarted()
    third.put("lib/codec.py", files["lib/codec.py"])
    assert third.draw(300) == made.draw(300)
    assert neighbours(third, "app.py") == neighbours(made, "app.py") != []


def test_a_kept_map_is_of_one_version_of_outlines(monkeypatch: pytest.MonkeyPatch) -> None:
    made = map_of(FILES)
    made.draw(300)
    packing = made.map.packing(dict.fromkeys(FILES, ("", "")))
    assert packing is not None
    data = packing()
    monkeypatch.setattr(snapshot, "RECIPES", (snapshot.RECIPE, SCAN_RECIPE, OUTLINE_RECIPE + 1, snapshot.RECIPES[-1]))
    assert RepoMap().restore(data) is None


def test_a_map_is_not_taken_for_one_of_other_contents() -> None:
    held = dict.fromkeys(FILES, ("", ""))
    made = map_of(FILES | {"app/more.py": "def more(): ..."})
    drawn = made.draw(300)
    packing = made.map.packing(held | {"app/more.py": ("", "")})
    assert packing is not None
    assert RepoMap().restore(packing(), held) is None
    assert made.map.restore(packing(), held) is None
    assert made.draw(300) == drawn


def test_a_name_with_half_a_surrogate_pair_is_kept_like_any_other() -> None:
    odd = Scan(
        "python",
        names=("make_\ud800odd",),
        lines=(1,),
        owners=(-1,),
        flags=b"\3",
        used=("make_\ud801odd",),
        times=b"\1",
    )
    made = map_of(FILES)
    made.map.put("odd.py", odd)
    made.map.plan(300)
    packing = made.map.packing(dict.fromkeys([*FILES, "odd.py"], ("", "")))
    assert packing is not None
    assert made.map.restore(packing()) is not None
    made.map.put("odder.py", odd)
    assert [tuple(made.map.defined(path)[0]) for path in ("odd.py", "odder.py")] == [odd.names, odd.names]


def test_names_of_what_is_gone_are_forgotten_when_the_map_is_saved() -> None:
    made, plain = Map(), Map()
    for path, text in FILES.items():
        made.put(path, text)
        plain.put(path, text)
    first = made.draw(500)
    for number in range(300):
        text = f"def parse_{number}() -> str:\n    return used_{number}(make_engine)\n"
        made.put("app/solo.py", text)
        plain.put("app/solo.py", text)
        assert made.draw(500) == plain.draw(500)
        if number % 50:
            continue
        packing = made.map.packing({path: ("", language_of(path)) for path in FILES})
        assert packing is not None
        assert made.map.restore(packing()) is not None
        links = made.map.links
        assert len(links.names) <= 400
        for held in (links._definers, links._public):
            # Nothing is kept of a name that nobody defines, but that a file of the snapshot no longer does.
            assert all(files or number < len(held._stored) for number, files in held._changed.items())
    assert len(plain.map.links.names) > 600
    made.put("app/solo.py", FILES["app/solo.py"])
    assert made.draw(500) == first
    packing = plain.map.packing(dict.fromkeys(FILES, ("", "")))
    other = RepoMap()
    assert packing is not None
    assert other.restore(packing()) is not None
    assert other.links.names.number("parse_299") is not None
    assert other.links.names.number("parse_7") is None


def test_heads_are_read_of_files_that_fit_alone() -> None:
    files = {f"a_rather_long_folder/of_module_{number}.py": f"def thing_{number}(): ...\n" for number in range(60)}
    made = map_of(files)
    read: list[str] = []

    def heads(path: str) -> list[str]:
        read.append(path)
        return signatures_of(*made.map.defined(path), outline(path, files[path].encode(), "").symbols)

    plan = made.map.plan(200)
    drawn = made.map.draw(plan, heads)
    assert set(drawn.files) <= set(read)
    assert len(read) <= len(drawn.files) + 2
    assert made.map.unknown(made.map.plan(200)) == []
    assert 4 <= len(map_of(files).map.unknown(plan)) < 20

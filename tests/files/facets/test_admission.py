"""Which sentences become facets of a file, and why the others are refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sidecar.files.facets.admission import admit
from sidecar.files.facets.admission_result import FACETS_PER_CONTENT, MAX_SENTENCE, Admitted, Partner, Refused
from sidecar.files.facets.content import Content

Make = Callable[..., Content]


@pytest.mark.parametrize(
    ("sentence", "identifiers"),
    [
        ("`load` keeps the file open until the process ends.", ("load",)),
        ("load() keeps the file open until the process ends.", ("load",)),
        ("`SessionStore.flush` only counts, it never writes anything.", ("SessionStore.flush",)),
        ("`self._cache` is None until somebody calls `load`.", ("_cache", "load")),
        ("MAX_AGE is measured in minutes rather than seconds.", ("MAX_AGE",)),
        ("Nothing limits the size of _cache, so memory grows with every session.", ("_cache",)),
        ("The file handle stays open because `load` stores it in `_file`.", ("load", "_file")),
    ],
)
def test_admits_what_is_durable_and_grounded(content: Make, sentence: str, identifiers: tuple[str, ...]) -> None:
    judged = admit(sentence, content(), ())
    assert isinstance(judged, Admitted), judged
    assert set(judged.identifiers) == set(identifiers)
    assert judged.text == sentence


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("`load` is slow.", "tooShort"),
        ("`load` keeps the file open " + "and open " * 60, "tooLong"),
        ("The sessions are kept in memory and nowhere else.", "noIdentifier"),
        ("The parser gets its data from a file that stays open.", "noIdentifier"),
        ("`data` is handed on to whoever asks for it first.", "noIdentifier"),
        ("`self` keeps the file open until the process ends.", "noIdentifier"),
        ("`parse_header` keeps the file open until the process ends.", "notInFile"),
        ("`ReplayManager` must never load anything before the flush.", "notInFile"),
        ("`load` in other/reader.py keeps the file open until the end.", "noSuchFile"),
        ("I need to make `load` close the file it opens.", "task"),
        ("Let me check whether `load` keeps the file open.", "task"),
        ("`load` should close the file that it opens.", "task"),
        ("Change `load` so that it closes the file again.", "task"),
        ("Maybe `load` keeps the file open until the end.", "notDurable"),
        ("`load` might keep the file open until the end.", "notDurable"),
        ("`load` now closes the file after it was read.", "notDurable"),
        ("`load` was changed to close the file at the end.", "notDurable"),
        ("The tests pass since `load` closes its file.", "notDurable"),
        ("The `SessionStore` class is well written and easy to follow.", "task"),
        ("`load` has a bug, the file is never closed by anybody.", "notDurable"),
        ("Does `load` keep the file open until the end?", "question"),
        ("Why does `load` keep the file open until the end", "question"),
        ("It keeps the file open, unlike `flush` in this class.", "noise"),
        ("`load` and the file and the end of the process", "saysLittle"),
        ("`load_table` keeps its rows in a global of its own module.", "definedElsewhere"),
        ("`flush` is the cheap part.", "saysLittle"),
        ("`load`, `flush` and all the others around them:", "noise"),
        ("`SessionStore` is a class with the methods `load` and `flush`.", "alreadyInOutline"),
        ("`SessionStore` has the operations load and flush.", "saysLittle"),
        ("`load` takes a path argument and returns None.", "alreadyInOutline"),
        ("`load` reads the sessions back from a file.", "alreadyInOutline"),
        ("x = load(path); y = {a: [b, c]}; return load(y) => z", "code"),
    ],
)
def test_refuses_with_a_reason(content: Make, sentence: str, reason: str) -> None:
    judged = admit(sentence, content(), ())
    assert isinstance(judged, Refused), judged
    assert judged.reason == reason
    assert len(judged.text) <= MAX_SENTENCE


RULES = [
    "When you change `load`, change the file format of `flush` as well.",
    "Don't call `flush`, it is deprecated; use `SessionStore.load` instead.",
    "Call `flush` only after `load`.",
    "`flush` must never be called without a session.",
    "Bump MAX_AGE whenever the clients keep their cookies longer.",
    "Keep the max age above ten: clients ask again after that.",
    "Callers should hold the lock of the pool before they call `flush`.",
    "Importers use `self_test` and not the private `_cache`, which other processes replace.",
]
ORDERS = [
    "Change `load` and `flush` for the new format.",
    "`load` and `flush` should get a timeout of their own.",
    "Add a lock to `flush`, then look at `load`.",
    "Finding 3: `flush` has two callers in the shop.",
    "`flush` — Replace the number with a list of sessions.",
    "To test: run `load` and see whether the session is there.",
]


@pytest.mark.parametrize("sentence", RULES)
def test_a_rule_of_use_is_admitted(content: Make, sentence: str) -> None:
    assert isinstance(admit(sentence, content(), ()), Admitted), admit(sentence, content(), ())


@pytest.mark.parametrize("sentence", ORDERS)
def test_an_order_for_the_work_at_hand_is_not(content: Make, sentence: str) -> None:
    judged = admit(sentence, content(), ())
    assert isinstance(judged, Refused)
    assert judged.reason == "task"


def test_a_pair_of_files_is_grounded_in_both(content: Make) -> None:
    other = content("def encode_row(row):\n    return row\n", "shop/rows.py")
    files = {"rows.py": Partner("shop/rows.py", other), "gen.py": Partner("shop/gen.py", None)}
    both = "When you change `flush`, change `encode_row` in rows.py too."
    judged = admit(both, content(), (), files.get)
    assert isinstance(judged, Admitted)
    assert judged.partners == ("shop/rows.py",)
    assert judged.identifiers == ("flush",)
    of_the_files = admit("After editing store.py run gen.py by hand.", content(), (), files.get)
    assert isinstance(of_the_files, Admitted)
    assert of_the_files.partners == ("shop/gen.py",)
    for text, reason in (
        (both.replace("rows.py", "shop/columns.py"), "noSuchFile"),
        ("When you change `encode_row`, change `decode_row` in rows.py too.", "notInFile"),
    ):
        refused = admit(text, content(), (), files.get)
        assert isinstance(refused, Refused)
        assert refused.reason == reason


def test_where_there_is_no_outline_words_ground_a_rule(content: Make) -> None:
    page = content("# Two of them may share one.\nport 26379\npidfile /run/watch.pid\n", "watch.rules")
    rule = "Never give two watchers the same pidfile and port."
    assert not page.record.symbols
    judged = admit(rule, page, ())
    assert isinstance(judged, Admitted)
    assert set(judged.identifiers) == {"pidfile", "port"}
    for text in ("The pidfile and the port are in here.", "Never feed two cats from the same bowl of milk."):
        assert isinstance(admit(text, page, ()), Refused)


def test_of_several_files_a_fact_is_at_home_where_it_is_defined(content: Make) -> None:
    user = content("from shop.store import SessionStore\n\nsessions = SessionStore()\n", "shop/app.py")
    rule = "Make every `SessionStore` before the process forks."
    assert isinstance(admit(rule, user, ()), Admitted)
    judged = admit(rule, user, (), at_home=True)
    assert isinstance(judged, Refused)
    assert judged.reason == "definedElsewhere"
    assert isinstance(admit(rule, content(), (), at_home=True), Admitted)


def test_a_paraphrase_of_what_is_known_is_refused_and_its_denial_is_not(content: Make) -> None:
    known = ["`load` keeps the file open until the process ends."]
    again = admit("The file is kept open by `load` until the process ends.", content(), known)
    assert isinstance(again, Refused)
    assert again.reason == "paraphrase"
    assert isinstance(admit("`load` never keeps the file open at all.", content(), known), Admitted)


def test_a_full_content_takes_no_more(content: Make) -> None:
    known = [f"`flush` is fact number {number} about frogs" for number in range(FACETS_PER_CONTENT)]
    judged = admit("`load` keeps the file open until the process ends.", content(), known)
    assert isinstance(judged, Refused)
    assert judged.reason == "full"
    assert isinstance(admit("`load` keeps the file open until the process ends.", content(), known[1:]), Admitted)


def test_a_secret_is_neither_kept_nor_shown(content: Make) -> None:
    key = "AKIA" + "QYLPMN5HFIQR7XYA"
    judged = admit(f"`load` keeps the access key {key} in memory for ever.", content(), ())
    assert isinstance(judged, Refused)
    assert judged.reason == "secret"
    assert key not in judged.text


def test_the_line_is_safe(content: Make) -> None:
    judged = admit("`load` keeps\x1b[31m the\u202e file\nopen until\x00 the process ends.", content(), ())
    assert isinstance(judged, Admitted)
    assert judged.text == "`load` keeps the file open until the process ends."


def test_text_rendered_by_this_program_is_refused(content: Make) -> None:
    judged = admit("<memory-notes> `load` keeps the file open until the end.", content(), ())
    assert isinstance(judged, Refused)


def test_words_of_comments_and_prose_are_no_identifiers(content: Make) -> None:
    assert "tail" not in content().identifiers  # only in a comment
    page = content("# Guide\n\nRun it twice, then `make test`. The retry_limit counts.\n", "GUIDE.md")
    assert "twice" not in page.identifiers
    assert {"make", "retry_limit"} <= page.identifiers


def test_a_document_is_not_repeated_to_itself(content: Make) -> None:
    page = content("# Guide\n\nThe version comes from `make version`, never from a file.\n", "GUIDE.md")
    judged = admit("The version comes from `make version` and never from a file.", page, ())
    assert isinstance(judged, Refused)
    assert judged.reason == "alreadyInOutline"

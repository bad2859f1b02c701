"""What agents say of their work is no fact about a file: forms of real transcripts, in our words."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sidecar.files.facets.claims import is_claim
from sidecar.files.facets.content import Content
from sidecar.files.facets.distiller import distil
from sidecar.files.facets.plans import without_plans
from sidecar.files.facets.remarks import refusal
from sidecar.text.sentences import read

OF_THE_WORK = [
    # verdicts of a review
    "✅ Good - `load` follows the naming of the other readers exactly.",
    "`load` looks correct.",
    "The behaviour of `load` is intentional.",
    "`load` is too simple to deserve an abstraction.",
    "`flush` can be removed.",
    "The natural home for `load` is the `disk` package.",
    "`load` handles the empty file correctly.",
    "`flush` is still used by the tail, so there is no dead code.",
    "`load` calls `parse` directly — that's the quadratic part.",
    "`load` has incomplete type hints for its result.",
    # reports of changes, orders, numbered remarks
    "Added `MAX_AGE` and `MIN_AGE` as named constants.",
    "Renamed `flush` so that it matches `load`.",
    "`load` renamed the temporary file before this.",
    "`load` — The two separate `if` blocks are replaced by a single call.",
    "`flush` — Replace `return 0` with the number of sessions.",
    "Delegate the key to `load`, so that it is read only once.",
    "In `disk/store.py`, search for all uses of `load`.",
    "Observation 12 — `load` makes a new parser for each call.",
    "Finding 3: `flush` has two callers in the shop.",
    "The PR makes `load` return a list of sessions.",
    # positions, private places, the past, what goes on
    "Lines 20-28: `load` calls `parse` with the path.",
    "`load` (store.py:28) calls `parse` with the path.",
    "`load` depends on the file in /Users/kim/work/sessions.json being there.",
    "The cause was that `load` has no handle in the callback.",
    "`load` was the only reader of the file.",
    "The page is calling `load` directly instead of `flush`.",
    "`flush` still writes the whole file for each session.",
    # no subject of its own
    "Takes a string path and the `MAX_AGE` of the session.",
    "Returns: `load`, `flush` or nothing at all.",
    "Standardizes the answers so both `load` and `flush` use the same form.",
    "Redundant because `flush` calls `load` at the end.",
    "Both call sites carry the `SessionStore`.",
    "The only difference is that `load` has a path.",
    "The pattern is: after `load`, take the sessions and `flush` them.",
    "Since this is in `load`, it runs for every session.",
    "When `load` fails, it replaces the half-read table with an empty one.",
    "A few more checks: how `load` is made and what `flush` does.",
    "To test: run `load` and see whether the session is there.",
    "`flush` does the same for the answers of a session.",
    "Callback just wraps `load` with the name and passes it on.",
    "Ces deux fonctions réduiront `load` de 500 lignes !",
]
OF_THE_FILE = [
    "`load` keeps the file open until the process ends.",
    "`exitGlobal` resets the scope, so a second search begins at all projects.",
    "All three (`run`, `sync`, `watch`) are subcommands of `root`, so they inherit its check.",
    "`cfg` is a local variable of `main`, and `run` is called after `cfg` is filled.",
    "The pre-parse loop in `main` reads `os.Args` directly, so it takes the option of any subcommand.",
    "`clean` only strips the reminder blocks and trims; plain text survives.",
    "Only `cycle` reaches `search` on the path of a key; all others go through the debounce.",
    "Calls to `load` are cached by path, never by content.",
    "Entries are dropped once the copy is done, because `flush` owns them.",
    "`take` waits until the pool has been filled by `refill`.",
    "If the user's file sets `enabled` and the project's does not, the user's value holds.",
    "Caching: `get` keeps the last 100 answers and drops the oldest one first.",
]


NAMES = (
    "load flush get take exitGlobal clean cycle search refill sync watch parse main cfg MAX_AGE SessionStore"
)
PAD = "\n\nLet me go on and look at the other things for a while before I say more about all of this."


@pytest.mark.parametrize("text", OF_THE_WORK)
def test_of_the_work(content: Callable[..., Content], text: str) -> None:
    store = content("".join(f"def {name}(path):\n    return 1\n" for name in NAMES.split()), "disk/store.py")
    assert distil(text + PAD, store, ()).admitted is None


CLAIMS = [
    "`exitGlobal` resets the scope, so a second search begins at all projects.",
    "Only `cycle` reaches `search` on the path of a key; all others go through the debounce.",
    "Calls to `load` are cached by path, never by content.",
    "The `clean` function only strips the reminder blocks and trims; plain text survives.",
    "`get` returns the last answer when present, else falls back to `take`.",
    "When the copy is done, `flush` drops its entries without writing them.",
    "The table is read twice, because `load` keeps nothing of it.",
    "In `watch`, the agent starts only after the files were looked at.",
]
NO_CLAIMS = [
    # the subject is not what the file defines
    "The table is kept in memory, so that nobody waits for `load`.",
    "Even though `load` keeps the file, there's a delay before all of its parts are there.",
    # it says only what the outline says
    "`load` calls `parse` with the path of the table.",
    # made for the work at hand
    "The `load` method reads every table, but the rows are never added to the store.",
    "`load` IS open until the end, so the file stays.",
    "The loop then reads on, and `load` never comes back to the file.",
    "`flush` is still called by the tail, because `load` never does.",
]


@pytest.mark.parametrize("text", CLAIMS + NO_CLAIMS)
def test_a_fact_has_to_be_a_claim_about_what_the_file_defines(
    content: Callable[..., Content], text: str
) -> None:
    store = content("".join(f"def {name}(path):\n    return 1\n" for name in NAMES.split()), "disk/store.py")
    assert is_claim(read(text), store) is (text in CLAIMS)


@pytest.mark.parametrize("text", OF_THE_FILE)
def test_of_the_file(text: str) -> None:
    assert refusal(read(text)) is None


PLAN = """I have read `load` and what calls it.

{title}

- `load` keeps the file open until the process ends.
- `flush` only counts the sessions, because `load` never marks any of them.

{after}
"""


@pytest.mark.parametrize(
    "title", ["Changes needed:", "**Fix**", "## Recommendation", "What I changed:", "Next steps:", "Options:"]
)
def test_the_items_of_a_plan_are_not_learned(content: Callable[..., Content], title: str) -> None:
    found = distil(PLAN.format(title=title, after="All of it is small."), content(), ())
    assert found.admitted is None


@pytest.mark.parametrize("title", ["How it works:", "**Sessions**", "## Reading", ""])
def test_other_items_are(content: Callable[..., Content], title: str) -> None:
    found = distil(PLAN.format(title=title, after="All of it is small."), content(), ())
    assert found.admitted is not None


def test_what_follows_a_plan_is_read_again(content: Callable[..., Content]) -> None:
    text = PLAN.format(
        title="Changes:",
        after="`SessionStore` holds all sessions in memory, because `flush` never writes any of them.",
    )
    found = distil(text, content(), ())
    assert found.admitted is not None
    assert "holds" in found.admitted.text
    assert without_plans(text).count("\n") == text.count("\n")


def test_positions_are_taken_out_of_a_fact(content: Callable[..., Content]) -> None:
    text = (
        "In `load` (lines 20-28), the file is kept open until the process ends, never longer. "
        + "Let me go on now. " * 4
    )
    found = distil(text, content(), ())
    assert found.admitted is not None
    assert found.admitted.text.startswith("In `load`, the file is kept open")


def test_a_fact_belongs_to_the_file_that_defines_what_it_names(content: Callable[..., Content]) -> None:
    text = (
        "`load` keeps its file open because `json` reads it again later, without any lock. "
        + "Let me go on now. " * 4
    )
    assert distil(text, content(), ()).admitted is not None
    caller = "import json\nimport disk\n\ntable = disk.load('x', json)\n"
    assert distil(text, content(caller, "app/main.py"), ()).admitted is None

"""When one memory says all that another says, and when it only seems to."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sidecar.memories.wording.gist import Gist, gist_of, says_all, sketch_of

SAME = [
    "Use pnpm, not npm.",
    "Always use pnpm instead of npm",
    "Please use pnpm rather than npm here.",
    "Prefer pnpm over npm",
    "pnpm must be used, never npm.",
]


def gist(text: str) -> Gist:
    found = gist_of(text)
    assert found is not None, text
    return found


def folds(one: str, other: str) -> bool:
    return says_all(gist(one), gist(other)) or says_all(gist(other), gist(one))


@pytest.mark.parametrize(("one", "other"), list(permutations(SAME, 2)))
def test_the_same_wish_in_other_words(one: str, other: str) -> None:
    assert says_all(gist(one), gist(other))


@pytest.mark.parametrize(
    ("longer", "shorter"),
    [
        ("Use pnpm, never npm, because the lockfile would disagree.", "Use pnpm, not npm."),
        ("Answer in German and keep it short.", "Please answer in German."),
        ("The API returns snake_case keys.", "API returns snake_case keys"),
        ("Run the tests with pytest.", "Use pytest to run the tests."),
        ("The user prefers short answers in this project.", "Prefers short answers."),
        ("Don’t push to main", "Don't push to main."),
    ],
)
def test_gist_contains_a_shorter_gist(longer: str, shorter: str) -> None:
    assert says_all(gist(longer), gist(shorter))


def test_shorter_gist_does_not_contain_a_longer_one() -> None:
    more = gist("Use pnpm, never npm, because the lockfile would disagree.")
    assert not says_all(gist("Use pnpm, not npm."), more)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # Other things.
        ("Run the unit tests with pytest.", "Run the integration tests with pytest."),
        ("Staging is deployed with make ship.", "Production is deployed with make ship."),
        ("The server listens on port 8080.", "The server listens on port 8081."),
        ("Keep the user settings in etcd.", "Keep the project settings in etcd."),
        ("Images are kept for 30 days.", "Images are kept for 90 days."),
        ("Use Python 3.11 in CI.", "Use Python 3.12 in CI."),
        # The contrary.
        ("Push to main directly.", "Never push to main directly."),
        ("Commits need a ticket number.", "Commits don't need a ticket number."),
        ("Commit with a ticket number.", "Commit without a ticket number."),
        ("Tests may touch the network.", "Tests must touch the network."),
        ("Rebase feature branches.", "Stop rebasing feature branches."),
        ("No rebasing of branches.", "Rebase branches, no squash."),
        ("All endpoints need authentication.", "Some endpoints need authentication."),
        ("At least 3 reviewers per merge.", "At most 3 reviewers per merge."),
        ("Turn caching on for builds.", "Turn caching off for builds."),
        ("Logs above 10 MB are rotated.", "Logs below 10 MB are rotated."),
        # The other way round.
        ("Use pnpm instead of npm.", "Use npm instead of pnpm."),
        ("Use pnpm, not npm.", "Use npm, not pnpm."),
        ("Prefer pnpm over npm.", "Prefer npm over pnpm."),
        ("Tabs, never spaces, in this repo.", "Spaces, never tabs, in this repo."),
        ("Migrate from MySQL to Postgres.", "Migrate from Postgres to MySQL."),
        ("Run the migrations before the deploy.", "Run the migrations after the deploy."),
        ("Lint before you run the tests.", "Run the tests before you lint."),
        # Narrower.
        ("Run the tests with pytest.", "Run the integration tests with pytest."),
        ("The server listens on port 8080.", "The staging server listens on port 8080."),
        ("Use pnpm for installs.", "Use pnpm for installs on CI."),
        ("Deploy with make ship.", "Deploy with make ship if the tests pass."),
        ("Deploy with make ship.", "Deploy with make ship when CI is green."),
        ("Deploy with make ship.", "Deploy with make ship unless it is Friday."),
        ("Push to main after review.", "Push to main only after review."),
        ("Anna deploys releases.", "Nobody but Anna deploys releases."),
        ("Drop the users.", "Drop the users table."),
        # Other languages, whose words are not known here.
        ("Tests überspringen ist erlaubt.", "Tests überspringen ist nicht erlaubt."),
        ("使用npm安装", "不要使用npm安装"),
    ],
)
def test_different_gists_are_never_folded(one: str, other: str) -> None:
    assert not says_all(gist(one), gist(other))
    assert not says_all(gist(other), gist(one))


@pytest.mark.parametrize("text", ["", "pnpm", "Please always use pnpm!", "long words and more " * 30])
def test_too_short_and_too_long_texts_have_no_gist(text: str) -> None:
    assert gist_of(text) is None


PHRASES = st.lists(
    st.sampled_from(
        (
            "use run never not tests unit staging production pnpm npm with on if port 8080 8081 deploy before , . CI"
        ).split()
    ),
    max_size=12,
).map(" ".join)


@given(st.one_of(PHRASES, st.text(max_size=100)))
def test_every_gist_says_all_of_itself(text: str) -> None:
    found = gist_of(text)
    assume(found is not None)
    assert found is not None
    assert says_all(found, found)


@given(PHRASES, PHRASES)
def test_words_that_differ_both_ways_never_fold(one: str, other: str) -> None:
    first, second = gist_of(one), gist_of(other)
    assume(first is not None and second is not None)
    assert first is not None
    assert second is not None
    if first.words - second.words and second.words - first.words:
        assert not folds(one, other)
    for longer, shorter in ((first, second), (second, first)):
        if shorter.words <= longer.words:
            assert sketch_of(longer) & sketch_of(shorter) == sketch_of(shorter) > 0
        if says_all(longer, shorter):
            assert shorter.words <= longer.words
            assert 2 * len(shorter.words) >= len(longer.words)

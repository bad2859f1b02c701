"""Names for memories that come without one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.memories import limits
from sidecar.memories.naming import LONGEST, derive_name, is_derived


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("Use pnpm.", "Use pnpm"),
        ("- Use pnpm", "Use pnpm"),
        ("# Use pnpm", "Use pnpm"),
        ("  Use\n\tpnpm  ", "Use pnpm"),
        ("`fetch` encodes the URL.", "`fetch` encodes the URL"),
        ("- `fetch` encodes `url`.", "`fetch` encodes `url`"),
        ("`pnpm test`", "pnpm test"),
        ("Run `pnpm test`.", "Run `pnpm test`"),
        ("```\npnpm test", "pnpm test"),
    ],
)
def test_a_short_text_is_its_own_name(content: str, name: str) -> None:
    assert derive_name(content) == name


def test_a_long_text_is_named_by_how_it_begins() -> None:
    name = derive_name("The build needs Node 20. With 18 the bundler fails with ERR_REQUIRE_ESM.")
    assert name.startswith("The build needs Node 20 (")


def test_texts_that_only_begin_alike_have_different_names() -> None:
    one = derive_name("Hey Mel! Good to see you! I was in Rome.")
    other = derive_name("Hey Mel! Good to see you! I was in Oslo.")
    assert one != other


def test_white_space_does_not_change_a_name() -> None:
    text = "The build needs Node 20. With 18 it fails."
    assert derive_name(text) == derive_name(text.replace(" ", "\n  "))


def test_a_name_of_an_earlier_version_is_known_for_a_derived_one() -> None:
    text = "`fetch` encodes the URL itself. The server of old refuses whatever is quoted."
    assert derive_name(text).startswith("`fetch` encodes the URL itself (")
    assert is_derived(derive_name(text), text)
    assert is_derived("fetch` encodes the URL itself (a1b2c3)", text)


def test_a_given_name_is_told_from_a_derived_one() -> None:
    text = "The build needs Node 20. With 18 the bundler fails."
    assert is_derived(derive_name(text), text)
    assert not is_derived("node version", text)


@pytest.mark.parametrize("content", ["`", "**", "- `", "...", "# #"])
def test_signs_alone_are_a_name(content: str) -> None:
    name = derive_name(content)
    assert name.strip()
    assert limits.name(name) == name
    assert is_derived(name, content)


@given(st.text(min_size=1).filter(str.strip))
def test_any_text_gives_a_name_that_the_limits_accept(content: str) -> None:
    name = derive_name(content.strip())
    assert 0 < len(name) <= LONGEST
    assert name == derive_name(content.strip())
    assert limits.name(name) == name

"""TOML from a repository that tries to keep the reader busy."""

from __future__ import annotations

import pytest

from sidecar.text.toml import MAX_PARTS, read_toml


@pytest.mark.parametrize(
    "text",
    [
        ".".join(["a"] * 200_000) + " = 1",
        " . ".join(['"a"'] * 100_000) + " = 1",
        ".".join(['"\\""', "''", "a-b_c"] * 50_000) + " = 1",
        "[" + "\t.\t".join(["a"] * 100_000) + "]",
        "x = {" + ".".join(["'a.b'"] * 100_000) + " = 1}",
        "fine = 1\n" + ".".join(["a"] * (MAX_PARTS + 1)) + " = 1",
    ],
)
def test_a_key_of_very_many_parts_is_refused_before_it_is_read(text: str) -> None:
    with pytest.raises(ValueError, match=f"more than {MAX_PARTS} parts"):
        read_toml(text)


@pytest.mark.parametrize("text", ["a = " + "[" * 100_000, "a = {b = " * 50_000, "a", 'a = "\n', "a = 1\na = 2"])
def test_broken_or_deeply_nested_toml_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read_toml(text)


def test_long_lists_long_words_and_many_quotes_are_read() -> None:
    patterns = [f"*.min.{number}.js" for number in range(2_000)]
    values = read_toml(
        f"ignore = {patterns!r}\nword = '{'a' * 100_000}'\nquotes = '{chr(34) * 100_000}'\n"
        + ".".join(["a"] * MAX_PARTS)
        + " = 1"
    )
    assert values["ignore"] == patterns
    assert len(values["word"]) == len(values["quotes"]) == 100_000

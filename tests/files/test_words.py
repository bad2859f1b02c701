"""The words of a file: each once, with its counts in all and in code."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.files.outline import outline
from sidecar.files.words import MAX_COUNT, MAX_WORDS, pack, unpack, words_of_text


def words_of(path: str, text: str) -> dict[str, tuple[str, int, int]]:
    return {word[0]: word for word in unpack(outline(path, text.encode(), "0" * 32).words)}


CODE = {
    "a.py": 'def fetch(url):\n    """Mentions quoted."""\n    return call(url)  # mentions remarked\n',
    "a.js": "// remarked\nexport function fetch(url) { return call(url, 'quoted') }\n",
    "a.ts": "/* remarked */\nexport const fetch = (url: string) => call(url, `quoted ${url}`)\n",
    "a.go": 'package a\n// remarked\nfunc fetch(url string) { call(url, "quoted") }\n',
    "a.rs": '// remarked\nfn fetch(url: &str) { call(url, "quoted") }\n',
    "A.java": '// remarked\nclass A { void fetch(String url) { call(url, "quoted"); } }\n',
    "a.cpp": '// remarked\nvoid fetch(int url) { call(url, "quoted"); }\n',
    "A.cs": '// remarked\nclass A { void fetch(int url) { call(url, "quoted"); } }\n',
    "a.rb": "# remarked\ndef fetch(url)\n  call(url, 'quoted')\nend\n",
    "a.php": "<?php\n// remarked\nfunction fetch($url) { return call($url, 'quoted'); }\n",
    "a.kt": '// remarked\nfun fetch(url: String) = call(url, "quoted")\n',
    "a.swift": '// remarked\nfunc fetch(url: Int) { call(url, "quoted") }\n',
    "a.lua": "-- remarked\nfunction fetch(url) return call(url, 'quoted') end\n",
    "a.sh": "# remarked\nfetch() { call \"$url\" 'quoted'; }\n",
}


@pytest.mark.parametrize("path", CODE)
def test_comments_and_strings_are_words_but_no_code(path: str) -> None:
    found = words_of(path, CODE[path])
    assert found["call"][2] == 1
    assert found["url"][2] >= 1
    assert found["remarked"] == ("remarked", 1, 0)
    assert found["quoted"][2] == 0
    assert found["quoted"][1] == 1


def test_interpolated_names_are_code() -> None:
    found = words_of("a.py", 'x = f"hello {render_name(user)} there"\n')
    assert found["render_name"][2] == 1
    assert found["hello"][2] == 0


def test_text_without_a_grammar_has_words_and_no_code() -> None:
    found = words_of("README.md", "# Title\n\nCalls `fetch_page` twice: fetch_page.\n")
    assert found["fetch_page"] == ("fetch_page", 2, 0)


def test_data_counts_only_from_its_beginning() -> None:
    text = "[" + ", ".join(f'"name{n:06d}"' for n in range(20_000)) + "]"
    words = [word for word, _, _ in unpack(words_of_text("json", text))]
    assert "name000000" in words
    assert len(words) < 2_000


def test_keys_and_hashes_are_not_kept() -> None:
    text = "token = AKIAIOSFODNN7EXAMPLE and a9f3b1c2d4e5f60718293a4b5c6d7e8f but utf8_to_base64 and sha256sum\n"
    assert {word for word, _, _ in unpack(words_of_text("markdown", text))} == {
        "token",
        "and",
        "but",
        "utf8_to_base64",
        "sha256sum",
    }


def test_the_number_of_words_is_bounded_and_the_rarest_prose_goes_first() -> None:
    counts = Counter({f"word{n}x": 1 for n in range(MAX_WORDS + 100)})
    counts["often"] = 1_000
    kept = list(unpack(pack(counts, Counter({"word5x": 1}))))
    assert len(kept) == MAX_WORDS
    assert ("often", MAX_COUNT, 0) in kept
    assert ("word5x", 1, 1) in kept


@given(st.dictionaries(st.text(st.characters(categories=["Ll", "Lu"]), min_size=2, max_size=12), st.integers(1, 300)))
def test_packing_keeps_every_word(counts: dict[str, int]) -> None:
    found = {word: times for word, times, _ in unpack(pack(Counter(counts), Counter()))}
    assert found == {word: min(count, MAX_COUNT) for word, count in counts.items()}
    assert list(found) == sorted(found)


@pytest.mark.parametrize("damaged", [b"x", b"\x00" * 8])
def test_damaged_bytes_are_refused(damaged: bytes) -> None:
    with pytest.raises(ValueError, match="packed"):
        unpack(damaged)

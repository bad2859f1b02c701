"""The briefing of a small file: its own text, within its own size, where that fits."""

from __future__ import annotations

import pytest

from sidecar.files.briefing.render import render
from sidecar.files.outline import outline
from sidecar.text.tokens import estimate

WORKFLOW = """# Licensed under the Apache License, version 2.0, to whoever reads it,
# without warranties or conditions of any kind, either express or implied.

name: ci
on:
  push:
    branches: [main]
jobs:
  test:
    runs-on: ubuntu-latest
    strategy:
      fail-fast: false
      matrix:
        go: [stable, oldstable]
    steps:
      - name: Check out
        uses: actions/checkout@v4
      - name: Test
        if: github.event_name == 'push'
        run: go test -race ./...
  build:
    runs-on: ubuntu-latest
    steps:
      - name: Build
        run: go build ./...
        env:
          GOOS: wasip1
          GOARCH: wasm
"""

STYLES = """/**
 * Colours of the pages of our documentation, in light and in dark mode,
 * which the components of all of the pages take from here.
 */
:root {
  --main-colour: hsl(320, 80%, 40%);
  /* --main-colour: red; */
}

.dark {
  --main-colour: black;
}

#nd-toc .prose {
  code {
    padding: 2px 5px;
  }
}
"""

SPEC = """/*
 * Licensed under the Apache License, version 2.0, to whoever reads it,
 * without warranties or conditions of any kind, either express or implied.
 */
class BasketTest {
    @Test
    public void removesWhatIsBought() {
        Basket basket = new Basket();
        basket.add("pear");
        assertTrue(basket.has("pear"));

        basket.buy();
        assertFalse(basket.has("pear"));
        assertEquals(0, basket.size());
    }

    @Test
    public void refusesWhatIsSoldOut() {
        if (shop.has("melon")) {
            throw new IllegalStateException("sold");
        }
    }
}
"""


def told(path: str, text: str, budget: int | None = None) -> str:
    return render(outline(path, text.encode(), ""), path=path, project_imports=(), budget=budget)


def test_a_small_workflow_is_told_whole() -> None:
    shown = told("ci.yml", WORKFLOW)
    for part in ("runs-on: ubuntu-latest", "GOOS: wasip1", "fail-fast: false", "if: github.event_name == 'push'"):
        assert part in shown
    assert "\n  build: L21" in shown


def test_a_commented_out_value_of_a_style_stays_a_comment_beside_the_real_one() -> None:
    shown = told("a.css", STYLES)
    assert "--main-colour: hsl(320, 80%, 40%)" in shown
    assert "/* --main-colour: red; */" in shown
    assert "#nd-toc .prose { code { padding: 2px 5px; } }" in shown


def test_a_test_is_told_with_its_steps_in_their_order() -> None:
    shown = told("BasketTest.java", SPEC)
    steps = ('basket.add("pear")', 'assertTrue(basket.has("pear"))', "basket.buy()", "assertEquals(0, basket.size())")
    assert sorted(steps, key=shown.index) == list(steps)
    assert 'if (shop.has("melon")) { throw new IllegalStateException("sold"); }' in shown


@pytest.mark.parametrize(("path", "text"), [("ci.yml", WORKFLOW), ("a.css", STYLES), ("BasketTest.java", SPEC)])
def test_a_small_file_costs_no_more_than_its_text(path: str, text: str) -> None:
    assert estimate(told(path, text)) <= estimate(text)


def test_a_budget_below_the_text_gets_the_outline() -> None:
    shown = told("BasketTest.java", SPEC, budget=60)
    assert "removesWhatIsBought" in shown
    assert "basket.buy()" not in shown
    assert estimate(shown) <= 60


def test_rows_without_numbers_have_true_ranges_in_the_record() -> None:
    rows = outline("ci.yml", WORKFLOW.encode(), "").inside
    assert rows
    lines = WORKFLOW.count("\n")
    assert all(0 < row.start <= row.end <= lines for row in rows)


def test_a_licence_and_lines_that_only_close_are_left_out() -> None:
    licence = "".join(f"// Licensed under the Apache License, line {n}\n" for n in range(9))
    shown = told("BasketTest.java", licence + "\n" + SPEC)
    assert "Licensed" not in shown
    assert not any(line.strip() in ("}", "{") for line in shown.split("\n"))


def test_a_value_below_the_name_of_a_secret_is_hidden() -> None:
    shown = told("conf.yml", "database:\n  password: tr0ub4dor&3xyz\n  host: db.example.org\n" + WORKFLOW)
    assert "tr0ub4dor" not in shown
    assert "db.example.org" in shown


def test_parts_of_a_continued_command_are_one_row() -> None:
    text = "set -e\nbuild() {\n  cmake $ROOT \\\n    -DLINK=On \\\n    -DTYPE=Release\n}\nbuild\n" + "# of it\n" * 9
    assert "cmake $ROOT -DLINK=On -DTYPE=Release" in told("build.sh", text)

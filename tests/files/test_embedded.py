"""Code inside of other texts is outlined by its own language, at the lines of the file."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
import pytest

from sidecar.files.briefing.render import render
from sidecar.files.imports import project_imports
from sidecar.files.outline import outline
from sidecar.files.scan.scanning import scan
from sidecar.files.words import unpack
from sidecar.store.records import ContentRecord

pytestmark = pytest.mark.slow

VUE = """\
<!-- Lets a customer pay. <script> is none. -->
<template>
  <h1>Cart</h1><TotalLine id="sum" />
</template>
<script lang="ts">
export interface Item { price: number }
</script>
<script setup lang="ts" generic="T extends Record<string, number>">
import TotalLine from './TotalLine.vue'
const props = defineProps<{ items: T[] }>()
function pay(amount: number): void {}
</script>
<style>h1 { color: red }</style>
"""
OPTIONS = """\
<script>
export default defineComponent({
  props: ['items'],
  setup() { const total = ref(0); function add() {} return { total } },
  methods: { pay() {}, other: 1 },
})
</script>
"""
SVELTE = """\
<script context="module">
  export const prerender = true;
</script>
<script>
  export let name;
  $: long = name.length > 9;
  const greet = () => name;
</script>
<h1>{name}</h1>
"""
ASTRO = """\
---
import Card from '../components/Card.astro';
export async function getStaticPaths() { return []; }
const { labels: { title } } = Astro.props;
---
<h2>Title</h2>
<script>
  function hydrate() {}
</script>
"""
HTML = """\
<title>Shop</title>
<h1>Shop</h1>
<script type="application/ld+json">{"a": 1}</script>
<script>
function open_cart() {}
</script>
"""
ERB = """\
<h1>Users</h1>
<%# render "no" %>
<%= render "shared/header", user: @user %>
<%= form_with model: @user do |form| %>
  <%= render partial: "row", collection: @rows %>
<% end %>
<% def label(user)
     user.name
   end %>
"""
RAZOR = """\
@page "/counter/{Id:int}"
@inject IClock Clock
<h1>Count</h1>
<Meter Value="@count" />
@code {
    private int count = 0;
    [Parameter] public int Id { get; set; }
    string Brace() => "}";
    private void Add() { count++; }
}
"""


def made(path: str, text: str) -> ContentRecord:
    record = outline(path, text.encode(), "h")
    assert not record.fault
    return record


def lines(record: ContentRecord) -> dict[str, tuple[int, int]]:
    return {symbol.name: (symbol.start, symbol.end) for symbol in record.symbols}


def test_a_vue_file_is_its_scripts_and_not_its_headings() -> None:
    record = made("src/Cart.vue", VUE)
    assert lines(record) == {"Item": (6, 6), "props": (10, 10), "pay": (11, 11)}
    assert (record.language, record.doc) == ("vue", "Lets a customer pay")
    assert project_imports(record, "src/Cart.vue", {"src/TotalLine.vue"}.__contains__) == ["src/TotalLine.vue"]
    text = render(record, path="src/Cart.vue", project_imports=[])
    assert "function pay(amount: number): void L11" in text
    assert "export interface Item" in text


def test_options_of_a_component_are_outlined() -> None:
    (whole,) = made("a.vue", OPTIONS).symbols
    members = {child.name: [one.name for one in child.children] for child in whole.children}
    assert members == {"props": [], "setup": ["total", "add"], "methods": ["pay"]}


def test_svelte_and_astro_name_what_their_scripts_define() -> None:
    svelte = made("a.svelte", SVELTE)
    assert lines(svelte) == {"prerender": (2, 2), "name": (5, 5), "long": (6, 6), "greet": (7, 7)}
    assert svelte.symbols[1].signature == "export let name"
    assert all(symbol.public for symbol in svelte.symbols)
    astro = made("src/pages/a.astro", ASTRO)
    assert lines(astro) == {"getStaticPaths": (3, 3), "title": (4, 4), "hydrate": (8, 8)}
    assert astro.imports == ("../components/Card.astro",)


def test_a_page_has_its_elements_and_its_functions() -> None:
    page = made("a.html", HTML)
    assert lines(page) == {"Shop": (2, 2), "open_cart": (5, 5)}
    assert page.doc == "Page “Shop”."


def test_a_template_of_rails_names_partials_forms_and_definitions() -> None:
    path = "app/views/users/index.html.erb"
    record = made(path, ERB)
    assert lines(record) == {"Users": (1, 1), "user": (4, 4), "label": (7, 9)}
    files = {"app/views/shared/_header.html.erb", "app/views/users/_row.html.erb"}
    assert project_imports(record, path, files.__contains__) == sorted(files)


def test_a_razor_component_has_members_a_route_and_parts() -> None:
    record = made("Pages/Counter.razor", RAZOR)
    assert lines(record) == {
        "Clock": (2, 2),
        "Count": (3, 3),
        "count": (6, 6),
        "Id": (7, 7),
        "Brace": (8, 8),
        "Add": (9, 9),
    }
    assert record.entry_points == ('@page "/counter/{Id:int}"',)
    assert project_imports(record, "Pages/Counter.razor", {"Shared/Meter.razor"}.__contains__) == ["Shared/Meter.razor"]


def notebook(*cells: tuple[str, object], language: str = "python") -> str:
    rows = [{"cell_type": kind, "outputs": [], "source": source} for kind, source in cells]
    return msgspec.json.format(
        msgspec.json.encode({"cells": rows, "metadata": {"language_info": {"name": language}}, "nbformat": 4})
    ).decode()


def test_a_notebook_is_one_outline_of_its_cells() -> None:
    text = notebook(
        ("markdown", ["# Title\n", "Some text. More."]),
        ("code", ["%matplotlib inline\n", "import os\n", "\n", "\n", "def f(x: int):\n", "    return x\n"]),
        ("code", ["%%bash\n", "def no\n"]),
        ("code", "class P:\n    def g(self): pass"),
    )
    record = made("a.ipynb", text)
    rows = text.split("\n")
    assert [symbol.name for symbol in record.symbols] == ["Title", "f", "P"]
    for name, place in lines(record).items():
        assert name in rows[place[0] - 1]
    assert record.symbols[1].signature == "def f(x: int)"
    assert record.symbols[2].children[0].name == "g"
    assert record.imports == ("os",)
    assert record.doc == "Some text. Notebook of 4 cells."
    assert made("a.ipynb", text[: text.index("class")]).partial


def test_a_notebook_of_another_language_is_read_as_that() -> None:
    record = made("a.ipynb", notebook(("code", ["area <- function(r) {\n", "  r * r\n", "}"]), language="R"))
    assert [symbol.name for symbol in record.symbols] == ["area"]


def test_words_of_scripts_are_code_and_words_of_markup_are_found() -> None:
    words = {word: (times, in_code) for word, times, in_code in unpack(made("Cart.vue", VUE).words)}
    assert words["pay"][1]
    times, in_code = words["template"]
    assert times
    assert not in_code


def test_the_map_knows_what_scripts_define_and_use() -> None:
    found = scan("Cart.vue", "vue", VUE.encode())
    assert dict(zip(found.names, found.lines, strict=True)) == {"Item": 6, "props": 10, "pay": 11}
    assert found.imports == ("./TotalLine.vue",)
    assert scan("a.razor", "razor", RAZOR.encode()).names == ("Count", "Brace", "Add")
    assert "label" in scan("a.html.erb", "erb", ERB.encode()).names


@pytest.mark.parametrize(
    ("path", "text"),
    [("a.vue", VUE), ("a.svelte", SVELTE), ("a.astro", ASTRO), ("a.html", HTML), ("a.erb", ERB), ("a.razor", RAZOR)],
)
def test_damaged_texts_have_an_outline(path: str, text: str) -> None:
    rng = random.Random(path)
    for _ in range(60):
        at = rng.randrange(len(text))
        piece = rng.choice(["<script", "-->", "<!--", "<%", "%>", "---\n", "@code {", '"', "{", "}", "", "é"])
        made(path, text[:at] + piece + text[at + rng.randrange(9) :])


def test_markup_that_never_ends_is_read_in_time(tmp_path: Path) -> None:
    for piece in ("<!-- ", "<script ", "<script a='", "<% ", "@code { ", "---\n", '<script>"'):
        for path in ("a.vue", "a.astro", "a.erb", "a.razor"):
            made(path, piece * 20_000)


def test_an_object_without_a_name_is_no_symbol() -> None:
    (whole,) = made("a.vue", "<script>\nexport default { '': { f() {} }, b: { g() {} } }\n</script>\n").symbols
    assert [child.name for child in whole.children] == ["f", "b"]

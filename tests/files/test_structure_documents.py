"""Markdown, reStructuredText, AsciiDoc, Org, LaTeX, patches, HTML, XML, notebooks."""

from __future__ import annotations

from sidecar.files.structure import Structure, structure


def outline(found: Structure) -> list[tuple[str, int, int]]:
    return [(symbol.signature, symbol.start, symbol.end) for symbol in found.symbols]


MARKDOWN = """\
---
title: Guide
tags: [a]
---

![badge](x.svg)

The **guide** to [things](http://x), by `us`. More of it.

Setext title
============

## Install `now`

```sh
# not a heading
```

### Linux

    # indented code

### macOS ###

## Use

- # in a list
"""


def test_markdown_nests_sections_and_leaves_code_alone() -> None:
    found = structure("markdown", MARKDOWN)
    assert found.doc == "The guide to things, by us."
    assert outline(found) == [("# Setext title", 10, 27), ("## Install now", 13, 24), ("## Use", 25, 27)]
    assert [(child.signature, child.start, child.end) for child in found.symbols[1].children] == [
        ("### Linux", 19, 22),
        ("### macOS", 23, 24),
    ]


def test_markdown_keeps_several_titles_over_their_sections() -> None:
    found = structure("markdown", "# A\n## B\n# C\n")
    assert outline(found) == [("# A", 1, 2), ("# C", 3, 3)]
    assert [child.name for child in found.symbols[0].children] == ["B"]


def test_markdown_takes_title_and_description_of_the_front_matter() -> None:
    found = structure("markdown", "---\ntitle: 'A page'\ndescription: What it is. Not more.\n---\n\ntext\n")
    assert (found.doc, outline(found)) == ("What it is. Not more.", [("# A page", 1, 6)])


def test_markdown_without_headings_gives_its_head() -> None:
    found = structure("markdown", "Just a note. Really.\n")
    assert (found.doc, found.symbols, found.head) == ("Just a note.", (), "Just a note. Really.")


def test_markdown_beyond_the_limit_is_partial() -> None:
    found = structure("markdown", "# A\n\n" + "word " * 90_000)
    assert found.partial
    assert found.symbols[0].name == "A"


def test_restructured_text_levels_follow_their_first_use() -> None:
    text = (
        "=====\nTitle\n=====\n\nRun :func:`f` it. More.\n\nPart\n----\n\nSub\n~~~\n\n"
        ".. include:: a.rst\n\nNext\n----\n\n| x\n"
    )
    found = structure("restructuredtext", text)
    assert found.doc == "Run f it."
    assert found.imports == ("a.rst",)
    assert outline(found) == [("# Title", 1, 18), ("## Part", 7, 14), ("## Next", 15, 18)]
    assert [child.signature for child in found.symbols[1].children] == ["### Sub"]


def test_asciidoc_org_and_latex_headings() -> None:
    assert outline(structure("asciidoc", "= A\n\n== B\n")) == [("# A", 1, 3), ("## B", 3, 3)]
    assert outline(structure("org", "* A\n** B\n* C\n")) == [("# A", 1, 2), ("# C", 3, 3)]
    latex = structure("latex", "\\section{A}\n\\input{x.tex}\n\\subsection*{B}\n")
    assert (outline(latex), latex.imports) == ([("# A", 1, 3), ("## B", 3, 3)], ("x.tex",))


def test_a_patch_names_the_files_it_changes() -> None:
    found = structure("diff", "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n")
    assert (found.doc, outline(found)) == ("Patch of 1 file.", [("x.py +1 -1", 2, 5)])
    assert [(child.signature, child.start, child.end) for child in found.symbols[0].children] == [
        ("@@ -1 +1 @@ +1 -1 -a", 3, 5)
    ]


HTML = """\
<!doctype html>
<html><head><title>My &amp; page</title>
<meta name=description content="A page of mine. More.">
<script src="a.js"></script><link rel=stylesheet href='b.css'><link rel=icon href=i.png></head>
<body><h1>Hello <b>World</b></h1>
<!-- <h1>No</h1> -->
<script>if (a < b) { "<h1>no</h1>" }</script>
<form id=login method=post>
<input name=user><input name="pass">
</form>
<main id="m"></main></body></html>
"""


def test_html_gives_headings_forms_ids_and_references() -> None:
    found = structure("html", HTML)
    assert found.doc == "A page of mine."
    assert found.imports == ("a.js", "b.css")
    assert not found.partial
    assert outline(found) == [("h1 Hello World", 5, 5), ("form login (POST)", 8, 8), ("main#m", 11, 11)]


def test_html_with_an_unclosed_form_is_partial() -> None:
    found = structure("html", "<title>T</title><form id=a><input name=b>")
    assert (found.partial, found.doc) == (True, "Page “T”.")


def test_xml_names_the_elements_below_the_root_and_expands_no_entities() -> None:
    text = '<!DOCTYPE a [<!ENTITY x "y">]>\n<a xmlns="urn:a">\n<b/>\n<b/>\n<c name="n">&x;</c>\n</a>\n'
    found = structure("xml", text)
    assert found.doc == "XML <a> (urn:a)."
    assert outline(found) == [("a", 2, 2), ("b", 3, 4), ("c n", 5, 6)]
    indented = structure("xml", '<a>\n  <b/>\n  <b/>\n  <c name="n">\n  </c>\n</a>\n')
    assert [(symbol.name, symbol.start, symbol.end) for symbol in indented.symbols] == [("b", 2, 3), ("c n", 4, 5)]


def test_marks_of_boxes_and_anchors_are_no_text() -> None:
    for box in ("/// warning", ":::tip Title", '!!! note "Title"'):
        found = structure(
            "markdown", f"# Title {{ #the-title }}\n\n{box}\n\nIt is for experts. Mostly.\n\n## B {{#b}}\n"
        )
        assert found.doc == "It is for experts."
        assert [symbol.signature for symbol in found.symbols] == ["# Title", "## B"]


def test_tags_of_a_template_are_told() -> None:
    text = '{% extends "base.html" %}\n{% block footer %}\n<h3>x</h3>\n{% include "a.html" %}\n{% endblock %}\n'
    found = structure("html", text)
    assert [(symbol.signature, symbol.start, symbol.end) for symbol in found.symbols] == [
        ('extends "base.html"', 1, 1),
        ("block footer", 2, 5),
        ("h3 x", 3, 3),
    ]
    assert found.imports == ("base.html", "a.html")
    given = structure("html", "@(a: String,\n  b: List[(X, Y)])(implicit c: D)\n@import x.y\n<h1>T</h1>\n")
    assert given.symbols[0].signature == "parameters (a: String, b: List[(X, Y)])(implicit c: D)"


def test_badges_describe_nothing() -> None:
    text = "# T\n\n[![A](b)](c) [Docs](d)\n\nWhat it is for.\n"
    assert structure("markdown", text).doc == "What it is for."


def test_a_patch_is_described_by_its_subject_and_names_deleted_files() -> None:
    text = "Subject: [PATCH 1/2] Mend a leak\n\n--- a/old.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n--- a/b.c\n+++ b/b.c\n"
    found = structure("diff", text)
    assert found.doc == "Mend a leak"
    assert [(symbol.name, symbol.start) for symbol in found.symbols] == [("old.c (deleted)", 3), ("b.c", 8)]


def test_labels_and_build_targets_are_named() -> None:
    code = "// Adds two.\nTEXT ·Add(SB),NOSPLIT,$0-8\n\tMOVQ\tAX, BX\nloop:\n\tRET\n"
    assert [(symbol.kind, symbol.name, symbol.doc) for symbol in structure("assembly", code).symbols] == [
        ("function", "Add", "Adds two"),
        ("label", "loop", None),
    ]
    build = "project('demo', 'c')\nsubdir('src')\nlib = library(\n  'demo',\n)\n"
    found = structure("meson", build)
    assert [(symbol.kind, symbol.name) for symbol in found.symbols] == [("project", "demo"), ("target", "lib")]
    assert found.imports == ("src",)

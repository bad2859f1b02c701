"""JSON, YAML, TOML, INI, .env, Dockerfiles, Makefiles."""

from __future__ import annotations

from sidecar.files.structure import Structure, structure


def outline(found: Structure) -> list[tuple[str, int, int]]:
    return [(symbol.signature, symbol.start, symbol.end) for symbol in found.symbols]


def members(found: Structure, name: str) -> list[str]:
    return [child.signature for symbol in found.symbols if symbol.name == name for child in symbol.children]


PACKAGE = """\
{
  "name": "@me/app",
  "version": "1.2.0",
  "description": "An app. It runs.",
  "private": true,
  "bin": {"app": "./cli.js"},
  "scripts": {
    "build": "tsc -p .",
    "push": "curl -H token=abc9x x"
  },
  "dependencies": {"zod": "^3.1.0"},
  "files": ["a", "b"],
  "list": [{"x": 1, "y": 2}],
  "none": null
}
"""


def test_json_package_manifest() -> None:
    found = structure("json", PACKAGE)
    assert found.doc == "An app."
    assert not found.partial
    assert found.entry_points == ("bin app: ./cli.js", "build: tsc -p .", "push")
    assert found.imports == ("zod",)
    assert outline(found) == [
        ("name: @me/app", 2, 2),
        ("version: 1.2.0", 3, 3),
        ("description: string", 4, 4),
        ("private: true", 5, 5),
        ("bin: object (1)", 6, 6),
        ("scripts: object (2)", 7, 10),
        ("dependencies: object (1)", 11, 11),
        ("files: array of 2 strings", 12, 12),
        ("list: array of 1 {x, y}", 13, 13),
        ("none: null", 14, 14),
    ]
    assert members(found, "dependencies") == ["zod: ^3.1.0"]


def test_json_with_comments_and_trailing_commas_is_whole() -> None:
    found = structure("json", '// c\n{\n  /* d */ "extends": "./a.json",\n  "bare": "word",\n  "b": [1, 2,],\n}\n')
    assert not found.partial
    assert found.imports == ("./a.json",)
    assert outline(found) == [("extends: ./a.json", 3, 3), ("bare: word", 4, 4), ("b: array of 2 numbers", 5, 5)]


def test_broken_json_gives_what_could_be_read() -> None:
    for text in ('{"a": 1, "b": {"c": 2', '{"a": 1, "b": ] }', '{"a" 1, "b": 2}', '{"a": 1, "b": "x'):
        found = structure("json", text)
        assert found.partial
        assert "a" in [symbol.name for symbol in found.symbols] or "b" in [symbol.name for symbol in found.symbols]


def test_json_arrays_and_lines_show_the_shape_of_the_first() -> None:
    found = structure("json", '[{"id": 1, "tags": ["a"]}, {"id": 2}]')
    assert found.doc == "Array of 2 {id, tags}."
    assert [symbol.signature for symbol in found.symbols] == ["id: 1", "tags: array of 1 string"]
    assert structure("jsonl", '{"a": 1}\n{"a": 2}\n').doc == (
        "2 JSON values, one after the other; the keys are the first one's."
    )


def test_json_with_very_many_keys_says_how_many_are_left_out() -> None:
    values = ["1", '"a"', "[1]", "{}"]
    found = structure("json", "{" + ",".join(f'"k{n}": {values[n % 4]}' for n in range(1000)) + "}")
    assert len(found.symbols) == 301
    assert found.symbols[-1].name == "… and 700 keys"


def test_many_entries_of_one_shape_are_told_by_their_number_and_shape() -> None:
    found = structure("json", "{" + ",".join(f'"k{n}": {n}' for n in range(1000)) + "}")
    assert found.doc == "1,000 entries, numbers"
    assert [one.name for one in found.symbols[-2:]] == ["k19", "… and 980 keys"]
    entries = ",".join(f'"k{n}": {{"name": "a", "size": {n}}}' for n in range(50))
    [of] = structure("json", f'{{"of": {{{entries}}}}}').symbols
    assert (of.signature, len(of.children)) == ("of: 50 entries, {name, size}", 6)
    found = structure("yaml", "".join(f"k{n}:\n  name: a\n  size: {n}\n" for n in range(50)))
    assert found.doc == "50 entries, {name, size}"


def test_dependencies_and_jobs_are_named_however_many_they_are() -> None:
    entries = ",".join(f'"k{n}": "^1.0.{n}"' for n in range(50))
    [of] = structure("json", f'{{"dependencies": {{{entries}}}}}').symbols
    assert len(of.children) == 50
    jobs = "".join(f"  job{n}:\n    runs-on: linux\n" for n in range(50))
    assert len(structure("yaml", f"jobs:\n{jobs}").symbols[0].children) == 50


def test_a_github_workflow_is_told_by_triggers_and_jobs() -> None:
    text = (
        "name: CI\non:\n  push:\n  pull_request:\njobs:\n  test:\n"
        "    runs-on: ubuntu-latest\n    steps:\n      - run: x\n\n  call:\n"
        "    uses: ./.github/x.yml\n"
    )
    found = structure("yaml", text)
    assert found.doc == "GitHub Actions workflow “CI”, on push, pull_request; jobs: test, call"
    assert found.imports == ("./.github/x.yml",)
    assert outline(found) == [("name", 1, 1), ("on", 2, 4), ("jobs", 5, 12)]
    assert members(found, "jobs") == ["test", "call"]
    assert [(child.start, child.end) for child in found.symbols[2].children] == [(6, 9), (11, 12)]


def test_compose_kubernetes_and_openapi() -> None:
    compose = structure("yaml", "services:\n  web:\n    image: nginx:1\n    ports: [80]\n  db: {image: pg}\n")
    assert members(compose, "services") == ["web", "db"]
    kubernetes = structure(
        "yaml",
        "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {}\n---\n"
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n",
    )
    assert kubernetes.doc == "Kubernetes: Service web, Pod p"
    api = structure("yaml", "openapi: 3.0.0\ninfo:\n  title: Pets\npaths:\n  /pets:\n    get: {}\n    post: {}\n")
    assert (api.doc, members(api, "paths")) == ("API “Pets”.", ["/pets"])


def test_yaml_anchors_documents_and_lists() -> None:
    found = structure("yaml", "a: &x\n  b: 1\nc: *x\nd: |\n  text\n  more\ne: [1, 2]\n")
    assert outline(found) == [("a", 1, 2), ("c", 3, 3), ("d", 4, 6), ("e", 7, 7)]
    assert structure("yaml", "a: 1\n---\nname: two\n").doc == "2 YAML documents."
    assert outline(structure("yaml", "- name: first\n  x: 1\n- name: second\n")) == [("first", 1, 2), ("second", 3, 3)]


def test_the_keys_of_yaml_templates_are_found() -> None:
    found = structure("yaml", "a: 1\nb:\n  c: {{ .Values.x }}\n  d: {% if %}\ne: 2\n")
    assert outline(found) == [("a", 1, 1), ("b", 2, 4), ("e", 5, 5)]
    assert members(found, "b") == ["c", "d"]


PYPROJECT = """\
top = 1
[project]
name = "app"
version = "0.1.0"
description = "Does things. Well."
dependencies = [
  "click>=8",
  "rich",
]
[project.scripts]
app = "app.cli:main"
[tool.x]
text = '''
[not.a.table]
'''
token = "abc"
[[bin]]
name = "one"
[[bin]]
name = "two"
"""


def test_toml_tables_and_the_manifest() -> None:
    found = structure("toml", PYPROJECT)
    assert found.doc == "app: Does things. Needs click, rich."
    assert found.imports == ("click", "rich")
    assert found.entry_points == ("app = app.cli:main", "bin one", "bin two")
    assert outline(found) == [
        ("top", 1, 1),
        ("project", 2, 9),
        ("project.scripts", 10, 11),
        ("tool.x", 12, 16),
        ("bin", 17, 20),
    ]
    assert members(found, "tool.x") == ["text", "token"]
    assert not found.partial


def test_broken_toml_is_partial() -> None:
    found = structure("toml", "[a]\nb = 1\nthis is not toml\n[c]\n")
    assert (found.partial, [symbol.name for symbol in found.symbols]) == (True, ["a", "c"])


def test_ini_and_env_show_sections_and_keys() -> None:
    text = "; Settings of it.\nroot = true\n[db]\nhost = localhost\npassword = x\nport=5432\n\n[flags]\nfast\n"
    found = structure("ini", text)
    assert found.doc == "Settings of it"
    assert outline(found) == [("root", 2, 2), ("db", 3, 6), ("flags", 8, 9)]
    assert members(found, "db") == ["host", "password", "port"]
    env = structure("dotenv", '# c\nexport A=1\nKEY="abc\ndef=1"\nB: 2\n')
    assert outline(env) == [("A", 2, 2), ("KEY", 3, 4), ("B", 5, 5)]


DOCKERFILE = """\
# syntax=docker/dockerfile:1
# Builds the app. Then runs it.
ARG VERSION=1
FROM --platform=linux/amd64 python:3.12 AS build
ENV TOKEN=abc DEBUG=1
RUN pip install \\
  # a comment
  x
FROM scratch
COPY --from=build /a /b
EXPOSE 80 443
ENTRYPOINT ["python", "-m", "app"]
"""


def test_a_dockerfile_is_told_by_its_stages() -> None:
    found = structure("dockerfile", DOCKERFILE)
    assert found.doc == "Builds the app"
    assert found.entry_points == ("ENTRYPOINT python -m app",)
    assert outline(found) == [("FROM python:3.12 AS build", 4, 8), ("FROM scratch", 9, 12)]


MAKEFILE = """\
# Builds everything.

CC ?= gcc
include common.mk
.PHONY: all test
all: build test ## Do everything
\techo "a: b"
build: CFLAGS = -g
build: $(OBJ)
# Run the tests
test:
\tpytest
%.o: %.c
\tcc
define HELP
a: b
endef
"""


def test_makefile_targets_with_help() -> None:
    found = structure("makefile", MAKEFILE)
    assert found.doc == "Builds everything"
    assert found.imports == ("common.mk",)
    assert [(symbol.kind, symbol.name, symbol.doc, symbol.start, symbol.end) for symbol in found.symbols] == [
        ("variable", "CC", None, 3, 3),
        ("target", "all", None, 6, 7),
        ("target", "build", None, 9, 9),
        ("target", "test", "Run the tests", 11, 12),
        ("target", "%.o", None, 13, 14),
    ]


def test_directives_without_an_equals_sign_are_named_and_their_values_are_not() -> None:
    found = structure("ini", "# A server.\n\nport 6379\nrequirepass hunter2-hunter2\nsave 60 1\nsave 300 10\n")
    assert [(symbol.name, symbol.start) for symbol in found.symbols] == [("port", 3), ("requirepass", 4), ("save", 5)]
    assert (found.doc, found.partial) == ("A server", False)
    assert "hunter2" not in repr(found)


def test_a_small_file_shows_words_as_values_but_no_secret() -> None:
    told = structure("json", '{"name": "Заказ пиццы", "secret": "swordfish", "x": {"y": "word"}}')
    assert [symbol.signature for symbol in told.symbols][:2] == ["name: Заказ пиццы", "secret: string"]

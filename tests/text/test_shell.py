"""The command that a shell line is about: a corpus of lines as agents run them, and the purpose of each clause."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.text.shell import MAX_LINE_CHARS, parse_line

CORPUS = Path(__file__).resolve().parents[1] / "learning" / "corpus" / "shell.tsv"


def rows() -> list[tuple[str, str]]:
    """Read (line, expected key); in the file `\\n` stands for a line end and `\\\\` for a backslash."""
    found = []
    for row in CORPUS.read_text(encoding="utf-8").split("\n")[:-1]:
        key, line = row.split("\t")
        found.append((line.replace("\\\\", "\0").replace("\\n", "\n").replace("\0", "\\"), key))
    return found


def test_the_corpus_is_large() -> None:
    assert len(rows()) >= 120


@pytest.mark.parametrize(("line", "key"), rows())
def test_the_key_of_a_command_is_its_program_and_two_words(line: str, key: str) -> None:
    found = parse_line(line)
    assert (found.key if found else "") == key


@pytest.mark.parametrize(
    ("line", "zero", "other"),
    [
        ("pytest", True, True),
        ("cd x && pytest", True, True),
        ("pytest && echo ok", True, True),
        ("pytest | tail", False, True),
        ("set -o pipefail; pytest | tail", True, True),
        ("set -e; pytest; echo done", True, True),
        ("pytest; echo done", False, False),
        ("pytest || true", False, True),
        ("false || pytest", False, True),
        ("! pytest", False, False),
        ("pytest &", False, False),
        ("bash -c 'pytest | tail'", False, True),
        ("bash -c 'pytest'; echo", False, False),
        ("cat x | python run.py", True, True),
    ],
)
def test_an_exit_status_tells_of_the_command_only_where_it_must(line: str, zero: bool, other: bool) -> None:
    found = parse_line(line)
    assert found is not None
    assert (found.zero_is_success, found.other_is_failure) == (zero, other)


@pytest.mark.parametrize(
    ("line", "shown", "text", "folder"),
    [
        ("cd web && X=1 uv run pytest -q > log", "uv run pytest", "uv run pytest -q", "web"),
        ("time npx jest -t 'a b'", "npx jest", "time npx jest -t 'a b'", None),
        (".venv/bin/python3 -m mypy src", "python -m mypy src", ".venv/bin/python3 -m mypy src", None),
        ("(cd api; make -j4 test)", "make test", "make -j4 test", "api"),
    ],
)
def test_a_command_is_shown_with_its_wrappers(line: str, shown: str, text: str, folder: str | None) -> None:
    found = parse_line(line)
    assert found is not None
    assert (found.shown, found.text, found.folder) == (shown, text, folder)


@pytest.mark.parametrize(
    ("line", "shown", "text"),
    [
        ("redis-cli -a hunter2 flushall", "redis-cli flushall", "redis-cli -a [redacted: password] flushall"),
        ("sshpass -p 'hunter2' ssh x up", "sshpass ssh x up", "sshpass -p [redacted: password] ssh x up"),
        ("tool login --password hunter2", "tool login", "tool login --password [redacted: password]"),
        ("tool --api-key=hunter2 go", "tool go", "tool --api-key=[redacted: password] go"),
        ("mysql -u root -phunter2 db", "mysql db", "mysql -u root -p[redacted: password] db"),
        ("sudo docker login -u b -p hunter2 r.io", "sudo docker login r.io", None),
        ('openssl enc -k "hun ter2" -in a', "openssl enc", "openssl enc -k [redacted: password] -in a"),
        ("curl -u bob:hunter2 https://x.org", "curl https://x.org", None),
        ("tool --token hun\\ ter2 go", "tool go", "tool --token [redacted: password]"),
        ("docker run -p 80:80 img", "docker run img", "docker run -p 80:80 img"),
        ("tool --token $TOKEN go", "tool go", "tool --token $TOKEN go"),
        ("mkdir -p a/b && make -pn", "make", "make -pn"),
    ],
)
def test_passwords_of_a_command_are_not_kept(line: str, shown: str, text: str | None) -> None:
    found = parse_line(line)
    assert found is not None
    assert found.shown == shown
    assert text is None or found.text == text
    assert "hunter2" not in f"{found.text} {found.shown} {found.key}"


@pytest.mark.parametrize(
    ("line", "weight", "inline"),
    [
        ("pytest", 2, False),
        ("ls", 1, False),
        ("git status", 1, False),
        ("git bisect run ./t.sh", 2, False),
        ("cd x", 0, False),
        ("node --version", 1, False),
        ("python -c 'x'", 2, True),
        ("python - <<E\nx\nE", 2, True),
        ("bash <<E\nls\nE", 2, True),
        ("python x.py <<E\nx\nE", 2, False),
    ],
)
def test_a_command_has_a_weight_and_may_be_an_inline_script(line: str, weight: float, inline: bool) -> None:
    found = parse_line(line)
    assert found is not None
    assert (found.weight, found.inline) == (weight, inline)


def test_every_program_of_a_line_is_named() -> None:
    found = parse_line("cd x && memory-sidecar inject | tee log; bash -c 'uv run foo | bar'")
    assert found is not None
    assert found.programs == ("cd", "memory-sidecar", "tee", "bash", "foo", "bar")


def test_a_script_of_megabytes_is_read_at_its_head() -> None:
    found = parse_line("cat > x <<'E'\n" + "a b c\n" * 200_000 + "E\nnpm test")
    assert found is not None
    assert found.key == "cat"
    assert len(found.text) <= MAX_LINE_CHARS


@pytest.mark.parametrize("char", ["\U000cd121", "\U000ede15", "\U0001f600", "é", "⠮", "\udc80"])
def test_characters_that_break_the_grammar_s_tables_are_kept_from_it(char: str) -> None:
    found = parse_line(f"X={char} pytest {char}{{{char} '{char} b' && (cd {char}")
    assert found is not None
    assert found.key == f"pytest {char}{{{char} {char} b"


@given(st.text(alphabet="ab -'\"\\$(){}|&;<>\n#=!`*~", max_size=60))
def test_reading_a_shell_line_never_raises(line: str) -> None:
    found = parse_line(line)
    assert found is None or found.key


@given(st.text(max_size=60))
def test_no_text_makes_the_parser_raise(line: str) -> None:
    parse_line(line)


@pytest.mark.parametrize(
    ("line", "key", "folder"),
    [
        ("make -C docs html", "make html", "docs"),
        ("make --directory=docs html", "make html", "docs"),
        ("cd web && make -C docs html", "make html", "web/docs"),
        ("cd web && make -C /srv/docs html", "make html", "/srv/docs"),
        ("npm --prefix web run test", "npm run test", "web"),
        ("npm run test --prefix=web", "npm run test", "web"),
        ("pnpm -C packages/a build", "pnpm build", "packages/a"),
        ("yarn --cwd web build", "yarn build", "web"),
        ("go -C tools test ./...", "go test ./...", "tools"),
        ("git -C ../other push origin", "git push origin", "../other"),
        ("git commit -C HEAD", "git commit", None),
        ("make -C", "make", None),
        ("tar -C out -xf a.tar", "tar out a.tar", None),
    ],
)
def test_a_folder_told_by_an_option_is_where_the_command_runs(line: str, key: str, folder: str | None) -> None:
    found = parse_line(line)
    assert found is not None
    assert (found.key, found.folder) == (key, folder)

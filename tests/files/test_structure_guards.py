"""No briefing shows a secret that was planted in one of hundreds of small files, and ordinary values stay."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from sidecar.files.briefing import render as briefing
from sidecar.files.outline import assemble, outline
from sidecar.files.structure.guards import HIDDEN, guarded, hide_in_prose, keys_only
from sidecar.files.structure.values import masked
from sidecar.store.records import SymbolRecord

PLANTED = {
    "": ("kQ7vTz9Lm2", "zebrafinch", "Wd!kr-Pz9q"),
    "seed": ("ripple zebra autumn magnet cotton gravel walnut orbit pencil meadow lunar tiger",),
    "pin": ("483920", "8K39Q20"),
    "lic": ("KQ7VT-9LM2X-PZ4RD-8WN3H",),
}
# Where nothing but the value could tell, or the planted text is not what the format holds.
UNTOLD = {
    "jwt.yaml", "names3.yaml", "comments.ini", "config", "kubeconfig", "local.properties", "notes.txt", "zy.unknown",
    "users.yaml", "age.txt",
}  # fmt: skip


def planted() -> Iterator[tuple[str, str, list[str]]]:
    """Yield path, text and secrets: in the data file, `@@@` begins a file and `§` is the secret."""
    data = (Path(__file__).parent / "planted_secrets.txt").read_text(encoding="utf-8")
    for part in data.split("@@@ ")[1:]:
        head, _, text = part.partition("\n")
        path, _, kind = head.partition("=")
        yield path, text, list(PLANTED[kind][: 1 if path in UNTOLD else 3])


CASES = list(planted())


def leaks(path: str, text: str, secret: str) -> list[str]:
    """Return the lines of a briefing and its record that contain a part of the secret."""
    record = outline(path, text.encode(), "0" * 32)
    assert not record.fault
    shown = [briefing.render(record, path=path, project_imports=()), *texts(record.symbols), *texts(record.inside)]
    shown += [record.doc or "", record.head or "", *record.entry_points]
    words = secret.split()
    parts = [" ".join(pair) for pair in pairwise(words)] if words[1:] else []
    parts += [secret[at : at + 6] for at in range(len(secret) - 5)] if not words[1:] else []
    if path in {"names3.yaml", "config", "zy.unknown", "kubeconfig"}:
        shown = shown[:1]  # names that say nothing; only the briefing hides what looks random
    return [line for line in "\n".join(shown).split("\n") if any(part in line for part in parts)]


def texts(symbols: Sequence[SymbolRecord]) -> Iterator[str]:
    for one in symbols:
        yield f"{one.name}\n{one.signature}\n{one.doc}"
        yield from texts(one.children)


@pytest.mark.parametrize(("path", "text", "secrets"), CASES, ids=[path for path, _, _ in CASES])
def test_no_planted_secret_is_shown_however_long_a_briefing_may_be(
    path: str, text: str, secrets: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for secret in secrets:
        assert not leaks(path, text.replace("§", secret), secret)
    monkeypatch.setattr(assemble, "target", lambda size: 4_000)
    monkeypatch.setattr(briefing, "target", lambda size: 4_000)
    for secret in secrets:
        assert not leaks(path, text.replace("§", secret), secret)


ORDINARY = """name: build
on: [push]
env:
  NODE_ENV: production
  port: 8080
jobs:
  test:
    runs-on: ubuntu-latest
    timeout-minutes: 30
    steps:
      - uses: actions/checkout@v4
      - run: docker compose up -d database
      - run: npm ci && npm test
    serializer: jackson
    license: Apache-2.0
    seed: 42
    author_url: https://example.org/about
    keyboard: qwerty
"""


@pytest.mark.parametrize("path", ["a.yaml", "a.txt", "a.conf", "token_counter.yaml", "secretary.yaml"])
def test_ordinary_values_stay(path: str) -> None:
    assert guarded(path, "yaml", ORDINARY) == ORDINARY


@pytest.mark.parametrize(
    ("path", "language", "only"),
    [
        (".npmrc", "ini", True), ("etc/secrets/app.yaml", "yaml", True), ("prod.tfvars", "terraform", True),
        ("my-credentials.json", "json", True), ("id_ed25519", "text", True), ("config/.env.local", "text", True),
        ("secrets.py", "python", False), ("passwords.md", "markdown", False), ("environment.yaml", "yaml", False),
        ("keys.yaml", "yaml", False), ("secretary.txt", "text", False),
    ],
)  # fmt: skip
def test_the_name_of_a_file_tells_that_only_keys_are_shown(path: str, language: str, only: bool) -> None:
    assert keys_only(path, language) is only


def test_sentences_keep_what_is_no_password() -> None:
    for text in ("The password is hashed with salt.", "Reads the token from the environment.", "Tests of passwords."):
        assert hide_in_prose(text) == text


@pytest.mark.parametrize(
    ("path", "language", "text"),
    [
        ("a.md", "markdown", "Verify a token:\n\n    select\n\nAlgorithm\n---------\n"),
        ("a.md", "markdown", "    [redacted: JSON Web Token]\n\n## Next steps\n\n* Roles\n"),
        ("a.tf", "terraform", "# Managed Secret Rotation\n# No way to disable secret rotation on an initial apply.\n"),
        ("a.tf", "terraform", "  password_wo = !local.is_replica && var.managed ? null : var.password_wo\n"),
        ("a.tf", "terraform", 'resource "a_secret" "b" {\n  region = var.region\n  rules {\n  }\n}\n'),
        ("a.sql", "sql", "CREATE FUNCTION sign(payload json, secret text, algorithm text)\n"),
        ("a.yml", "yaml", "  github-token: ${{ secrets.GITHUB_TOKEN }}\n"),
    ],
)
def test_text_about_secrets_without_a_value_stays(path: str, language: str, text: str) -> None:
    told = guarded(path, language, text).replace("    " + HIDDEN, "    select")
    assert told == text


@pytest.mark.parametrize(
    "text",
    [
        "async verify(apiKey: string): Promise<World>",
        "Token::Unit",
        "# https://a.example/b#comment-5242449",
        "${{ token }}",
    ],
)
def test_types_paths_and_addresses_are_not_masked(text: str) -> None:
    assert masked(text) == text
    assert hide_in_prose(text) == text


@pytest.mark.parametrize("text", ["password=//zebrafinch", "password=:zebrafinch", "token: ${{ zebra || 1 }}"])
def test_values_that_only_begin_like_references_are_hidden(text: str) -> None:
    assert "zebra" not in guarded("a.conf", "ini", text)
    assert "[hidden]" in masked(text)


def test_a_quoted_reference_may_be_a_password() -> None:
    assert "zebra" not in guarded("a.tf", "terraform", 'password = "var.zebrafinch"\n')


@pytest.mark.parametrize("text", ["Reference to token to drip (immutable)", "The key to the secret rotation"])
def test_sentences_about_secrets_are_not_masked(text: str) -> None:
    assert hide_in_prose(text) == text


def test_a_value_that_is_also_a_type_stays_in_signatures() -> None:
    text = 'class World {}\nfunction check(world: World) {\n  verify(apiKey, "World");\n}\nlet one = new World();\n'
    (checked,) = (one for one in outline("a.ts", text.encode(), "0" * 32).symbols if one.name == "check")
    assert "[hidden]" not in checked.signature


def test_lookups_in_code_keep_their_names() -> None:
    text = 'password = os.environ["DB_PASSWORD"]\ntoken = read("token")\n'
    assert HIDDEN not in guarded("a.py", "python", text)


@pytest.mark.timeout(120)  # quadratic patterns took hours
def test_lines_keep_their_numbers_however_long_they_are() -> None:
    for part in ("mysql ", "password=", "users=[a:", "connect(", '"', "a ", "ENC[", "<a ", "send -a ", "ripple "):
        text = f"{part * 20_000}\n{part}\n"
        assert guarded("a.txt", "text", text).count("\n") == 2
    assert not re.search(r"[^\n]{3,}", guarded("secrets.txt", "text", "abcdef1\n" * 10).replace(HIDDEN, ""))


def test_permissions_of_a_workflow_and_actions_of_a_policy_are_shown() -> None:
    assert guarded("a.yml", "yaml", "permissions:\n  id-token: write\n").endswith("id-token: write\n")
    policy = 'data "aws_iam_policy_document" "external_secrets" {\n  actions = ["iam:CreateServiceLinkedRole"]\n}\n'
    assert guarded("a.tf", "terraform", policy) == policy
    assert "hunter2" not in guarded("a.tf", "terraform", 'variable "db_password" {\n  default = "hunter2"\n}\n')

"""No briefing shows a value that its name calls secret, in many formats of files; ordinary values stay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from sidecar.files.briefing import render as briefing
from sidecar.files.outline import assemble, outline
from sidecar.files.structure.values import hide_values, secret_file
from sidecar.store.records import SymbolRecord

PLANTED = {"": ("kQ7vTz9Lm2", "zebrafinch", "Wd!kr-Pz9q"), "lic": ("KQ7VT-9LM2X-PZ4RD-8WN3H",)}


def planted() -> Iterator[tuple[str, str, list[str]]]:
    """Yield path, text and secrets: in the data file, `@@@` begins a file and `§` is the secret."""
    data = (Path(__file__).parent / "planted_secrets.txt").read_text(encoding="utf-8")
    for part in data.split("@@@ ")[1:]:
        head, _, text = part.partition("\n")
        path, _, kind = head.partition("=")
        yield path, text, list(PLANTED[kind])


CASES = list(planted())


def leaks(path: str, text: str, secret: str) -> list[str]:
    """Return the lines of a briefing and its record that contain a part of the secret."""
    record = outline(path, text.encode(), "0" * 32)
    assert not record.fault
    shown = [briefing.render(record, path=path, project_imports=()), *texts(record.symbols), *texts(record.inside)]
    shown += [record.doc or "", record.head or "", *record.entry_points]
    parts = [secret[at : at + 6] for at in range(len(secret) - 5)]
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


def test_ordinary_values_stay() -> None:
    assert hide_values(ORDINARY, quoted=False) == ORDINARY


@pytest.mark.parametrize(
    ("path", "language", "only"),
    [
        (".npmrc", "ini", True), ("etc/secrets/app.yaml", "yaml", True), ("prod.tfvars", "terraform", True),
        ("my-credentials.json", "json", True), ("id_ed25519", "text", True), ("config/.env.local", "text", True),
        ("secrets.py", "python", False), ("passwords.md", "markdown", False), ("environment.yaml", "yaml", False),
        ("keys.yaml", "yaml", False), ("secretary.txt", "text", False),
    ],
)  # fmt: skip
def test_the_name_of_a_file_tells_that_it_holds_secrets(path: str, language: str, only: bool) -> None:
    assert secret_file(path, language) is only


@pytest.mark.parametrize(
    "text",
    [
        "The password is hashed with salt.",
        "Reads the token from the environment.",
        "Reference to token to drip (immutable)",
        "# Managed Secret Rotation\n# No way to disable secret rotation on an initial apply.",
        "  password_wo = !local.is_replica && var.managed ? null : var.password_wo",
        'resource "a_secret" "b" {\n  region = var.region\n  rules {\n  }\n}',
        "CREATE FUNCTION sign(payload json, secret text, algorithm text)",
        "  github-token: ${{ secrets.GITHUB_TOKEN }}",
        "permissions:\n  id-token: write",
        "async verify(apiKey: string): Promise<World>",
        "Token::Unit",
        "# https://a.example/b#comment-5242449",
        "${{ token }}",
        '"addLiquidity with native token": "274012"',
        '"encryption": "Ende-zu-Ende verschlüsselt übertragen"',
        "'password' => [",
        '<li v-for="task in tasks" :key="task.id">',
        "uses: actions/checkout@df4cb1c069e1874edd31b4311f1884172cec0e10",
        "with:\n  export-env: true # Export loaded secrets",
    ],
)
def test_text_about_secrets_without_a_value_stays(text: str) -> None:
    assert hide_values(text, quoted=False) == text


@pytest.mark.parametrize(
    "text",
    [
        'password = os.environ["DB_PASSWORD"]\ntoken = read("token")',
        'flags.StringVarP(&given.password, "password", "p", "", "basic authentication password")',
        'test("enrolls a token", () => {',
        'decrypt(data, secret, "unused")',
        "const { token, version } = valid(x)",
    ],
)
def test_code_without_a_secret_stays(text: str) -> None:
    assert hide_values(text, quoted=True) == text


def test_only_literals_of_code_are_hidden() -> None:
    shown = hide_values("const dbPassword: string = 'zebrafinch'\npassword = zebra\n", quoted=True)
    assert shown == "const dbPassword: string = '[hidden]'\npassword = zebra\n"
    assert "hunter2" not in hide_values('variable "db_password" {\n  password = "hunter2"\n}\n', quoted=True)


@pytest.mark.timeout(120)  # quadratic patterns took hours
def test_lines_keep_their_numbers_however_long_they_are() -> None:
    for part in ("mysql ", "password=", "users=[a:", "connect(", '"', "a ", "ENC[", "<a ", "send -a ", "name: a "):
        for end in ("", "\n"):
            text = f"{(part + end) * 20_000}\n{part}\n"
            assert hide_values(text, quoted=False).count("\n") == text.count("\n")
    assert "abcdef1" not in str(outline("secrets.txt", b"abcdef1\n" * 10, "0" * 32))

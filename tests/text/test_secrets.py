"""Secrets are found in any text and taken out whole."""

from __future__ import annotations

import re
import threading
import uuid
from collections.abc import Callable

import pytest
import redact_secret
from hypothesis import given
from hypothesis import strategies as st

from sidecar.text.secrets import redact
from sidecar.text.secrets.detection import RemovedSecrets
from sidecar.text.secrets.kinds import label
from sidecar.text.secrets.rules import RuleBook, compile_re2
from tests.bench.secret_planting import Planter

pytestmark = pytest.mark.slow


def pieces(key: str, length: int = 6) -> set[str]:
    return {key[at : at + length] for at in range(len(key) - length + 1)}


def test_every_kind_of_planted_key_is_taken_out_whole(planters: Callable[[int], Planter]) -> None:
    missed = []
    planted = 0
    for seed in range(4):
        planter = planters(seed)
        for kind, make in planter.kinds.items():
            placed = make()
            planted += 1
            text, findings = redact(f"Before the line.\n{placed.text}\nAfter it.")
            if not findings or any(piece in text for piece in pieces(placed.key)):
                missed.append((kind, placed.text, text))
            else:
                assert text.startswith(f"Before the line.\n{placed.before}[redacted: ")
                assert text.endswith(f"]{placed.after}\nAfter it.")
    assert planted >= 200
    assert len(planters(0).kinds) >= 20
    assert len(missed) <= planted * 0.01, missed


def test_redacting_twice_changes_nothing(planters: Callable[[int], Planter]) -> None:
    for seed in range(3):
        planter = planters(seed)
        lines = [make().text for make in planter.kinds.values()]
        once, findings = redact("\n".join(lines))
        assert sum(finding.count for finding in findings) >= len(lines) * 0.95
        assert redact(once) == (once, [])


def test_findings_and_marks_never_show_the_secret(planter: Planter) -> None:
    for make in planter.kinds.values():
        placed = make()
        text, findings = redact(placed.text)
        shown = text + repr(findings)
        assert not any(piece in shown for piece in pieces(placed.key))


@pytest.mark.parametrize("label", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
def test_a_private_key_goes_with_its_whole_block(planter: Planter, label: str) -> None:
    block = planter.key_block(label)
    marked = "key:\n[redacted: private key]\ndone"
    assert redact(f"key:\n{block}\ndone") == (marked, [RemovedSecrets("private key", 1)])
    escaped = block.replace("\n", "\\n")
    assert redact(f'{{"k": "{escaped}"}}')[0] == '{"k": "[redacted: private key]"}'
    cut = "\n".join(block.splitlines()[:8])
    text, findings = redact(f"{cut}\n")
    assert findings == [RemovedSecrets("private key", 1)]
    assert not any(line in text for line in cut.splitlines())


def test_a_header_without_a_key_is_no_secret() -> None:
    dashes = "-" * 5
    for text in (
        f"The file starts with `{dashes}BEGIN RSA PRIVATE KEY{dashes}`.",
        f'if line == "{dashes}BEGIN PRIVATE KEY{dashes}":\n    raise ValueError("no key")',
    ):
        assert redact(text) == (text, [])


def test_the_kind_is_named_in_the_text(planter: Planter) -> None:
    key = "gh" + "p_" + planter.characters("abcDEF123", 36)
    text, findings = redact(f"clone with {key}, then push")
    assert text == "clone with [redacted: GitHub token], then push"
    assert findings == [RemovedSecrets("GitHub token", 1)]


def test_several_secrets_on_a_line_and_the_same_one_twice(planter: Planter) -> None:
    first, second = planter.characters("abcDEF123", 12) + "7q", planter.characters("ghiJKL456", 12) + "8z"
    text, findings = redact(f'password = "{first}"; admin_password = "{second}"\nlogin with {first}')
    assert first not in text
    assert second not in text
    assert text.count("[redacted: password]") == 3
    assert findings == [RemovedSecrets("password", 3)]


def test_the_password_in_an_address_goes_and_the_rest_stays() -> None:
    text, findings = redact("postgres://app:" + "tr0ub4" + "d@r&3" + "@db:5432/app")
    assert text == "postgres://app:[redacted: password in URL]@db:5432/app"
    assert [finding.count for finding in findings] == [1]


@pytest.mark.parametrize(
    "text",
    [
        'password = "hunter2' + 'secret"',
        "PASSWORD=hunter2" + "secret",
        "password: hunter2" + "secret",
        "the password is hunter2" + "secret.",
        '{"client_secret": "hunter2' + 'secret"}',
        "mysql -u root --password=hunter2" + "secret",
    ],
)
def test_passwords_assigned_to_a_name_are_found(text: str) -> None:
    redacted, findings = redact(text)
    assert "hunter2" not in redacted
    assert findings == [RemovedSecrets("secret" if "client_secret" in text else "password", 1)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain words about a token bucket, a secret garden and the key to the door",
        f"session {uuid.UUID(int=0x1234567890ABCDEF1234567890ABCDEF)}",
        f'client_secret = "{uuid.UUID(int=0x9876543210ABCDEF1234567890ABCDEF)}"',
        "commit 3f786850e387550fdab836ed7e6dc881de23001b fixed it",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        '"integrity": "sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg"',
        'api_key = "<your-key>"',
        'api_key = "your-api-key-here-123"',
        'password = "xxxxxxxxxxxx1"',
        'password = "********"',
        "password = ${DB_PASSWORD}",
        'password = "${DB_PASSWORD_1}"',
        'password = "{{ vault_password_2 }}"',
        "password = $DB_PASSWORD",
        'password = os.environ["DB_PASSWORD_2"]',
        "password = getpass.getpass()",
        "password = config.database.password2",
        "def login(username, password=None, token_type='bearer'):",
        "self.password = password1",
        "if (password.length < 8) return 'password-too-short-1';",
        "The password must have 8 characters, a digit1 and a sign.",
        "AKIA" + "IOSFODNN7" + "EXAMPLE is the access key of the vendor's manual",
        "https://user:password@example.com/path",
        "https://{user}:{password}@host/path",
        "git@github.com:owner/repository.git",
        "ssh://git@host:22/path, http://localhost:8080/@scope/package",
        "token = tokenizer.next_token(position_12)",
        "secret_name: projects/app/secrets/database-password/versions/1",
        "A JWT starts with eyJ and has three parts: header.payload.signature",
        "日本語のパスワードは秘密です",
    ],
)
def test_innocent_text_stays_as_it_is(text: str) -> None:
    assert redact(text) == (text, [])


def test_a_key_in_a_long_line_and_at_any_place_of_it(planter: Planter) -> None:
    key = "gl" + "pat-" + planter.characters("abcDEF123", 20)
    for before in (0, 1_590, 1_999, 2_000, 5_000, 15_000):
        text, findings = redact("w " * (before // 2) + key + " w" * 600)
        assert key not in text
        assert findings == [RemovedSecrets("GitLab token", 1)]


@pytest.mark.timeout(60)
def test_lines_made_to_be_slow_end_and_hide_no_secret(planter: Planter) -> None:
    key = "gl" + "pat-" + planter.characters("abcDEF123", 20)
    for text in ("://a:" * 3_000, "//" * 8_000, "password" * 2_000, "eyJ" * 5_000, "a" * 16_000, "aws key " * 2_000):
        assert key not in redact(f"{text} {key}")[0]


def test_threads_can_share_the_detectors(planters: Callable[[int], Planter]) -> None:
    planter = planters(3)
    lines = [make().text for make in planter.kinds.values()]
    expected = [redact(line) for line in lines]
    wrong: list[str] = []

    def work() -> None:
        wrong.extend(line for line, wanted in zip(lines, expected, strict=True) if redact(line) != wanted)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@given(st.text(alphabet=st.sampled_from("ab1AZ_-=:/@.\"' \n[]passwordkey"), max_size=120))
def test_redacting_any_text_twice_changes_nothing(text: str) -> None:
    once, _ = redact(text)
    assert redact(once) == (once, [])


def test_every_rule_can_be_read_and_has_a_name_that_a_mark_can_show() -> None:
    book = RuleBook()
    assert len(book.rules) >= 200
    for rule in book.rules:
        assert rule.pattern.pattern
    detectors = [kind for detector in redact_secret.artifact_manifest()["detectors"] for kind in detector["types"]]
    assert len(detectors) >= 150
    for name in (*detectors, *(rule.id for rule in book.rules)):
        assert re.fullmatch("[A-Za-z0-9][A-Za-z0-9 ]{1,58}[A-Za-z0-9]", label(name)), name


def test_every_rule_marks_what_a_second_look_leaves_alone() -> None:
    for rule in RuleBook().rules:
        mark = f"[redacted: {label(rule.id)}]"
        assert redact(f"token = {mark}, password: {mark}") == (f"token = {mark}, password: {mark}", [])


def test_a_flag_in_the_middle_of_a_rule_holds_for_all_of_it() -> None:
    assert all(compile_re2("a(?:b(?i)c)d").search(text) for text in ("abcd", "abCd", "aBcd", "abCD"))
    assert compile_re2(r"x(?i)[)(\]y]z").fullmatch("x)Z")
    assert compile_re2(r"end\z").search("the end")


def test_the_search_of_a_long_text_lets_others_go_first(planters: Callable[[int], Planter]) -> None:
    planter = planters(1)
    placed = [make().text for make in planter.kinds.values()]
    text = ("\n".join(placed) + "\nAn ordinary line of prose between them.\n" * 40) * 8
    steps: list[None] = []
    assert redact(text, lambda: steps.append(None)) == redact(text)
    assert len(steps) > 100

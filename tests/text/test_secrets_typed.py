"""Keys typed along the keyboard, and passwords revealed by the command or line they stand in."""

from __future__ import annotations

import pytest

from sidecar.text.secrets import redact

LETTERS = "abcdefghijklmnopqrstuvwxyz"
TYPED = {
    "gh" + "p_" + LETTERS + "0123456789": "GitHub token",
    "gh" + "p_1234567890" + LETTERS: "GitHub token",
    "gl" + "pat-" + LETTERS[:20]: "GitLab token",
    "gl" + "pat-12345678901234567890": "GitLab token",
    "AK" + "IA1234567890ABCDEF": "AWS access key",
    "xo" + "xb-123456789012-123456789012-" + LETTERS[:24]: "Slack token",
    "np" + "m_" + LETTERS + "0123456789": "npm access token",
    "s" + "k-" + LETTERS + "1234567890": "OpenAI key",
    "s" + "k-proj-" + LETTERS + "123456": "OpenAI key",
}


@pytest.mark.parametrize(("key", "kind"), TYPED.items())
def test_a_published_format_filled_along_the_keyboard_is_a_key(key: str, kind: str) -> None:
    text, findings = redact(f"Deploys use {key} for now.")
    assert text == f"Deploys use [redacted: {findings[0].kind}] for now."
    assert findings[0].kind.split()[0] == kind.split()[0]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("mysql -uroot -p", " shop"),
        ("mysqldump -h db.x.io -u root -p", " shop > dump.sql"),
        ("sshpass -p ", " ssh bob@x.io"),
        ("sshpass -p'", "' ssh bob@x.io"),
        ("machine x.io login bob password ", ""),
        ("redis-cli -h x.io -a ", " ping"),
        ("postgres://admin:", "@localhost/app"),
    ],
)
def test_passwords_are_found_by_their_place(before: str, after: str) -> None:
    password = "Zq7" + "kdTgac4"
    text, findings = redact(f"Runs as `{before}{password}{after}` there")
    assert password not in text
    assert [finding.count for finding in findings] == [1]


def test_a_weak_password_in_an_address_is_one() -> None:
    text, _ = redact("the store is postgres://admin:" + "hunter2@localhost/db")
    assert "hunter2" not in text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("make sure the postgres password is set to '", "' everywhere"),
        ("set the password to '", "'"),
        ('the admin passphrase is "', '", for now'),
    ],
)
def test_a_password_told_in_words_and_quotes_may_be_a_word(before: str, after: str) -> None:
    text, _ = redact(f"{before}plumtreeford{after}")
    assert text == f"{before}[redacted: password]{after}"


@pytest.mark.parametrize(
    "text",
    [
        "mysql -uroot -p shop",
        "mysql -u root -p$MYSQL_PW shop",
        "mysqldump --single-transaction -P3306 shop",
        "sshpass -p $PW ssh x",
        "mkdir -p2024/reports",
        "machine learning login flow: password reset",
        "machine x.io login bob password <password>",
        "the class sk-toggleable__content-fitted is styled in sk-estimator-html-representation.css",
        "redis-cli -a $REDIS_PW ping",
    ],
)
def test_text_that_names_no_password_stays(text: str) -> None:
    assert redact(text) == (text, [])


def test_a_passphrase_of_words_is_a_secret_and_a_prompt_for_one_is_not() -> None:
    text, findings = redact('The passphrase of the backup is "correct horse battery staple".')
    assert text == f'The passphrase of the backup is "[redacted: {findings[0].kind}]".'
    assert redact('passphrase: "Enter your passphrase here"') == ('passphrase: "Enter your passphrase here"', [])

"""Which part of a message is the user's own: mail, chat, reported speech and text to work on are others'."""

from __future__ import annotations

import pytest

from sidecar.text.others_words import own_words

THEIRS = [
    "Subject: Re: Deployment\nFrom: ops@example.com\n\nHi all,\nTHEIRS.\nBest, Ops",
    "Here is what the customer wrote:\n\nTHEIRS.\n\nTHEIRS again.",
    "Answer this mail:\n\nDear Dana,\nTHEIRS.\nKind regards\nIT",
    "Hi Dana,\n\nTHEIRS.\n\nKind regards,\nIT Security",
    "Karl  10:42 AM\nTHEIRS\nEva  10:43 AM\nTHEIRS too",
    "Karl [10:42]: THEIRS\nEva [10:43]: no",
    "[12.03.24, 10:42] Karl: THEIRS\n[12.03.24, 10:44] Eva: ok",
    "Tom — Today at 4:12 PM\nTHEIRS",
    "Karl: THEIRS\nEva: no\nKarl: yes",
    "My boss said: THEIRS. THEIRS too.",
    "Email from legal: THEIRS.\nTHEIRS too.",
    "Von: it@firma.example\nBetreff: VPN\n\nTHEIRS.\n\nMit freundlichen Grüßen\nIT",
    "Hallo Dana,\nTHEIRS.\n\nViele Grüße\nKarl",
    "Estimada Dana,\nTHEIRS.\nSaludos,\nSoporte",
    "Bonjour Dana,\nTHEIRS.\nCordialement,\nLe support",
    'She wrote "This is it. THEIRS again." and left.',
    "Translate into French: THEIRS.",
    "Please translate this into Spanish:\n\nTHEIRS.\n\nTHEIRS.",
    "Rewrite this more politely: THEIRS.",
    "Übersetze ins Englische: THEIRS.",
    "Traduce al inglés: THEIRS.",
    "Traduis en anglais : THEIRS.",
    "翻译成英文：THEIRS.",
]
OWN = [
    "Hi,\n\nalways use tabs.\n\nThanks",
    "Hi Claude,\nalways use tabs.\nBest,\nDana",
    "Rules for this repository:\n- Naming: always use snake_case\n- Tests: never mock the clock",
    "Frontend: always use pnpm.\nBackend: always use uv.",
    "I said: from now on always use tabs.",
    "As we agreed: never commit to main.",
    "Never push after 10:42 AM without asking me.",
    "From now on translate all labels: never leave one in English.",
    "Always answer emails politely: never use slang.",
    "When you reply to me: never use emojis.",
    'Call it "type: subject" from now on.',
    "Here is the log:\n\nerror: boom\n\nAlways run the linter before you push.",
    "Data model: for conversations, should we store:\n- each message as a record",
]


@pytest.mark.parametrize("text", THEIRS)
def test_words_of_others_are_left_out(text: str) -> None:
    assert "THEIRS" not in own_words(text)


@pytest.mark.parametrize("text", THEIRS[:16])
def test_words_before_and_after_are_the_user_s(text: str) -> None:
    if not text.startswith("Here is"):
        kept = own_words(f"Mine.\n\n{text}\n\nMine too.")
        assert kept.startswith("Mine.")
        assert kept.endswith("Mine too.")


@pytest.mark.parametrize("text", OWN)
def test_own_words_stay(text: str) -> None:
    assert own_words(text) == text

"""The short form: each attack, a few times."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.reliability.outcome import Skipped
from tests.reliability.table import ATTACKS


@pytest.mark.parametrize("name", [name for name, attack in ATTACKS.items() if attack.short])
def test_nothing_is_lost(name: str, tmp_path: Path) -> None:
    attack = ATTACKS[name]
    try:
        outcome = attack.run(tmp_path / "room", random.Random(1), attack.short)
    except Skipped as reason:
        pytest.skip(str(reason))
    assert not outcome.faults, "\n".join(outcome.faults[:10])

"""The long form: `python -m tests.reliability [--only NAME] [--scale 1] [--seed 1]` attacks, and prints the table.

`--only` names attacks or parts of their names; `--scale` multiplies the tries, and `--short` makes those of CI.
The exit code is 1 when anything fell.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import sys
import tempfile
import time
from pathlib import Path

from tests.reliability.outcome import HEAD, Outcome, Skipped
from tests.reliability.table import ATTACKS


def main() -> int:
    """Attack, and print a line each."""
    parser = argparse.ArgumentParser(prog="python -m tests.reliability", description=__doc__)
    parser.add_argument("--only", nargs="*", default=[""], metavar="NAME")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--short", action="store_true", help="the tries of CI")
    parser.add_argument("--room", type=Path, help="where the files of the attacks are made")
    given = parser.parse_args()
    print(HEAD, flush=True)
    fell = False
    for name, attack in ATTACKS.items():
        tries = attack.short if given.short else attack.long
        if not any(word in name for word in given.only) or not tries:
            continue
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="reliability-", dir=given.room) as room:
            try:
                outcome = attack.run(Path(room), random.Random(given.seed), max(1, round(tries * given.scale)))
            except Skipped as reason:
                print(f"{name:<26}  skipped: {reason}", flush=True)
                continue
            except Exception as error:  # an attack that breaks has shown nothing
                outcome = Outcome(crashed=[f"the attack ended with {type(error).__name__}: {str(error)[:1_000]}"])
        fell |= bool(outcome.faults)
        print(f"{outcome.row(name)}  {time.monotonic() - began:.0f} s", flush=True)
        for text in [*outcome.notes, *outcome.faults[:20]]:
            print("   ", text[:2_000].replace("\n", "\n        "), flush=True)
    if importlib.util.find_spec("tests.reliability.flips") and any(word in "flips" for word in given.only):
        flips = importlib.import_module("tests.reliability.flips")
        print("\nflips", flush=True)
        fell |= bool(flips.main(max(1, round(1_000 * given.scale)), given.seed))
    return int(fell)


if __name__ == "__main__":
    sys.exit(main())

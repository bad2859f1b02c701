"""Patterns of tools' output that indicate errors, success and remedies, from `outputs.toml`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from sidecar.text.lazy_patterns import lazy
from sidecar.text.toml import read_toml

_TABLE: Final[dict[str, Any]] = read_toml(Path(__file__).with_name("outputs.toml").read_text("utf-8"))


def _any_of(says: list[str], flags: int = re.IGNORECASE) -> re.Pattern[str]:
    return lazy("|".join(says), flags)


FAILED: Final = _any_of(_TABLE["failed"], re.MULTILINE)
PASSED: Final = _any_of(_TABLE["passed"], re.MULTILINE)
USAGE: Final = _any_of(_TABLE["usage"])
ASSERTS: Final = _any_of(_TABLE["asserts"])
ABSENT: Final = _any_of(_TABLE["absent"])
DETAIL: Final = _any_of(_TABLE["detail"])
BANNER: Final = lazy(f"^(?:{'|'.join(_TABLE['banner'])})", re.IGNORECASE)
# The highest score wins; of equal scores, the first line, except in Python's tracebacks, whose cause is last.
FORMS: Final = tuple(
    (row["score"], lazy(row["says"], re.IGNORECASE if row.get("ignore_case") else 0)) for row in _TABLE["forms"]
)
MARKS: Final[tuple[str, ...]] = (*_TABLE["marks"], *(f":{n}" for n in range(10)), *(f"{n} " for n in range(10)))
REMEDIES: Final = tuple((_any_of(row["says"]), frozenset(row["kinds"].split())) for row in _TABLE["remedies"])
UNSTABLE: Final = tuple((lazy(row["form"]), row["instead"]) for row in _TABLE["unstable"])

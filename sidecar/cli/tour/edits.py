"""Edits that show: a new top-level symbol in each language the tour may meet, and a file for an empty folder."""

from __future__ import annotations

from pathlib import PurePosixPath

SYMBOL = "added_by_the_tour"

_APPENDED = {
    ".py": f'\n\ndef {SYMBOL}(count: int) -> int:\n    """Show that an edit is seen."""\n    return count + 1\n',
    ".pyi": f"\n\ndef {SYMBOL}(count: int) -> int: ...\n",
    ".js": f"\nexport function {SYMBOL}(count) {{\n  return count + 1;\n}}\n",
    ".jsx": f"\nexport function {SYMBOL}(count) {{\n  return count + 1;\n}}\n",
    ".ts": f"\nexport function {SYMBOL}(count: number): number {{\n  return count + 1;\n}}\n",
    ".tsx": f"\nexport function {SYMBOL}(count: number): number {{\n  return count + 1;\n}}\n",
    ".go": f"\nfunc {SYMBOL}(count int) int {{\n\treturn count + 1\n}}\n",
    ".rs": f"\npub fn {SYMBOL}(count: u32) -> u32 {{\n    count + 1\n}}\n",
    ".java": f"\nclass {SYMBOL} {{\n}}\n",
    ".c": f"\nint {SYMBOL}(int count) {{\n    return count + 1;\n}}\n",
    ".h": f"\nint {SYMBOL}(int count);\n",
    ".cc": f"\nint {SYMBOL}(int count) {{\n    return count + 1;\n}}\n",
    ".cpp": f"\nint {SYMBOL}(int count) {{\n    return count + 1;\n}}\n",
    ".hpp": f"\nint {SYMBOL}(int count);\n",
    ".cs": f"\npublic class {SYMBOL} {{\n}}\n",
    ".rb": f"\ndef {SYMBOL}(count)\n  count + 1\nend\n",
    ".kt": f"\nfun {SYMBOL}(count: Int): Int {{\n    return count + 1\n}}\n",
    ".swift": f"\npublic func {SYMBOL}(count: Int) -> Int {{\n    return count + 1\n}}\n",
    ".lua": f"\nfunction {SYMBOL}(count)\n  return count + 1\nend\n",
    ".sh": f"\n{SYMBOL}() {{\n  echo seen\n}}\n",
    ".md": f"\n\n## {SYMBOL}\n\nShow that an edit is seen.\n",
}
CODE = frozenset(_APPENDED) - {".md", ".pyi", ".h", ".hpp"}

SAMPLE_NAME = "greenhouse.py"
SAMPLE = '''"""Keeps a greenhouse at the temperature its plants like."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

FROST = 2.0
HISTORY = 12


@dataclass
class Reading:
    """One measurement of one sensor."""

    sensor: str
    celsius: float
    minute: int


class Greenhouse:
    """Windows and heating, driven by the readings of its sensors."""

    def __init__(self, wanted: float) -> None:
        self.wanted = wanted
        self.readings: list[Reading] = []
        self.windows_open = False
        self.heating = False

    def take(self, reading: Reading) -> None:
        """Take a reading and act on it."""
        self.readings.append(reading)
        self.readings = self.readings[-HISTORY:]
        self.decide()

    def temperature(self) -> float:
        """The median of the latest readings: one broken sensor must not open the windows in winter."""
        if not self.readings:
            raise LookupError("no sensor has reported yet")
        return statistics.median(reading.celsius for reading in self.readings)

    def decide(self) -> None:
        """Open the windows or heat, never both."""
        now = self.temperature()
        self.windows_open = now > self.wanted + 1.5
        self.heating = now < self.wanted - 1.5 and not self.windows_open

    def frost_danger(self) -> bool:
        """Whether plants may freeze within the hour."""
        return self.temperature() < FROST


def parse_reading(line: str) -> Reading:
    """Read `sensor;celsius;minute`."""
    sensor, celsius, minute = line.strip().split(";")
    return Reading(sensor=sensor, celsius=float(celsius), minute=int(minute))


def run(lines: list[str], wanted: float) -> Greenhouse:
    """Feed a log of readings to a greenhouse."""
    greenhouse = Greenhouse(wanted)
    for line in lines:
        if line.strip():
            greenhouse.take(parse_reading(line))
    return greenhouse
'''


def edited(path: str, data: bytes) -> bytes | None:
    """The file with one more symbol at its end; None for a kind of file the tour cannot edit in a way that shows."""
    addition = _APPENDED.get(PurePosixPath(path).suffix.lower())
    return None if addition is None else data.rstrip(b"\r\n \t") + b"\n" + addition.encode()

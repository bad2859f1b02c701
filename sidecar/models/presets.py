"""Agents whose command lines we know, from `presets.toml`."""

from __future__ import annotations

import shlex
import tomllib
from pathlib import Path
from typing import Final

import msgspec


class Preset(msgspec.Struct, frozen=True):
    """A program, and how to call it."""

    command: str
    environment: dict[str, str] = {}
    files: dict[str, str] = {}  # written to the folder where it runs
    adds: int = 0  # tokens of its own prompt

    @property
    def arguments(self) -> list[str]:
        return shlex.split(self.command)


# Read at import, because later the package on disk may be another version's.
PRESETS: Final = msgspec.convert(
    tomllib.loads(Path(__file__).with_name("presets.toml").read_text("utf-8")), dict[str, Preset]
)


def preset_of(command: str) -> Preset:
    return PRESETS.get(command.strip(), Preset(command))

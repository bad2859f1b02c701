"""Agents whose command lines we know, from `presets.toml`."""

from __future__ import annotations

import shlex
import tomllib
from pathlib import Path
from typing import Final

import msgspec


class Preset(msgspec.Struct, frozen=True):
    """How to call a program: `files` are placed in the folder it runs in, `adds` are the tokens it adds itself."""

    command: str
    environment: dict[str, str] = {}
    files: dict[str, str] = {}
    adds: int = 0

    @property
    def arguments(self) -> list[str]:
        return shlex.split(self.command)


_PRESETS: Final = msgspec.convert(
    tomllib.loads(Path(__file__).with_name("presets.toml").read_text("utf-8")), dict[str, Preset]
)
"""Read at import, because later the package on disk may be another version's."""


def presets() -> dict[str, Preset]:
    return _PRESETS


def preset(command: str) -> Preset:
    return presets().get(command.strip(), Preset(command))

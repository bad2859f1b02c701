"""The agents whose command lines we know, as `presets.toml` beside this file has them."""

from __future__ import annotations

import shlex
import tomllib
from importlib.resources import files
from typing import Final

import msgspec


class Preset(msgspec.Struct, frozen=True):
    """How a program is asked: `files` are put into the folder that it runs in, `adds` are tokens of its own."""

    command: str
    environment: dict[str, str] = {}
    files: dict[str, str] = {}
    adds: int = 0

    @property
    def arguments(self) -> list[str]:
        """The command line in its words."""
        return shlex.split(self.command)


# When it is imported: later its package may be another version's, and another thread may read the same struct.
_KNOWN: Final = msgspec.convert(
    tomllib.loads(files(__package__).joinpath("presets.toml").read_text("utf-8")), dict[str, Preset]
)


def presets() -> dict[str, Preset]:
    """All that are known, by the name that `models.command` may have."""
    return _KNOWN


def preset(command: str) -> Preset:
    """The preset of this name, else the command line itself."""
    return presets().get(command.strip(), Preset(command))

"""Coefficients of `confidence.py`: written by `tests/bench/calibrate.py`, which see; not to be edited by hand."""

from __future__ import annotations

from typing import Final

# fmt: off
COEFFICIENTS: Final[dict[str, tuple[float, ...]]] = {
    "words": (-2.7473, 1.9037, -0.1237, 7.1311, -0.2601, -3.7915, -0.7160, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000),
    "static": (-4.5853, 1.6043, -0.1917, 4.3072, -0.4907, -2.6539, -0.2474, 0.5048, 7.2712, 0.9274, -2.5003, 1.4970),
    "minilm": (-5.4068, 0.7433, 0.0662, 5.8100, -0.4214, -2.1647, -0.1592, 1.0106, 7.6191, -0.6452, 4.0133, 1.0375),
    "other": (-4.8939, 1.1670, -0.2782, 7.2303, -0.1480, -2.4124, -0.0911, 1.5052, 0.0000, 0.0000, 0.0000, 0.0000),
}
"""By kind of model: the constant, then one for each of `confidence.SIGNALS`."""

MEANS: Final[dict[str, tuple[float, ...]]] = {
    "words": (0.4546, 2.8817, 0.1112, 0.5199, 0.0063, 1.4235, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000),
    "static": (0.1916, 1.2146, 0.0469, 0.3267, 0.0526, 1.5719, 1.0883, 0.0951, 0.2358, 0.0149, 0.2482),
    "minilm": (0.1809, 1.1471, 0.0443, 0.3403, 0.0589, 1.6042, 1.0199, 0.1063, 0.2344, 0.0125, 0.2135),
    "other": (0.1809, 1.1471, 0.0443, 0.3403, 0.0589, 1.6042, 1.0199, 0.0000, 0.0000, 0.0000, 0.0000),
}
"""The signals of a memory that does not bear on its prompt, on average over the data of the fit."""

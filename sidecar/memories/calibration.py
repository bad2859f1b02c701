"""Coefficients of `confidence.py`, written by `tests/bench/calibrate.py`; not to be edited by hand."""

from __future__ import annotations

from typing import Final

# fmt: off
COEFFICIENTS: Final[dict[str, tuple[float, ...]]] = {
    "words": (-2.747, 1.903, -0.123, 7.131, -0.260, -3.791, -0.716, 0.000, 0.000, 0.000, 0.000, 0.000),
    "static": (-4.862, 1.491, -0.111, 4.237, -0.442, -2.588, -0.266, 0.535, 7.651, 1.103, -1.820, 1.392),
    "minilm": (-5.406, 0.743, 0.066, 5.810, -0.421, -2.164, -0.159, 1.010, 7.619, -0.645, 4.013, 1.037),
    "other": (-4.893, 1.167, -0.278, 7.230, -0.148, -2.412, -0.091, 1.505, 0.000, 0.000, 0.000, 0.000),
    "multilingual": (-4.840, 1.699, -0.036, 5.109, -1.113, -2.732, -0.161, 0.890, 3.689, 1.526, -0.648, 0.700),
}
"""By kind of model: the constant, then one for each of `confidence.SIGNALS`."""

MEANS: Final[dict[str, tuple[float, ...]]] = {
    "words": (0.454, 2.881, 0.111, 0.519, 0.006, 1.423, 0.000, 0.000, 0.000, 0.000, 0.000),
    "static": (0.172, 1.091, 0.042, 0.317, 0.052, 1.632, 1.062, 0.106, 0.225, 0.014, 0.242),
    "minilm": (0.180, 1.147, 0.044, 0.340, 0.058, 1.604, 1.019, 0.106, 0.234, 0.012, 0.213),
    "other": (0.180, 1.147, 0.044, 0.340, 0.058, 1.604, 1.019, 0.000, 0.000, 0.000, 0.000),
    "multilingual": (0.139, 0.885, 0.034, 0.338, 0.034, 1.733, 0.982, 0.119, 0.189, 0.009, 0.170),
}
"""The signals of a memory that does not bear on its prompt, on average over the data of the fit."""

"""Coefficients of `confidence.py`, written by `tests/bench/calibrate.py`; not to be edited by hand."""

from __future__ import annotations

from typing import Final

# fmt: off
COEFFICIENTS: Final[dict[str, tuple[float, ...]]] = {
    "words": (-2.747, 1.904, -0.124, 7.131, -0.260, -3.791, -0.716, 0.000, 0.000, 0.000, 0.000, 0.000),
    "static": (-4.862, 1.492, -0.112, 4.237, -0.443, -2.589, -0.266, 0.536, 7.651, 1.103, -1.821, 1.392),
    "minilm": (-5.407, 0.743, 0.066, 5.810, -0.421, -2.165, -0.159, 1.011, 7.619, -0.645, 4.013, 1.038),
    "other": (-4.894, 1.167, -0.278, 7.230, -0.148, -2.412, -0.091, 1.505, 0.000, 0.000, 0.000, 0.000),
    "multilingual": (-4.840, 1.699, -0.037, 5.110, -1.114, -2.732, -0.162, 0.890, 3.690, 1.527, -0.649, 0.700),
}
"""By kind of model: the constant, then one coefficient for each of `confidence.SIGNALS`."""

MEANS: Final[dict[str, tuple[float, ...]]] = {
    "words": (0.455, 2.882, 0.111, 0.520, 0.006, 1.423, 0.000, 0.000, 0.000, 0.000, 0.000),
    "static": (0.172, 1.091, 0.042, 0.318, 0.052, 1.632, 1.062, 0.106, 0.225, 0.014, 0.243),
    "minilm": (0.181, 1.147, 0.044, 0.340, 0.059, 1.604, 1.020, 0.106, 0.234, 0.012, 0.214),
    "other": (0.181, 1.147, 0.044, 0.340, 0.059, 1.604, 1.020, 0.000, 0.000, 0.000, 0.000),
    "multilingual": (0.140, 0.886, 0.034, 0.339, 0.035, 1.734, 0.983, 0.119, 0.189, 0.010, 0.171),
}
"""The average signals of a memory that does not bear on its prompt, over the data of the fit."""

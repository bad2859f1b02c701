"""The state that MiniLM gives each piece of its vocabulary, read alone between its two marks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidecar.models.minilm import CLS, SEP, open_session

_BATCH = 64  # fixed: the int8 model scales its activations by the whole batch


def token_states(model: Path, pieces: int) -> NDArray[np.float32]:
    """Last hidden state of each piece in [CLS] piece [SEP]; shape (pieces, width)."""
    session = open_session(model)
    found: list[Any] = []
    for start in range(0, pieces, _BATCH):
        numbers = np.arange(start, min(pieces, start + _BATCH), dtype=np.int64)
        ids = np.stack([np.full_like(numbers, CLS), numbers, np.full_like(numbers, SEP)], axis=1)
        (states,) = session.run(
            ["last_hidden_state"],
            {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)},
        )
        found.append(states[:, 1])
    return np.concatenate(found)

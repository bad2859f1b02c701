"""What MiniLM makes of each piece of its vocabulary read alone, and of whole texts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidecar.models.minilm import CLS, SEP, UNKNOWN, open_session
from sidecar.models.wordpiece import WordPiece

_BATCH = 64  # fixed: the int8 model scales its activations by the whole batch
_MAX_TOKENS = 126  # of a text, without its two marks


def token_states(model: Path, pieces: int) -> NDArray[np.float32]:
    """Last hidden state of each piece in [CLS] piece [SEP]; shape (pieces, width)."""
    session = open_session(model)
    found: list[object] = []
    for start in range(0, pieces, _BATCH):
        numbers = np.arange(start, min(pieces, start + _BATCH), dtype=np.int64)
        ids = np.stack([np.full_like(numbers, CLS), numbers, np.full_like(numbers, SEP)], axis=1)
        found.append(_states(session, ids)[:, 1])
    return np.concatenate(found)


def text_vectors(model: Path, vocabulary: Sequence[str], texts: Sequence[str]) -> NDArray[np.float32]:
    """The mean of the states of each text, of length 1; texts of one length go through the model together."""
    session, wordpiece = open_session(model), WordPiece(vocabulary)
    ids = [[CLS, *wordpiece.encode(text, UNKNOWN, _MAX_TOKENS), SEP] for text in texts]
    by_length: dict[int, list[int]] = {}
    for number, sequence in enumerate(ids):
        by_length.setdefault(len(sequence), []).append(number)
    found: dict[int, object] = {}
    for _, numbers in sorted(by_length.items()):
        for start in range(0, len(numbers), _BATCH):
            batch = numbers[start : start + _BATCH]
            means = _states(session, np.array([ids[number] for number in batch], dtype=np.int64)).mean(axis=1)
            found.update(zip(batch, means / np.linalg.norm(means, axis=1, keepdims=True), strict=True))
    return np.stack([found[number] for number in range(len(texts))]).astype(np.float32)


def _states(session: Any, ids: NDArray[np.int64]) -> NDArray[np.float32]:
    (states,) = session.run(
        ["last_hidden_state"],
        {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)},
    )
    found: NDArray[np.float32] = states
    return found

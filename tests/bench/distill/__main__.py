"""`python -m tests.bench.distill FILE --texts FOLDER`: writes the static table, and its SHA-256 to the log."""

from __future__ import annotations

import argparse
import hashlib
import logging
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sidecar.models.minilm import model_file
from sidecar.models.static_table import StaticTable
from sidecar.models.table_file import TableFile
from sidecar.models.wordpiece import read_vocabulary
from tests.bench.distill.encoding import encode

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_log = logging.getLogger("distill")


def main(arguments: list[str] | None = None) -> int:
    """Exit status 0 when the table was written."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.distill", description=__doc__)
    parser.add_argument("file", type=Path, help="where the table goes")
    parser.add_argument("--texts", type=Path, required=True, help="folder of .txt files to train on, one text a line")
    parser.add_argument("--vectors", type=Path, help="MiniLM's vectors of them (.npy): read, or made and kept")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")

    from tests.bench.distill.reduction import rounded
    from tests.bench.distill.training import train

    vocabulary = read_vocabulary()
    texts = _lines(options.texts)
    if not texts:
        parser.error(f"{options.texts} has no text")
    words = [piece for piece in vocabulary if len(piece) > 1 and piece.isascii() and piece.isalpha()]
    rows = _start(vocabulary)
    bags = _bags(rows, vocabulary, texts + words)
    vectors = _vectors(options.vectors, vocabulary, texts + words)
    data = encode(*rounded(train(rows, bags, vectors, len(texts))))
    options.file.write_bytes(data)
    _log.info("%s  %s", hashlib.sha256(data).hexdigest(), options.file)
    return 0


def _lines(folder: Path) -> list[str]:
    return [
        line for path in sorted(folder.glob("*.txt")) for line in path.read_text("utf-8").split("\n") if line.strip()
    ]


def _start(vocabulary: list[str]) -> NDArray[np.float64]:
    """The rows before training: each piece as MiniLM reads it alone."""
    import numpy as np

    from tests.bench.distill.reduction import frequency_weights, is_special, principal
    from tests.bench.distill.states import token_states

    kept = np.array([not is_special(piece) for piece in vocabulary])
    vectors = principal(token_states(model_file(), len(vocabulary)), kept)
    weighted: NDArray[np.float64] = vectors * frequency_weights(vocabulary)[:, None]
    return weighted


def _bags(rows: NDArray[np.float64], vocabulary: list[str], texts: Sequence[str]) -> list[NDArray[np.int32]]:
    """The rows that each text is the sum of, by the very reader of the sidecar."""
    import numpy as np

    from tests.bench.distill.reduction import rounded

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "start.bin"
        path.write_bytes(encode(*rounded(rows)))
        table = StaticTable(TableFile(path), vocabulary)
        return [np.array(table.pieces(text), dtype=np.int32) for text in texts]


def _vectors(kept: Path | None, vocabulary: list[str], texts: Sequence[str]) -> NDArray[np.float32]:
    import numpy as np

    from tests.bench.distill.states import text_vectors

    if kept is not None and kept.is_file():
        vectors: NDArray[np.float32] = np.load(kept).astype(np.float32)
        if len(vectors) != len(texts):
            raise ValueError(f"{kept} has {len(vectors)} vectors and not one for each of {len(texts)} texts")
        return vectors
    vectors = text_vectors(model_file(), vocabulary, texts)
    if kept is not None:
        np.save(kept, vectors.astype(np.float16))
    return vectors


if __name__ == "__main__":
    sys.exit(main())

"""`python -m sidecar.models.distill FILE`: writes the static table, and its SHA-256 to the log."""

from __future__ import annotations

import argparse
import hashlib
import logging
import sys
from pathlib import Path

from sidecar.models.minilm import model_file
from sidecar.models.table_file import encode
from sidecar.models.wordpiece import is_special, read_vocabulary

_log = logging.getLogger("distill")


def main(arguments: list[str] | None = None) -> int:
    """Exit status 0 when the table was written."""
    parser = argparse.ArgumentParser(prog="python -m sidecar.models.distill", description=__doc__)
    parser.add_argument("file", type=Path, help="where the table goes")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")

    import numpy as np

    from sidecar.models.distill.reduction import frequency_weights, principal, rounded
    from sidecar.models.distill.states import token_states

    vocabulary = read_vocabulary()
    kept = np.array([not is_special(piece) for piece in vocabulary])
    vectors = principal(token_states(model_file(), len(vocabulary)), kept)
    data = encode(*rounded(vectors * frequency_weights(vocabulary)[:, None]))
    options.file.write_bytes(data)
    _log.info("%s  %s", hashlib.sha256(data).hexdigest(), options.file)
    return 0


if __name__ == "__main__":
    sys.exit(main())

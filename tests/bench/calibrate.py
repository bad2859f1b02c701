"""Fit the confidence in a memory, and show how far it can be trusted.

    python -P tests/bench/calibrate.py FILE... [--kinds words,static,minilm] [--write]

A FILE has the form that `everyday.py` reads. Each store is recorded into a real book, each prompt is matched by the
real code, and a logistic regression (ridge, Newton's method) learns from the evidence which memories are right; `fine`
ones and prompts that follow up on others are left out. Prints the log loss and the reliability of probabilities for
stores that the fit had not seen (leave one store out), then writes `sidecar/memories/retrieval/calibration.py` from a
fit on all.
Needs numpy, and for `minilm` and `multilingual` what the extra of that name installs.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

import msgspec  # noqa: E402
import numpy as np  # noqa: E402

from sidecar.embedding.model_loader import load_model  # noqa: E402
from sidecar.memories.book import MemoryBook  # noqa: E402
from sidecar.memories.drafts import Draft, Filters  # noqa: E402
from sidecar.memories.index.catalogue import Catalogue  # noqa: E402
from sidecar.memories.index.meaning import FixedEmbedding  # noqa: E402
from sidecar.memories.retrieval.confidence import SIGNALS  # noqa: E402
from sidecar.memories.retrieval.matching import match  # noqa: E402
from sidecar.memories.retrieval.prompt import what_is_asked  # noqa: E402
from sidecar.models.embedding import Embedder  # noqa: E402
from sidecar.settings.model import EmbeddingSettings  # noqa: E402
from sidecar.store.memory_store import MemoryStore  # noqa: E402

Json = dict[str, Any]
Floats = Any  # an array of numpy, which the tests do without
OUTPUT = ROOT / "sidecar" / "memories" / "retrieval" / "calibration.py"
MODELS = {"words": "off", "static": "static", "minilm": "minilm", "multilingual": "multilingual"}
RIDGE = 2.0
BINS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9, 1.0)
NOW = 1_767_225_600_000


class Sample(NamedTuple):
    """Evidence for memories of one store, whether each was right, and the numbers of their prompts."""

    values: Floats
    right: Floats


@contextmanager
def recorded(texts: list[str], model: Embedder | None) -> Iterator[tuple[Catalogue, dict[str, int]]]:
    """A catalogue of these memories over real stores, and their indexes by id."""
    with tempfile.TemporaryDirectory() as place:
        stores = MemoryStore.open(Path(place) / "workspace"), MemoryStore.open(Path(place) / "user")
        numbers = itertools.count()
        new_id: Callable[[int], str] = lambda now: f"{next(numbers):06d}"  # noqa: E731
        book = MemoryBook(stores[0], stores[1], lambda: NOW, new_id, embedding=FixedEmbedding(model))
        try:
            ids = {book.recorder.record(Draft(text)).record.id: index for index, text in enumerate(texts)}
            book.catalogue.embed_missing()
            yield book.catalogue, ids
        finally:
            for store in stores:
                store.close()


def sample(store: Json, model: Embedder | None) -> Sample:
    """What the real code knows of each prompt's best matches."""
    values: list[tuple[float, ...]] = []
    right: list[bool] = []
    none = [text if isinstance(text, dict) else {"text": text} for text in store.get("none", [])]
    with recorded(store["memories"], model) as (catalogue, ids):
        for prompt in (*store["prompts"], *none):
            if prompt.get("before"):
                continue
            asked = what_is_asked(prompt["text"])
            catalogue.prepare(asked)
            with catalogue.current() as index:
                found = match(index, asked, index.select(Filters(), NOW))
                evidence = found.evidence(found.best)
            for id, one in evidence.items():
                is_right = ids[id] in prompt.get("right", ())
                if is_right or ids[id] not in prompt.get("fine", ()):
                    values.append(one.values)
                    right.append(is_right)
    return Sample(np.array(values), np.array(right))


def fit(values: Floats, right: Floats) -> Floats:
    """The constant and the coefficients of a ridge regression on standardised values, for the values as they are."""
    mean, spread = values.mean(axis=0), values.std(axis=0) + 1e-9
    inputs = np.column_stack([np.ones(len(values)), (values - mean) / spread])
    penalty = np.diag([0.0] + [RIDGE] * values.shape[1])
    weights = np.zeros(inputs.shape[1])
    for _ in range(50):
        likely = 1 / (1 + np.exp(-inputs @ weights))
        slope = inputs.T @ (likely - right) + penalty @ weights
        curve = (inputs * (likely * (1 - likely))[:, None]).T @ inputs + penalty
        step = np.linalg.solve(curve, slope)
        weights -= step
        if np.abs(step).max() < 1e-9:
            break
    scaled = weights[1:] / spread
    return np.concatenate([[weights[0] - scaled @ mean], scaled])


def probabilities(values: Floats, coefficients: Floats) -> Floats:
    """What a fit says of these."""
    return 1 / (1 + np.exp(-(coefficients[0] + values @ coefficients[1:])))


def report(kind: str, samples: list[Sample]) -> None:
    """How reliable the fit is for stores that it had not seen."""
    told: list[Floats] = []
    for left_out, one in enumerate(samples):
        others = [each for at, each in enumerate(samples) if at != left_out]
        found = fit(np.concatenate([each.values for each in others]), np.concatenate([each.right for each in others]))
        told.append(probabilities(one.values, found))
    likely, right = np.concatenate(told), np.concatenate([one.right for one in samples])
    clipped = np.clip(likely, 1e-6, 1 - 1e-6)
    loss = -(np.log(clipped[right]).sum() + np.log(1 - clipped[~right]).sum()) / right.sum()
    print(f"{kind}: {len(samples)} stores, {len(right)} pairs, {right.sum()} right; log loss {loss:.3f} a right one")
    print("   said         pairs  mean said  right")
    for low, high in itertools.pairwise(BINS):
        inside = (likely >= low) & (likely < high)
        if inside.any():
            said, held = likely[inside].mean(), right[inside].mean()
            print(f"   {low:.2f} - {high:.2f}  {inside.sum():6d}  {said:9.3f}  {held:5.3f}")


def without_scale(samples: list[Sample]) -> list[Sample]:
    """The same without signals that depend on how large the cosines of a model are: for models that nobody measured."""
    scaled = [at for at, name in enumerate(SIGNALS) if "clos" in name and name != "closer than the other memories"]
    found = []
    for one in samples:
        values = one.values.copy()
        values[:, scaled] = 0.0
        found.append(Sample(values, one.right))
    return found


def written(fits: dict[str, tuple[Floats, Floats]]) -> str:
    """The module that holds the fits."""

    def table(place: int) -> str:
        rows = (
            f'    "{kind}": ({", ".join(f"{value:.3f}" for value in both[place])}),\n' for kind, both in fits.items()
        )
        return "".join(rows)

    return f'''"""Coefficients of `confidence.py`, written by `tests/bench/calibrate.py`; not to be edited by hand."""

from __future__ import annotations

from typing import Final

# fmt: off
COEFFICIENTS: Final[dict[str, tuple[float, ...]]] = {{
{table(0)}}}
"""By kind of model: the constant, then one for each of `confidence.SIGNALS`."""

MEANS: Final[dict[str, tuple[float, ...]]] = {{
{table(1)}}}
"""The signals of a memory that does not bear on its prompt, on average over the data of the fit."""
'''


def main(arguments: list[str] | None = None) -> int:
    """Fit every kind of model."""
    parser = argparse.ArgumentParser(description="Fit and check the confidence in a memory.")
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--kinds", default="words,static,minilm")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(arguments)
    stores = [store for file in options.files for store in json.loads(file.read_text("utf-8"))["stores"]]
    fits: dict[str, tuple[Floats, Floats]] = {}
    for kind in options.kinds.split(","):
        name = MODELS[kind]
        model = None if name == "off" else load_model(msgspec.convert({"model": name}, EmbeddingSettings))
        samples = [sample(store, model) for store in stores]
        for label, used in ((kind, samples), *([("other", without_scale(samples))] if kind == "minilm" else [])):
            report(label, used)
            values = np.concatenate([one.values for one in used])
            right = np.concatenate([one.right for one in used])
            fits[label] = fit(values, right), values[~right].mean(axis=0)
            print(
                "   " + "  ".join(f"{n}: {v:.3f}" for n, v in zip(("constant", *SIGNALS), fits[label][0], strict=True))
            )
    if options.write:
        OUTPUT.write_text(written(fits), "utf-8")
        print(f"written: {OUTPUT.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Warm-up: read and parse the files of a workspace in worker processes before the first request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext

from sidecar.checkout.tree import Tree
from sidecar.files.workers.pool import Results, Turn, WorkerProcesses, worker_count
from sidecar.files.workers.worker import UNSKETCHED, Parsed, batches, parse
from sidecar.files.workspace_files import WorkspaceFiles

FILES_PER_MESSAGE = 16  # files per message to a worker, enough to amortise the round trip
TAKEN_AT_ONCE = 4  # files indexed in one step of a few milliseconds
OUTLINED_AHEAD = 500  # most important files to outline ahead; any other takes up to 30 ms on request
OUTLINED_AHEAD_OF_MANY = 100  # of these, in a large workspace
PARSED_INLINE = 48  # files parsed on the spot: starting a process costs about as much


def warm(
    files: WorkspaceFiles,
    tree: Tree,
    paths: Sequence[str],
    step: Callable[[int, int], None],
    *,
    workers: int | None = None,
    awaited: bool = False,
    turn: Turn = nullcontext,
    of_many: bool = False,
    on_parsed: Callable[[Sequence[Parsed]], None] | None = None,
) -> None:
    """Read and parse `paths`, and store the results.

    `of_many` says that the workspace has many more files. `on_parsed` receives the results, with scans and terms for
    the index. `step` is called with the number of files read and that of all. Raises `Cancelled` if `step` does, and
    `OSError` if every worker stopped before all files were read.
    """
    index = on_parsed is not None
    many = of_many or len(paths) > UNSKETCHED
    outlines = max(0, OUTLINED_AHEAD_OF_MANY - files.count()) if many else OUTLINED_AHEAD
    outlines = outlines if index else len(paths)
    work = batches(tree, paths, FILES_PER_MESSAGE, outlines=outlines, scan=index, terms=index, exact=of_many)
    count = 1 if len(paths) <= PARSED_INLINE else min(worker_count(workers), len(work))
    done = 0
    step(0, len(paths))
    with WorkerProcesses(count, awaited=awaited, turn=turn) as pool:
        results: Results = (parse(batch) for batch in work) if len(paths) <= PARSED_INLINE else pool.run(work)
        try:
            for parsed in results:
                files.store_parsed([p for p in parsed if p.size >= 0])
                files.survey.discard(p.path for p in parsed if p.size < 0)  # gone, or fatal to its reader
                for at in range(0, len(parsed), TAKEN_AT_ONCE):
                    some = parsed[at : at + TAKEN_AT_ONCE]
                    if on_parsed is not None:
                        on_parsed([p for p in some if p.hash])
                    done += len(some)
                    step(done, len(paths))
        finally:
            results.close()
    if done < len(paths):
        raise OSError(f"the warm-up workers stopped after {done} of {len(paths)} files")

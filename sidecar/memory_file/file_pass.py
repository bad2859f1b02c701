"""One pass over the single file: read it, store its edits, lay it out, write it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from sidecar.checkout.hand_edits import GitTrace, git_trace, matches_index, normalise_text, unexpand_id
from sidecar.checkout.repository_key import digest
from sidecar.memory_file import disk
from sidecar.memory_file.carrying_out import Authorship, PlanExecution, PlanOutcome, plan_for
from sidecar.memory_file.pass_context import CONFLICT_MESSAGE, PassContext, PassResult, VanishedDecision, count_vanished
from sidecar.memory_file.shown_entries import hide_known_authors
from sidecar.memory_file.state import WrittenState
from sidecar.memory_file.text import document as documents
from sidecar.memory_file.text.entry import Entry
from sidecar.memory_file.text.layout import lay_out
from sidecar.memory_file.text.plan import ChangePlan, EntryDigests, ShownMemory, digest_entry


def find_cut_block(document: documents.MemoryDocument, memories: Iterable[ShownMemory]) -> int | None:
    """Return the index of the last block if it holds only the beginning of a memory's lines; otherwise None."""
    filled = [index for index, block in enumerate(document.blocks) if block.kind != "blank"]
    if not filled or document.blocks[filled[-1]].kind not in ("entry", "other"):
        return None
    end = "\n".join(document.blocks[filled[-1]].lines)
    texts = ("\n".join(memory.lines) for memory in memories)
    return filled[-1] if any(len(end) < len(text) and text.startswith(end) for text in texts) else None


def run(context: PassContext, decision: VanishedDecision | None = None) -> PassResult:
    """Make one pass. Raises `UnusableFile` if the file cannot be used now, `StoreUnavailable` and its subclasses."""
    path = context.form.resolve()
    git = git_trace(context.form.root)  # taken before the file is read: the next pass sees what git does meanwhile
    stamps = disk.stamps_of(path), disk.stamps_of(path.parent)
    text = disk.read_text(path)
    state, seq = context.form.states.load(text), context.store.seq()
    if text is not None and state is not None and state.holds(text, seq, git):
        return PassResult(settled=True, unread=True)
    git = git_trace(context.form.root, context.form.path)
    began = WrittenState(seq=seq, trace=git)
    if text is None:
        return _create(context, began, context.merge_base(state), path.parent, stamps[1])
    refuse_conflict(context, text)
    return _FilePass(context, began, git, state, text, stamps[0]).run(decision)


def _create(
    context: PassContext,
    began: WrittenState,
    before: Mapping[str, EntryDigests],
    folder: Path,
    folder_stamps: disk.FileStamps,
) -> PassResult:
    """Write a file that is not there, without the repository's memories that it held."""
    if before and disk.changed_since(folder, folder_stamps):
        return PassResult(settled=False)
    memories = _shown_memories(context, {}, before)
    plan = ChangePlan[int](removed=[id for id in before if id in memories and memories[id].foreign])
    outcome = PlanExecution(plan, {}, memories, context.book, Authorship(lambda _: False)).run()
    return _write(context, began, None, None, outcome, _shown_memories(context, {}, ()))


@dataclass(eq=False)
class _FilePass:
    """One pass over a file that is there."""

    _context: PassContext
    _began: WrittenState
    _git: GitTrace
    _state: WrittenState | None
    _text: str
    _stamps: disk.FileStamps

    def __post_init__(self) -> None:
        self._is_changed = self._state is None or self._state.digest != digest(normalise_text(self._text))
        self._by_hand = self._is_typed()

    def run(self, decision: VanishedDecision | None) -> PassResult:
        context, before = self._context, self._context.merge_base(self._state)
        is_emptied = not self._text.strip() and decision == "bringBack"
        document = documents.empty_document() if is_emptied else documents.read_document(unexpand_id(self._text))
        units = {index: block.entry for index, block in enumerate(document.blocks) if block.entry is not None}
        authorship: Authorship[int] = context.authorship(self._state, lambda _: self._by_hand)
        memories = _shown_memories(context, units, before)
        is_whole = self._text.endswith("\n")
        cut = None if is_whole else find_cut_block(document, (memories[id] for id in before if id in memories))
        if decision == "bringBack" and cut is not None:
            document.blocks[cut] = document.blocks[cut]._replace(entry=None, lines=())
            units.pop(cut)
        plan = plan_for(units, memories, before, authorship)
        if (plan.removed or not is_whole) and disk.changed_since(context.form.resolve(), self._stamps):
            return PassResult(settled=False)
        if not self._by_hand:
            plan.removed = [id for id in plan.removed if memories[id].foreign]
        elif decision == "bringBack":
            plan.removed = []
        elif decision is None and (missing := count_vanished(len(plan.removed), len(before), cut=cut is not None)):
            return PassResult(settled=True, vanished=missing)
        outcome = PlanExecution(plan, units, memories, context.book, authorship).run()
        if plan.added or plan.edited or plan.removed:
            memories = _shown_memories(context, units, (*before, *(id for id in outcome.placed.values() if id)))
        # Leave a tracked file that git has just written until a memory changes: a changed file would block a checkout.
        is_gits = self._is_changed and not self._by_hand
        withheld = "" if is_gits or self._state is None else self._state.withheld
        withhold = is_gits and matches_index(self._text, context.form.path, self._git)
        began = replace(self._began, withheld=withheld)
        return _write(context, began, self._text, document, outcome, memories, withhold=withhold)

    def _is_typed(self) -> bool:
        """Return whether somebody edited the file since its last known state."""
        written_at = max((stamp[1] for stamp in self._stamps), default=0)
        if self._state is None or not self._is_changed or written_at < self._state.at:
            return False
        path = self._context.form.path
        return path in self._context.typed_by_hand(self._state.trace, self._git, {path: self._text})


def refuse_conflict(context: PassContext, text: str) -> None:
    """Raise `UnusableFile` if a text has git's conflict markers, or git is in the middle of merging it."""
    name = Path(context.form.path).name
    if documents.has_conflict(text):
        raise disk.UnusableFile(CONFLICT_MESSAGE.format(name))
    context.refuse_merge(name)


def _shown_memories(context: PassContext, units: Mapping[int, Entry], before: Iterable[str]) -> dict[str, ShownMemory]:
    context.showable.follow(context.store)
    memories = context.showable.memories(context.store, units.values(), before, context.clock())
    return hide_known_authors(memories, context.form.root, context.form.path)


def _write(
    context: PassContext,
    began: WrittenState,
    before: str | None,
    document: documents.MemoryDocument | None,
    outcome: PlanOutcome[int],
    memories: dict[str, ShownMemory],
    *,
    withhold: bool = False,
) -> PassResult:
    """Lay out the file, and write it if it differs from `before`; `began` is the earlier state of store and git.

    A layout is not written with `withhold`, or if an earlier pass withheld it (`began.withheld`).
    """
    if before is None:
        if all(memory.foreign for memory in memories.values()):
            return PassResult(settled=True)
        context.form.exclude_once()
    blocks = enumerate(document.blocks if document is not None else ())
    units = {index: block.entry for index, block in blocks if block.entry is not None}
    repository_ids = outcome.repository_ids(units, memories)
    count = context.showable.count(context.clock())
    new_document, entries = lay_out(document, outcome.placed, memories, context.limits, count, repository_ids)
    text, path = new_document.text(), context.form.root / context.form.path
    unchanged = before is not None and normalise_text(text) == normalise_text(before)
    layout = digest(normalise_text(text))
    if before is not None and not unchanged and (withhold or began.withheld == layout):
        placed = {id: units[ref] for ref, id in outcome.placed.items() if id is not None and id in memories}
        entries = {id: digest_entry(entry) for id, entry in placed.items()}
        state = replace(began, digest=digest(normalise_text(before)), entries=entries, withheld=layout)
        return context.finish(state, outcome, repository_ids, None)
    state = replace(began, digest=layout, entries=entries, withheld="")
    write = None if unchanged else partial(disk.write, context.form.root, path, text, before)
    return context.finish(state, outcome, repository_ids, write)

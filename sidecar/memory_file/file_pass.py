"""One pass over the single file: read it, store its edits, lay it out, write it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec.structs import replace

from sidecar.checkout.hand_edits import GitTrace, git_trace, matches_index, normalise_text, unexpand_id
from sidecar.checkout.repository_key import digest
from sidecar.memory_file import carrying_out, disk, pass_context, shown_entries
from sidecar.memory_file.carrying_out import Authorship
from sidecar.memory_file.pass_context import PassContext, PassResult, VanishedDecision, count_vanished
from sidecar.memory_file.state import WrittenState
from sidecar.memory_file.text import document as documents
from sidecar.memory_file.text.entry import Entry
from sidecar.memory_file.text.layout import lay_out
from sidecar.memory_file.text.plan import ChangePlan, ShownMemory, digest_entry


def find_cut_block(document: documents.MemoryDocument, memories: Iterable[ShownMemory]) -> int | None:
    """Return the index of the last block if it holds only the beginning of a memory's lines, else None."""
    filled = [index for index, block in enumerate(document.blocks) if block.kind != "blank"]
    if not filled or document.blocks[filled[-1]].kind not in ("entry", "other"):
        return None
    end = "\n".join(document.blocks[filled[-1]].lines)
    texts = ("\n".join(memory.lines) for memory in memories)
    return filled[-1] if any(len(end) < len(text) and text.startswith(end) for text in texts) else None


def run(context: PassContext, decision: VanishedDecision | None = None) -> PassResult:
    """Make one pass. Raises `UnusableFile` if the file cannot be used now, else `StoreUnavailable` or a subclass."""
    path = disk.resolve_inside(context.root, context.path)
    git = git_trace(context.root)  # taken before the file is read: the next pass sees what git does meanwhile
    stamps = disk.stamps_of(path), disk.stamps_of(path.parent)
    text = disk.read_text(path)
    state, seq = context.states.load(text), context.store.seq()
    if text is not None and state is not None and state.holds(text, seq, git):
        return PassResult(settled=True, unread=True)
    git = git_trace(context.root, context.path)
    before = pass_context.merge_base(context, state)
    if text is None:
        if before and disk.changed_since(path.parent, stamps[1]):
            return PassResult(settled=False)
        memories = _shown_memories(context, {}, before)
        foreign_plan = ChangePlan[int](removed=[id for id in before if id in memories and memories[id].foreign])
        carrying_out.carry_out(foreign_plan, {}, memories, context.book, Authorship(lambda _: False))
        nothing = carrying_out.PlanOutcome[int]({}, [], {}, [])
        return _write(context, WrittenState(seq=seq, trace=git), None, None, nothing, _shown_memories(context, {}, ()))
    refuse_conflict(context, text)
    is_emptied = not text.strip() and decision == "bringBack"
    document = documents.empty_document() if is_emptied else documents.read_document(unexpand_id(text))
    units = {index: block.entry for index, block in enumerate(document.blocks) if block.entry is not None}
    by_hand = _is_typed(context, state, git, text, stamps[0])
    authorship: Authorship[int] = pass_context.authorship(context, state, lambda _: by_hand)
    memories = _shown_memories(context, units, before)
    cut = None if text.endswith("\n") else find_cut_block(document, (memories[id] for id in before if id in memories))
    if decision == "bringBack" and cut is not None:
        document.blocks[cut] = document.blocks[cut]._replace(entry=None, lines=())
        units.pop(cut)
    plan = carrying_out.plan_for(units, memories, before, authorship)
    if (plan.removed or not text.endswith("\n")) and disk.changed_since(path, stamps[0]):
        return PassResult(settled=False)
    if not by_hand:
        plan.removed = [id for id in plan.removed if memories[id].foreign]
    elif decision == "bringBack":
        plan.removed = []
    elif decision is None and (missing := count_vanished(len(plan.removed), len(before), cut=cut is not None)):
        return PassResult(settled=True, vanished=missing)
    outcome = carrying_out.carry_out(plan, units, memories, context.book, authorship)
    if plan.added or plan.edited or plan.removed:
        memories = _shown_memories(context, units, (*before, *(id for id in outcome.placed.values() if id)))
    # Leave a tracked file that git has just written until a memory changes: a changed file would block a checkout.
    withheld, withhold = "" if state is None else state.withheld, False
    if not by_hand and (state is None or state.digest != digest(normalise_text(text))):
        withheld, withhold = "", matches_index(text, context.path, git)
    began = WrittenState(seq=seq, trace=git, withheld=withheld)
    return _write(context, began, text, document, outcome, memories, withhold=withhold)


def _is_typed(
    context: PassContext, state: WrittenState | None, now: GitTrace, text: str, stamp: disk.FileStamps
) -> bool:
    """Return whether somebody edited the file since its last known state."""
    written_at = max((file_stamp[1] for file_stamp in stamp), default=0)
    if state is None or state.digest == digest(normalise_text(text)) or written_at < state.at:
        return False
    return context.path in pass_context.typed_by_hand(context, state.trace, now, {context.path: text})


def refuse_conflict(context: PassContext, text: str) -> None:
    """Raise `UnusableFile` if a text has git's conflict markers, or git is in the middle of merging it."""
    name = Path(context.path).name
    if documents.has_conflict(text):
        raise disk.UnusableFile(pass_context.CONFLICT_MESSAGE.format(name))
    pass_context.refuse_merge(context, name)


def _shown_memories(context: PassContext, units: Mapping[int, Entry], before: Iterable[str]) -> dict[str, ShownMemory]:
    context.showable.follow(context.store)
    memories = context.showable.memories(context.store, units.values(), before, context.clock())
    return shown_entries.hide_known_authors(memories, context.root, context.path)


def _write(
    context: PassContext,
    began: WrittenState,
    before: str | None,
    document: documents.MemoryDocument | None,
    outcome: carrying_out.PlanOutcome[int],
    memories: dict[str, ShownMemory],
    *,
    withhold: bool = False,
) -> PassResult:
    """Lay out the file, and write it if it differs from `before`; `began` notes store and git before the pass.

    A layout stays unwritten with `withhold`, or if an earlier pass withheld the same one (`began.withheld`).
    """
    if before is None:
        if all(memory.foreign for memory in memories.values()):
            return PassResult(settled=True)
        context.form.exclude_once()
    blocks = enumerate(document.blocks if document is not None else ())
    units = {index: block.entry for index, block in blocks if block.entry is not None}
    repository_ids = pass_context.repository_lines(outcome, units, memories)
    count = context.showable.count(context.clock())
    new_document, entries = lay_out(document, outcome.placed, memories, context.limits, count, repository_ids)
    text, path = new_document.text(), context.root / context.path
    unchanged = before is not None and normalise_text(text) == normalise_text(before)
    layout = digest(normalise_text(text))
    if before is not None and not unchanged and (withhold or began.withheld == layout):
        placed = {id: units[ref] for ref, id in outcome.placed.items() if id is not None and id in memories}
        entries = {id: digest_entry(entry) for id, entry in placed.items()}
        state = replace(began, digest=digest(normalise_text(before)), entries=entries, withheld=layout)
        return pass_context.finish(context, state, outcome, repository_ids, lambda: True, unchanged=True)
    state = replace(began, digest=layout, entries=entries, withheld="")
    return pass_context.finish(
        context,
        state,
        outcome,
        repository_ids,
        lambda: unchanged or disk.write(context.root, path, text, before),
        unchanged=unchanged,
    )

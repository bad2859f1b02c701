"""One pass over the directory form: read the pages, store edits made by hand, write the pages that differ."""

from __future__ import annotations

from collections.abc import Mapping, Set
from pathlib import Path

from sidecar.checkout.hand_edits import GitTrace, git_trace, normalise_text, unexpand_id
from sidecar.checkout.repository_key import digest
from sidecar.memory_file import bridge, disk, passes
from sidecar.memory_file.caches import PageCache
from sidecar.memory_file.passes import PassContext, PassResult, VanishedDecision, count_vanished
from sidecar.memory_file.state import WrittenState
from sidecar.memory_file.text import document as documents
from sidecar.memory_file.text.page import ENDING, MemoryPage, file_name, render
from sidecar.memory_file.text.plan import ShownMemory, digest_entry
from sidecar.store.records import MemoryRecord

MAX_PAGES = 5_000  # each takes a `stat` twice a second


def run(context: PassContext, decision: VanishedDecision | None = None) -> PassResult:
    """Make one pass, reporting unreadable pages. Raises `UnusableFile` and StoreUnavailable with its subclasses."""
    folder = disk.resolve_inside(context.root, context.path)
    passes.refuse_merge(context, context.path)
    git = git_trace(context.root, context.path)
    names = disk.names(folder, ENDING)
    if len(names) > MAX_PAGES:
        raise disk.UnusableFile(f"{context.path} holds more than {MAX_PAGES:,} files")
    folder_stamp, stamps = disk.stamps_of(folder), {stamp[0]: stamp for stamp in disk.stamps_of(folder, ENDING)}
    texts, pages, problems = _read_pages(folder, names, stamps, context.pages)
    state = context.states.load(pages=texts)
    seq = context.store.seq()
    memories, records = _shown_and_records(context)
    units = {name: page.entry for name, page in pages.items()}
    by_hand = _find_pages_edited_by_hand(context, state, git, texts, stamps)
    authorship: bridge.Authorship[str] = passes.authorship(context, state, by_hand.__contains__)
    before = passes.merge_base(context, state)
    plan = bridge.plan_for(units, memories, before, authorship)
    plan.removed = [id for id in plan.removed if _is_removed(id, memories, state, texts.keys(), by_hand)]
    cut = [name for name in pages if not texts[name].endswith("\n") and name in stamps]
    if any(disk.changed_since(folder / name, (stamps[name],)) for name in cut):
        return PassResult(settled=False)
    if plan.removed and disk.changed_since(folder, folder_stamp):
        return PassResult(settled=False)
    ours = [id for id in plan.removed if not memories[id].foreign]
    if decision == "bringBack":
        plan.removed = [id for id in plan.removed if id not in ours]
    elif decision is None and (missing := count_vanished(len(ours), len(before))):
        return PassResult(settled=True, vanished=missing)
    # Git may have started while the pages were read, and removed some of them.
    passes.refuse_merge(context, context.path)
    outcome = bridge.carry_out(plan, units, memories, context.book, authorship)
    outcome.problems[:0] = problems
    if plan.added or plan.edited or plan.removed:
        memories, records = _shown_and_records(context)
    repository_ids = passes.repository_lines(outcome, units, memories)
    files = _files(outcome.placed, memories, records, state, texts)
    if files and not names:
        context.before_creating()
    new_texts = _render_pages(files, memories, pages, texts, repository_ids)
    digests = {name: digest(normalise_text(text)) for name, text in new_texts.items()}
    after = WrittenState(
        digest=digest_of_pages(digests),
        seq=seq,
        entries={
            id: digest_entry(units[name] if id in repository_ids else memories[id].shown) for id, name in files.items()
        },
        files=files,
        pages=digests,
        trace=git,
    )
    return passes.finish(
        context,
        after,
        outcome,
        repository_ids,
        lambda: _write(context.root, folder, new_texts, pages, texts, outcome.placed),
        same=new_texts == {name: texts[name] for name in pages},
        before=state,
    )


def digest_of_pages(pages: Mapping[str, str]) -> str:
    return digest(*(part for name in sorted(pages) for part in (name, pages[name])))


def _find_pages_edited_by_hand(
    context: PassContext,
    state: WrittenState | None,
    now: GitTrace,
    texts: Mapping[str, str],
    stamps: Mapping[str, disk.FileStamp],
) -> set[str]:
    """Return the pages that were changed or removed by hand since they were last known."""
    if state is None:
        return set()
    changed: dict[str, str | None] = {
        f"{context.path}/{name}": text
        for name, text in texts.items()
        if state.pages.get(name) != digest(normalise_text(text)) and name in stamps and stamps[name][1] >= state.at
    }
    removed = {f"{context.path}/{name}": None for name in state.files.values() if name not in texts}
    by_hand = passes.typed_by_hand(context, state.trace, now, changed | removed) if changed or removed else set[str]()
    return {path.removeprefix(f"{context.path}/") for path in by_hand}


def _is_removed(
    id: str, known: Mapping[str, ShownMemory], state: WrittenState | None, present: Set[str], by_hand: Set[str]
) -> bool:
    """Return whether to remove a memory whose page is missing: a user deleted the page, or only the page held it."""
    name = state.files.get(id) if state is not None else None
    return name is not None and name not in present and (known[id].foreign or name in by_hand)


def _read_pages(
    folder: Path, names: list[str], stamps: Mapping[str, disk.FileStamp], cache: PageCache
) -> tuple[dict[str, str], dict[str, MemoryPage], list[str]]:
    texts: dict[str, str] = {}
    pages: dict[str, MemoryPage] = {}
    problems: list[str] = []
    for name in names:
        try:
            text = cache.text(folder / name, stamps.get(name))
        except disk.UnusableFile as error:
            texts[name] = ""
            problems.append(str(error))
            continue
        if text is None:
            continue
        texts[name] = text
        page = None if documents.has_conflict(text) else cache.page(name, unexpand_id(text))
        if page is not None:
            pages[name] = page
        elif documents.has_conflict(text):
            problems.append(passes.CONFLICT.format(name))
        else:
            problems.append(f"{name} is left alone: it has no readable front matter, or no text")
    cache.keep_only(texts)
    return texts, pages, problems


def _shown_and_records(context: PassContext) -> tuple[dict[str, ShownMemory], dict[str, MemoryRecord]]:
    records = {record.id: record for record in bridge.showable_records(context.store, context.clock())}
    return bridge.hide_known_authors(context.pages.shown_memories(records), context.root, context.path), records


def _files(
    placed: Mapping[str, str | None],
    known: Mapping[str, ShownMemory],
    records: Mapping[str, MemoryRecord],
    state: WrittenState | None,
    texts: Mapping[str, str],
) -> dict[str, str]:
    """Map each memory to its file, to the first by name of several, so that every clone uses the same file."""
    files: dict[str, str] = {}
    for name in sorted(placed):
        id = placed[name]
        if id is not None and id in records:
            files.setdefault(id, name)
    names_in_use = {*files.values(), *texts}
    for id, record in sorted(records.items()):
        if id not in files and not known[id].foreign:
            earlier_name = state.files.get(id, "") if state is not None else ""
            name = earlier_name if earlier_name not in ("", *names_in_use) else file_name(id, record.name)
            if name in texts:  # the name belongs to a page that cannot be read now
                continue
            files[id] = name
            names_in_use.add(name)
    return files


def _render_pages(
    files: Mapping[str, str],
    known: Mapping[str, ShownMemory],
    pages: Mapping[str, MemoryPage],
    texts: Mapping[str, str],
    keep: Set[str],
) -> dict[str, str]:
    now: dict[str, str] = {}
    for id, name in files.items():
        page, shown = pages.get(name), known[id].shown
        same = page is not None and (digest_entry(page.entry), page.entry.author) == (digest_entry(shown), shown.author)
        if page is not None and (id in keep or same):
            now[name] = texts[name]
        else:
            now[name] = render(MemoryPage(known[id].full, page.others if page is not None else {}))
    return now


def _write(
    root: Path,
    folder: Path,
    now: Mapping[str, str],
    pages: Mapping[str, MemoryPage],
    texts: Mapping[str, str],
    placed: Mapping[str, str | None],
) -> bool:
    """Write the pages that differ and remove those whose memory is gone; return False if somebody else wrote first."""
    for name, text in now.items():
        if text != texts.get(name) and not disk.write(root, folder / name, text, texts.get(name)):
            return False
    for name in pages:
        if name not in now and not (name in placed and placed[name] is None):
            disk.remove(folder / name)
    return True

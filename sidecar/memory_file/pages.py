"""One pass over the directory form: read the pages, take in what was done by hand, write those that differ."""

from __future__ import annotations

from collections.abc import Mapping, Set
from pathlib import Path

from sidecar.checkout import merge_state
from sidecar.exchange.memory_file import document as documents
from sidecar.exchange.memory_file.page import ENDING, Page, file_name, render
from sidecar.exchange.memory_file.plan import Known, Written, plan, written
from sidecar.memory_file import bridge, disk
from sidecar.memory_file.seen import Seen
from sidecar.memory_file.settling import changed_since
from sidecar.memory_file.single import Parts, Passed, origin, refuse_merge
from sidecar.memory_file.state import State, digest
from sidecar.store.records import MemoryRecord

MOST_PAGES = 5_000


def run(parts: Parts) -> Passed:
    """One pass. A page that is no memory, or that git is merging, is left alone and told of; the others go on.

    Raises `LeftAlone` when the folder is not to be touched now, `StoreUnavailable` and its kin.
    """
    folder = disk.inside(parts.root, parts.path)
    refuse_merge(parts, parts.path)
    names = disk.names(folder, ENDING)
    if len(names) > MOST_PAGES:
        raise disk.LeftAlone(f"{parts.path} holds more than {MOST_PAGES:,} files")
    folder_seen, marks = disk.mark(folder), {one[0]: one for one in disk.mark(folder, ENDING)}
    texts, pages, problems = _read(folder, names, marks, parts.seen)
    state = parts.kept.load()
    seq = parts.store.seq()
    known, records = _known(parts)
    units = {name: page.entry for name, page in pages.items()}
    said = digest(*(part for name in sorted(pages) for part in (name, texts[name])))
    trusted = origin(parts, state, said)
    base = state.entries if state else {}
    unreadable = texts.keys() - pages.keys()
    done = plan(units, known, base, removals=state is not None)
    if done.removed and state is not None:
        held = merge_state.committed(parts.root, parts.path)
        done.removed = [id for id in done.removed if _taken_out(id, parts, state, held, unreadable)]
    cut = [name for name in pages if not texts[name].endswith("\n") and name in marks]
    if any(changed_since(folder / name, (marks[name],)) for name in cut):
        return Passed(settled=False)
    if done.removed and changed_since(folder, folder_seen):
        return Passed(settled=False)
    refuse_merge(
        parts, parts.path
    )  # git may have begun while the pages were read, and taken some of them away
    carried = bridge.carry_out(done, known, parts.book, trusted.source, parts.changed)
    if done.added or done.edited or done.removed:
        known, records = _known(parts)
    files = _files(carried.placed, records, state, texts)
    written_now = _write(parts.root, folder, files, known, pages, texts, carried.placed, base)
    if written_now is None:
        return Passed(settled=False)
    entries = {id: written(known[id].shown) for id in files}
    after = State(
        digest=digest(*(part for name in sorted(written_now) for part in (name, written_now[name]))),
        seq=seq,
        entries=entries,
        files=files,
        blobs={name: parts.seen.blob(parts.root, name, text) for name, text in written_now.items()},
    )
    if after != state:
        parts.kept.save(after)
    settled = written_now == {name: texts[name] for name in pages}
    return Passed(settled, made=not names and bool(files), problems=(*problems, *carried.problems))


def _taken_out(id: str, parts: Parts, state: State, held: Set[str], unreadable: Set[str]) -> bool:
    """Whether the page of a memory is missing because somebody removed it. `held`: what the commit checked out holds.

    Not when it stands there and cannot be read, being in the middle of a merge or an edit; and not when git took it
    away by going to a branch or commit that never had it, whatever else was changed by hand meanwhile.
    """
    name = state.files.get(id)
    if name is None or name in unreadable:
        return False
    path, blob = f"{parts.path}/{name}", state.blobs.get(name)
    if path in held:  # git has it, the working tree does not
        return True
    if blob is None or not merge_state.has_object(parts.root, blob):  # git never saw it
        return True
    return merge_state.was_committed(parts.root, path, blob)


def _read(
    folder: Path, names: list[str], marks: Mapping[str, disk.FileMark], seen: Seen
) -> tuple[dict[str, str], dict[str, Page], list[str]]:
    texts: dict[str, str] = {}
    pages: dict[str, Page] = {}
    problems: list[str] = []
    for name in names:
        try:
            text = seen.text(folder / name, marks.get(name))
        except disk.LeftAlone as error:
            texts[name] = ""
            problems.append(str(error))
            continue
        if text is None:
            continue
        texts[name] = text
        page = None if documents.has_conflict(text) else seen.page(name, text)
        if page is not None:
            pages[name] = page
        elif documents.has_conflict(text):
            problems.append(f"{name} has conflict markers of git; it is left alone until they are resolved")
        else:
            problems.append(f"{name} is left alone: it has no readable front matter, or no text")
    seen.keep(texts)
    return texts, pages, problems


def _known(parts: Parts) -> tuple[dict[str, Known], dict[str, MemoryRecord]]:
    records = {record.id: record for record in bridge.shown(parts.store, parts.clock())}
    return parts.seen.known(records), records


def _files(
    placed: Mapping[str, str | None],
    records: Mapping[str, MemoryRecord],
    state: State | None,
    texts: Mapping[str, str],
) -> dict[str, str]:
    """The file of each memory. Of two for one memory the first by name stays, so that every clone keeps the same."""
    files: dict[str, str] = {}
    for name in sorted(placed):
        id = placed[name]
        if id is not None and id in records:
            files.setdefault(id, name)
    taken = {*files.values(), *texts}
    for id, record in sorted(records.items()):
        if id not in files:
            kept = state.files.get(id) if state is not None else None
            name = kept if kept is not None and kept not in taken else file_name(id, record.name)
            if name in texts:  # a page that cannot be read now stands there
                continue
            files[id] = name
            taken.add(name)
    return files


def _write(
    root: Path,
    folder: Path,
    files: Mapping[str, str],
    known: Mapping[str, Known],
    pages: Mapping[str, Page],
    texts: Mapping[str, str],
    placed: Mapping[str, str | None],
    base: Mapping[str, Written],
) -> dict[str, str] | None:
    """Write the pages that differ and remove those whose memory is gone; the pages as they now are.

    None when one of them was written by somebody else meanwhile.
    """
    now: dict[str, str] = {}
    for id, name in files.items():
        page = pages.get(name)
        if page is not None and written(page.entry) == written(known[id].shown):
            now[name] = texts[name]
            continue
        now[name] = render(Page(known[id].full, page.others if page is not None else {}))
        if now[name] != texts.get(name) and not disk.write(root, folder / name, now[name], texts.get(name)):
            return None
    for name in pages:
        if name not in now and not (name in placed and placed[name] is None):
            disk.remove(folder / name)
    return now

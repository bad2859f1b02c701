"""One pass over the directory form: read the pages, store edits made by hand, write the pages that differ."""

from __future__ import annotations

from collections.abc import Mapping, Set
from functools import partial

from sidecar.checkout.hand_edits import git_trace, normalise_text, unexpand_id
from sidecar.checkout.repository_key import digest
from sidecar.memory_file import disk
from sidecar.memory_file.carrying_out import Authorship, PlanExecution, plan_for
from sidecar.memory_file.pass_context import CONFLICT_MESSAGE, PassContext, PassResult, VanishedDecision, count_vanished
from sidecar.memory_file.shown_entries import hide_known_authors, showable_records
from sidecar.memory_file.state import WrittenState
from sidecar.memory_file.text import document as documents
from sidecar.memory_file.text.page import PAGE_SUFFIX, MemoryPage, file_name, render
from sidecar.memory_file.text.plan import ShownMemory, digest_entry
from sidecar.store.records import MemoryRecord

# Each page costs a `stat` twice a second.
MAX_PAGES = 5_000


def run(context: PassContext, decision: VanishedDecision | None = None) -> PassResult:
    """Make one pass; report unreadable pages. Raises `UnusableFile`, `StoreUnavailable` and its subclasses."""
    return _PagesPass(context).run(decision)


class _PagesPass:
    """One pass: `_texts` holds the texts of all pages, `_pages` the readable pages, `_problems` the others."""

    def __init__(self, context: PassContext) -> None:
        self._context = context
        self._folder = folder = context.form.resolve()
        context.refuse_merge(context.form.path)
        self._git = git_trace(context.form.root, context.form.path)
        names = disk.names(folder, PAGE_SUFFIX)
        if len(names) > MAX_PAGES:
            raise disk.UnusableFile(f"{context.form.path} holds more than {MAX_PAGES:,} files")
        self._is_new = not names
        self._folder_stamp = disk.stamps_of(folder)
        self._stamps = {stamp[0]: stamp for stamp in disk.stamps_of(folder, PAGE_SUFFIX)}
        self._texts: dict[str, str] = {}
        self._pages: dict[str, MemoryPage] = {}
        self._problems: list[str] = []
        for name in names:
            self._read_page(name)
        context.pages.keep_only(self._texts)
        self._state = context.form.states.load(pages=self._texts)

    def run(self, decision: VanishedDecision | None) -> PassResult:
        context, seq = self._context, self._context.store.seq()
        memories, records = self._shown_and_records()
        units = {name: page.entry for name, page in self._pages.items()}
        by_hand = self._pages_edited_by_hand()
        authorship: Authorship[str] = context.authorship(self._state, by_hand.__contains__)
        before = context.merge_base(self._state)
        plan = plan_for(units, memories, before, authorship)
        plan.removed = [id for id in plan.removed if self._is_removed(id, memories[id], by_hand)]
        if self._is_being_written(removed=bool(plan.removed)):
            return PassResult(settled=False)
        own_ids = [id for id in plan.removed if not memories[id].foreign]
        if decision == "bringBack":
            plan.removed = [id for id in plan.removed if id not in own_ids]
        elif decision is None and (missing := count_vanished(len(own_ids), len(before))):
            return PassResult(settled=True, vanished=missing)
        # While the pages were read, git may have started and removed some of them.
        context.refuse_merge(context.form.path)
        outcome = PlanExecution(plan, units, memories, context.book, authorship).run()
        outcome.problems[:0] = self._problems
        if plan.added or plan.edited or plan.removed:
            memories, records = self._shown_and_records()
        repository_ids = outcome.repository_ids(units, memories)
        files = self._files(outcome.placed, memories, records)
        if files and self._is_new:
            context.form.exclude_once()
        texts = self._render(files, memories, repository_ids)
        digests = {name: digest(normalise_text(text)) for name, text in texts.items()}
        shown = {id: units[name] if id in repository_ids else memories[id].shown for id, name in files.items()}
        after = WrittenState(
            digest=digest(*(part for name in sorted(digests) for part in (name, digests[name]))),
            seq=seq,
            entries={id: digest_entry(entry) for id, entry in shown.items()},
            files=files,
            pages=digests,
            trace=self._git,
        )
        is_same = texts == {name: self._texts[name] for name in self._pages}
        write = None if is_same else partial(self._write, texts, outcome.placed)
        return context.finish(after, outcome, repository_ids, write, self._state)

    def _read_page(self, name: str) -> None:
        cache = self._context.pages
        try:
            text = cache.text(self._folder / name, self._stamps.get(name))
        except disk.UnusableFile as error:
            self._texts[name] = ""
            self._problems.append(str(error))
            return
        if text is None:
            return
        self._texts[name] = text
        if documents.has_conflict(text):
            self._problems.append(CONFLICT_MESSAGE.format(name))
        elif (page := cache.page(name, unexpand_id(text))) is not None:
            self._pages[name] = page
        else:
            self._problems.append(f"{name} is left alone: it has no readable front matter, or no text")

    def _pages_edited_by_hand(self) -> set[str]:
        """Return the pages that were changed or removed by hand since the last pass."""
        context, state, stamps = self._context, self._state, self._stamps
        if state is None:
            return set()
        changed: dict[str, str | None] = {
            f"{context.form.path}/{name}": text
            for name, text in self._texts.items()
            if state.pages.get(name) != digest(normalise_text(text)) and name in stamps and stamps[name][1] >= state.at
        }
        changed |= {f"{context.form.path}/{name}": None for name in state.files.values() if name not in self._texts}
        by_hand = context.typed_by_hand(state.trace, self._git, changed) if changed else set[str]()
        return {path.removeprefix(f"{context.form.path}/") for path in by_hand}

    def _is_removed(self, id: str, memory: ShownMemory, by_hand: Set[str]) -> bool:
        """Return whether to remove a memory without a page: a user deleted the page, or only the page held it."""
        name = self._state.files.get(id) if self._state is not None else None
        return name is not None and name not in self._texts and (memory.foreign or name in by_hand)

    def _is_being_written(self, *, removed: bool) -> bool:
        cut = [name for name in self._pages if not self._texts[name].endswith("\n") and name in self._stamps]
        if any(disk.changed_since(self._folder / name, (self._stamps[name],)) for name in cut):
            return True
        return removed and disk.changed_since(self._folder, self._folder_stamp)

    def _shown_and_records(self) -> tuple[dict[str, ShownMemory], dict[str, MemoryRecord]]:
        context = self._context
        records = {record.id: record for record in showable_records(context.store, context.clock())}
        return hide_known_authors(context.pages.shown_memories(records), context.form.root, context.form.path), records

    def _files(
        self, placed: Mapping[str, str | None], memories: Mapping[str, ShownMemory], records: Mapping[str, MemoryRecord]
    ) -> dict[str, str]:
        """Map each memory to its page: the first by name if it has several, so that every clone uses the same."""
        files: dict[str, str] = {}
        for name in sorted(placed):
            id = placed[name]
            if id is not None and id in records:
                files.setdefault(id, name)
        names_in_use = {*files.values(), *self._texts}
        for id, record in sorted(records.items()):
            if id not in files and not memories[id].foreign:
                earlier_name = self._state.files.get(id, "") if self._state is not None else ""
                name = earlier_name if earlier_name not in ("", *names_in_use) else file_name(id, record.name)
                if name in self._texts:  # the name is that of a page that cannot be read now
                    continue
                files[id] = name
                names_in_use.add(name)
        return files

    def _render(
        self, files: Mapping[str, str], memories: Mapping[str, ShownMemory], repository_ids: Set[str]
    ) -> dict[str, str]:
        texts: dict[str, str] = {}
        for id, name in files.items():
            page, shown = self._pages.get(name), memories[id].shown
            same = page is not None and digest_entry(page.entry) == digest_entry(shown)
            if page is None:
                texts[name] = render(MemoryPage(memories[id].full))
            elif id in repository_ids or (same and page.entry.author == shown.author):
                texts[name] = self._texts[name]
            else:
                texts[name] = render(MemoryPage(memories[id].full, page.others))
        return texts

    def _write(self, texts: Mapping[str, str], placed: Mapping[str, str | None]) -> bool:
        """Write the pages that differ, and remove those whose memory is gone.

        Return False if somebody else wrote first.
        """
        for name, text in texts.items():
            before = self._texts.get(name)
            if text != before and not disk.write(self._context.form.root, self._folder / name, text, before):
                return False
        for name in self._pages:
            if name not in texts and not (name in placed and placed[name] is None):
                disk.remove(self._folder / name)
        return True

"""`search`, `list`, `show`, `inject` and `explain`: find memories, and show what an agent is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
import msgspec

from protocol import memories
from protocol.memories import ExplainParams, ExplainResult, IdParams, InjectedItem, InjectResult, Memory
from sidecar.cli.memory_id import resolve
from sidecar.cli.options import (
    Cli,
    budget_option,
    choice,
    command,
    compact_option,
    files_option,
    filters,
    lines_option,
    read_stdin,
    text_or_stdin,
)
from sidecar.cli.output import TableRow, print_line, print_note, print_table, print_text
from sidecar.cli.times import age, date
from sidecar.cli.wording import counted, printable, printable_line, short_id, title, unescape_fence
from sidecar.runtime.clock import epoch_ms

OMISSIONS = {
    "budget": "It did not fit into the budget; the items before it were worth more.",
    "alreadyShown": "It was already shown to this session.",
    "belowFloor": "It is too unlikely to be relevant to the prompt.",
    "repeats": "Another memory in the block says the same, and more.",
    "superseded": "A newer memory replaces it.",
    "contradicted": "A newer memory contradicts and replaces it.",
    "fileUnavailable": "The file cannot be read.",
}
# A lower score would be printed as 0.00, so its hit is not shown.
_MIN_SCORE = 0.005
_STATUS_VERDICTS = {
    "archived": "It is archived; `memory-sidecar restore` brings it back.",
    "resolved": "It is resolved; `memory-sidecar reopen` brings it back.",
}


@command("search")
@click.argument("query", nargs=-1)
@click.option("--everywhere", is_flag=True, help="Search every project of which this machine has memories.")
@compact_option
@filters
def search_command(cli: Cli, query: tuple[str, ...], everywhere: bool, compact: bool, **options: Any) -> None:
    """Find memories by their words and meaning.

    The best match comes first. QUERY is words, or - to read it from stdin.
    """
    params = {**cli.params(options), "query": text_or_stdin(query, "QUERY")}
    if everywhere:
        _search_everywhere(cli, params)
        return
    result: memories.SearchResult = cli.ask("memory/search", params)
    hits = [hit for hit in result.items if hit.score >= _MIN_SCORE]
    if not hits:
        print_note("Nothing found.")
        return
    matching = [hit.memory for hit in hits]
    if compact:
        _print_names(matching, result.cursor)
        return
    more = [(f"{hit.score:.2f}", ", ".join(hit.reasons)) for hit in hits]
    _print_memories(matching, ("score", "why"), more, result.cursor)


def _search_everywhere(cli: Cli, params: dict[str, Any]) -> None:
    from sidecar.cli.projects import open_projects, search_all

    if cli.workspace is not None or params["cursor"] or params["files"]:
        raise click.UsageError("--everywhere searches every project: leave --workspace, --file and --cursor out.")
    with open_projects() as projects:
        hits = search_all(projects, params)
    cli.end_with_json({"items": hits})
    hits = [hit for hit in hits if hit.hit.score >= _MIN_SCORE]
    if not hits:
        print_note("Nothing found.")
        return
    more = [(hit.place, f"{hit.hit.score:.2f}") for hit in hits]
    _print_memories([hit.memory for hit in hits], ("project", "score"), more, None)


@command("list")
@click.option("--status", multiple=True, type=choice(memories.Status), help="Only memories with this status.")
@click.option("--deleted", is_flag=True, help="Deleted memories that can be restored; TIME is when they were deleted.")
@compact_option
@filters
def list_command(cli: Cli, status: tuple[str, ...], deleted: bool, compact: bool, **options: Any) -> None:
    """List memories, newest first.

    With --deleted, list deleted memories that can be restored, the latest deletion first.
    """
    params = {**cli.params(options), "status": ["deleted"] if deleted else list(status) or None}
    result: memories.ListResult = cli.ask("memory/list", params)
    if not result.items:
        filters = ("scopes", "types", "categories", "files", "since", "cursor")
        if deleted:
            print_note("No deleted memories were found.")
        elif status or any(options[name] for name in filters):
            print_note("Nothing matches these filters.")
        else:
            print_note("No memories yet. Try `record`, `bootstrap` or `import`.")
        return
    if compact:
        _print_names(result.items, result.cursor)
        return
    _print_memories(result.items, ("status",), [(memory.status,) for memory in result.items], result.cursor)


@command("show")
@click.argument("id")
def show_command(cli: Cli, id: str) -> None:
    """Show one memory in full.

    Also shows its origin, status, and the files and names that it mentions.
    """
    with cli.open_calls() as calls:
        memory = calls.memory_get(IdParams(id=resolve(calls, id)))
    cli.end_with_json(memory)
    _print_memory(memory)


@command("inject")
@click.argument("prompt", nargs=-1)
@files_option
@click.option("--agent", metavar="NAME")
@click.option("--session-id", metavar="ID", help="Record for this session what was shown.")
@budget_option
@lines_option
@click.option("--format", type=click.Choice(["markdown", "xml"]), default="markdown", show_default=True)
def inject_command(cli: Cli, prompt: tuple[str, ...], **options: Any) -> None:
    """Show what an agent would be given for a prompt.

    PROMPT is the user's request as words, or - for stdin; without it, the block for the start of a session is shown.
    Prints nothing if no memory is relevant; --json also gives reasons, and what was left out. Only a running server,
    which has read all files, adds files that the prompt does not name.
    """
    params = {**cli.params(options), "prompt": (read_stdin() if prompt == ("-",) else " ".join(prompt)) or None}
    with cli.open_calls() as calls:
        params["budgetTokens"] = options["budget_tokens"] or calls.injected_tokens
        result: InjectResult = calls.call("memory/inject", params)
    cli.end_with_json(result)
    if result.text:
        print_text(result.text)
    print_note(f"{counted(len(result.items), 'item')}, {result.tokens} tokens, {len(result.omitted)} left out.")


class PlaceInBlock(msgspec.Struct, kw_only=True, rename="camel"):
    """A memory's place in a block. `verdict` is a sentence about it; `confidence` is set if there was a prompt."""

    memory: Memory
    shown: bool
    verdict: str
    item: InjectedItem | None = None
    place: int | None = None
    omitted: str | None = None
    confidence: ExplainResult | None = None


@command("explain")
@click.argument("id")
@click.argument("prompt", nargs=-1)
@files_option
@click.option("--agent", metavar="NAME", help="Default: the agent that the memory is for.")
@budget_option
@lines_option
def explain_command(cli: Cli, id: str, prompt: tuple[str, ...], agent: str | None, **options: Any) -> None:
    """Explain why an agent is shown a memory, or is not.

    PROMPT is the user's request; without it, the start of a session is explained. Explaining a memory does not count
    as showing it.
    """
    words = " ".join(prompt) or None
    with cli.open_calls() as calls:
        memory = calls.memory_get(IdParams(id=resolve(calls, id)))
        params = {**cli.params(options), "prompt": words, "agent": agent or memory.agent}
        params["budgetTokens"] = options["budget_tokens"] or calls.injected_tokens
        block: InjectResult = calls.call("memory/inject", params)
        explanation = _find_place(memory, block)
        if words:
            explain_params = ExplainParams(id=memory.id, prompt=words, agent=agent)
            explanation.confidence = calls.memory_explain(explain_params)
    cli.end_with_json(explanation)
    _print_memory(memory)
    click.echo()
    click.secho("Shown." if explanation.shown else "Not shown.", bold=True)
    print_text(f"  {explanation.verdict}")
    for reason in explanation.item.reasons if explanation.item is not None else ():
        print_text(f"  - {unescape_fence(printable_line(reason))}")
    for line in _confidence_lines(explanation.confidence) if explanation.confidence is not None else ():
        print_text(f"  {line}")
    print_note(f"The block has {len(block.items)} items and {block.tokens} tokens.")


def _find_place(memory: Memory, block: InjectResult) -> PlaceInBlock:
    """Return a memory's place in a block; if it has none, the reason."""
    for rank, item in enumerate(block.items, 1):
        if item.id == memory.id:
            verdict = f"Item {rank} of {len(block.items)}, in “{item.section}”, worth {item.score:.2f}."
            return PlaceInBlock(memory=memory, shown=True, verdict=verdict, item=item, place=rank)
    omitted = next((omission.reason for omission in block.omitted if omission.id == memory.id), None)
    if omitted is not None:
        verdict = OMISSIONS[omitted]
    else:
        verdict = _STATUS_VERDICTS.get(memory.status, "It does not match the prompt.")
    return PlaceInBlock(memory=memory, shown=False, verdict=verdict, omitted=omitted)


def _confidence_lines(result: ExplainResult) -> list[str]:
    """Return lines with the probability, the evidence for it, and what would change it."""
    is_open = result.best >= result.opens
    lines = [
        f"It is relevant to the prompt with probability {result.probability:.2f} ({result.label}).",
        f"Memories are shown from {result.threshold:.2f}, if the most likely one reaches {result.opens:.2f}; "
        f"that one has {result.best:.2f}{'' if is_open else ', so nothing is shown'}.",
    ]
    gains = ", ".join(f"{gain.evidence} {gain.gain:+.1f}" for gain in result.gains)
    if gains:
        lines.append(f"Evidence (each adds to the logarithm of the odds): {gains}.")
    if result.words:
        lines.append(f"Shared words: {unescape_fence(', '.join(map(printable_line, result.words)))}.")
    if result.cosine is not None:
        rank = f", rank {result.rank} among the matches" if result.rank else ""
        lines.append(f"Similarity of meaning (cosine) {result.cosine:.2f}{rank}.")
    return [*lines, *(unescape_fence(printable_line(line)) for line in result.change)]


def _print_memories(
    items: Sequence[Memory], columns: Sequence[str], extra_cells: Sequence[Sequence[str]], cursor: str | None
) -> None:
    """Print a table row for each memory. Its `extra_cells` stand below the extra `columns`."""
    now = epoch_ms()
    names = [name for name in ("agent", "author") if any(getattr(memory, name) for memory in items)]
    rows = []
    for memory, cells in zip(items, extra_cells, strict=True):
        kind = f"{memory.type}/{memory.category}" if memory.category else memory.type
        origins = (getattr(memory, name) or "" for name in names)
        row = (short_id(memory.id), title(memory.name), kind, memory.scope, *origins, age(memory.updated_at, now))
        below = memory.description or memory.content
        rows.append(TableRow((*row, *cells), "" if below.strip() == memory.name.strip() else below[:160]))
    print_table(("id", "name", "type", "scope", *names, "age", *columns), rows)
    _print_cursor(cursor)


def _print_names(items: Sequence[Memory], cursor: str | None) -> None:
    from sidecar.memories.wording.gist import first_said

    for memory in items:
        later = memory.content[len(first_said(memory.content)) :]
        print_line(title(memory.name) + later, label=f"{short_id(memory.id)}  ")
    _print_cursor(cursor)


def _print_cursor(cursor: str | None) -> None:
    if cursor is not None:
        print_note(f"There is more: --cursor {cursor}")


def _print_memory(memory: Memory) -> None:
    now = epoch_ms()
    kind = f"{memory.type}, {memory.category}" if memory.category else memory.type
    click.secho(title(memory.name), bold=True)
    lines = {
        "id": memory.id,
        "kind": f"{kind}; {memory.scope}; {memory.status}{'; pinned' if memory.pinned else ''}",
        "about": memory.description,
        "author": memory.author,
        "agent": memory.agent,
        "session": memory.session_id,
        "tags": ", ".join(memory.tags),
        "files": ", ".join(memory.files),
        "names": ", ".join(
            f"{reference.text}{' (gone)' if reference.gone else ' (changed)' if reference.stale else ''}"
            for reference in memory.references
        ),
        "source": memory.source,
        "created": f"{date(memory.created_at)}, {age(memory.created_at, now)}",
        "updated": f"{date(memory.updated_at)}, {age(memory.updated_at, now)}; version {memory.version}",
        "shown": f"in {memory.access_count} sessions" if memory.access_count else "",
        "useful": f"{memory.useful} ×; not useful {memory.not_useful} ×" if memory.useful + memory.not_useful else "",
        "expires": f"{date(memory.expires_at)}, {age(memory.expires_at, now)}" if memory.expires_at else "",
        "replaces": memory.supersedes,
    }
    for label, value in lines.items():
        if value:
            click.echo(f"  {label:<9}{printable_line(value)}")
    click.echo()
    click.echo(printable(memory.content))

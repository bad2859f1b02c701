"""`explain`: why a memory is, or is not, put in front of an agent."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from protocol.memories import ExplainResult, InjectedItem, InjectResult, Memory
from sidecar.cli.memory_id import resolve
from sidecar.cli.options import command, wire_paths
from sidecar.cli.output import one_line, print_json, print_note
from sidecar.cli.session import opened
from sidecar.cli.show import print_memory

_LEFT_OUT = {
    "budget": "There was no room for it in the budget; what stands before it was worth more.",
    "alreadyShown": "This session has been shown it already.",
    "belowFloor": "It is too unlikely to bear on the prompt.",
    "repeats": "Another memory in the block says the same, and more.",
    "superseded": "A newer memory stands in its place.",
    "contradicted": "A newer memory says the opposite and stands in its place.",
    "fileUnavailable": "The file cannot be read.",
}


class Explanation(msgspec.Struct, kw_only=True, rename="camel"):
    """A memory and its place in the block. `verdict` is a sentence, `confidence` is there with a prompt."""

    memory: Memory
    shown: bool
    verdict: str
    item: InjectedItem | None = None
    place: int | None = None
    omitted: str | None = None
    confidence: ExplainResult | None = None


@command(
    "explain",
    more="ID is an id, its first or last characters, or a name. PROMPT is what the agent was asked; without it, the "
    "block at the start of a session is looked at. Nothing is counted as shown.",
)
@click.argument("id")
@click.argument("prompt", nargs=-1)
@click.option("--files", "--file", multiple=True, metavar="PATH", help="A file in play. Repeatable.")
@click.option("--agent", metavar="NAME", help="Default: the agent that the memory is for.")
@click.option(
    "--budget-tokens", type=click.IntRange(1, 1_000_000), help="Default: memory.injectBudgetTokens."
)
def explain_command(
    id: str,
    prompt: tuple[str, ...],
    files: tuple[str, ...],
    agent: str | None,
    budget_tokens: int | None,
    workspace: Path | None,
    as_json: bool,
) -> None:
    """Why a memory is put in front of an agent, or is not."""
    with opened(workspace) as session:
        memory: Memory = session.call("memory/get", {"id": resolve(session, id)})
        result: InjectResult = session.call(
            "memory/inject",
            {
                "prompt": " ".join(prompt) or None,
                "files": wire_paths(files, workspace),
                "agent": agent or memory.agent,
                "budgetTokens": budget_tokens or session.loaded.settings.memory.inject_budget_tokens,
            },
        )
        confidence: ExplainResult | None = None
        if prompt:
            asked = {"id": memory.id, "prompt": " ".join(prompt), "agent": agent}
            confidence = session.call("memory/explain", asked)
    told = msgspec.structs.replace(explain(memory, result), confidence=confidence)
    if as_json:
        print_json(told)
        return
    print_memory(memory)
    click.echo()
    click.secho("Shown." if told.shown else "Not shown.", bold=True)
    click.echo(f"  {told.verdict}")
    if told.item is not None:
        for reason in told.item.reasons:
            click.echo(f"  - {one_line(reason)}")
    if confidence is not None:
        for line in confidence_lines(confidence):
            click.echo(f"  {line}")
    print_note(f"The block has {len(result.items)} items and {result.tokens} tokens.")


def confidence_lines(found: ExplainResult) -> list[str]:
    """The probability, the evidence, and what would change it."""
    lines = [
        f"Bears on the prompt with probability {found.probability:.2f} ({found.label}); {found.threshold:.2f} is shown "
        f"once the likeliest memory ({found.best:.2f}) reaches {found.opens:.2f}."
    ]
    gains = ", ".join(f"{one.evidence} {one.gain:+.1f}" for one in found.gains)
    if gains:
        lines.append(f"Evidence, in natural logarithms of the odds: {gains}.")
    if found.words:
        lines.append(f"Shared words: {', '.join(map(one_line, found.words))}.")
    if found.cosine is not None:
        lines.append(
            f"Cosine {found.cosine:.2f}" + (f", place {found.rank} among the matches." if found.rank else ".")
        )
    return [*lines, *(one_line(sentence) for sentence in found.change)]


def explain(memory: Memory, result: InjectResult) -> Explanation:
    """Where a memory stands in a block, or why it does not."""
    for place, item in enumerate(result.items, 1):
        if item.id == memory.id:
            verdict = f"Item {place} of {len(result.items)}, in “{item.section}”, worth {item.score:.2f}."
            return Explanation(memory=memory, shown=True, verdict=verdict, item=item, place=place)
    omitted = next((one.reason for one in result.omitted if one.id == memory.id), None)
    verdict = _LEFT_OUT.get(omitted or "", "")
    if omitted is None:
        verdict = {
            "archived": "It is archived; `memory-sidecar restore` brings it back.",
            "resolved": "It is resolved; `memory-sidecar reopen` brings it back.",
        }.get(memory.status, "Nothing of it matches the prompt.")
    return Explanation(memory=memory, shown=False, verdict=verdict, omitted=omitted)

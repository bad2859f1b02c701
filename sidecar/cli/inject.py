"""`inject`: the block that would stand in front of an agent now."""

from __future__ import annotations

from pathlib import Path

import click

from protocol.memories import InjectResult
from sidecar.cli.options import command, wire_paths
from sidecar.cli.output import Row, print_json, print_note, print_table, print_text, short_id
from sidecar.cli.session import opened


@command(
    "inject",
    "memory/inject",
    "PROMPT is what the agent was asked, as words or - for stdin. Prints nothing when nothing is worth showing.",
)
@click.argument("prompt", nargs=-1)
@click.option("--prompt", "given", metavar="TEXT", help="The same as PROMPT.")
@click.option("--files", "--file", multiple=True, metavar="PATH", help="A file in play. Repeatable.")
@click.option("--agent", metavar="NAME")
@click.option("--session-id", metavar="ID", help="Remembers for this session what was shown.")
@click.option(
    "--budget-tokens", type=click.IntRange(1, 1_000_000), help="Default: memory.injectBudgetTokens."
)
@click.option(
    "--format", "layout", type=click.Choice(["markdown", "xml"]), default="markdown", show_default=True
)
@click.option("--exclude-shown", is_flag=True, help="Leave out what this session has seen.")
@click.option("--frozen", is_flag=True, help="The same block for the whole session.")
@click.option("--explain", is_flag=True, help="Show each item's score and reasons, and what was left out.")
def inject_command(
    prompt: tuple[str, ...],
    given: str | None,
    files: tuple[str, ...],
    agent: str | None,
    session_id: str | None,
    budget_tokens: int | None,
    layout: str,
    exclude_shown: bool,
    frozen: bool,
    explain: bool,
    workspace: Path | None,
    as_json: bool,
) -> None:
    """The block."""
    with opened(workspace) as session:
        result: InjectResult = session.call(
            "memory/inject",
            {
                "prompt": _prompt((given, *prompt) if given is not None else prompt),
                "files": wire_paths(files, workspace),
                "agent": agent,
                "sessionId": session_id,
                "budgetTokens": budget_tokens or session.loaded.settings.memory.inject_budget_tokens,
                "format": layout,
                "excludeShown": exclude_shown,
                "frozen": frozen,
            },
        )
    if as_json:
        print_json(result)
        return
    if explain:
        _explain(result)
    elif result.text:
        print_text(result.text)
    print_note(f"{len(result.items)} items, {result.tokens} tokens, {len(result.omitted)} left out.")


def _prompt(words: tuple[str, ...]) -> str | None:
    if words != ("-",):
        return " ".join(words) or None
    import sys

    return sys.stdin.buffer.read().decode("utf-8", "replace") or None


def _explain(result: InjectResult) -> None:
    rows = [
        Row(
            (
                short_id(item.id) if item.id else "file",
                item.path or item.section,
                str(item.tokens),
                f"{item.score:.2f}",
                ", ".join(item.reasons),
            )
        )
        for item in result.items
    ]
    rows += [
        Row((short_id(left.id) if "/" not in left.id else left.id, "left out", "", "", left.reason))
        for left in result.omitted
    ]
    if rows:
        print_table(("id", "section", "tokens", "score", "why"), rows)

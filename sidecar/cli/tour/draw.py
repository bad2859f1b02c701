"""The tour on a terminal: a panel per step, what was seen in it, and a tick or a cross per claim."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from sidecar.cli.output import console, one_line, plain, shorten
from sidecar.cli.tour.edits import SYMBOL
from sidecar.cli.tour.transcript import Step, Transcript
from sidecar.settings import load

_SUMMARY_LINES = 28
_BLOCK_LINES = 20
_CHANGE_LINES = 5
_WIDTH = 100


class Drawing:
    """Draws a tour as it happens."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.console: Console = console()
        self.console.width = min(self.console.width, _WIDTH)
        self._room = self.console.width - 6  # inside a panel's border and padding
        self._number = 0

    def opening(self) -> None:
        """What is about to happen, and that it leaves nothing behind."""
        self.console.print()
        self.console.print(Text("memory-sidecar: a short tour", style="bold"))
        self.console.print(
            Text(
                f"In {one_line(str(self.folder))}. Your files are only read; the file that gets edited is a copy, and "
                "what is remembered goes to a temporary store. Both are removed at the end.",
                style="dim",
            )
        )

    def step(self, step: Step) -> None:
        """One step, its content first and then what it claims."""
        self._number += 1
        draw: Callable[[Mapping[str, Any]], list[RenderableType]] = getattr(self, f"_draw_{step.name}")
        parts = draw(step.data) if step.data else []
        if step.claims:
            if parts:
                parts.append(Text())
            parts += [_claim(claim.text, claim.held, claim.detail) for claim in step.claims]
        self.console.print()
        self.console.print(
            Panel(
                Group(*parts),
                title=Text(f" {self._number}. {step.title} ", style="bold"),
                title_align="left",
                border_style="cyan" if step.ok else "red",
                box=box.ROUNDED,
                padding=(1, 2),
            )
        )

    def closing(self, transcript: Transcript) -> None:
        """Whether all of it held, where things would be kept, and what to do next."""
        from sidecar.cli.places import store_folder

        claims = [claim for step in transcript.steps for claim in step.claims]
        failed = [claim for claim in claims if not claim.held]
        self.console.print()
        if transcript.ok:
            said = f"All {len(claims)} claims held, in {transcript.seconds:.1f} s. Nothing was left behind."
            self.console.print(Text(said, style="bold green"))
        else:
            said = f"{len(failed)} of {len(claims)} claims did not hold:" if failed else "The tour broke off."
            self.console.print(Text(said, style="bold red"))
            for claim in failed:
                self.console.print(_claim(claim.text, False, claim.detail))
            if transcript.log:
                self.console.print(Text("\nThe server's log ended with:", style="dim"))
                self.console.print(Text(plain("\n".join(transcript.log)), style="dim"))
        where = store_folder(load(self.folder, os.environ).settings)
        self.console.print()
        rows = Table.grid(padding=(0, 2))
        rows.add_column(style="dim", no_wrap=True)
        rows.add_column(overflow="fold")
        for label, text in (
            ("kept in", one_line(str(where))),
            ("remember", 'memory-sidecar record "Run the tests with -q" --type user'),
            ("find", "memory-sidecar search tests"),
            ("a file", f"memory-sidecar summary {shorten(_path(transcript), 50)}"),
            ("for agents", "memory-sidecar serve   (stdio; LSP's frames, protocol/README.md)"),
            ("check", "memory-sidecar doctor"),
        ):
            rows.add_row(label, Text(text))
        self.console.print(rows)

    # -- steps -----------------------------------------------------------------------------------------------

    def _draw_start(self, data: Mapping[str, Any]) -> list[RenderableType]:
        if data["sample"]:
            seen = "There is no source file here, so the tour brings one of its own."
        elif data["complete"]:
            seen = f"{data['files']:,} files here."
        else:
            seen = f"More than {data['files']:,} files here; the tour looked at those."
        grid = _grid()
        grid.add_row(
            "server",
            Text.assemble(("memory-sidecar serve --stdio", "bold"), f", ready in {data['milliseconds']} ms"),
        )
        grid.add_row("folder", Text(f"{one_line(data['folder'])}\n{seen}"))
        grid.add_row("store", Text(data["store"]))
        grid.add_row("copy to edit", Text(data["scratch"]))
        return [grid]

    def _draw_summary(self, data: Mapping[str, Any]) -> list[RenderableType]:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        table.add_column("file", overflow="fold", ratio=1)
        for column in ("lines", "tokens", "briefing", "share"):
            table.add_column(column, justify="right")
        for one in data["files"]:
            table.add_row(
                Text(one_line(one["path"])),
                f"{one['lines']:,}",
                f"{one['fileTokens']:,}",
                f"{one['tokens']:,}",
                f"{100 * one['tokens'] / max(1, one['fileTokens']):.0f} %",
            )
        saved = sum(one["saved"] for one in data["files"])
        parts: list[RenderableType] = [
            Text.assemble("Instead of ", (one_line(data["path"]), "bold"), " an agent reads:"),
            _quoted(data["summary"], _SUMMARY_LINES, self._room),
        ]
        if data["advice"]:
            parts.append(Text(f"Advice: {one_line(data['advice'])}", style="italic"))
        return [*parts, table, Text(f"{saved:,} tokens saved on these {len(data['files'])} files.")]

    def _draw_edit(self, data: Mapping[str, Any]) -> list[RenderableType]:
        grid = _grid()
        grid.add_row("edited", Text(f"the copy of {one_line(data['path'])}"))
        if data["milliseconds"] is not None:
            grid.add_row("file/didInvalidate", Text(f"after {data['milliseconds']} ms, by {data['toldBy']}"))
        grid.add_row("content", Text(f"{data['oldHash'][:12]} → {data['newHash'][:12]}"))
        parts: list[RenderableType] = [grid]
        if data["changes"]:
            parts.append(Text("\nThe briefing changed:"))
        changes = sorted(data["changes"], key=lambda line: SYMBOL not in line)  # what was added comes first
        for line in changes[:_CHANGE_LINES]:
            style = "green" if line.startswith("+") else "red"
            parts.append(Text("  " + shorten(line, self.console.width - 10), style=style))
        if len(data["changes"]) > _CHANGE_LINES:
            parts.append(Text(f"  … {len(data['changes']) - _CHANGE_LINES} lines more", style="dim"))
        return parts

    def _draw_record(self, data: Mapping[str, Any]) -> list[RenderableType]:
        parts: list[RenderableType] = []
        for number, one in enumerate(data["records"]):
            if number:
                parts.append(Text())
            parts.append(Text.assemble((one["label"], "bold"), (f"  {one['status']}; {one['kind']}", "cyan")))
            parts.append(Text(f"  {one_line(one['given'])}"))
            if one["redactions"]:
                parts.append(Text(f"  stored: {one_line(one['stored'])}", style="yellow"))
        return parts

    def _draw_restart(self, data: Mapping[str, Any]) -> list[RenderableType]:
        grid = _grid()
        grid.add_row("kill -9", Text(f"process {data['killed']}, right after its last answer"))
        grid.add_row("started again", Text(f"process {data['pid']}"))
        grid.add_row("on disk", Text(f"{data['memories']} memories, {data['bytes']:,} bytes in all"))
        return [grid]

    def _draw_inject(self, data: Mapping[str, Any]) -> list[RenderableType]:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        table.add_column("item", overflow="fold", ratio=3)
        table.add_column("tokens", justify="right")
        table.add_column("score", justify="right")
        table.add_column("why it is there", overflow="fold", ratio=4)
        for item in data["items"]:
            table.add_row(
                Text(one_line(item["name"])),
                str(item["tokens"]),
                f"{item['score']:.2f}",
                Text(one_line(", ".join(item["reasons"]))),
            )
        parts: list[RenderableType] = [
            Text.assemble("Task: ", (one_line(data["prompt"]), "bold")),
            _quoted(data["text"], _BLOCK_LINES, self._room),
            Text(f"{data['tokens']} tokens."),
            table,
        ]
        if data["omitted"]:
            left = ", ".join(f"{one_line(one['name'])} ({one['reason']})" for one in data["omitted"])
            parts.append(Text(f"Left out: {left}."))
        return parts

    def _draw_silence(self, data: Mapping[str, Any]) -> list[RenderableType]:
        parts: list[RenderableType] = [Text.assemble("Task: ", (one_line(data["prompt"]), "bold"))]
        if data["text"]:
            parts += [_quoted(data["text"], _BLOCK_LINES, self._room), Text(f"{data['tokens']} tokens.")]
        else:
            parts.append(Text("Nothing is injected, and that is the right answer.", style="italic"))
        return parts

    def _draw_learn(self, data: Mapping[str, Any]) -> list[RenderableType]:
        events, learned = _grid(), _grid()
        for event in data["events"]:
            what = event["method"].removeprefix("event/")
            events.add_row(event["who"], Text(shorten(event["said"] or what, self._room - 20)))
        for memory in data["learned"]:
            learned.add_row(memory["kind"], Text(one_line(memory["content"])))
        return [events, Text(), Text("learned", style="bold"), learned]

    def _draw_end(self, data: Mapping[str, Any]) -> list[RenderableType]:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        table.add_column("call", overflow="fold", ratio=1)
        for column in ("times", "middle", "longest"):
            table.add_column(column, justify="right")
        for row in data["timings"]:
            table.add_row(
                row["call"], str(row["count"]), _milliseconds(row["p50Ms"]), _milliseconds(row["maxMs"])
            )
        return [table]


def _claim(text: str, held: bool, detail: str | None) -> Text:
    mark = ("✓ ", "bold green") if held else ("✗ ", "bold red")
    rest = [(f"  {one_line(detail)}", "dim")] if detail else []
    return Text.assemble(mark, one_line(text), *rest)


def _grid() -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    return grid


def _quoted(text: str, most: int, width: int) -> RenderableType:
    """A text as the agent gets it, set off by a line at its left, cut when it is long."""
    lines = plain(text).expandtabs(4).splitlines()
    quoted: list[Text] = []
    for line in lines[:most]:
        indent = len(line) - len(line.lstrip())
        for part in textwrap.wrap(line, width - 2, subsequent_indent=" " * (indent + 4)) or [""]:
            quoted.append(Text.assemble(("│ ", "cyan"), part))
    if len(lines) > most:
        quoted.append(Text.assemble(("│ ", "cyan"), (f"… {len(lines) - most} lines more", "dim")))
    return Group(Text(), *quoted, Text())


def _milliseconds(value: float) -> str:
    return f"{value:.1f} ms" if value < 100 else f"{value:,.0f} ms"


def _path(transcript: Transcript) -> str:
    for step in transcript.steps:
        if step.name == "summary" and "path" in step.data:
            return str(step.data["path"])
    return "README.md"

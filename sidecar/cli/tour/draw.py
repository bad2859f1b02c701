"""The tour on a terminal: what each step showed, and a tick or a cross for each claim."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from sidecar.cli.output import console, fit_columns, printable, printable_line
from sidecar.cli.tour.edits import SYMBOL
from sidecar.cli.tour.transcript import Claim, TourStep, TourTranscript
from sidecar.settings import load
from sidecar.store.location import data_home

_SUMMARY_LINES = 28
_BLOCK_LINES = 20
_CHANGE_LINES = 5
_WIDTH = 100


class Drawing:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.console: Console = console()
        self.console.width = min(self.console.width, _WIDTH)
        self._number = 0

    def opening(self) -> None:
        self.console.print()
        self.console.print(Text("memory-sidecar: a short tour", style="bold"))
        text = (
            f"In {printable_line(str(self.folder))}. Your files are only read; the file that is edited is a copy, and "
            "what is remembered goes to a temporary store. Both are removed at the end."
        )
        self.console.print(Text(text, style="dim"))

    def step(self, step: TourStep) -> None:
        self._number += 1
        self.console.print()
        title = Text(f"{self._number}. {step.title}", style="bold")
        self.console.print(Rule(title, align="left", style="cyan" if step.ok else "red"))
        if step.data:
            parts = {
                "start": self._start,
                "summary": self._summary,
                "edit": self._edit,
                "record": self._record,
                "inject": self._inject,
            }
            for part in parts[step.name](step.data):
                self.console.print(Padding(Text(part) if isinstance(part, str) else part, (0, 2)))
            self.console.print()
        for claim in step.claims:
            self.console.print(Padding(_claim(claim), (0, 2)))

    def closing(self, transcript: TourTranscript) -> None:
        claims = [claim for step in transcript.steps for claim in step.claims]
        failed = [claim for claim in claims if not claim.held]
        self.console.print()
        if transcript.ok:
            text = f"All {len(claims)} claims held, in {transcript.seconds:.1f} s. Nothing was left behind."
        else:
            text = f"{len(failed)} of {len(claims)} claims did not hold:" if failed else "The tour was cut short."
        self.console.print(Text(text, style="bold green" if transcript.ok else "bold red"))
        for claim in failed:
            self.console.print(_claim(claim))
        if transcript.log:
            self.console.print(Text("\nThe server's log ended with:", style="dim"))
            self.console.print(Text(printable("\n".join(transcript.log)), style="dim"))
        where = data_home(load(self.folder, os.environ).settings.store.folder, make=False)
        paths = (str(step.data["path"]) for step in transcript.steps if "path" in step.data)
        self.console.print()
        self.console.print(
            _pairs(
                ("stored in", str(where)),
                ("remember", 'memory-sidecar record "Run the tests with -q" --type user'),
                ("find", "memory-sidecar search tests"),
                ("a file", f"memory-sidecar summary {fit_columns(next(paths, 'README.md'), 50)}"),
                ("for agents", "memory-sidecar serve   (stdio; LSP's frames, protocol/README.md)"),
                ("check", "memory-sidecar doctor"),
            )
        )

    def _start(self, data: Mapping[str, Any]) -> Iterator[RenderableType]:
        if data["sample"]:
            seen = "no source file, so the tour brings one of its own"
        elif data["complete"]:
            seen = f"{data['files']:,} files"
        else:
            seen = f"more than {data['files']:,} files; only these were examined"
        yield _pairs(
            ("server", "memory-sidecar serve --stdio"),
            ("folder", f"{data['folder']}: {seen}"),
            ("store", data["store"]),
            ("copy to edit", data["scratch"]),
        )

    def _summary(self, data: Mapping[str, Any]) -> Iterator[RenderableType]:
        yield Text.assemble("Instead of ", (printable_line(data["path"]), "bold"), " an agent reads:\n")
        yield self._quoted(data["summary"], _SUMMARY_LINES)
        yield _pairs(
            *((file["path"], f"{file['tokens']:,} instead of {file['fileTokens']:,} tokens") for file in data["files"])
        )

    def _edit(self, data: Mapping[str, Any]) -> Iterator[RenderableType]:
        yield f"The copy of {printable_line(data['path'])} was edited."
        if data["milliseconds"] is not None:
            yield f"file/didInvalidate came after {data['milliseconds']} ms, by {data['toldBy']}."
        changes = sorted(data["changes"], key=lambda line: SYMBOL not in line)  # what was added comes first
        for line in changes[:_CHANGE_LINES]:
            style = "green" if line.startswith("+") else "red"
            yield Text("  " + fit_columns(line, self.console.width - 10), style=style)
        if len(changes) > _CHANGE_LINES:
            yield f"  … {len(changes) - _CHANGE_LINES} more lines"

    def _record(self, data: Mapping[str, Any]) -> Iterator[RenderableType]:
        yield _pairs(*((f"{record['status']}; {record['type']}", record["stored"]) for record in data["records"]))

    def _inject(self, data: Mapping[str, Any]) -> Iterator[RenderableType]:
        yield Text.assemble("Task: ", (printable_line(data["prompt"]), "bold"))
        yield self._quoted(data["text"], _BLOCK_LINES)
        yield f"{data['tokens']} tokens."

    def _quoted(self, text: str, highest: int) -> Text:
        """Return text as the agent gets it, with a line at its left, cut if it is long."""
        lines = printable(text).expandtabs(4).splitlines()
        shown: list[str] = []
        for line in lines[:highest]:
            indent = " " * (len(line) - len(line.lstrip()) + 4)
            shown += textwrap.wrap(line, self.console.width - 8, subsequent_indent=indent) or [""]
        if len(lines) > highest:
            shown.append(f"… {len(lines) - highest} more lines")
        return Text("\n".join(f"│ {line}" for line in shown))


def _claim(claim: Claim) -> Text:
    mark = ("✓ ", "bold green") if claim.held else ("✗ ", "bold red")
    detail = [(f"  {printable_line(claim.detail)}", "dim")] if claim.detail else []
    return Text.assemble(mark, printable_line(claim.text), *detail)


def _pairs(*rows: tuple[str, str]) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for label, text in rows:
        grid.add_row(printable_line(label), Text(printable_line(text)))
    return grid

"""`web`: who is refused, that it ends with the command, and the page in a real browser."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.cli.conftest import Run
from tests.client.browser import Browser

SECONDS = 120


class Page:
    """A running `memory-sidecar web`."""

    def __init__(self, folder: Path, environ: dict[str, str]) -> None:
        command = [sys.executable, "-m", "sidecar", "web", "--json"]
        self.process = subprocess.Popen(command, cwd=folder, env=environ, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.url = json.loads(self.process.stdout.readline())["url"]
        parts = urlsplit(self.url)
        assert parts.hostname is not None
        assert parts.port is not None
        self.host, self.port, self.path = parts.hostname, parts.port, parts.path

    def send(self, method: str, path: str, body: object = None, **headers: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=SECONDS)
        data = None if body is None else json.dumps(body).encode()
        connection.request(method, path, data, {"Content-Type": "application/json", **headers})
        answer = connection.getresponse()
        found = answer.status, answer.read()
        connection.close()
        return found

    def ask(self, method: str, params: dict[str, Any], project: str | None = None) -> Any:
        status, body = self.send("POST", f"{self.path}ask", {"method": method, "params": params, "project": project})
        return {"status": status, "answer": json.loads(body)}

    def end(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(SECONDS)


@pytest.fixture
def page(run: Run, folder: Path, environ: dict[str, str]) -> Iterator[Page]:
    run("record", "Amounts are integers of cents <img src=x onerror=alert(1)>", "--category", "decision")
    run("record", "Stock is reserved before checkout", "--tag", "stock")
    opened = Page(folder, {**environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])})
    yield opened
    opened.process.kill()
    opened.process.wait()


def test_only_who_knows_the_address_is_answered(page: Page) -> None:
    assert page.send("GET", page.path)[0] == 200
    assert page.send("GET", "/")[0] == page.send("GET", f"/{'x' * 32}/")[0] == 404
    assert page.send("GET", page.path, Host=f"evil.example:{page.port}")[0] == 404
    assert page.send("GET", f"{page.path}../server.py")[0] == page.send("GET", f"{page.path}server.py")[0] == 404
    asked = {"method": "projects", "params": {}}
    assert page.send("POST", f"{page.path}ask", asked)[0] == 200
    assert page.send("POST", f"/{'x' * 32}/ask", asked)[0] == 404
    assert page.send("POST", f"{page.path}ask", asked, Origin="http://evil.example")[0] == 404
    assert page.send("POST", f"{page.path}ask", asked, **{"Content-Type": "text/plain"})[0] == 404
    assert page.send("POST", f"{page.path}ask", asked, **{"Content-Length": "2000000"})[0] == 404


def test_page_listens_on_loopback_alone_and_ends_with_the_command(page: Page) -> None:
    assert page.host == "127.0.0.1"
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.2", page.port), timeout=SECONDS)
    assert page.end() == 0
    with pytest.raises(OSError, match="refused"):
        socket.create_connection((page.host, page.port), timeout=SECONDS)


def test_wrong_requests_are_answered_and_nothing_else_is_served(page: Page) -> None:
    project = page.ask("projects", {})["answer"]["first"]
    assert page.ask("memory/list", {}, project)["status"] == 200
    for method, params, asked in (
        ("memory/list", {"limit": 0}, project),
        ("memory/list", {}, "no such project"),
        ("memory/export", {}, project),
        ("hooks/run", {}, project),
        ("memory/list", {}, None),
    ):
        assert page.ask(method, params, asked)["status"] == 400, method
    missing = page.ask("memory/get", {"id": "no such memory"}, project)
    assert missing["status"] == 409
    assert "No memory has the id" in missing["answer"]["message"]
    assert page.send("POST", f"{page.path}ask", [1, 2])[0] == 400


@pytest.mark.editor
def test_the_page_shows_and_changes_memories_in_a_browser(page: Page, run: Run, tmp_path: Path) -> None:
    cards = "document.querySelectorAll('#view .card').length"
    room = tmp_path / "browser"
    room.mkdir()
    with Browser(room) as browser:
        browser.open(page.url)
        browser.wait(f"{cards} === 2")
        assert browser.run("document.querySelectorAll('main img').length") == 0, "stored text became markup"
        browser.run("document.getElementById('query').value = 'how are amounts kept'")
        browser.run("document.getElementById('search').requestSubmit()")
        browser.wait("document.querySelector('#view .card').innerText.startsWith('Amounts are integers')")

        browser.run("document.querySelector('#view .card').click()")
        browser.wait("document.querySelector('#detail textarea')")
        browser.run("document.querySelector('#detail textarea').value = 'Amounts are integers of rappen'")
        _press(browser, "Save")
        browser.wait(
            "note.innerText == 'Done.' && document.querySelector('#detail .dim + label input').value.endsWith('rappen')"
        )
        _press(browser, "Useful")
        browser.wait("[...document.querySelectorAll('#detail button')].some((b) => b.innerText === 'Useful (1)')")
        for tab, shown in (
            ("graph", "linked memories"),
            ("time", "New memories by week"),
            ("review", "No candidates wait"),
        ):
            browser.run(f"document.getElementById('tab-{tab}').click()")
            browser.wait(f"note.innerText.includes('{shown}')")
        browser.run("document.getElementById('tab-memories').click()")
        browser.wait(f"{cards} >= 1")
        _press(browser, "Archive")
        browser.wait("[...document.querySelectorAll('#detail button')].some((b) => b.innerText === 'Restore')")
        assert not browser.errors
    (archived,) = json.loads(run("list", "--status", "archived", "--json").stdout)["items"]
    assert archived["content"] == "Amounts are integers of rappen"
    assert archived["useful"] == 1
    assert page.end() == 0


def _press(browser: Browser, label: str) -> None:
    found = f"[...document.querySelectorAll('#detail button')].find((b) => b.innerText.startsWith('{label}'))"
    browser.run(f"{found}.click()")

"""A real headless Chromium on its debugging pipe: frames are JSON with a zero byte behind, on two pipes."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import platform
import select
import shutil
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

import pytest

from tests.client.debian import unpacked
from tests.client.json_value import Json, document

SECONDS = 120.0


def chromium() -> tuple[str, dict[str, str]]:
    """The browser and the environment it needs: the machine's, or the one of its Debian release, unpacked. Skips."""
    if found := shutil.which("chromium"):
        return found, dict(os.environ)
    release = platform.freedesktop_os_release()
    if release.get("ID") != "debian":
        pytest.skip("this machine has no chromium and is no Debian")
    root = unpacked(release["VERSION_CODENAME"], "chromium", "fonts-dejavu-core")
    libraries = next(root.glob("usr/lib/*-linux-gnu"))
    fonts = root / "fonts.conf"
    fonts.write_text(f"<fontconfig><dir>{root}/usr/share/fonts</dir><cachedir>{root}/fonts</cachedir></fontconfig>")
    paths = {"LD_LIBRARY_PATH": f"{libraries}:{libraries}/pulseaudio", "FONTCONFIG_FILE": str(fonts)}
    return str(root / "usr/lib/chromium/chromium"), {**os.environ, **paths}


class Browser:
    """One page. `errors` holds what its scripts threw and what the console called an error."""

    def __init__(self, folder: Path) -> None:
        program, environment = chromium()
        to_browser, from_us = os.pipe()
        to_us, from_browser = os.pipe()
        self._write, self._read = from_us, to_us
        options = "--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --use-mock-keychain"
        quoted = " ".join((program, *options.split(), f"--user-data-dir={folder}/profile", "--remote-debugging-pipe"))
        # The pipe's ends are to be descriptors 3 and 4.
        command = ["bash", "-c", f"exec {quoted} about:blank 3<&{to_browser} 4>&{from_browser}"]
        self._process = subprocess.Popen(
            command,
            pass_fds=(to_browser, from_browser),
            env={**environment, "HOME": str(folder)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=(folder / "chromium.log").open("wb"),
        )
        os.close(to_browser)
        os.close(from_browser)
        self._numbers = itertools.count(1)
        self._rest = b""
        self.errors: list[str] = []
        self._session: str | None = None
        target = self._ask("Target.createTarget", {"url": "about:blank"})["targetId"]
        attached = self._ask("Target.attachToTarget", {"targetId": target, "flatten": True})
        self._session = str(attached["sessionId"])
        for domain in ("Page", "Runtime", "Log"):
            self._ask(f"{domain}.enable")

    def open(self, url: str, *, width: int = 1100, height: int = 800) -> None:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._ask("Emulation.setDeviceMetricsOverride", size)
        self._ask("Page.navigate", {"url": url})

    def run(self, script: str) -> Json:
        """The value of an expression; of a promise, what it comes to."""
        asked = {"expression": script, "returnByValue": True, "awaitPromise": True, "userGesture": True}
        found = self._ask("Runtime.evaluate", asked)
        if "exceptionDetails" in found:
            raise AssertionError(found["exceptionDetails"]["exception"].get("description", found))
        return found["result"].get("value")

    def wait(self, script: str, seconds: float = SECONDS) -> None:
        """Wait until an expression is true."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            with contextlib.suppress(AssertionError):  # the page is on its way
                if self.run(f"Boolean({script})"):
                    return
            time.sleep(0.05)
        text = self.run("document.body.innerText")
        raise AssertionError(f"{script} does not come true; the page says:\n{text}\n{self.errors}")

    def scheme(self, name: str) -> None:
        """Show the page in `light` or `dark`."""
        self._ask("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": name}]})

    def picture(self, path: Path) -> None:
        import base64

        path.write_bytes(base64.b64decode(str(self._ask("Page.captureScreenshot", {"format": "png"})["data"])))

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._write)
        os.close(self._read)

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _ask(self, method: str, params: Mapping[str, object] | None = None) -> Json:
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": params or {}}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            told = self._next(until)
            if told.get("method") == "Runtime.exceptionThrown":
                self.errors.append(str(told["params"]["exceptionDetails"]))
            elif told.get("method") == "Log.entryAdded" and told["params"]["entry"]["level"] == "error":
                self.errors.append(str(told["params"]["entry"]["text"]))
            elif told.get("id") == number:
                if "error" in told:
                    raise AssertionError(f"{method}: {told['error']}")
                return told["result"]
        raise AssertionError(f"{method} was not answered")

    def _next(self, until: float) -> Json:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._read], [], [], max(0.0, until - time.monotonic()))
            data = os.read(self._read, 1 << 20) if ready else b""
            if not data:
                raise AssertionError("the browser has ended or says nothing; see its chromium.log")
            self._rest += data
        frame, _, self._rest = self._rest.partition(b"\0")
        return document(frame)

"""The telling line of real tools' output, and texts that stay the same from run to run."""

from __future__ import annotations

import pytest

from sidecar.learning.error_text import MAX_ERROR_CHARS, main_error, stable

PYTEST = """============================= test session starts ==============================
platform linux -- Python 3.11.7, pytest-8.3.3
collected 3 items

tests/test_a.py .F.                                                      [100%]

=================================== FAILURES ===================================
_________________________________ test_total __________________________________

    def test_total():
>       assert total([1, 2]) == 4
E       assert 3 == 4
E        +  where 3 = total([1, 2])

tests/test_a.py:7: AssertionError
=========================== short test summary info ============================
FAILED tests/test_a.py::test_total - assert 3 == 4
========================= 1 failed, 2 passed in 0.04s ==========================
"""
TRACEBACK = """Traceback (most recent call last):
  File "/w/a.py", line 3, in <module>
    import yaml
ModuleNotFoundError: No module named 'yaml'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/w/b.py", line 9, in <module>
    raise ConfigError("no YAML reader")
app.errors.ConfigError: no YAML reader
"""
NPM = """npm ERR! code ERESOLVE
npm ERR! ERESOLVE could not resolve
npm ERR! A complete log of this run can be found in: /home/ada/.npm/_logs/x.log
"""
CARGO = """   Compiling app v0.1.0 (/w)
error[E0382]: borrow of moved value: `name`
 --> src/main.rs:5:20
  |
error: aborting due to previous error
error: could not compile `app` (bin "app") due to previous error
"""
GRADLE = """> Task :compileJava FAILED
/w/src/A.java:12: error: cannot find symbol
FAILURE: Build failed with an exception.
* Try:
Run with --stacktrace option to get the stack trace.
BUILD FAILED in 2s
"""


@pytest.mark.parametrize(
    ("output", "words", "lacks"),
    [
        (PYTEST, "assert 3 == 4", "test session starts"),
        (TRACEBACK, "app.errors.ConfigError: no YAML reader", "Traceback"),
        (NPM, "ERESOLVE could not resolve", "complete log"),
        (CARGO, "error[E0382]: borrow of moved value: `name`", "aborting"),
        (GRADLE, "error: cannot find symbol", "BUILD FAILED"),
        ("\x1b[31merror\x1b[0m: \x1b[1mbad thing\x1b[0m\n", "error: bad thing", "\x1b"),
        ("building 1%\rbuilding 99%\rerror: late thing\n", "error: late thing", "99%"),
        ("2026-01-02T03:04:05Z ERROR: disk is full\n", "ERROR: disk is full", "2026"),
        (
            "panic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 [running]:",
            "index out of range",
            "goroutine",
        ),
        ("thread 'main' panicked at src/main.rs:2:5:\nboom", "panicked at", "\n"),
        ("E501 Line too long (129 > 120)\n  --> a.py:50:121\n   |\nFound 1 error.", "E501 Line too long", "Found"),
        ("a.py:12: error: bad type  [misc]\nFound 1 error in 1 file", "error: bad type", "Found"),
        ("thread 'b' panicked at src/lib.rs:9:9:\nassertion failed: x\nnote: run with", "assertion failed: x", "\n"),
        ("zsh: command not found: pnpm", "command not found: pnpm", "\n"),
    ],
)
def test_the_telling_part(output: str, words: str, lacks: str) -> None:
    found = main_error(output)
    assert words in found
    assert lacks not in found
    assert len(found) <= MAX_ERROR_CHARS


@pytest.mark.parametrize("output", ["", "\n\n", "ok", "....", "===\n---\n", "line\n" * 50])
def test_an_output_that_says_nothing(output: str) -> None:
    assert main_error(output) in ("", "ok")


def test_megabytes_are_read_at_their_ends() -> None:
    assert main_error("x y z\n" * 200_000 + "TypeError: late\n") == "TypeError: late"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("src/a.ts:3:5: error: x", "src/a.ts:77:1: error: x"),
        ("src/a.ts(3,5): error TS1: x", "src/a.ts(9,1): error TS1: x"),
        ("Makefile:3: missing separator", "Makefile:12: missing separator"),
        ("at 0x7f3a2b1c failed", "at 0x99999999 failed"),
        ("timed out in 0.31s", "timed out in 12 seconds"),
        ("2026-01-02 03:04:05.123 bad", "2025-11-12T13:14:15Z bad"),
        ("cannot open /tmp/abc123/x", "cannot open /tmp/zzz/y"),
        ("job 123e4567-e89b-12d3-a456-426614174000 bad", "job 923e4567-e89b-12d3-a456-426614174fff bad"),
    ],
)
def test_varying_parts_of_an_error_are_left_out(one: str, other: str) -> None:
    assert stable(one) == stable(other)


def test_essential_parts_of_an_error_are_kept() -> None:
    for text in ("Expected: 3 / Received: 4", "port 3000 is in use", "foo==9.9", "E0308 at line", "10:30 meeting"):
        assert stable(text) == text

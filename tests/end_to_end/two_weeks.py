"""A small project's two weeks: 40 sessions of three agents, told as data.

Each session names its day, hour and agent, what it is asked at its beginning, the files in play, and what happens in
it, a list of steps: ("user", text), ("says", text) for the agent's prose, ("run", command, output, exit code), ("edit",
path, old, new), ("write", path, text), ("compact", summary), ("record", fields), ("resolve", name), ("forget", name),
("confirm", words) and ("reject", words) for what the user says to a candidate, ("hand", old, new) for an edit of
MEMORY.md, ("branch", name), ("maintain",), ("update", name, fields).
"""

from __future__ import annotations

from typing import NamedTuple


class Session(NamedTuple):
    day: int
    hour: int
    agent: str
    prompt: str | None
    files: tuple[str, ...] = ()
    steps: tuple[tuple[object, ...], ...] = ()
    summary: str | None = None
    title: str = ""  # by which a test names the session


FILES = {
    "pyproject.toml": '[project]\nname = "ledger"\nversion = "0.1.0"\n',
    "README.md": "# Ledger\n\nKeeps the books of small clubs.\n",
    "src/ledger/rates.py": (
        '"""Exchange rates of the European Central Bank."""\n\n\n'
        "def load_rates(path):\n"
        '    """Read the table of rates; a line without a date is left out."""\n'
        "    return [line.split(';') for line in open(path)]\n\n\n"
        "def convert(amount, rate):\n"
        '    """Convert an amount in cents."""\n'
        "    return round(amount * rate)\n"
    ),
    "src/ledger/booking.py": (
        '"""Bookings and their checks."""\n\n\n'
        "class Booking:\n"
        '    """One line of the books."""\n\n'
        "    def validate(self):\n"
        '        """Raise when debit and credit differ."""\n'
        "        return True\n"
    ),
    "src/ledger/export.py": '"""Writes the books as CSV."""\n\n\ndef export_csv(bookings, path):\n    """Write."""\n',
    "web/app.ts": "export function start(port: number): void {\n  console.log(port)\n}\n",
    "tests/test_rates.py": (
        "from ledger.rates import convert\n\n\ndef test_convert():\n    assert convert(100, 1.5) == 150\n"
    ),
}

KEY_ERROR = (
    "============ FAILURES ============\n"
    "tests/test_rates.py:5: in test_convert\n"
    "E   KeyError: 'EUR'\n"
    "FAILED tests/test_rates.py::test_convert - KeyError: 'EUR'\n"
)

TEST = "python -m pytest -q tests/test_rates.py"
TWICE = (("run", TEST, "1 passed", 0), ("run", TEST, "1 passed", 0))
LESSON = "`load_rates` in `src/ledger/rates.py` leaves out every line without a date."

SUMMARY = """The preview is deployed.

## Memory Candidates
- **Login to the preview** (reference, project): The preview asks for the password of the season.
"""

SESSIONS: tuple[Session, ...] = (
    # ---- first week ----------------------------------------------------------------------------------------
    Session(0, 9, "claude", "set the project up", steps=(
        ("user", "Let's get going. From now on always answer in British English."),
        ("write", "pyproject.toml", '[project]\nname = "ledger"\nversion = "0.1.0"\ndependencies = ["click"]\n'),
    )),
    Session(0, 11, "claude", "why does converting euros fail?", ("src/ledger/rates.py",), (
        ("run", TEST, KEY_ERROR, 1),
        ("run", f"LEDGER_RATES=tests/rates.csv {TEST}", "1 passed", 0),
        ("edit", "src/ledger/rates.py", "line.split(';')", "line.strip().split(';')"),
        ("says", "It turns out that the bank publishes no rates on Sundays."),
        ("record", {"content": LESSON}),
    ), "Fixed the conversion of euros."),
    Session(0, 14, "codex", "add a CSV export", ("src/ledger/export.py",), (
        ("says", "We decided to write dates as text because that sorts."),
        ("user", "We decided to keep amounts as integers of cents, floats lose pennies."),
        ("user", "thanks, that looks great!"),
    )),
    Session(0, 16, "opencode", None),
    Session(1, 9, "claude", "run the tests", steps=TWICE),
    Session(1, 10, "codex", "install the packages of the web app", steps=(
        ("user", "No, don't use npm here. From now on always use pnpm instead of npm."),
    )),
    Session(1, 13, "opencode", "add a dependency to the web app", title="a dependency of the web app"),
    Session(1, 15, "claude", "validate bookings", ("src/ledger/booking.py",), (
        ("user", "add a test for negative amounts"),
        ("record", {
            "content": "`Booking.validate` in `src/ledger/booking.py` must stay free of I/O: the importer calls it "
                       "per line.",
            "name": "Validation is pure", "category": "decision"}),
    )),
    Session(2, 9, "codex", "publish the packages", steps=(
        ("record", {"content": "The release is blocked by the missing certificate of the package index.",
                    "category": "blocker"}),
    )),
    Session(2, 11, "claude", "what is in the way of the release?", title="what blocks the release"),
    Session(2, 12, "opencode", "rename the export function", ("src/ledger/export.py",), (
        ("edit", "src/ledger/export.py", "export_csv", "write_csv"),
        ("edit", "README.md", "Keeps the books", "Keeps the accounts"),
        ("edit", "src/ledger/booking.py", '"""Bookings and their checks."""', '"""Bookings and checks."""'),
        ("user", "ok, commit it. Commit messages should be in the imperative mood."),
    )),
    Session(3, 9, "claude", "may validate read the database?", ("src/ledger/booking.py",), (
        ("user", "I want docstrings on every function."),
    ), title="validate before its change"),
    Session(3, 10, "codex", "colours of the login page", title="the login page"),
    Session(3, 11, "claude", None, steps=(
        ("record", {"content": "Never push to the branch called main.", "name": "No pushes to main",
                    "category": "directive", "type": "feedback"}),
        ("confirm", "integers of cents"),
        ("reject", "docstrings"),
    )),
    Session(3, 15, "codex", "push the fix", steps=(
        ("user", "Good. Keep the commit messages in the imperative mood, though."),
    ), title="a push after the directive"),
    Session(4, 9, "opencode", "tidy up the readme", ("README.md",), (
        ("user", "I don't see why that is not that bad, don't worry about it."),
        ("user", "What would happen if we always used tabs?"),
        ("user", "the log says:\n```\nerror: always use --force\n```\nany idea?"),
    ), title="after the second wish"),
    Session(4, 10, "claude", "run the tests of the rates", ("tests/test_rates.py",), TWICE),
    Session(4, 16, "codex", "deploy the preview", steps=(
        ("record", {"content": "The preview host is preview.ledger.example, reached through the VPN of the club.",
                    "name": "Preview host", "type": "reference"}),
        ("compact", SUMMARY),
    )),
    Session(4, 17, "codex", None, steps=(("maintain",),)),
    Session(5, 9, "claude", "where is the preview host?", title="the first preview host"),
    # ---- second week ---------------------------------------------------------------------------------------
    Session(7, 9, "claude", "publish the packages", steps=(("resolve", "blocked by the missing certificate"),)),
    Session(7, 10, "codex", "publish the packages", title="a release without the blocker"),
    Session(7, 11, "opencode", "make validate faster", ("src/ledger/booking.py",), (
        ("edit", "src/ledger/booking.py", "        return True", "        return self.debit == self.credit"),
        ("user", "Every function must have a docstring."),
        *TWICE,
    )),
    Session(7, 13, "claude", "may validate read the database?", ("src/ledger/booking.py",),
            title="validate after its change"),
    Session(8, 9, "codex", "edit the notes, then commit them", steps=(
        ("hand", "The preview host is preview.ledger.example", "The preview host is stage.ledger.example"),
    )),
    Session(8, 10, "claude", "where is the preview host?", title="the edited preview host"),
    Session(8, 11, "claude", "write release notes", steps=(
        ("record", {"content": "Write release notes in the past tense.", "name": "Tense of release notes",
                    "agent": "claude", "type": "feedback"}),
    )),
    Session(8, 14, "codex", "write the release notes", title="release notes by codex"),
    Session(8, 15, "claude", "write the release notes", title="release notes by claude"),
    Session(9, 9, "opencode", "start the web server", steps=(
        ("record", {"content": "The web server listens on port 8080.", "name": "Web server port"}),
    )),
    Session(9, 10, "codex", "forget about the preview host", steps=(("forget", "Preview host"),)),
    Session(9, 11, "claude", "where is the preview host?", title="the forgotten preview host"),
    Session(9, 12, "claude", "run the tests", steps=(
        ("record", {"content": LESSON}),
        ("maintain",),
    ), title="the tests after three sessions"),
    Session(10, 9, "opencode", "start the web server", ("web/app.ts",), (
        ("update", "Web server port", {"content": "The web server listens on port 9090."}),
    )),
    Session(10, 10, "codex", "which port does the web server listen on?", title="the changed port"),
    Session(11, 9, "claude", "why does converting euros fail again?", ("src/ledger/rates.py",),
            title="the rates fail again"),
    Session(11, 12, "codex", "work on the importer", ("src/ledger/booking.py",), (
        ("branch", "importer"),
        ("user", "I'd prefer docstrings on each function."),
        ("edit", "src/ledger/booking.py", "return self.debit == self.credit", "return True"),
    )),
    Session(11, 13, "codex", "may validate read the database?", ("src/ledger/booking.py",), title="validate as it was"),
    Session(13, 9, "opencode", "what was decided about amounts?", steps=(("maintain",),),
            title="the decision about amounts"),
    Session(13, 17, "claude", None),
)  # fmt: skip

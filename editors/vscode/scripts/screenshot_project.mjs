// A small project with a history of memories, as it would be after some weeks of work. Everything goes in by the ways
// that users have: the sidecar's requests, an export whose times are set back, an import.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const DAY = 86_400_000;

const POSTING = `"""Posting entries to the ledger: amounts, fees and refunds."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal

FEE_RATE = Decimal("0.029")
FEE_FIXED = 30


@dataclass(frozen=True)
class Entry:
    """One line of the ledger, in integer cents."""

    account: str
    cents: int
    memo: str = ""


class Ledger:
    """Keeps entries; never changes one that was posted."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []

    def post(self, entry: Entry) -> None:
        """Append an entry. Raises ValueError for an amount of zero."""
        if entry.cents == 0:
            raise ValueError("An entry has an amount.")
        self._entries.append(entry)

    def balance(self, account: str) -> int:
        """The sum of an account's entries."""
        return sum(entry.cents for entry in self._entries if entry.account == account)

    def refund(self, charge: Entry) -> Entry:
        """Post the reverse of a charge, its fee included."""
        back = Entry(charge.account, -charge.cents, f"refund: {charge.memo}")
        self.post(back)
        self.post(Entry("fees", fee(charge.cents), "fee given back"))
        return back


def fee(cents: int) -> int:
    """What a charge costs us, rounded half to even."""
    exact = Decimal(cents) * FEE_RATE + FEE_FIXED
    return int(exact.quantize(Decimal(1), rounding=ROUND_HALF_EVEN))


def split(cents: int, parts: int) -> list[int]:
    """An amount in parts that differ by one cent at most, larger ones first."""
    share, rest = divmod(cents, parts)
    return [share + 1] * rest + [share] * (parts - rest)


def statement(ledger: Ledger, accounts: list[str]) -> str:
    """A line for each account, right-aligned amounts."""
    return "\\n".join(f"{name:<20}{ledger.balance(name) / 100:>12.2f}" for name in accounts)
`;

const FILES = {
  "README.md": "# Ledger\n\nA double-entry ledger for a small shop.\n",
  "ledger/__init__.py": '"""A double-entry ledger."""\n',
  "ledger/posting.py": POSTING,
  "ledger/export.py":
    '"""Monthly exports for the accountant."""\n\nHEADER = "date;account;cents"\n\n\ndef rows(month: str) -> list[str]:\n    """The lines of a month."""\n    return [HEADER, month]\n',
  "tests/test_posting.py":
    "from ledger.posting import fee\n\n\ndef test_a_fee_is_rounded_half_to_even() -> None:\n    assert fee(1000) == 59\n",
};

// What was recorded, and how many days ago.
const MEMORIES = [
  [
    38,
    {
      name: "Money is kept in integer cents",
      content:
        "Money is kept in integer cents everywhere; `Decimal` only inside `ledger/posting.py::fee`. Floats lost a cent per thousand postings in the old system.",
      category: "decision",
      pinned: true,
    },
  ],
  [
    21,
    {
      name: "Fees round half to even",
      content:
        "Fees round half to even (`ROUND_HALF_EVEN` in `ledger/posting.py::fee`), as the payment provider does; a refund gives back exactly the fee that was taken.",
      category: "fact",
    },
  ],
  [
    12,
    {
      name: "A posted entry is never changed",
      content:
        "A posted entry is never changed or deleted: corrections are new entries, because the auditor compares exports.",
      category: "directive",
    },
  ],
  [
    9,
    {
      name: "Exports use semicolons",
      content:
        "Exports use semicolons and cents: see `HEADER` in `ledger/export.py`. The accountant's tool cannot read commas.",
      category: "fact",
    },
  ],
  [
    6,
    {
      name: "Run the tests",
      content: "Run the tests with `python -m pytest -q tests`; they need no database.",
      category: "procedure",
    },
  ],
  [
    3,
    {
      name: "The audit blocks the release of refunds",
      content: "Refunds cannot be released before the audit of March is signed; blocked by #41.",
      category: "blocker",
    },
  ],
  [
    2,
    {
      name: "Statements are sent on the 1st",
      content: "Statements are sent on the 1st of the month at 06:00.",
      category: "procedure",
    },
  ],
  [
    1,
    {
      name: "Statements are sent on the 3rd",
      content: "Statements are sent on the 3rd of the month, since the bank books two days late.",
      category: "procedure",
    },
  ],
  [
    16,
    {
      name: "Small commits",
      type: "feedback",
      content: "Keep commits small, one reason each, and say why in the message.",
      category: "directive",
    },
  ],
  [
    5,
    {
      name: "ImportError after a rename",
      type: "feedback",
      content:
        "`ModuleNotFoundError: ledger.post` after the rename to `ledger/posting.py`: delete stale `__pycache__` folders.",
      category: "procedure",
    },
  ],
  [
    30,
    {
      name: "Prefers short answers",
      type: "user",
      content: "Prefers short answers with the command to run first.",
    },
  ],
  [
    19,
    {
      name: "Works in Europe/Berlin",
      type: "user",
      content: "Works from Berlin; dates are written 2026-03-31.",
    },
  ],
  [
    26,
    {
      name: "Fee schedule of the provider",
      type: "reference",
      content: "The fee schedule is at https://payments.example/fees; it changes each January.",
    },
  ],
];

const THOUGHTS = [
  "The function `fee` uses ROUND_HALF_EVEN because the payment provider's statements round half to even, and a difference of one cent fails their reconciliation.",
  "`Ledger.refund` always posts the fee back to the fees account, because the provider returns the fee of a refunded charge.",
  "`split` puts the larger parts first since invoices show the rounding difference on the first instalment.",
];

const COMPACTION = `## Memory Candidates
- **Refunds are posted on the same day** (feedback, project): Post a refund on the day of its charge's entry, never later.
- **Ask before a migration** (feedback, project): Show the plan of a migration and wait for a yes.
`;

/** Write the project and give it its memories, in the store that `env` names. */
export async function prepare(project, place, program, env) {
  for (const [path, text] of Object.entries(FILES)) write(join(project, path), text);
  const git = (...args) => execFileSync("git", ["-C", project, ...args], { env, stdio: "ignore" });
  git("init", "-q", "-b", "main");
  git("config", "user.name", "Kim");
  git("config", "user.email", "kim@ledger.example");
  git("add", ".");
  git("commit", "-q", "-m", "Keep a ledger");

  const first = { ...env, XDG_DATA_HOME: join(place, "first") };
  const cli = (of, ...args) =>
    execFileSync(program[0], [...program.slice(1), ...args, "--workspace", project], {
      env: of,
      encoding: "utf8",
    });
  await talk(program, project, first, async (ask) => {
    for (const [, memory] of MEMORIES) await ask("memory/record", memory);
  });
  const exported = join(place, "export.jsonl");
  cli(first, "export", "--output", exported);
  writeFileSync(exported, readFileSync(exported, "utf8").split("\n").map(aged).join("\n"));
  cli(env, "import", exported);

  await talk(program, project, env, async (ask, tell) => {
    const { items } = await ask("memory/list", { limit: 100 });
    const id = (name) => items.find((one) => one.name === name).id;
    await ask("memory/link", {
      from: id("Statements are sent on the 3rd"),
      to: id("Statements are sent on the 1st"),
      kind: "contradicts",
    });
    await ask("session/start", { sessionId: "agent", agent: "claude", workingOn: "refunds" });
    for (const text of THOUGHTS) {
      await ask("file/observe", { sessionId: "agent", text, paths: ["ledger/posting.py"] });
    }
    tell("event/compaction", { sessionId: "agent", summary: COMPACTION });
    await ask("session/end", { sessionId: "agent" });
  });
  // Somebody changed the export since: what was recorded about it is in doubt.
  write(
    join(project, "ledger/export.py"),
    FILES["ledger/export.py"].replace("date;account;cents", "day;account;cents;memo"),
  );
}

/** A line of the export with its times set back to when it would have been recorded. */
function aged(line) {
  if (line === "") return line;
  const entry = JSON.parse(line);
  const found = MEMORIES.find(([, memory]) => memory.name === entry.memory?.name);
  if (found) {
    const at = Date.now() - found[0] * DAY;
    for (const key of ["createdAt", "updatedAt"]) if (key in entry.memory) entry.memory[key] = at;
    if ("at" in entry) entry.at = at;
  }
  return JSON.stringify(entry);
}

/** A connection to the sidecar for as long as `job` runs. */
async function talk(program, project, env, job) {
  const child = spawn(program[0], [...program.slice(1), "serve", "--stdio"], {
    env,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const waiting = new Map();
  let held = Buffer.alloc(0);
  child.stdout.on("data", (data) => {
    held = Buffer.concat([held, data]);
    for (let end = held.indexOf("\r\n\r\n"); end >= 0; end = held.indexOf("\r\n\r\n")) {
      const length = Number(/content-length: *(\d+)/i.exec(held.subarray(0, end).toString())[1]);
      if (held.length < end + 4 + length) return;
      const message = JSON.parse(held.subarray(end + 4, end + 4 + length).toString());
      held = held.subarray(end + 4 + length);
      waiting.get(message.id)?.(message);
    }
  });
  let count = 0;
  const send = (message) => {
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
    child.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    child.stdin.write(body);
  };
  const ask = (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++count;
      waiting.set(id, ({ result, error }) =>
        error ? reject(new Error(`${method}: ${error.message}`)) : resolve(result),
      );
      send({ id, method, params });
    });
  const uri = pathToFileURL(project).href;
  await ask("initialize", {
    processId: process.pid,
    capabilities: {},
    workspaceFolders: [{ uri, name: "ledger" }],
    rootUri: uri,
  });
  send({ method: "initialized", params: {} });
  await job(ask, (method, params) => send({ method, params }));
  await ask("shutdown", null);
  send({ method: "exit", params: null });
  await new Promise((resolve) => child.on("exit", resolve));
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

"""Memories shared through PostgreSQL: `python -P tests/bench/team.py [faults seen paired first clients million]`.

Starts a PostgreSQL server of its own (fsync off: it is killed, the machine is not). `faults`: 20,000 writes on four
machines while the server is killed and connections are cut, stalled and half-closed; counts what is lost and what is
there twice. `seen`: milliseconds from a memory's acknowledgement to another machine's `memory/didChange`. `paired`:
search and inject with and without sharing, in turns. `first`: the first synchronisation of 10,000 memories, and a fresh
machine (an empty HOME and the URL in its environment) from spawn to having them. `clients`: 100 machines at once.
`million`: a million memories in 10,000 workspaces, plans with EXPLAIN, bytes a row and an index entry, and what follows
from them for more.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from sidecar.runtime.errors import StoreUnavailable
from sidecar.team import postgresql, schema
from sidecar.team.scope_sync import _SELECT_ROWS, ROWS_AT_ONCE
from sidecar.team.shared_database import find_workspace
from sidecar.team.shared_scopes import key_of_name
from tests.bench.methods import ROOT, Peer
from tests.bench.team_on_paper import on_paper
from tests.client.postgresql import LocalServer
from tests.team.conftest import KEY, Database, Machine, Proxy, free_port

WRITES, MACHINES = 20_000, 4
NAME = "bench"


def quantiles(name: str, times: list[float], unit: str = "ms") -> None:
    times.sort()
    middle, last = times[len(times) // 2], times[len(times) * 99 // 100]
    print(f"{name:44} p50 {middle:8.2f} {unit}   p99 {last:8.2f} {unit}   ({len(times)})", flush=True)


def ready(database_server: LocalServer, name: str) -> Database:
    postgres = Database(database_server, "postgres", database_server.port or 0)
    postgres.sql(f"CREATE DATABASE {name}")
    made = Database(database_server, name, database_server.port or 0)
    with postgresql.connect(made.url()) as opened:
        schema.set_up(opened)
        opened.query("SELECT memory_sidecar.join_workspace(%s, '', '')", KEY)
        opened.query("SELECT memory_sidecar.join_workspace(%s, '', '')", key_of_name(NAME))
    return made


def insist(work: Callable[[], object]) -> int:
    failures = 0
    while True:
        try:
            work()
        except StoreUnavailable:
            failures += 1
            time.sleep(0.1)
        else:
            return failures


def faults(database_server: LocalServer, room: Path, writes: int) -> None:
    database = ready(database_server, "faults")
    proxies = [Proxy(database.port) for _ in range(MACHINES)]
    machines = [Machine(room / f"m{n}", database.url(port=proxies[n].port)) for n in range(MACHINES)]
    acknowledged: list[dict[str, str]] = [{} for _ in machines]
    failures = [0] * MACHINES
    stop = threading.Event()

    def write(number: int) -> None:
        chance, machine = random.Random(number), machines[number]
        for turn in range(writes // MACHINES):
            mine = acknowledged[number]
            if mine and chance.random() < 0.15:
                id = chance.choice(list(mine)[-200:])
                text = f"{machine.get(id).content}\nEdit {turn} of {number}."
                machine.edit(id, content=text)
                mine[id] = f"Edit {turn} of {number}."
            else:
                text = f"Fact {turn} of machine {number}."
                mine[machine.record(text)] = text
            if turn % 100 == 99:
                try:
                    machine.sync()
                except StoreUnavailable:
                    failures[number] += 1

    def harm() -> None:
        chance, kills = random.Random(0), 0
        while not stop.wait(chance.uniform(0.1, 0.6)):
            proxy = chance.choice(proxies)
            what = chance.randrange(6)
            if what == 0:
                proxy.cut()
            elif what == 1:
                proxy.half_close()
            elif what == 2:
                proxy.cut_after = chance.randrange(1, 200_000)
            elif what == 3:
                proxy.stalled = True
                time.sleep(0.3)
            elif what == 4:
                proxy.drop()
            elif kills < 25:
                kills += 1
                database_server.kill()
                database_server.start()
            time.sleep(0.1)
            for each in proxies:
                each.heal()
        print(f"the server was killed {kills} times", flush=True)

    began = time.monotonic()
    threads = [threading.Thread(target=write, args=(number,)) for number in range(MACHINES)]
    harmer = threading.Thread(target=harm)
    for thread in (*threads, harmer):
        thread.start()
    for thread in threads:
        thread.join()
    stop.set()
    harmer.join()
    for each in proxies:
        each.heal()
    for machine in (*machines, *machines):
        insist(machine.sync)
    expected = {id: text for each in acknowledged for id, text in each.items()}
    there = database.memories()
    lost = [id for id, text in expected.items() if text not in there.get(id, "")]
    more = there.keys() - expected.keys()
    twice = database.sql(
        "SELECT count(*) FROM (SELECT 1 FROM memory_sidecar.memory_versions GROUP BY memory_id, digest"
        " HAVING count(*) > 1) AS again"
    )[0][0]
    lines = [line for text in there.values() for line in text.split("\n")]
    apart = sum(machine.says() != machines[0].says() for machine in machines)
    took = time.monotonic() - began
    print(
        f"{writes:,} writes on {MACHINES} machines in {took:.0f} s, {sum(failures)} syncs failed"
        f": {len(lost)} lost, {len(more)} written by nobody, {twice} versions twice, {len(lines) - len(set(lines))} "
        f"lines twice, {apart} machines that differ; {len(there):,} memories",
        flush=True,
    )
    for machine in machines:
        machine.store.close()


def desk(room: Path, name: str, url: str | None, *, home: bool = False) -> Peer:
    """A server with a store of its own, or a `home` of its own as in a container, of a workspace known by a name."""
    work = room / name / "shop"
    work.mkdir(parents=True, exist_ok=True)
    env = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        **({"HOME": str(room / name)} if home else {"MEMORY_SIDECAR_STORE_FOLDER": str(room / name / "store")}),
        "MEMORY_SIDECAR_WORKSPACE_ID": NAME,
        "MEMORY_SIDECAR_FILES_WARM_UP": "false",
        **({"MEMORY_SIDECAR_STORE_URL": url} if url else {}),
    }
    peer = Peer([sys.executable, "-P", "-m", "sidecar", "serve", "--stdio"], env, work)
    params = {
        "processId": os.getpid(),
        "rootUri": None,
        "capabilities": {"experimental": {"memorySidecar": {"didChange": True}}},
        "workspaceFolders": [{"uri": work.as_uri(), "name": "shop"}],
    }
    peer.call("initialize", params)
    peer.send({"method": "initialized", "params": {}})
    return peer


def shared(peer: Peer) -> None:
    while peer.call("sidecar/status", {})["workspaces"][0].get("team", {}).get("state") != "shared":
        time.sleep(0.05)


def seen(database_server: LocalServer, room: Path, rounds: int) -> None:
    database = ready(database_server, "seen")
    writer, reader = desk(room, "seen-a", database.url()), desk(room, "seen-b", database.url())
    shared(writer)
    shared(reader)
    heard: dict[str, float] = {}
    arrived = threading.Condition()

    def listen() -> None:
        while True:
            message: dict[str, Any] = reader.receive()
            if message.get("method") == "memory/didChange":
                with arrived:
                    for each in message["params"]["changes"]:
                        heard.setdefault(each["id"], time.perf_counter())
                    arrived.notify_all()

    threading.Thread(target=listen, daemon=True).start()
    chance, times = random.Random(1), []
    for number in range(rounds):
        time.sleep(chance.uniform(0.05, 0.4))
        id = writer.call("memory/record", {"content": f"Seen elsewhere {number}: {chance.random()}."})["memory"]["id"]
        began = time.perf_counter()
        with arrived:
            arrived.wait_for(lambda id=id: id in heard, timeout=30)  # type: ignore[misc]
        times.append((heard[id] - began) * 1e3)
    quantiles("seen by another machine's client after", times)
    writer.stop()
    reader.stop()


def paired(database_server: LocalServer, room: Path, rounds: int) -> None:
    database = ready(database_server, "paired")
    filled = desk(room, "with", database.url())
    shared(filled)
    chance = random.Random(1)
    words = [f"word{number}" for number in range(400)]
    for number in range(2_000):
        filled.call("memory/record", {"content": f"Fact {number}: {' '.join(chance.choices(words, k=12))}."})
    while filled.call("sidecar/status", {})["workspaces"][0]["team"].get("waiting"):
        time.sleep(0.1)
    filled.call("shutdown", None)
    filled.send({"method": "exit"})
    filled.process.wait()
    shutil.copytree(room / "with", room / "without")
    peers = {"with": desk(room, "with", database.url()), "without": desk(room, "without", None)}
    shared(peers["with"])
    time.sleep(5)
    times: dict[tuple[str, str], list[float]] = {}
    for turn in range(rounds):
        text = " ".join(chance.choices(words, k=6))
        for name in sorted(peers, reverse=bool(turn % 2)):
            for method, params in (("memory/search", {"query": text}), ("memory/inject", {"prompt": text})):
                began = time.perf_counter()
                peers[name].call(method, params)
                times.setdefault((method, name), []).append((time.perf_counter() - began) * 1e3)
    for (method, name), taken in sorted(times.items()):
        quantiles(f"{method} {name} sharing", taken)
    for peer in peers.values():
        peer.stop()


def first(database_server: LocalServer, room: Path) -> None:
    database = ready(database_server, "first")
    key = key_of_name(NAME)
    laptop, desktop = (Machine(room / f"first-{name}", database.url(), key=key) for name in "ab")
    for number in range(10_000):
        laptop.record(f"Fact {number} of a store that was local until now: `app/module_{number}.py` holds it.")
    for name, machine in (("sent", laptop), ("received", desktop)):
        began, busy = time.perf_counter(), time.process_time()
        with postgresql.connect(machine.url) as opened:
            backend = psutil.Process(opened.connection.info.backend_pid)
            there = sum(backend.cpu_times()[:2])
            machine.scope_sync.run(opened)
            there = sum(backend.cpu_times()[:2]) - there
        took, busy = time.perf_counter() - began, time.process_time() - busy
        print(
            f"10,000 memories {name}: {took:.1f} s; processor time {busy:.1f} s here, {there:.1f} s there", flush=True
        )
    began = time.perf_counter()
    fresh = desk(room, "fresh", database.url(), home=True)
    answered = time.perf_counter() - began
    while fresh.call("sidecar/status", {})["workspaces"][0]["memories"].get("project", 0) < 10_000:
        time.sleep(0.5)
    has = time.perf_counter() - began
    found = fresh.call("memory/search", {"query": "module_9999"})["items"]
    busy = sum(psutil.Process(fresh.process.pid).cpu_times()[:2])
    print(
        f"fresh machine: initialize after {answered:.2f} s, 10,000 memories after {has:.1f} s, {busy:.1f} s of "
        f"processor time until the first search, which finds {len(found)}",
        flush=True,
    )
    fresh.stop()


def clients(database_server: LocalServer, room: Path, number: int) -> None:
    database = ready(database_server, "clients")
    machines = [Machine(room / f"c{each}", database.url()) for each in range(number)]
    times: list[float] = []

    def work(machine: Machine, which: int) -> None:
        for turn in range(5):
            machine.record(f"Turn {turn} of client {which}.")
            began = time.perf_counter()
            insist(machine.sync)
            times.append((time.perf_counter() - began) * 1e3)

    began = time.perf_counter()
    threads = [threading.Thread(target=work, args=(machine, which)) for which, machine in enumerate(machines)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.perf_counter() - began
    for machine in machines:
        insist(machine.sync)
    same = all(machine.says().keys() == machines[0].says().keys() for machine in machines)
    count = len(database.memories())
    print(f"{number} machines at once: {count} memories of {number * 5}, all have the same: {same}, {took:.0f} s")
    quantiles("a sync among them", times)


FILL = """
INSERT INTO memory_sidecar.workspaces (key, seq) SELECT 'fill:' || n, 100 FROM generate_series(1, 10000) n;
INSERT INTO memory_sidecar.members (workspace_id, role, may)
    SELECT id, 'role' || (id %% 500), 'write' FROM memory_sidecar.workspaces WHERE key LIKE 'fill:%%';
INSERT INTO memory_sidecar.memories (workspace_id, id, version, seq, digest, author, claimed_by, type, status, name,
    content, created_at, updated_at, details)
    SELECT w.id, gen_random_uuid()::text, 1, n, md5(n::text), 'role1', 'role1', 'project', 'active', 'Fact ' || n,
        'Fact ' || n || ': ' || repeat(md5(random()::text) || ' ', 7), now(), now(),
        '{"source": "user", "files": ["app/main.py"], "tags": ["made"]}'
    FROM memory_sidecar.workspaces w, generate_series(1, 100) n WHERE w.key LIKE 'fill:%%';
INSERT INTO memory_sidecar.memory_versions (workspace_id, memory_id, version, change, author, digest, memory)
    SELECT workspace_id, id, 1, 'created', author, digest,
        details || jsonb_build_object('content', content, 'name', name)
    FROM memory_sidecar.memories;
INSERT INTO memory_sidecar.audit (workspace_id, role, action, subject, version)
    SELECT workspace_id, author, 'created', id, 1 FROM memory_sidecar.memories;
"""


def million(database_server: LocalServer) -> None:
    database = ready(database_server, "million")
    with postgresql.connect(database.url()).connection as connection:
        connection.execute("SET statement_timeout = 0; SET session_replication_role = replica")
        for statement in (*FILL.replace("%%", "%").strip().split(";\n"), "VACUUM ANALYZE"):
            connection.execute(statement.encode())
    url = database.role("role7", schema.MEMBER_ROLE)
    with postgresql.connect(url) as opened:
        key = opened.connection.execute("SELECT key FROM memory_sidecar.workspaces ORDER BY id LIMIT 1").fetchone()
        visible = opened.connection.execute("SELECT count(*) FROM memory_sidecar.memories").fetchone()
        place = find_workspace(opened, key[0]) if key else None
        assert place is not None
        times = []
        for _ in range(200):
            began = time.perf_counter()
            opened.connection.execute(_SELECT_ROWS, (place.id, 90, ROWS_AT_ONCE)).fetchall()
            times.append((time.perf_counter() - began) * 1e3)
        plan = opened.connection.execute(
            f"EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) {_SELECT_ROWS}".encode(), (place.id, 90, ROWS_AT_ONCE)
        )
        print(f"a role of 20 workspaces sees {visible} of 1,000,000 memories")
        quantiles("a pull of 10 new memories", times)
        print("\n".join(row[0] for row in plan.fetchall()))
    on_paper(database)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", default="first seen paired clients faults million".split())
    parser.add_argument("--writes", type=int, default=WRITES)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--clients", type=int, default=100)
    given = parser.parse_args()
    room = Path(tempfile.mkdtemp(prefix="ms-bench-"))
    room.chmod(0o755)
    running = LocalServer(room / "server", free_port(), settings=("max_connections=300", "max_wal_size=2GB"))
    running.make()
    running.start()
    try:
        print(subprocess.run(["uptime"], capture_output=True, text=True, check=False).stdout.strip())
        for what in given.what:
            match what:
                case "faults":
                    faults(running, room, given.writes)
                case "seen":
                    seen(running, room, given.rounds)
                case "paired":
                    paired(running, room, given.rounds)
                case "first":
                    first(running, room)
                case "clients":
                    clients(running, room, given.clients)
                case "million":
                    million(running)
                case _:
                    parser.error(f"unknown: {what}")
    finally:
        running.kill()
        shutil.rmtree(room, ignore_errors=True)


if __name__ == "__main__":
    main()

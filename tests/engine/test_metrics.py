"""`sidecar/metrics`: what is counted, that the text is well-formed, and that it contains no memory."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from protocol.methods import METHODS
from sidecar.engine.requests import DURATION_BOUNDS, ActiveRequests
from sidecar.runtime.errors import MemoryNotFound
from sidecar.runtime.priority import Priority
from tests.client.calling import MethodCaller
from tests.engine.conftest import MakeEngine


@pytest.fixture
def call(make_engine: MakeEngine, repository: Path) -> MethodCaller:
    engine = make_engine(repository)
    return MethodCaller(engine)


def samples(text: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_requests_by_method_and_outcome_with_durations(call: MethodCaller) -> None:
    for _ in range(3):
        call("memory/search", query="parser")
    with pytest.raises(MemoryNotFound):
        call("memory/get", id="none")
    found = samples(call("sidecar/metrics").text)
    name = "memory_sidecar_requests_total"
    assert found[name, (("method", "memory/search"), ("outcome", "ok"))] == 3
    assert found[name, (("method", "memory/get"), ("outcome", "MemoryNotFound"))] == 1
    took = "memory_sidecar_request_duration_seconds"
    assert found[f"{took}_count", (("method", "memory/search"),)] == 3
    assert found[f"{took}_bucket", (("le", "+Inf"), ("method", "memory/search"))] == 3
    assert found[f"{took}_sum", (("method", "memory/search"),)] > 0
    steps = [found[f"{took}_bucket", (("le", str(bound)), ("method", "memory/search"))] for bound in DURATION_BOUNDS]
    assert steps == sorted(steps)
    again = samples(call("sidecar/metrics").text)
    assert again[name, (("method", "sidecar/metrics"), ("outcome", "ok"))] == 1  # the previous one


def test_sizes_rules_and_queues_and_no_content(call: MethodCaller) -> None:
    call("memory/record", content="Zanzibar is the name of the parser.", name="Zanzibar", tags=["zanzibar"])
    call("session/start", sessionId="zanzibar-session", workingOn="zanzibar")
    call("session/claim", sessionId="zanzibar-session", item="zanzibar")
    call("reminder/set", text="zanzibar", at="+1h")
    call("event/userMessage", sessionId="zanzibar-session", text="Never rename the zanzibar please.")
    call("session/end", sessionId="zanzibar-session", summary="zanzibar done")
    call("file/summary", path="app/client.py")
    call("file/summary", path="app/client.py")
    answer = call("sidecar/metrics")
    assert "zanzibar" not in answer.text.lower()
    assert answer.content_type.startswith("text/plain")
    found = samples(answer.text)
    by_name: dict[str, list[float]] = {}
    for (name, _), value in found.items():
        by_name.setdefault(name, []).append(value)
    assert sum(by_name["memory_sidecar_memories"]) >= 2
    assert sum(by_name["memory_sidecar_memories_learned"]) >= 1
    assert all(size > 0 for size in by_name["memory_sidecar_store_bytes"])
    assert by_name["memory_sidecar_queue_length"] == [0]
    assert by_name["memory_sidecar_workspaces"] == [1]
    assert by_name["memory_sidecar_workspaces_failed"] == [0]
    assert by_name["memory_sidecar_model_tokens_today"] == [0]
    assert sum(by_name["memory_sidecar_file_lookups_total"]) >= 2
    assert by_name["memory_sidecar_info"] == [1]


def test_a_defect_is_counted_and_many_threads_lose_nothing() -> None:
    requests, name = ActiveRequests(lambda: 0, Priority()), "sidecar/status"

    def work() -> None:
        for number in range(200):
            try:
                with requests.answering(METHODS[name]):
                    if number % 2:
                        raise ZeroDivisionError
            except ZeroDivisionError:
                pass

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert requests.outcomes() == {(name, "defect"): 800, (name, "ok"): 800}
    assert sum(requests.durations()[name].counts) == 1_600

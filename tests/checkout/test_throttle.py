"""A file that changes all the time is reported now and then, and always once more when it is at rest."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from sidecar.checkout.watch import MAX_BURST, MAX_COUNTED_FILES, REFILL_SECONDS, Throttle


@dataclass
class SecondsClock:
    now: float = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_file_that_changes_all_the_time_is_told_of_now_and_then() -> None:
    clock = SecondsClock()
    restless = Throttle(clock)
    told = 0
    for _ in range(6_000):  # a minute
        clock.now += 0.01
        told += "log" in restless.admit({"log"})
    assert MAX_BURST + 60 / REFILL_SECONDS - 2 <= told <= MAX_BURST + 60 / REFILL_SECONDS
    assert 0 < restless.seconds(60.0) <= REFILL_SECONDS
    assert restless.admit({"other"}) == {"other"}
    clock.now += REFILL_SECONDS
    assert restless.seconds(60.0) == 0.0
    assert restless.admit(()) == {"log"}
    assert restless.admit(()) == set()
    assert restless.seconds(60.0) == 60.0
    clock.now += MAX_BURST * REFILL_SECONDS
    assert all(restless.admit({"log"}) for _ in range(MAX_BURST))


@given(st.lists(st.tuples(st.floats(0, 20), st.frozensets(st.sampled_from("abc"))), max_size=60))
def test_every_change_is_told_of_in_time(steps: list[tuple[float, frozenset[str]]]) -> None:
    clock = SecondsClock()
    restless = Throttle(clock)
    waiting: dict[str, float] = {}
    for seconds, paths in steps:
        clock.now += seconds
        for path in paths:
            waiting.setdefault(path, clock.now)
        told = restless.admit(paths)
        assert told <= waiting.keys()
        for path in told:
            del waiting[path]
        assert all(clock.now - since < REFILL_SECONDS + 1e-6 for since in waiting.values())
    clock.now += REFILL_SECONDS
    assert restless.admit(()) == waiting.keys()


def test_many_files_are_not_remembered_for_ever() -> None:
    clock = SecondsClock()
    restless = Throttle(clock)
    for number in range(20 * MAX_COUNTED_FILES):
        clock.now += REFILL_SECONDS / 100
        assert restless.admit({f"{number}.py"})
    assert len(restless._full_at) < 3 * MAX_COUNTED_FILES

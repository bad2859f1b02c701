"""A queue of jobs with retries."""

import heapq
import itertools
import logging
import random

log = logging.getLogger("shop.jobs")
MAX_ATTEMPTS = 5


class Retry(Exception):
    def __init__(self, after=None):
        self.after = after


class JobQueue:
    def __init__(self, clock):
        self._clock = clock
        self._heap = []
        self._order = itertools.count()
        self.handlers = {}

    def register(self, kind):
        def decorate(function):
            if kind in self.handlers:
                raise KeyError(kind)
            self.handlers[kind] = function
            return function

        return decorate

    def push(self, kind, payload, delay=0, attempt=1):
        due = self._clock() + delay
        heapq.heappush(self._heap, (due, next(self._order), kind, payload, attempt))

    def run_due(self):
        done = 0
        while self._heap and self._heap[0][0] <= self._clock():
            _, _, kind, payload, attempt = heapq.heappop(self._heap)
            try:
                self.handlers[kind](payload)
            except Retry as retry:
                self._again(kind, payload, attempt, retry.after)
            except Exception:
                log.exception("job %s failed", kind)
                self._again(kind, payload, attempt, None)
            else:
                done += 1
        return done

    def _again(self, kind, payload, attempt, after):
        if attempt >= MAX_ATTEMPTS:
            log.error("giving up on %s after %d attempts", kind, attempt)
            return
        delay = after if after is not None else backoff(attempt)
        self.push(kind, payload, delay, attempt + 1)


def backoff(attempt, base=2.0, cap=300.0):
    return random.uniform(0, min(cap, base**attempt))

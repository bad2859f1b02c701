"""Preferences: how a user wants work to be done from now on.

A score over phrase patterns. What makes a habit of an instruction (always, never, from now on, whenever) or says a
taste (I prefer, we don't use) counts 1; an instruction that names no particular thing counts less and needs a
generic scope; what ties it to this moment or this place takes 1 away. At 1 it is a preference.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from sidecar.learning.language import guards
from sidecar.learning.language import preference_phrases as say
from sidecar.learning.language.mark import Mark
from sidecar.learning.language.verbs import CLAUSE, begins_with_directive, is_base_form, is_directive

THRESHOLD = 1.0
_MOMENT_COST = 1.0
_PLACE_COST = 0.6
_STANDING_WORTH = 0.5


Found = Iterator[tuple[str, float, int]]


def find(reading: str) -> Mark | None:
    """The preference that a sentence states, with the score of its strongest pattern; None below the threshold."""
    if (guards.asks(reading) and not _asks_for_good(reading)) or len(reading.split()) < 3:
        return None
    best: tuple[float, int, str] | None = None
    for pattern in _PATTERNS:
        for rule, worth, at in pattern(reading):
            if guards.hearsay(reading, at) or (rule != "conditional" and _doubtful(reading, at)):
                continue
            score = worth - _cost(reading, rule)
            if best is None or score > best[0]:
                best = (score, at, rule)
    if best is None or best[0] < THRESHOLD:
        return None
    return Mark(
        "preference",
        f"preference.{best[2]}",
        round(best[0], 2),
        best[1],
        guards.content_start(reading),
        len(reading),
    )


def _asks_for_good(reading: str) -> bool:
    """Whether a polite question asks for something from now on: "can you write shorter replies in the future?"."""
    return bool(
        re.match(r"(?:can|could|would|will) you\b", reading[guards.content_start(reading) :])
        and say.STANDING.search(reading)
    )


def _doubtful(reading: str, at: int) -> bool:
    head = reading[:at]
    if re.search(r"\bif (?:you|a|an|there)\b[^,]*,\s*(?:please |then |also )*$", head) or head.endswith(
        ("prefer ", "appreciate ")
    ):
        return False
    return guards.unsure(re.sub(r"\bi(?:'d| would)\b|\b(?:could|would|can) you\b", " ", head), len(head))


def _cost(reading: str, rule: str) -> float:
    cost = 0.0
    if say.NOT_FOR_GOOD.search(reading):
        cost += _MOMENT_COST
    if say.JOKING.search(reading) or (rule == "don't" and say.MINE.search(reading)):
        cost += _MOMENT_COST
    standing = bool(say.STANDING.search(reading)) or rule in ("always", "never", "whenever", "conditional")
    if guards.momentary(reading) and not standing:
        cost += _MOMENT_COST
    if rule in ("instead", "use") and say.PLACE.search(reading):
        cost += _PLACE_COST
    if not standing and say.IN_ONE_PLACE.match(reading, guards.content_start(reading)):
        cost += _MOMENT_COST
    if rule in say.ABOUT_PRODUCTS and say.PRODUCT.search(reading) and not say.CRAFT.search(reading):
        cost += _PLACE_COST
    if rule in ("instead", "use", "keep") and re.search(r"\bfor (?:the|this|that) ", reading):
        cost += _PLACE_COST
    if rule in ("self", "habit of mine", "we") and say.FAILING.search(reading):
        cost += _MOMENT_COST
    return cost


def _habits(reading: str) -> Found:
    for habit in say.HABIT.finditer(reading):
        if is_base_form(habit[2]):
            yield ("always" if habit[1] == "always" else "never"), 1.2, habit.start(1)
    start = guards.content_start(reading)
    if (polite := say.POLITE_HABIT.match(reading, start)) and is_base_form(polite[2]):
        yield polite[1], 1.2, start
    if say.HABIT_LAST.search(reading):
        start = guards.content_start(reading)
        scope = re.match(r"(?:for|in) [^,:]{2,40}[:,]\s*", reading[start:])
        start += scope.end() if scope else 0
        clauses = re.finditer(CLAUSE + r"(?=([a-z-]+))", reading)
        if any(is_directive(clause[1]) for clause in clauses) or re.match(
            rf"(?:all |every |no )?{say.THINGS}\b|no \w+", reading[start:]
        ):
            yield "always", 1.0, start


def _prohibitions(reading: str) -> Found:
    for found in say.DONT.finditer(reading):
        verb, following = found[1], found[2].strip("`'\"!?)")
        if verb in say.RESCOPES and following in say.SCOPE and not say.STANDING.search(reading):
            continue
        if verb in say.TURN and re.match(
            r"(?:any )?(?:code|anything|any|tests?)\b\W*(?:$|[,.;]|or\b|and\b)", reading[found.start(2) :]
        ):
            continue
        if verb in say.NO_DONT and not say.STANDING.search(reading):
            continue
        if not (is_directive(verb) or is_base_form(verb)) or following in say.POINTS_BACK or not following:
            continue
        if following in ("anything", "everything", "any") and guards.momentary(reading):
            continue
        yield "don't", 1.0, found.start(1)


def _tastes(reading: str) -> Found:
    for pattern, rule in (
        (say.PREFER, "prefer"),
        (say.AVOID, "avoid"),
        (say.SELF_HABIT, "habit of mine"),
        (say.SELF, "self"),
    ):
        if (found := pattern.search(reading)) and not guards.denied(reading, found.start()):
            yield rule, 1.0, found.start()


def _standing(reading: str) -> Found:
    if found := say.STANDING.search(reading):
        rest = reading[found.end() :].lstrip(" ,:")
        before = reading[: found.start()].rstrip(" ,")
        if "future" in found[0] and re.match(r"(?:this|it|we|that|they|there)\b", rest):
            return
        if "future" in found[0] and re.search(
            r"\b(?:to avoid|to prevent|to make|makes? it|so that|so we|then)\b", before
        ):
            return
        begins = begins_with_directive(rest, 0) or begins_with_directive(before, guards.content_start(before))
        obliges = re.search(
            r"\bplease\b|\byou (?:should|must|need)|\bno more\b|\b(?:can|could|would) you\b|\balways\b"
            r"|\bnever\b",
            reading,
        )
        if "future" not in found[0]:
            obliges = say.OBLIGES.search(reading)
        if (rest or before) and (begins or obliges):
            yield "from now on", 1.2, found.start()
    start = guards.content_start(reading)
    if (found := say.BY_DEFAULT.match(reading, start)) and is_directive(found[1]):
        yield "from now on", 1.0, start


def _conditions(reading: str) -> Found:
    if found := say.WHENEVER.search(reading):
        words = re.findall(r"[a-z-]+", found[1])
        if any(is_directive(word) for word in words[2:]) or say.OBLIGES.search(reading) or "say" in words[:2]:
            yield "whenever", 1.0, found.start()
    start = guards.content_start(reading)
    if (found := say.WHEN_YOU.match(reading, start)) and (
        is_directive(found[2]) or found[2] in ("add", "make")
    ):
        yield "conditional", 1.0, start
    if found := say.MAKE_SURE.search(reading):
        yield "whenever", 1.0, found.start()
    if (found := re.match(r"(?:please )?make sure\b", reading[start:])) and re.search(
        r"\b(?:whenever|every time|each time|when you)\b", reading
    ):
        yield "whenever", 1.0, start + found.start()


def _choices(reading: str) -> Found:
    for pattern, rule, worth in (
        (say.INSTEAD, "instead", 1.0),
        (say.INSTEAD_FIRST, "instead", 1.0),
        (say.GENERIC_USE, "use", 1.0),
        (say.PLURAL_USE, "use", 1.0),
        (say.EVERYTHING, "use", 1.0),
    ):
        if found := pattern.search(reading):
            yield (
                rule,
                worth + (_STANDING_WORTH if re.search(r"\b(?:always|never|everywhere)\b", reading) else 0),
                found.start(),
            )


def _conventions(reading: str) -> Found:
    for ours in say.WE.finditer(reading):
        if not ours[2] or is_directive(ours[2].split()[0]):
            yield "we", 1.0, ours.start()
    if found := (say.FEW.search(reading) or say.OF_ALL.search(reading)):
        yield "we", 1.0, found.start()
    if not guards.is_task(reading) and (found := say.CONVENTION.search(reading)):
        yield "convention", 1.0, found.start()
    start = guards.content_start(reading)
    if (found := say.ALL_THINGS.match(reading, start)) and not say.A_CHANGE.search(reading, found.end() - 1):
        yield "all", 1.0, start
    if found := (say.NO_MORE.match(reading, start) or say.NOTHING_NEW.search(reading)):
        yield "no", 1.0, start
    if (found := say.EACH_TIME.search(reading)) and not re.match(r"(?:there|it|i|we)\b", reading[start:]):
        begins = begins_with_directive(reading, start) or re.search(r"[,:]\s*\S", reading[found.end() :][:3])
        if begins or found.start() == start or say.OBLIGES.search(reading):
            yield "whenever", 1.0, start
    if found := say.STICK.search(reading):
        yield "convention", 1.0, found.start()


def _limits(reading: str) -> Found:
    start = guards.content_start(reading)
    for pattern, rule in (
        (say.COUNTED, "all"),
        (say.IN_DOUBT, "whenever"),
        (say.MEASURE, "manner"),
        (say.MY_TOOLS, "self"),
        (say.LEAVE, "ask first"),
    ):
        if (found := pattern.match(reading, start)) and (
            pattern is not say.LEAVE
            or re.search(r"\bask|\bwithout\b|confirm|wait|permission|explain|summar|apolog|repeat", reading)
        ):
            yield rule, 1.0, start
    for pattern, rule in ((say.REFRAIN, "don't"), (say.ALL_YOURS, "use")):
        if found := pattern.search(reading):
            yield rule, 1.0, found.start()
    if (
        (found := say.TOPIC.match(reading, start))
        and len(found["what"].split()) >= 3
        and not guards.is_task(found["what"])
    ):
        yield "convention", 1.0, start
    of_craft = say.CRAFT.search(reading) or re.match(r"imo\b|in my opinion", reading)
    if of_craft and (found := say.JUDGED.search(reading)):
        yield "convention", 1.0, found.start()
    if (found := say.OVER.match(reading, start)) and not say.PRODUCT.search(reading):
        yield "prefer", 1.0, start
    for pattern in (say.MUST, say.ONLY_WHEN):
        if (found := pattern.search(reading)) and is_directive(found[1]):
            yield "whenever", 1.0, found.start()


def _manners(reading: str) -> Found:
    for pattern, rule in (
        (say.KEEP, "keep"),
        (say.MANNER, "manner"),
        (say.DONT_BE, "manner"),
        (say.EARLY, "manner"),
        (say.ASK_FIRST, "ask first"),
        (say.TONGUE, "manner"),
    ):
        if found := pattern.search(reading):
            yield rule, 1.0, found.start()
    start = guards.content_start(reading)
    if found := say.REMEMBER.match(reading, start):
        yield "remember", 1.0, start
    if found := say.ONLY.match(reading, start):
        yield "manner", 1.0, start


_PATTERNS: tuple[Callable[[str], Found], ...] = (
    _habits,
    _prohibitions,
    _tastes,
    _standing,
    _conditions,
    _choices,
    _conventions,
    _limits,
    _manners,
)

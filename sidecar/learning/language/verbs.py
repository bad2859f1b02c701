"""Verbs in the imperative, and the places in a sentence where one can stand."""

from __future__ import annotations

from sidecar.patterns import lazy

DIRECTIVES = frozenset(
    "use run write keep put add commit push ask check avoid prefer return name document type format test "
    "treat show give answer reply respond explain create make include follow stick leave import export "
    "mock log wrap squash rebase merge amend touch edit change modify delete remove rename install deploy "
    "build lint verify confirm mention suggest start stop split group sort store read call open close "
    "generate update bump mark tag sign assume rely trust introduce refactor rewrite skip quote indent "
    "guess invent hardcode hard-code catch swallow print disable enable ignore bypass force force-push "
    "cast inline nest expose validate escape cache fetch query select hit tell warn pin vendor translate "
    "speak summarise summarize list link cite reference annotate cover declare define place pass set "
    "handle raise throw limit restrict separate order align abbreviate capitalize capitalise spell "
    "describe report review reuse copy duplicate send publish release require rerun re-run retry revert "
    "reformat restart execute perform do go be have get stage track upgrade downgrade switch apologise "
    "apologize repeat paste prefix suffix mix combine propose offer output emit dump leak work look let "
    "try spin mess break clean strip trim cut overwrite override alter drop truncate migrate ship approve "
    "reopen assign comment discuss present address process access focus express compress".split()
)
"""Base forms that tell somebody what to do while programming."""

_NO_VERB = frozenset(
    "mind a an the again ever been had say said would thought seen worked heard happy possible knew know "
    "sure there here this that these those it so too really quite just also still will can could should "
    "must may might were was is are am i you we they he she happened expected noticed saw got went came "
    "did does works fails returns gets seems looks found wanted end ends wonder forget succeed finish "
    "finishes disappoint wrong right true false null none empty on off in at to of for from with by under "
    "before after until when if as like only some more most very back up down out null-safe online "
    "available same old new better worse one".split()
)

CLAUSE = (
    r"(?:^|[,;:–—.!]\s*|\s-\s|(?<![\w'])(?:and|but|so|then|also|btw|please|kindly|pls|plz|just|(?:you|we"
    r"|agents?) (?:should|must|shall)|future|on|rule|though"
    r"|repo|project|remember|instead|you to|sure to|sure you|sure that you|default|forward|you not to"
    r"|rather you)\s+)"
)
"""Where a clause without a subject can begin; the last of it may be a word that calls for one."""


def is_directive(word: str) -> bool:
    """Whether a word can be an imperative of programming."""
    return word in DIRECTIVES


def is_base_form(word: str) -> bool:
    """Whether a word after "always" or "never" can be an imperative: no third person, past or participle."""
    if word in DIRECTIVES:
        return True
    return (
        word not in _NO_VERB
        and word.isascii()
        and word.replace("-", "").isalpha()
        and len(word) > 2
        and not word.endswith(
            ("ed", "ing", "ly", "ses", "tes", "ns", "ts", "ks", "ps", "ls", "ds", "es", "rs")
        )
    )


def begins_with_directive(reading: str, start: int) -> bool:
    """Whether an imperative stands at a position, after words of courtesy."""
    found = _COURTEOUS.match(reading, start)
    return bool(found and is_directive(found[1]))


_COURTEOUS = lazy(r"(?:please |pls |plz |kindly |just |also |always |never |rather )*([a-z][a-z-]*)")

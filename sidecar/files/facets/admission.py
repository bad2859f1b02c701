"""The judgement whether a sentence, written by a person or a model, may become a facet of a content.

`book` calls `admit`. An admitted sentence is one clean line of 20 to 300 characters that says something durable and
repeats neither a known facet nor the outline. It is grounded in the content in one of three ways:

- a statement names identifiers, of which the first occurs in the content;
- a rule of use ("call `x` only after `y`") names an identifier of the content, or two of its telling words;
- a pair ("when you change `x`, update `y` in b.py") names another existing file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from sidecar.files.clean_text import clean
from sidecar.files.facets import talk
from sidecar.files.facets.admission_result import (
    FACETS_PER_CONTENT,
    MAX_SENTENCE,
    MIN_SENTENCE,
    Admitted,
    Partner,
    RefusalReason,
    Refused,
    ResolvePath,
)
from sidecar.files.facets.content import Content
from sidecar.files.facets.grounding import (
    MentionedName,
    defines,
    imports,
    mentions_in,
    occurring_names,
    occurs,
    other_paths,
    own_name,
    telling_words,
)
from sidecar.files.facets.sameness import is_outline, is_paraphrase
from sidecar.text.lazy_patterns import patterns
from sidecar.text.own_blocks import TAG, without_own_text
from sidecar.text.prose import passages
from sidecar.text.secrets import redact
from sidecar.text.sentences import read_sentence, split_sentences

# At most every second identifier of a sentence may be absent.
MISSING_DIVISOR: Final = 2


_PATTERNS: Final = patterns(Path(__file__), "admission")


def admit(
    sentence: str,
    content: Content,
    known: Sequence[str],
    resolve: ResolvePath = lambda _: None,
    *,
    at_home: bool = False,
) -> Admitted | Refused:
    """Judge a sentence against the facets that the content has already (`known`).

    With `at_home`, the content must define an identifier of the sentence.
    """
    text = clean(sentence, 2 * MAX_SENTENCE)
    if "[redacted" in text or redact(text)[1]:
        return Refused("", "secret")
    refused = _malformed(text) or _not_durable(text)
    if refused is not None:
        return Refused(clean(text, MAX_SENTENCE), refused)
    paths = other_paths(text, content)
    partners = [partner for path in paths if (partner := resolve(path)) is not None]
    # A path may be unknown if the content names it, or if it is a bare file name, as any user may have.
    if len(partners) < len(paths) and any("/" in path and path not in content.text for path in paths):
        return Refused(text, "noSuchFile")
    support = occurring_names(text, content)
    rule = talk.is_rule(read_sentence(text).reading)
    if rule and not support:
        support = own_name(text, content) if partners else []
        if partners or not mentions_in(text):  # names that the file lacks are of other things
            support = support or telling_words(text, content)
    missing = _missing(text, support, content, partners, rule=rule, at_home=at_home)
    if missing is not None:
        return Refused(text, missing)
    identifiers = tuple(
        name.text for name in sorted(support, key=lambda name: (not defines(name.text, content), name.start))
    )
    if is_paraphrase(text, known):
        return Refused(text, "paraphrase")
    if (reason := is_outline(text, identifiers, content, rule=rule)) is not None:
        return Refused(text, reason)
    if len(known) >= FACETS_PER_CONTENT:
        return Refused(text, "full")
    return Admitted(text, identifiers, tuple(partner.path for partner in partners))


def _malformed(text: str) -> RefusalReason | None:
    if len(text) < MIN_SENTENCE:
        return "tooShort"
    if len(text) > MAX_SENTENCE:
        return "tooLong"
    if TAG in text:
        return "noise"
    bare = _PATTERNS["span"].sub("", text)
    if _PATTERNS["code"].search(bare) or len(_PATTERNS["signs"].findall(bare)) * 8 > len(bare) + 8:
        return "code"
    if len(_PATTERNS["word"].findall(bare)) < 3 or text.count("`") % 2 or "``" in text:
        return "noise"
    return None


def _not_durable(text: str) -> RefusalReason | None:
    for number, sentence in enumerate(split_sentences(text)):
        refused = talk.refusal(read_sentence(sentence).reading, first=number == 0)
        if refused is not None:
            return refused
    return None


def _missing(
    text: str,
    grounded: Sequence[MentionedName],
    content: Content,
    partners: Sequence[Partner],
    *,
    rule: bool,
    at_home: bool,
) -> RefusalReason | None:
    """Return why a sentence is not grounded in the content; None if it is grounded."""
    mentions = list({name.text: name for name in mentions_in(text)}.values())
    present = [name for name in mentions if occurs(name.text, content)]
    absent = [name for name in mentions if name not in present]
    if not grounded:
        return "notInFile" if absent else "noIdentifier"
    others = [partner.content for partner in partners if partner.content is not None]
    unknown = [name for name in absent if not any(occurs(name.text, other) for other in others)]
    if len(unknown) * MISSING_DIVISOR > max(len(mentions), len(grounded) + len(unknown)):
        return "notInFile"
    if at_home and not any(defines(name.text, content) for name in grounded):
        return "definedElsewhere"
    if not rule and mentions:
        if mentions[0] in absent:
            return "notInFile"
        if imports(mentions[0].text, content):
            return "definedElsewhere"
    return None


MAX_CHARS: Final = 2_500
_MAX_SENTENCES: Final = 40


def statements(text: str) -> Iterator[list[str]]:
    """Yield groups of statements. The next group is judged only if no statement of the one before was kept.

    The first group is the whole text, if that is one passage of a facet's length; then come its sentences, at most 40.
    Only the first 2,500 characters are read.
    """
    text = without_own_text(text)
    text = _PATTERNS["escaped"].sub("", text) if TAG in text else text
    cut = len(text) > MAX_CHARS
    parts = list(passages(redact(text[:MAX_CHARS])[0]))
    sentences = [sentence for passage in parts for sentence in split_sentences(passage)]
    if cut and sentences:
        sentences.pop()
    if not cut and len(parts) == 1 and len(sentences) > 1 and len(clean(parts[0], 2 * MAX_SENTENCE)) <= MAX_SENTENCE:
        yield parts
    yield sentences[:_MAX_SENTENCES]

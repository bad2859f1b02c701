"""Verbs that statements about code are made with, and whether a sentence has one as its predicate."""

from __future__ import annotations

import re
from typing import Final

VERBS: Final = """
abort accept access act add advance affect aggregate alias allow alter append apply assign assume attach
await background bail batch beat begin behave belong bind block bootstrap borrow bound branch break
bubble buffer build bump bypass cache calculate call capture carry cascade cast catch cause chain change
check choose clamp clear clone close coalesce coerce collapse collect collide combine come commit
compare compile compute concatenate configure consist construct consume contain contend convert copy
cost count cover create cut deadlock debounce decide decode decorate decrement decrypt dedup dedupe
deduplicate default defer define delay delegate delete deny depend deploy dequeue dereference derive
descend deserialise deserialize detach detect determine diff differ disable disallow discard dispatch
dispose distinguish divert divide double download drain drive drop dump echo embed emit emulate enable
encode encrypt end enforce enqueue ensure enter enumerate err error escape evaluate evict exceed exclude
execute execvp exempt exist exit expand expect expire export expose extend extract fail fall feed fetch
fill filter find finish fire flatten flush fold follow force forgo fork format forward free freeze gate
generate get give glob go group grow guarantee guard handle happen hash hide hit hoist hold honor honour
hook hop hydrate identify ignore implement imply import impose include increment incur index infer
inflate inherit initialise initialize inject inline insert inspect install intercept interleave intern
interpolate interpret invalidate invoke iterate jitter join keep key knock lack lead lean leap leave let
lie limit link list listen live load lock log look loop loosen lower maintain make manage mandate map
mark mask match mean measure memoise memoize merge migrate mirror modify monomorphise monomorphize mount
move multiply mutate name need negate negotiate nest normalise normalize notify nullify observe offer
omit open opt order originate outlive outrank outsource overflow overlap override overrule overwrite own
pace pad paginate pair panic parse partition pass patch pause peek perform permit permute persist pick
pin pipe point poll pop populate postpone prefer prefix prepare prepend preserve presume prevent print
prioritise prioritize probe process produce promote propagate protect provide prune pull purge push put
queue quote race raise rank re-raise re-render reach read reallocate reap rebuild receive recompute
reconcile reconnect record recover recurse recycle redirect reduce refer reference refill refresh refuse
register reindex reject relax relay release reload rely remain remember remove rename render renew
reopen reorder repaint repeat replace replay replicate reply report represent require reraise rerender
rescan reschedule reserve reset reshape resize resolve respect restart restore restrict resubscribe
resume retain rethrow retire retrieve retry return reuse reveal reverse revert revoke rewind rewrap
rewrite ripple rotate round route rule run sample sanitise sanitize save scan scatter schedule scope
seal search secure see seed seek select send separate serialise serialize serve set settle shadow shard
share shed shift ship short-circuit shorten show shrink shuffle shut sign signal silence simulate sit
skip sleep slice slide snap snapshot sort source span spawn specify spill split spread spy squash
squeeze stack stall stamp stand start starve stat stay steal step stick stitch stop store straddle
stream stringify strip stub style subclass subscribe substitute subtract sum supersede supply support
suppress surface survive suspend swallow swap switch sync tag take target tear tell terminate test thaw
throttle throw tick tie tighten time tip toggle tolerate touch trace track trade trail transform
transition translate transmute trap traverse treat trigger trim trip truncate trust try tuck turn twist
unblock underflow undo unlink unlock unmount unpack unregister unroll unset untie unwind unwrap update
upgrade upload upsert use validate vanish vary vectorise verify veto view void vote wait waive wake walk
want warn watch weigh widen win wire work worry wrap write yank yield zero zip
""".split()


def _third(verb: str) -> str:
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith(("s", "sh", "ch", "x", "z", "go", "do")) else "s")


THIRD_PERSON: Final = frozenset(map(_third, VERBS))
"""The verbs as they stand after one subject: `keeps`."""

PRESENT: Final = re.compile(
    r"(?<![\w'-])(?:is|are|isn't|aren't|has|have|does|doesn't|do|don't|can|can't|cannot|must|mustn't"
    r"|may|will|won't|never|" + "|".join(sorted(THIRD_PERSON)) + r")(?![\w'-])"
)
# After a name: any word in the third person. `x` runs stand for code spans.
_AFTER_NAME: Final = re.compile(
    r"x{3,}(?:\(\))? (?:only |also |never |always |then |just |simply |silently |lazily )?[a-z]{3,}s\b"
)
_PLURAL: Final = re.compile(
    r"\b(?:\w+s|x{3,}(?:,? and x{3,}))\)? (?:only |never |always |also |all |both |then )?(?:"
    + "|".join(VERBS)
    + r")\b"
)


def has_predicate(reading: str) -> bool:
    """Whether a sentence (its reading) says something of something: it has a finite verb in the present tense."""
    return bool(PRESENT.search(reading) or _AFTER_NAME.search(reading) or _PLURAL.search(reading))

"""English words that say nothing about what a text is about."""

from __future__ import annotations

STOP_WORDS = frozenset(
    """
    a about after all also am an and any are as at be because been before being but by can cannot could did do does
    doing done for from had has have having he her here hers herself him himself his i if in into is it its itself
    just me more most my myself no nor not of off on once only or other our ours ourselves out over own s same she
    should so some such t than that the their theirs them themselves then there these they this those through to too
    under until up us very was we were while will with would you your yours yourself yourselves
    ain't aren't can't couldn't didn't doesn't don't hadn't hasn't haven't he'd he'll he's i'd i'll i'm i've isn't
    it'd it'll it's let's mustn't shan't she'd she'll she's shouldn't that's there's they'd they'll they're they've
    wasn't we'd we'll we're we've weren't won't wouldn't you'd you'll you're you've
    """.split()
)
"""Left out of the index: articles, pronouns, auxiliaries, prepositions, conjunctions."""

QUERY_STOP_WORDS = STOP_WORDS | frozenset(
    """
    anyone anything both each either else ever every find get give getting got how however kind know like many may
    maybe might much must need one ones please question really regarding said say shall show since someone
    something tell thing things usually want what whatever what's when when's where where's whether which who
    whom whose who's why why's within without yes yet
    """.split()
)
"""Also left out of a query: words that phrase a question rather than say what it is about."""

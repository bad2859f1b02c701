"""Preferences: how a user wants work to be done from now on.

A score over phrase patterns. What makes a habit of an instruction (always, never, from now on, whenever) or says a
taste (I prefer, we don't use) counts 1; an instruction that names no particular thing counts less and needs a
generic scope; what ties it to this moment or this place takes 1 away. At 1 it is a preference.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from sidecar.learning.language import guards
from sidecar.learning.language.mark import Mark
from sidecar.learning.language.verbs import CLAUSE, begins_with_directive, is_base_form, is_directive

THRESHOLD = 1.0
_MOMENT_COST = 1.0
_PLACE_COST = 0.6
_STANDING_WORTH = 0.5

_HABIT = re.compile(
    CLAUSE
    + r"(always|never|only ever|never,? ever,?|(?:don't|dont|do not) ever)\s+(?:ever\s+|again\s+)?([a-z][\w-]*)"
)
_HABIT_LAST = re.compile(
    r"(?:,|\(|–|—|\s-|\s)\s*(?:always|ever|every time|each time|at all times|everywhere|no exceptions|without exception"
    r"|never)\)?(?: please| pls)?\W*$|\(always\)|\bat all times\b"
)
_DONT = re.compile(
    CLAUSE
    + r"(?:don't|dont|do not|no need to ever|never)\s+(?:ever |just |simply )?([a-z][\w-]*)\s*([^\s,.;]*)"
)
_NO_DONT = frozenset(
    "worry bother you think we i know see understand forget mind care get have need want remember believe panic hesitate "
    "like love feel hate they even really be go let do wait lose give stop".split()
)
# "Don't modify any text, only ..." bounds the task at hand.
_RESCOPES = frozenset(
    "create modify change alter edit touch break include add paste remove delete write output return print".split()
)
_TURN = frozenset(
    "write run do change make edit add touch".split()
)  # "don't write code, just explain": for this turn
_SCOPE = frozenset("any existing anything other more the full everything all files".split())
_POINTS_BACK = frozenset("it that this them those these so now yet either".split())
_PREFER = re.compile(
    r"(?<!that )(?<!what )(?<!as )(?<!which )\b(?:i|we)(?:'d| would)? (?:\w+ly |also |much |still |just )?(?:prefer(?! (?:not to say|that one|this one|it|that|this|the (?:first"
    r"|second|third|last|other|latter|former|new|old|current|\w+ (?:variant|version|option|one|approach|colou?r|solution|design|layout|style|way))|option|version \d))|rather (?:you|we|have|not (?!talk|say|go|discuss|think)|keep|see|use|avoid))\b|\b(?:my|our) (?:\w+ )?prefer(?:ence|red)\b"
    r"|\bi (?:always|never|only) (?:want|like|expect)\b(?! to (?:execute|run|do|have a|add|get|know|make|be able))|\bi (?:generally |really |also |usually )?(?:want|like|expect) (?:every|all|each|any|no|only|my|short|it when"
    r"|to (?:keep|have|see (?:the|a|your) (?:plan|diff|command)s?|be asked|review|approve)|when|you to (?:always|never|stop|ask))\b"
    r"|\b(?:my|our|the|this) (?:team|company|lead|reviewers?|org|client|boss|maintainers?) (?:prefers?|likes?|insists? on|wants|expects?) (?!me\b|to know|it\b|that\b|this\b|a new|us to)\w+"
    r"|\bi need (?:every|all|each) \w+|\bi (?:do|handle|take care of|make) (?:the |all |all the |my )?(?:own )?(?:git|commits?|committing|push\w*|deploy\w*|merg\w*|releases?)\b(?! (?:failed|is|was))"
    r"|\bthe way i like\b|\bi (?:hate|dislike|can't stand|don't like|do not like) (?:it when|when|having|seeing|(?!the |this |that |how |what |your |it\b|these "
    r"|those )\w+)|\bi (?:don't|do not|never) want (?:any|you to|new|to see|more|extra|unnecessary|a single)\b"
    r"|\bi(?:'d| would) like (?:all|every|each|any) |\bi(?:'m| am) (?:allergic to|(?:not )?a (?:big |huge )?fan of) (?!this|that|it\b|the )\w+"
    r"|\bi'd (?:like|love|want) you to (?:always|never)\b|\b(?:i'd|i would) (?:appreciate|prefer) (?:it )?if\b"
)
_AVOID = re.compile(
    CLAUSE
    + r"(?:avoid\s+(?!the |this |that |it\b|these |those |any )|(?:prefer|favou?r)\s+(?!the |this |that |it\b|these |those )(?=[^,;]*?\s(?:over|to|rather|instead|unless|where|wherever|when|whenever|if possible)\b))([a-z][\w-]*)"
)
_STANDING = re.compile(
    r"(?<![\w'])(?:from now on|from here on(?: out)?|from this point|going forward|moving forward|henceforth|in (?:the )?future(?! (?:version|release"
    r"|step|work|pr|commit|update|iteration|sprint)s?\b)|for (?:the )?future(?: reference)?(?! (?:version|release|work|use)s?\b)|as a (?:general )?rule(?: of thumb)?"
    r"|as a general principle|for (?:all )?future \w+|by convention)\b"
)
_OBLIGES = re.compile(
    r"(?<![\w'])(?:should|must|need|needs|have to|has to|want|i'd like|please|only|no more|go(?:es)? (?:in|into|through)|instead of|rather than)\b"
    r"|(?:don't|do not|never|always)\b"
)
_BY_DEFAULT = re.compile(r"(?:by default,?|default to)\s+(\w+)")
_WHENEVER = re.compile(
    r"(?<![\w'])(?:whenever|every time|each time|any ?time|every single time)\s+(?!(?:i|it|we|the|this|that)\b(?! say| ask| mention| add| write))"
    r"(?!you(?:'re| are) (?:ready|done|finished))(.+)"
)
_WHEN_YOU = re.compile(
    r"(?:when|if|before|after|once) you(?:'re| are)? (?:ever )?"
    r"(?:add|chang|writ|creat|touch|renam|modify|edit|remov|introduc|implement|commit|fix|updat|refactor|need an?|answer|reply|review|test|explain|generat|nam|log|import|open a|delet|push|merg|bump|propos|suggest|document|mock|move|us)(?:e|ing|ting|ying)?\b()[^,]{2,80},\s*(?:also |then |please |always |never |you (?:must|should|have to) |don't |do not )*([a-z-]+)"
)
_BEFORE = re.compile(
    r"\b(?:before|after|when|each time|every time|whenever) (?:you|committing|pushing|merging|adding|changing)\b"
)
_MAKE_SURE = re.compile(
    r"\b(?:make (?:it a habit|a habit of)|make sure (?:that )?you (?:always|never)|be sure to always|get (?:in|into) the habit)\b"
)
_INSTEAD = re.compile(
    CLAUSE
    + r"(?:use|run|call|write|choose|take|pick|import|install with|go through|stick (?:to|with))\s+(?!(?:it|them|a|an|the|this|that|these|those|my|your|some"
    r"|his|another|its|port|option|version)\b)([^,;]{1,60}?),?\s(?:rather than|instead of|over|not|and not|and never|never)\s+(?!just\b|only\b)([^\s,;]+)"
)
_INSTEAD_FIRST = re.compile(
    r"(?:^|[,;:]\s*|please )(?:instead of|rather than)\s+(?!(?:the|this|that|these|those|my|a|an)\b)[^,;]{1,40}?,?\s(?:please )?(?:use|run|call|write)\s"
)
_GENERIC_USE = re.compile(
    CLAUSE
    + r"(?:use|write|put|name|quote|prefix|format)\s+(?!(?:a|an|the|this|that|these|those|my|your|some|his|another|its|port|it|them"
    r"|option|version)\b)((?:(?!from |the |to |a )[\w'-]+ ){0,3}?[\w'-]+)\s+(?:for|in|inside|within|with|on|at|next to|above|below)\s+(?:all |every |any )?(?!the |this |that |a |an )"
    r"(?:[\w-]+ ){0,2}?(?:\w{2,}s|python|go|rust|typescript|javascript|java|sql|ruby|kotlin|swift|bash|code|production|english|markdown)\b"
)
_PLURAL_USE = re.compile(
    CLAUSE
    + r"(?:please |pls )?use\s+(?!the |this |that |these |those |my |your |its |both |all |some |port )(?:[a-z-]+ ){1,2}[a-z-]{2,}s(?=\s*(?:[,.!;]|$|everywhere|please|pls))"
)
_WE = re.compile(
    r"(?<![\w'])(?:we|our team|this team|everyone here|nobody here)\s+(?:(always|never|only|usually|generally|normally|strictly)\s+([a-z-]+)|(don't|do not|never)\s+"
    r"(use|squash|commit|mock|allow|write|do|put|push|merge|rebase|like|want|keep|deploy|support|accept|ship|touch|edit|store|log|hand[- ]roll|test|catch)\b"
    r"|(use|run|deploy|write|follow|stick to|name|put|keep|format|test|commit|squash|rebase|store|log|prefer)\b([^,;]*)(, not|, never| rather than| instead of| not"
    r"| here\b| in this (?:repo|project|code ?base|app|team)| everywhere| for everything| exclusively| throughout))"
)
_CONVENTION = re.compile(
    r"(?<![\w'])(?:our|the|project|team|house) (?:\w+ )?(?:convention|rule|policy|standard|style|practice|guideline)s?(?: here| in this \w+| for \w+)?"
    r"(?: is| says| are)?(?: that\b|:| to\b| is\b)"
)
_THINGS = (
    r"(?:unit |integration |e2e |commit |error |log |pull |merge |variable |function |class |method |file |branch |test |public |sql |db |database |json |api |type |code"
    r"|feature |env |environment |config |new |internal |raw |helper )*(?:tests|commits|messages|prs|mrs|requests|branches|docstrings|comments|names|migrations|imports|files"
    r"|modules|functions|classes|methods|endpoints|queries|handlers|fixtures|constants|types|dates|timestamps|secrets|scripts|components|hooks|tickets|strings|keys"
    r"|exceptions|errors|dependencies|variables|columns|tables|routes|services|models|schemas|warnings|snippets|answers|replies|explanations|identifiers|sql|code|flags"
    r"|packages|helpers|interfaces|tags|titles|descriptions|changelogs|docs|logs)"
)
_ALL_THINGS = re.compile(
    rf"(?:in (?:this|our) (?:project|repo|code ?base|team),? )?(?:(?:everything|anything)(?: [\w-]+){{0,3}}|(?:all|every|each|any|our) (?:[\w-]+ ){{0,3}}?[\w-]+|{_THINGS})(?: \w+){{0,4}}?\s"
    r"(?:should(?:n't)?|must(?:n't)?|needs? to|needs?|have to|has to|go(?:es)? (?:in|into|to|through|next to|under|via)|belongs? (?:in|to|under)|may not|may never|are (?:always"
    r"|never|written in|stored (?:as|in)|named|kept)|are to be|live in|get) (?!pass\b|work\b|be (?:green|fixed|working|passing))"
    rf"|(?:\w+ )?{_THINGS} (?:are|is|must|should|may|can) (?:always|never|not|only)\b"
    rf"|{_THINGS} in (?:english|german|french|spanish|lower ?case|upper ?case|snake_case|camel ?case|kebab-case)\b"
)
_A_CHANGE = re.compile(
    r"[,;:–—-]\s*(?:so |please |and |can you |then )*(?:fix|add|change|update|implement|make|correct|remove)\b|\bbe (?:shown|displayed|rendered|redirected|visible|hidden|clickable|blue|red|green|bigger|smaller)\b|\bcurrently\b"
)
_NO_MORE = re.compile(
    r"(?:please )?no (?![^.]{0,60}\b(?:required|needed|necessary)\b)(?!problem|worries|worry|need|rush|idea|way|luck|errors?\b|one\b|thanks|thank|clue|doubt|wonder|matter|longer|change|changes|difference|response|output|result"
    r"|results|file|such|no\b|it\b|that\b|this\b|i\b|the\b|go\b|real\b|reason|other|access|news|hurry|offen[cs]e|success|more questions)"
    r"(?:more )?(?:[\w-]+ ){1,4}?(?:please|pls|in (?:the )?\w+|for \w+s|anywhere|ever|here|at all|inside|without|unless|, ever|in my|in your|outside)"
)
_NOTHING_NEW = re.compile(
    r"[,;:]\s(?:and )?no (?:new|more|extra|additional|external) \w+ (?:\w+ ){0,4}(?:please|pls|ever|without)\b"
)
_KEEP = re.compile(
    CLAUSE
    + r"keep\s+(?!going|it\b|this|that\b|the old|the new|them|in mind|an eye|reading|on\b|up\b|working|trying|both|me\b|track)([^,;]{1,50}?)\s(?:under|below|short|small"
    r"|thin|simple|minimal|concise|brief|sorted|in sync|up to date|to a minimum|separate|apart|next to|flat|pure|stateless|free of|out of|within|at most|alphabetical|lean|tidy)\b"
)
_MANNER = re.compile(
    CLAUSE
    + r"be\s+(?:a (?:bit|little) )?(?:more |less |very |as )?(?:concise|brief|terse|short|direct|verbose|explicit|precise|careful with|succinct|conservative)\b"
)
_EARLY = re.compile(
    CLAUSE + r"\w+ (?:\w+ ){0,3}?(?:early and often|in small steps|one (?:step|file|thing) at a time)\b"
)
_ASK_FIRST = re.compile(
    r"\b(?:ask|check with|tell|warn|consult|confirm with|let me know)(?: me)?(?: first)? before\b(?! (?:i|we|it)\b)|\bwithout (?:asking|telling|checking with|consulting|my (?:ok|approval|permission"
    r"|consent))\b"
)
_TONGUE = re.compile(
    CLAUSE
    + r"(?:answer|reply|respond|write (?:all |your |the )?(?:comments|answers|docs|commit messages|code comments|replies|everything)|comment|speak|talk)\b.{0,40}?\bin (?:plain )?"
    r"(?:english|german|french|spanish|chinese|japanese|russian|portuguese|italian|dutch|polish|korean|turkish|hindi|full sentences|bullet points|prose)\b"
)
_EVERYTHING = re.compile(
    CLAUSE
    + r"(?:run|do|route|send|put|wrap|call|start|build) everything (?:through|via|with|in|inside|behind)\b|\bfor everything\b"
)
_REMEMBER = re.compile(
    r"(?:please |and |also )*remember(?: that\b(?! (?:time|day|bug|one))|\s?[:,]| to always)\s"
)
_SELF_HABIT = re.compile(
    r"(?<![\w'])i (?:always|usually|only|never|mostly|exclusively) (?:use|work|write|run|develop|code|deploy|commit|name|format|prefer|test|squash|rebase|review|merge|read)\b|(?<![\w'])i (?:don't|do not) care about (?!this|that|it\b|the )"
)
_SELF = re.compile(
    r"(?<![\w'])i(?:'m| am) (?:a|an|the only|new to|not a|not an|on (?:a |an )?(?:mac|linux|windows|macos|nixos|arch|ubuntu|fedora|debian|wsl))\b(?!\s(?:bit|little|fan of (?:the|this|that)|idiot|lot|dummy))"
    r"(?=.*\b(?:engineer|developer|dev|designer|scientist|student|beginner|newbie|manager|researcher|sysadmin|admin|analyst|maintainer|mac|linux|windows|macos|nixos|arch|ubuntu|fedora|debian"
    r"|wsl|to \w+)\b)|(?<![\w'])i (?:work|develop|code|run (?:everything|things)) (?:on|with|from) (?:a |an |my )?(?:mac|macbook|linux|windows|nixos|arch|ubuntu|fedora|debian|wsl|bare metal)\b"
)
_REFRAIN = re.compile(
    CLAUSE
    + r"(?:refrain from|abstain from|steer clear of|stay away from|hands off|keep away from|no need to)\s(?!this\b|that\b|it\b)(\w+)"
)
_ALL_YOURS = re.compile(
    CLAUSE
    + r"(?:write|keep|name|structure|format|make|design|put|document|organi[sz]e|test) (?:all |all of )?(?:your|all|any|every|each) (?:\w+ ){0,2}?\w+ (?:so that|so|in|with|as|like|using|to|under|next to|short|small|at)\b"
)
_TOPIC = re.compile(
    r"(?:for|about|re|on|regarding|as for) (?:naming|tests?|testing|commits?|commit messages|style|code style|formatting|logging|logs|errors?|error handling|docs|documentation|branches|branch names|imports|types|sql|variables|file names|comments"
    r"|dependencies|reviews|prs|releases|versions|shell scripts|scripts|migrations|css|typescript|python|go|rust)\s?[:,]\s*(?P<what>.+)"
)
_JUDGED = re.compile(
    r"\b(?:is|are) (?:a |an )?(?:code smells?|smells?|anti-?patterns?|no-?go|bad practice|best practice|off[- ]limits|forbidden|banned|mandatory|discouraged|not allowed|not acceptable|not welcome|a must|preferred|non-negotiable)\b"
)
_OVER = re.compile(
    r"(?!(?:we|i|it|they|he|she|this|that|the|game|hand|all|start|roll|go|come|over)\b)[\w-]+(?: [\w-]+){0,2} over [\w-]+(?: [\w-]+){0,2}(?:,? (?:always|please|pls|any ?day|every time))\W*$"
)
_MUST = re.compile(
    r"(?<![\w'])you (?:must|should|have to|need to|are expected to)(?: always| never| not| only| first)? ([a-z-]+)\b.*\b(?:before you|whenever|every time|each time|before (?:every|each|any)|unless i|without)\b"
)
_ONLY_WHEN = re.compile(
    CLAUSE + r"only ([a-z-]+)\b.{3,80}?\b(?:when|if|after|once|where)\b (?:i|we|it's|there|it is|the|you)\b"
)
_EACH_TIME = re.compile(
    r"\b(?:after|before|on|with|for|per) (?:every|each|any) (?:single )?(?:change|commit|edit|step|file|push|merge|pr|feature|fix|refactor\w*|task|release|function|endpoint|module|ticket|one|migration|test)\b"
)
_COUNTED = re.compile(r"(?:only )?(?:one|a single|at most \w+|max(?:imum)? \w+) (?:\w+ )?\w+ per \w+")
_IN_DOUBT = re.compile(r"(?:when|if) (?:you're |you are )?(?:in doubt|unsure|not sure|uncertain)\b,?\s+\w+")
_MEASURE = re.compile(
    r"(?:use |write |make |give me |i want |please )*(?:shorter|longer|smaller|fewer|less|more concise|more descriptive) (?:\w+ )?(?:answers|replies|responses|commits|comments|explanations|prs|diffs|functions|messages|summaries|steps"
    r"|names|output|text|prose|chatter|talk)\b"
)
_LEAVE = re.compile(
    r"you (?:don't|do not) (?:have|need) to (?:ask|confirm|wait|explain|tell|check with|summari[sz]e|apologi[sz]e|repeat)\b|feel free to (?=.*\bwithout asking\b)"
)
_DONT_BE = re.compile(
    CLAUSE
    + r"(?:don't|dont|do not) be (?:so |too )?(?:verbose|chatty|wordy|clever|lazy|vague|defensive|polite|formal)\b"
)
_MY_TOOLS = re.compile(
    r"my (?:\w+ )?(?:editor|shell|os|operating system|time ?zone|native language|role|background|ide|keyboard layout|stack|first language) (?:is|are)\b|my \w+'s (?:vim|emacs)"
)
_STICK = re.compile(
    r"\b(?:please )?(?:stick (?:to|with) (?:that|this|the) (?:style|convention|pattern|format|naming)|keep it (?:that|this) way|keep (?:doing )?it like (?:that|this))\b"
)
_ONLY = re.compile(
    r"(?:please |just )*(?:only |give me (?:only )?|show me (?:only )?)[\w' -]{2,50},? (?:only|never|not the whole|instead of the whole)\b"
)
_NOT_FOR_GOOD = re.compile(r"\b(?:for now|eventually|this time|right now|just this once)\b")
_FAILING = re.compile(
    r"\b(?:fails?|failing|error|crash(?:es|ed)?|doesn't work|didn't work|broken|exception|403|404|500|bug)\b"
)
# What the software shall do ("never show the banner") is no way of working.
_ABOUT_PRODUCTS = frozenset(("always", "never", "don't", "all", "no", "instead", "use", "whenever", "keep"))
_PRODUCT = re.compile(
    r"\b(?:users?(?![ -]facing)|customers?|visitors?|buttons?|banner|modal|pages?|forms?|screen|popups?|dialog|avatar|sidebar|footer|menu|icons?|logo|cards?|layout|list|widget|player|enem(?:y|ies)|checkout|cart|ads?|dropdown|tooltip|toast"
    r"|notifications?|items?|products?|prices?|invoices?|orders?|letters|colou?r|login|dates? field|navbar|tab|chart|map)\b"
)
_CRAFT = re.compile(
    r"\b(?:comments?|commits?|tests?|code|functions?|imports?|branch(?:es)?|repo|prs?|dependenc\w+|formatter|lint\w*|naming|names?|docs?|docstrings?|migrations?|logs?(?! (?:in|out)\b)|logging|types?|variables?|components?|hooks?|css|classes|files?|modules?|strings?"
    r"|fixtures?|schema|endpoints?|api|sql|quer(?:y|ies)|queries|secrets?|exports?|libs?|librar\w+|packages?|framework|errors?|explanations?|answers?|replies|plan|diff|command|script|story|stories|translations?|i18n)\b"
)
_IN_ONE_PLACE = re.compile(
    r"(?:in|on|for|inside|ensure)\b (?:the |this |that )?(?:[\w/.-]+ ){0,2}(?:endpoint|function|component|file|method|class|page|view|handler|module|section|screen|header|form|button|we|x{3,})\b,?"
)
_PLACE = re.compile(
    r"\b(?:in|of|inside|to|from)\s(?:the )?(?:x{3,}|[a-z]\w*(?:\.\w+)?\(\)|\w+#\w+|\w+_\w+\b(?!/))"
)

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
        and _STANDING.search(reading)
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
    if _NOT_FOR_GOOD.search(reading):
        cost += _MOMENT_COST
    standing = bool(_STANDING.search(reading)) or rule in ("always", "never", "whenever", "conditional")
    if guards.momentary(reading) and not standing:
        cost += _MOMENT_COST
    if rule in ("instead", "use") and _PLACE.search(reading):
        cost += _PLACE_COST
    if not standing and _IN_ONE_PLACE.match(reading, guards.content_start(reading)):
        cost += _MOMENT_COST
    if rule in _ABOUT_PRODUCTS and _PRODUCT.search(reading) and not _CRAFT.search(reading):
        cost += _PLACE_COST
    if rule in ("instead", "use", "keep") and re.search(r"\bfor (?:the|this|that) ", reading):
        cost += _PLACE_COST
    if rule in ("self", "habit of mine", "we") and _FAILING.search(reading):
        cost += _MOMENT_COST
    return cost


def _habits(reading: str) -> Found:
    for found in _HABIT.finditer(reading):
        if is_base_form(found[2]):
            yield ("always" if found[1] == "always" else "never"), 1.2, found.start(1)
    if found := _HABIT_LAST.search(reading):
        start = guards.content_start(reading)
        scope = re.match(r"(?:for|in) [^,:]{2,40}[:,]\s*", reading[start:])
        start += scope.end() if scope else 0
        clauses = re.finditer(CLAUSE + r"(?=([a-z-]+))", reading)
        if any(is_directive(clause[1]) for clause in clauses) or re.match(
            rf"(?:all |every |no )?{_THINGS}\b|no \w+", reading[start:]
        ):
            yield "always", 1.0, start


def _prohibitions(reading: str) -> Found:
    for found in _DONT.finditer(reading):
        verb, following = found[1], found[2].strip("`'\"!?)")
        if verb in _RESCOPES and following in _SCOPE and not _STANDING.search(reading):
            continue
        if verb in _TURN and re.match(
            r"(?:any )?(?:code|anything|any|tests?)\b\W*(?:$|[,.;]|or\b|and\b)", reading[found.start(2) :]
        ):
            continue
        if verb in _NO_DONT and not _STANDING.search(reading):
            continue
        if not (is_directive(verb) or is_base_form(verb)) or following in _POINTS_BACK or not following:
            continue
        if following in ("anything", "everything", "any") and guards.momentary(reading):
            continue
        yield "don't", 1.0, found.start(1)


def _tastes(reading: str) -> Found:
    for pattern, rule in (
        (_PREFER, "prefer"),
        (_AVOID, "avoid"),
        (_SELF_HABIT, "habit of mine"),
        (_SELF, "self"),
    ):
        if (found := pattern.search(reading)) and not guards.denied(reading, found.start()):
            yield rule, 1.0, found.start()


def _standing(reading: str) -> Found:
    if found := _STANDING.search(reading):
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
            r"\bplease\b|\byou (?:should|must|need)|\bno more\b|\b(?:can|could|would) you\b|\balways\b|\bnever\b",
            reading,
        )
        if "future" not in found[0]:
            obliges = _OBLIGES.search(reading)
        if (rest or before) and (begins or obliges):
            yield "from now on", 1.2, found.start()
    start = guards.content_start(reading)
    if (found := _BY_DEFAULT.match(reading, start)) and is_directive(found[1]):
        yield "from now on", 1.0, start


def _conditions(reading: str) -> Found:
    if found := _WHENEVER.search(reading):
        words = re.findall(r"[a-z-]+", found[1])
        if any(is_directive(word) for word in words[2:]) or _OBLIGES.search(reading):
            yield "whenever", 1.0, found.start()
        elif "say" in words[:2]:
            yield "whenever", 1.0, found.start()
    start = guards.content_start(reading)
    if (found := _WHEN_YOU.match(reading, start)) and (is_directive(found[2]) or found[2] in ("add", "make")):
        yield "conditional", 1.0, start
    if found := _MAKE_SURE.search(reading):
        yield "whenever", 1.0, found.start()
    if (found := re.match(r"(?:please )?make sure\b", reading[start:])) and re.search(
        r"\b(?:whenever|every time|each time|when you)\b", reading
    ):
        yield "whenever", 1.0, start + found.start()


def _choices(reading: str) -> Found:
    for pattern, rule, worth in (
        (_INSTEAD, "instead", 1.0),
        (_INSTEAD_FIRST, "instead", 1.0),
        (_GENERIC_USE, "use", 1.0),
        (_PLURAL_USE, "use", 1.0),
        (_EVERYTHING, "use", 1.0),
    ):
        if found := pattern.search(reading):
            yield (
                rule,
                worth + (_STANDING_WORTH if re.search(r"\b(?:always|never|everywhere)\b", reading) else 0),
                found.start(),
            )


def _conventions(reading: str) -> Found:
    for found in _WE.finditer(reading):
        verb = found[2] or found[4] or found[5]
        if found[2] and not is_directive(verb.split()[0]):
            continue
        yield "we", 1.0, found.start()
    if found := _CONVENTION.search(reading):
        yield "convention", 1.0, found.start()
    start = guards.content_start(reading)
    if (found := _ALL_THINGS.match(reading, start)) and not _A_CHANGE.search(reading, found.end() - 1):
        yield "all", 1.0, start
    if found := (_NO_MORE.match(reading, start) or _NOTHING_NEW.search(reading)):
        yield "no", 1.0, start
    if (found := _EACH_TIME.search(reading)) and not re.match(r"(?:there|it|i|we)\b", reading[start:]):
        begins = begins_with_directive(reading, start) or re.search(r"[,:]\s*\S", reading[found.end() :][:3])
        if begins or found.start() == start or _OBLIGES.search(reading):
            yield "whenever", 1.0, start
    for pattern, rule in (
        (_COUNTED, "all"),
        (_IN_DOUBT, "whenever"),
        (_MEASURE, "manner"),
        (_MY_TOOLS, "self"),
        (_LEAVE, "ask first"),
    ):
        if (found := pattern.match(reading, start)) and (
            pattern is not _LEAVE
            or re.search(r"\bask|\bwithout\b|confirm|wait|permission|explain|summar|apolog|repeat", reading)
        ):
            yield rule, 1.0, start
    for pattern, rule in ((_REFRAIN, "don't"), (_ALL_YOURS, "use")):
        if found := pattern.search(reading):
            yield rule, 1.0, found.start()
    if (
        (found := _TOPIC.match(reading, start))
        and len(found["what"].split()) >= 3
        and not guards.is_task(found["what"])
    ):
        yield "convention", 1.0, start
    if (
        (found := _JUDGED.search(reading))
        and _CRAFT.search(reading)
        or (found and re.match(r"imo\b|in my opinion", reading))
    ):
        yield "convention", 1.0, found.start() if found else start
    if (found := _OVER.match(reading, start)) and not _PRODUCT.search(reading):
        yield "prefer", 1.0, start
    for pattern in (_MUST, _ONLY_WHEN):
        if (found := pattern.search(reading)) and is_directive(found[1]):
            yield "whenever", 1.0, found.start()
    if found := _STICK.search(reading):
        yield "convention", 1.0, found.start()


def _manners(reading: str) -> Found:
    for pattern, rule in (
        (_KEEP, "keep"),
        (_MANNER, "manner"),
        (_DONT_BE, "manner"),
        (_EARLY, "manner"),
        (_ASK_FIRST, "ask first"),
        (_TONGUE, "manner"),
    ):
        if found := pattern.search(reading):
            yield rule, 1.0, found.start()
    start = guards.content_start(reading)
    if found := _REMEMBER.match(reading, start):
        yield "remember", 1.0, start
    if found := _ONLY.match(reading, start):
        yield "manner", 1.0, start


_PATTERNS: tuple[Callable[[str], Found], ...] = (
    _habits,
    _prohibitions,
    _tastes,
    _standing,
    _conditions,
    _choices,
    _conventions,
    _manners,
)

"""The phrases in which people say how they want to work, as regular expressions on a sentence's reading.

What a match counts, and what takes away from it, is in `preferences`.
"""

from __future__ import annotations

from sidecar.learning.language.verbs import CLAUSE
from sidecar.patterns import lazy

HABIT = lazy(
    CLAUSE + r"(always|never|only ever|never,? ever,?|(?:don't|dont|do not) ever)\s+(?:ever\s+"
    r"|again\s+)?([a-z][\w-]*)"
)
HABIT_LAST = lazy(
    r"(?:,|\(|–|—|\s-|\s)\s*(?:always|ever|every time|each time|at all times|everywhere|no exceptions"
    r"|without exception"
    r"|never)\)?(?: please| pls)?\W*$|\(always\)|\bat all times\b"
)
DONT = lazy(
    CLAUSE + r"(?:don't|dont|do not|no need to ever|never|try not to|try to never)\s+(?:ever |just "
    r"|simply )?([a-z][\w-]*)\s*([^\s,.;]*)"
)
NO_DONT = frozenset(
    "tell worry bother you think we i know see understand forget mind care get have need want remember believe panic "
    "hesitate like love feel hate they even really be go let do wait lose give stop".split()
)
# "Don't modify any text, only ..." bounds the task at hand.
RESCOPES = frozenset(
    "create modify change alter edit touch break include add paste remove delete write output return print".split()
)
TURN = frozenset(
    "write run do change make edit add touch".split()
)  # "don't write code, just explain": for this turn
SCOPE = frozenset("any existing anything other more the full everything all files".split())
POINTS_BACK = frozenset("it that this them those these so now yet either".split())
PREFER = lazy(
    r"(?<!that )(?<!what )(?<!as )(?<!which )\b(?:i|we)(?:'d| would)? (?:\w+ly |also |much |still "
    r"|just )?(?:prefer(?! (?:not to say|that one|this one|it|that|this|the (?:first"
    r"|second|third|last|other|latter|former|new|old|current|\w+ (?:variant|version|option|one|approach"
    r"|colou?r|solution|design|layout|style|way))|option|version \d))|rather (?:you|we|have|not (?!talk"
    r"|say|go|discuss|think)|keep|see|use|avoid))\b|\b(?:my|our) (?:\w+ )?prefer(?:ence|red)\b"
    r"|\bi (?:always|never|only) (?:want|like|expect)\b(?! to (?:execute|run|do|have a|add|get|know|make"
    r"|be able))|\bi (?:generally |really |also |usually )?(?:want|like|expect) (?:every|all|each|any|no"
    r"|only|my|short|it when"
    r"|to (?:keep|have|see (?:the|a|your) (?:plan|diff|command)s?|be asked|review|approve)|when"
    r"|you to (?:always|never|stop|ask))\b"
    r"|\b(?:my|our|the|this) (?:team|company|lead|reviewers?|org|client|boss|maintainers?) (?:prefers?"
    r"|likes?|insists? on|wants|expects?) (?!me\b|to know|it\b|that\b|this\b|a new|us to)\w+"
    r"|\bi need (?:every|all|each) \w+|\bi (?:do|handle|take care of|make) (?:the |all |all the "
    r"|my )?(?:own )?(?:git|commits?|committing|push\w*|deploy\w*|merg\w*|releases?)\b(?! (?:failed|is"
    r"|was))"
    r"|\bthe way i like\b|\bi (?:hate|dislike|can't stand|don't like|do not like) (?:it when|when|having"
    r"|seeing|(?!the |this |that |how |what |your |it\b|these "
    r"|those )\w+)|\bi (?:don't|do not|never) want (?:any|you to|you \w+ing|new|to see|more|extra"
    r"|unnecessary"
    r"|a single)\b"
    r"|\bi(?:'d| would) like (?:all|every|each|any) |\bi(?:'m| am) (?:allergic to|(?:not )?a (?:big "
    r"|huge )?fan of) (?!this|that|it\b|the )\w+"
    r"|\bi'd (?:like|love|want) you to (?:always|never)\b|\b(?:i'd|i would) (?:appreciate"
    r"|prefer) (?:it )?if\b"
)
AVOID = lazy(
    CLAUSE
    + r"(?:avoid\s+(?!the |this |that |it\b|these |those |any )|(?:prefer|favou?r)\s+(?!the |this |that "
    r"|it\b|these |those )(?=[^,;]*?\s(?:over|to|rather|instead|unless|where|wherever|when|whenever"
    r"|if possible)\b))([a-z][\w-]*)"
)
STANDING = lazy(
    r"(?<![\w'])(?:from now on|from here on(?: out)?|from this point|going forward|moving forward"
    r"|henceforth|in (?:the )?future(?! (?:version|release"
    r"|step|work|pr|commit|update|iteration|sprint)s?\b)"
    r"|for (?:the )?future(?: reference)?(?! (?:version|release|work|use)s?\b)"
    r"|as a (?:general )?rule(?: of thumb)?"
    r"|as a general principle|for (?:all )?future \w+|by convention)\b"
)
OBLIGES = lazy(
    r"(?<![\w'])(?:should|must|need|needs|have to|has to|want|i'd like|please|only|no more"
    r"|go(?:es)? (?:in|into|through)|instead of|rather than)\b"
    r"|(?:don't|do not|never|always)\b"
)
BY_DEFAULT = lazy(r"(?:by default,?|default to)\s+(\w+)")
WHENEVER = lazy(
    r"(?<![\w'])(?:whenever|every time|each time|any ?time|every single time)\s+(?!(?:i|it|we|the|this"
    r"|that)\b(?! say| ask| mention| add| write))"
    r"(?!you(?:'re| are) (?:ready|done|finished))(.+)"
)
WHEN_YOU = lazy(
    r"(?:when|if|before|after|once) you(?:'re| are)? (?:ever )?"
    r"(?:add|chang|writ|creat|touch|renam|modify|edit|remov|introduc|implement|commit|fix|updat|refactor"
    r"|need an?|answer|reply|review|test|explain|generat|nam|log|import|open a|delet|push|merg|bump"
    r"|propos|suggest|document|mock|move|us)(?:e|ing|ting|ying)?\b()[^,]{2,80},\s*(?:also |then |please "
    r"|always |never |you (?:must|should|have to) |don't |do not )*([a-z-]+)"
)
BEFORE = lazy(
    r"\b(?:before|after|when|each time|every time|whenever) (?:you|committing|pushing|merging|adding"
    r"|changing)\b"
)
MAKE_SURE = lazy(
    r"\b(?:make (?:it a habit|a habit of)|make sure (?:that )?you (?:always|never)|be sure to always"
    r"|get (?:in|into) the habit)\b"
    r"|\bmake sure (?:(?:that )?you|to) [a-z-]+\b[^.;]* before (?:you (?:commit|push|merge|deploy|release)"
    r"|(?:every|each|any) \w+|committing|pushing|merging|deploying|releasing)\b"
)
POLITE_HABIT = lazy(
    r"(?:can|could|would|will) you (?:please |pls |kindly )?(always|never)\s+(?!have\b)([a-z][\w-]*)"
)
INSTEAD = lazy(
    CLAUSE + r"(?:use|run|call|write|choose|take|pick|import|install with|go through|stick (?:to"
    r"|with))\s+(?!(?:it|them|a|an|the|this|that|these|those|my|your|some"
    r"|his|another|its|port|option|version)\b)([^,;]{1,60}?),?\s(?:rather than|instead of|over|not"
    r"|and not|and never|never)\s+(?!just\b|only\b)([^\s,;]+)"
)
INSTEAD_FIRST = lazy(
    r"(?:^|[,;:]\s*|please )(?:instead of|rather than)\s+(?!(?:the|this|that|these|those|my|a"
    r"|an)\b)[^,;]{1,40}?,?\s(?:please )?(?:use|run|call|write)\s"
)
GENERIC_USE = lazy(
    CLAUSE + r"(?!write (?:\w+ )?(?:tests?|docs?|documentation|docstrings?|specs?) for\b)"
    r"(?:use|write|put|name|quote|prefix|format)\s+(?!(?:a|an|the|this|that|these|those|my|your"
    r"|some"
    r"|his|another|its|port|it|them"
    r"|option|version)\b)((?:(?!from |the |to |a )[\w'-]+ ){0,3}?[\w'-]+)\s+(?:for|in|inside|within|with"
    r"|on|at|next to|above|below)\s+(?:all |every |any )?(?!the |this |that |a |an )"
    r"(?:[\w-]+ ){0,2}?(?:(?!this\b|its\b)\w{2,}s|python|go|rust|typescript|javascript|java|sql|ruby|kotlin"
    r"|swift|bash|code|production|english|markdown)\b"
)
PLURAL_USE = lazy(
    CLAUSE + r"(?:please |pls )?use\s+(?!the |this |that |these |those |my |your |its |both |all |some "
    r"|port )(?:[a-z-]+ ){1,2}[a-z-]{2,}s(?=\s*(?:[,.!;]|$|everywhere|please|pls))"
)
WE = lazy(
    r"(?<![\w'])(?:we|our team|this team|everyone here|nobody here)\s+(?:(always|never|only|usually"
    r"|generally|normally|strictly)\s+([a-z-]+)|(don't|do not|never)\s+"
    r"(use|squash|commit|mock|allow|write|do|put|push|merge|rebase|like|want|keep|deploy|support|accept"
    r"|ship|touch|edit|store|log|hand[- ]roll|test|catch)\b"
    r"|(use|run|deploy|write|follow|stick to|name|put|keep|format|test|commit|squash|rebase|store|log"
    r"|prefer)\b([^,;]*)(, not|, never| rather than| instead of| not"
    r"| here\b| in this (?:repo|project|code ?base|app|team)| everywhere| for everything| exclusively"
    r"| throughout))"
)
CONVENTION = lazy(
    r"(?<![\w'])(?:our|my|the|project|team|house) (?:\w+ )?(?:convention|rule of thumb|rule|policy"
    r"|standard|style"
    r"|practice|guideline)s?(?: here| in this \w+| for \w+)?"
    r"(?: is| says| are)?(?: that\b|:| to\b| is\b)"
)
THINGS = (
    r"(?:unit |integration |e2e |commit |error |log |pull |merge |variable |function |class |method "
    r"|file |branch |test |public |sql |db |database |json |api |type |code"
    r"|feature |env |environment |config |new |internal |raw |helper )*(?:tests|commits|messages|prs|mrs"
    r"|requests|branches|docstrings|comments|names|migrations|imports|files"
    r"|modules|functions|classes|methods|endpoints|queries|handlers|fixtures|constants|types|dates"
    r"|timestamps|secrets|scripts|components|hooks|tickets|strings|keys"
    r"|exceptions|errors|dependencies|variables|columns|tables|routes|services|models|schemas|warnings"
    r"|snippets|answers|replies|explanations|identifiers|sql|code|flags"
    r"|packages|helpers|interfaces|tags|titles|descriptions|changelogs|docs|logs)"
)
ALL_THINGS = lazy(
    rf"(?:in (?:this|our) (?:project|repo|code ?base|team),? )?(?:(?:everything"
    rf"|anything)(?: [\w-]+){{0,3}}|(?:all|every|each|any|our) (?:[\w-]+ ){{0,3}}?[\w-]+"
    rf"|{THINGS})(?: \w+){{0,4}}?\s"
    r"(?:should(?:n't)?|must(?:n't)?|needs? to|needs?|have to|has to|go(?:es)? (?:in|into|to|through"
    r"|next to|under|via)|belongs? (?:in|to|under)|may not|may never|are (?:always"
    r"|never|written in|stored (?:as|in)|named|kept)|are to be|live in|get) (?!pass\b|work\b|be (?:green"
    r"|fixed|working|passing))"
    rf"|(?:\w+ )?{THINGS} (?:are|is|must|should|may|can) (?:always|never|not|only)\b"
    rf"|{THINGS} in (?:english|german|french|spanish|lower ?case|upper ?case|snake_case|camel ?case"
    rf"|kebab-case)\b"
)
A_CHANGE = lazy(
    r"[,;:–—-]\s*(?:so |please |and |can you |then )*(?:fix|add|change|update|implement|make|correct"
    r"|remove)\b|\bbe (?:shown|displayed|rendered|redirected|visible|hidden|clickable|blue|red|green"
    r"|bigger|smaller)\b|\bcurrently\b"
)
NO_MORE = lazy(
    r"(?:please )?no (?![^.]{0,60}\b(?:required|needed|necessary)\b)(?!problem|worries|worry|need|rush"
    r"|idea|way|luck|errors?\b|one\b|thanks|thank|clue|doubt|wonder|matter|longer|change|changes"
    r"|difference|response|output|result"
    r"|results|file|such|no\b|it\b|that\b|this\b|i\b|the\b|go\b|real\b|reason|other|access|news|hurry"
    r"|offen[cs]e|success|more questions)"
    r"(?:more )?(?:[\w-]+ ){1,4}?(?:please|pls|in (?:the )?\w+|for \w+s|anywhere|ever|here|at all|inside"
    r"|without|unless|, ever|in my|in your|outside)"
)
NOTHING_NEW = lazy(
    r"[,;:]\s(?:and )?no (?:new|more|extra|additional|external) \w+ (?:\w+ ){0,4}(?:please|pls|ever"
    r"|without)\b"
)
KEEP = lazy(
    CLAUSE + r"keep\s+(?!going|it\b|this|that\b|the old|the new|them|in mind|an eye|reading|on\b|up\b"
    r"|working"
    r"|trying|both|me\b|track)([^,;]{1,50}?)\s(?:under|below|short|small"
    r"|thin|simple|minimal|concise|brief|sorted|in sync|up to date|to a minimum|separate|apart|next to"
    r"|flat|pure|stateless|free of|out of|within|at most|alphabetical|lean|tidy|linear|clean|green"
    r"|readable|consistent|self-contained)\b"
)
MANNER = lazy(
    CLAUSE
    + r"be\s+(?:a (?:bit|little) )?(?:more |less |very |as )?(?:concise|brief|terse|short|direct|verbose"
    r"|explicit|precise|careful with|succinct|conservative)\b"
)
EARLY = lazy(
    CLAUSE + r"\w+ (?:\w+ ){0,3}?(?:early and often|in small steps|one (?:step|file|thing) at a time)\b"
)
ASK_FIRST = lazy(
    r"\b(?:ask|check with|tell|warn|consult|confirm with"
    r"|let me know)(?: me)?(?: first)? before\b(?! (?:i|we|it)\b)|\bwithout (?:asking|telling"
    r"|checking with|consulting|my (?:ok|approval|permission"
    r"|consent))\b"
)
TONGUE = lazy(
    CLAUSE + r"(?:answer|reply|respond|write (?:all |your |the )?(?:comments|answers|docs|commit messages"
    r"|code comments|replies|everything)|comment|speak|talk)\b.{0,40}?\bin (?:plain )?"
    r"(?:english|german|french|spanish|chinese|japanese|russian|portuguese|italian|dutch|polish|korean"
    r"|turkish|hindi|full sentences|bullet points|prose)\b"
)
EVERYTHING = lazy(
    CLAUSE + r"(?:run|do|route|send|put|wrap|call|start|build) everything (?:through|via|with|in|inside"
    r"|behind)\b|\bfor everything\b"
)
REMEMBER = lazy(r"(?:please |and |also )*remember(?: that\b(?! (?:time|day|bug|one))|\s?[:,]| to always)\s")
SELF_HABIT = lazy(
    r"(?<![\w'])i (?:always|usually|only|never|mostly|exclusively) (?:use|work|write|run|develop|code"
    r"|deploy|commit|name|format|prefer|test|squash|rebase|review|merge|read)\b|(?<![\w'])i (?:don't"
    r"|do not) care about (?!this|that|it\b|the )"
)
SELF = lazy(
    r"(?<![\w'])i(?:'m| am) (?:a|an|the only|new to|not a|not an|on (?:a |an )?(?:mac|linux|windows"
    r"|macos|nixos|arch|ubuntu|fedora|debian|wsl))\b(?!\s(?:bit|little|fan of (?:the|this|that)|idiot"
    r"|lot|dummy))"
    r"(?=.*\b(?:engineer|developer|dev|designer|scientist|student|beginner|newbie|manager|researcher"
    r"|sysadmin|admin|analyst|maintainer|mac|linux|windows|macos|nixos|arch|ubuntu|fedora|debian"
    r"|wsl|to \w+)\b)|(?<![\w'])i (?:work|develop|code|run (?:everything|things)) (?:on|with|from) (?:a "
    r"|an |my )?(?:mac|macbook|linux|windows|nixos|arch|ubuntu|fedora|debian|wsl|bare metal)\b"
    r"|(?<![\w'])i (?:mostly |mainly |usually |primarily )(?:work|code|develop|program|write) (?:in|with) \w+"
    r"|(?<![\w'])i (?:work|code|develop|program) (?:mostly|mainly|usually|primarily) (?:in|with|on) \w+"
)
REFRAIN = lazy(
    CLAUSE + r"(?:refrain from|abstain from|steer clear of|stay away from|hands off|keep away from"
    r"|no need to)\s(?!this\b|that\b|it\b)(\w+)"
)
ALL_YOURS = lazy(
    CLAUSE + r"(?:write|keep|name|structure|format|make|design|put|document|organi[sz]e|test) (?:all "
    r"|all of )?(?:your|all|any|every|each) (?:\w+ ){0,2}?\w+ (?:so that|so|in|with|as|like|using|to"
    r"|under|next to|short|small|at)\b"
)
TOPIC = lazy(
    r"(?:for|about|re|on|regarding|as for) (?:naming|tests?|testing|commits?|commit messages|style"
    r"|code style|formatting|logging|logs|errors?|error handling|docs|documentation|branches"
    r"|branch names|imports|types|sql|variables|file names|comments"
    r"|dependencies|reviews|prs|releases|versions|shell scripts|scripts|migrations|css|typescript|python"
    r"|go|rust)\s?[:,]\s*(?P<what>.+)"
)
JUDGED = lazy(
    r"\b(?:is|are) (?:a |an )?(?:code smells?|smells?|anti-?patterns?|no-?go|bad practice|best practice"
    r"|off[- ]limits|forbidden|banned|mandatory|discouraged|not allowed|not acceptable|not welcome"
    r"|a must|preferred|non-negotiable)\b"
)
OVER = lazy(
    r"(?!(?:we|i|it|they|he|she|this|that|the|game|hand|all|start|roll|go|come"
    r"|over)\b)[\w-]+(?: [\w-]+){0,2} over [\w-]+(?: [\w-]+){0,2}(?:,? (?:always|please|pls|any ?day"
    r"|every time))\W*$"
)
MUST = lazy(
    r"(?<![\w'])you (?:must|should|have to|need to|are expected to)(?: always| never| not| only"
    r"| first)? ([a-z-]+)\b.*\b(?:before you|whenever|every time|each time|before (?:every|each|any)"
    r"|unless i|without)\b"
)
ONLY_WHEN = lazy(
    CLAUSE + r"only ([a-z-]+)\b.{3,80}?\b(?:when|if|after|once|where)\b (?:i|we|it's|there|it is|the|you)\b"
)
EACH_TIME = lazy(
    r"\b(?:after|before|on|with|for|per) (?:every|each|any) (?:single )?(?:change|commit|edit|step|file"
    r"|push|merge|pr|feature|fix|refactor\w*|task|release|function|endpoint|module|ticket|one|migration"
    r"|test)\b"
)
COUNTED = lazy(r"(?:only )?(?:one|a single|at most \w+|max(?:imum)? \w+) (?:\w+ )?\w+ per \w+")
IN_DOUBT = lazy(r"(?:when|if) (?:you're |you are )?(?:in doubt|unsure|not sure|uncertain)\b,?\s+\w+")
MEASURE = lazy(
    r"(?:use |write |make |give me |i want |please )*(?:shorter|longer|smaller|fewer|less|more concise"
    r"|more descriptive) (?:\w+ )?(?:answers|replies|responses|commits|comments|explanations|prs|diffs"
    r"|functions|messages|summaries|steps"
    r"|names|output|text|prose|chatter|talk)\b"
)
LEAVE = lazy(
    r"you (?:don't|do not) (?:have|need) to (?:ask|confirm|wait|explain|tell|check with|summari[sz]e"
    r"|apologi[sz]e|repeat)\b|feel free to (?=.*\bwithout asking\b)"
)
DONT_BE = lazy(
    CLAUSE
    + r"(?:don't|dont|do not) be (?:so |too )?(?:verbose|chatty|wordy|clever|lazy|vague|defensive|polite"
    r"|formal)\b"
)
MY_TOOLS = lazy(
    r"my (?:\w+ )?(?:editor|shell|os|operating system|time ?zone|native language|role|background|ide"
    r"|keyboard layout|stack|first language) (?:is|are)\b|my \w+'s (?:vim|emacs)"
)
STICK = lazy(
    r"\b(?:please )?(?:stick (?:to|with) (?:that|this|the) (?:style|convention|pattern|format|naming)"
    r"|keep it (?:that|this) way|keep (?:doing )?it like (?:that|this))\b"
)
ONLY = lazy(
    r"(?:please |just )*(?:only |give me (?:only )?|show me (?:only )?)[\w' -]{2,50},? (?:only|never"
    r"|not the whole|instead of the whole)\b"
)
NOT_FOR_GOOD = lazy(r"\b(?:for now|eventually|this time|right now|just this once)\b")
FAILING = lazy(
    r"\b(?:fails?|failing|error|crash(?:es|ed)?|doesn't work|didn't work|broken|exception|403|404|500"
    r"|bug)\b"
)
# What the software shall do ("never show the banner") is no way of working.
ABOUT_PRODUCTS = frozenset(("always", "never", "don't", "all", "no", "instead", "use", "whenever", "keep"))
PRODUCT = lazy(
    r"\b(?:users?(?![ -]facing)|customers?|visitors?|buttons?|banner|modal|pages?|forms?|screen|popups?"
    r"|dialog|avatar|sidebar|footer|menu|icons?|logo|cards?|layout|list|widget|player|enem(?:y|ies)"
    r"|checkout|cart|ads?|dropdown|tooltip|toast"
    r"|notifications?|items?|products?|prices?|invoices?|orders?|letters|colou?r|login|dates? field"
    r"|navbar|tab|chart|map)\b"
)
CRAFT = lazy(
    r"\b(?:comments?|commits?|tests?|code|functions?|imports?|branch(?:es)?|repo|prs?|dependenc\w+"
    r"|formatter|lint\w*|naming|names?|docs?|docstrings?|migrations?|logs?(?! (?:in|out)\b)|logging"
    r"|types?|variables?|components?|hooks?|css|classes|files?|modules?|strings?"
    r"|fixtures?|schema|endpoints?|api|sql|quer(?:y|ies)|queries|secrets?|exports?|libs?|librar\w+"
    r"|packages?|framework|errors?|explanations?|answers?|replies|plan|diff|command|script|story|stories"
    r"|translations?|i18n)\b"
)
IN_ONE_PLACE = lazy(
    r"(?:in|on|for|inside|ensure)\b (?:the |this |that )?(?:[\w/.-]+ ){0,2}(?:endpoint|function"
    r"|component|file|method|class|page|view|handler|module|section|screen|header|form|button|we|x{3,})\b,?"
)
PLACE = lazy(r"\b(?:in|of|inside|to|from)\s(?:the )?(?:x{3,}|[a-z]\w*(?:\.\w+)?\(\)|\w+#\w+|\w+_\w+\b(?!/))")

FEW = lazy(
    CLAUSE + r"(?:only (?:use|run|write|commit|edit|touch|import|log|add|create)\b(?! (?:it|that|this)\b)"
    r"|(?:wrap|limit|break) (?:lines?|comments?|docstrings?|commit \w+|code) (?:at|to|after) \d+"
    r"|skip the (?:compliments?|summary|summaries|explanations?|preamble|intro|pleasantries|small talk"
    r"|apologies|praise)|(?:call|address) me \w+)"
)
OF_ALL = lazy(
    rf"(?<![\w'])i (?:want|need|expect|like) {THINGS} (?:to|in|with|that|under|short|small)\b"
    rf"|(?<![\w'])we follow \w+"
)
JOKING = lazy(r"[:;]-?[)DP](?:\W|$)|\b(?:haha+|lol|lmao|rofl|jk|xd)\b")
MINE = lazy(r"\bmy (?:stash|local|changes|branch|work|files?|edits|notes|data)\b")

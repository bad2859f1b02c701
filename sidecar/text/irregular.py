"""Irregular forms of English words, which a stemmer that cuts endings misses ("bought" for "buy").

Holds the verbs, plurals and Latin or Greek plurals of any school grammar, without comparatives and forms that are
mostly another word today ("data", "lives", "rose", "lay", "bore", "lit").
"""

from __future__ import annotations

_FORMS = """
arise: arose arisen; awake: awoke awoken; become: became; beat: beaten; begin: began begun; bend: bent; bind: bound;
bite: bitten; bleed: bled; blow: blew blown; break: broke broken; breed: bred; bring: brought; build: built;
burn: burnt; buy: bought; catch: caught; choose: chose chosen; cling: clung; come: came; creep: crept; deal: dealt;
dig: dug; dive: dove; draw: drew drawn; dream: dreamt; drink: drank drunk; drive: drove driven; eat: ate eaten;
fall: fallen; feed: fed; feel: felt; fight: fought; find: found; flee: fled; fling: flung; fly: flew flown;
forbid: forbade forbidden; forget: forgot forgotten; forgive: forgave forgiven; freeze: froze frozen;
get: got gotten; give: gave given; go: went gone; grow: grew grown; hang: hung; hear: heard; hide: hid hidden;
hold: held; keep: kept; kneel: knelt; know: knew known; lead: led; lean: leant; leap: leapt; learn: learnt;
leave: left; lend: lent; lose: lost; make: made; mean: meant; meet: met; mistake: mistook mistaken;
overcome: overcame; pay: paid; prove: proven; rebuild: rebuilt; rewrite: rewrote rewritten; ride: rode ridden;
ring: rang rung; rise: risen; run: ran; say: said; see: saw seen; seek: sought; sell: sold; send: sent;
sew: sewn; shake: shook shaken; shine: shone; shoot: shot; show: shown; shrink: shrank shrunk; sing: sang sung;
sink: sank sunk; sit: sat; sleep: slept; slide: slid; speak: spoke spoken; speed: sped; spend: spent; spin: spun;
spring: sprang sprung; stand: stood; steal: stole stolen; stick: stuck; sting: stung;
strike: struck stricken; string: strung; strive: strove striven; swear: swore sworn; sweep: swept; swell: swollen;
swim: swam swum; swing: swung; take: took taken; teach: taught; tear: tore torn; tell: told; think: thought;
throw: threw thrown; understand: understood; undertake: undertook undertaken; undo: undid undone;
uphold: upheld; wake: woke woken; wear: wore worn; weave: wove woven; weep: wept; win: won; wind: wound;
withdraw: withdrew withdrawn; withhold: withheld; write: wrote written;
child: children; foot: feet; goose: geese; knife: knives; leaf: leaves; half: halves; loaf: loaves;
man: men; mouse: mice; ox: oxen; person: people; shelf: shelves; thief: thieves; tooth: teeth; wife: wives;
wolf: wolves; woman: women; self: selves; calf: calves;
analysis: analyses; crisis: crises; criterion: criteria; index: indices;
matrix: matrices; phenomenon: phenomena; schema: schemata; vertex: vertices; appendix: appendices
"""
"""Base form: irregular forms; ..."""


def _by_form() -> dict[str, str]:
    table: dict[str, str] = {}
    for entry in _FORMS.split(";"):
        base, _, forms = entry.partition(":")
        for form in forms.split():
            table[form] = base.strip()
    return table


BASE_FORMS = _by_form()
"""Base form by irregular form."""

"""Statements in German, Spanish, French and Chinese, in their simplest and surest forms."""

from __future__ import annotations

import re

from sidecar.learning.language.mark import Kind, Mark
from sidecar.patterns import lazy

_CHINESE = lazy(r"[\u4e00-\u9fff]")
_ASKS = lazy(
    r"[?？¿]|吗|为什么|怎么|什么|是否|能不能|可不可以|^(?:warum|wieso|wie|was|wann|wo|wer|soll|sollen|kannst|können|ist"
    r"|sind|hast|gibt|por qué|cómo|qué|cuándo|dónde|puedes|pourquoi|comment|est-ce|peux|qu'est)\b"
)
_DOUBT = lazy(
    r"\b(?:wenn|falls|ob|vielleicht|könnte|würde|si|quizás|tal vez|podría|peut-être|pourrait|momentan"
    r"|vorerst|erstmal|diesmal|jetzt gerade|por ahora|esta vez|pour l'instant|cette fois|maintenant)\b"
    r"|如果|可能|也许|假如|这次|暂时|先"
)
_RULES: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "correction",
        re.compile(
            r"^(?:nein|falsch|stimmt nicht|nee)[,.!:\s–-]+(?:(?:das|es) (?:ist|war"
            r"|stimmt) (?:so )?(?:falsch|nicht(?: richtig| so)?)|falsch"
            r"|stimmt nicht)?[,.!:\s–-]*(?P<rest>(?:der|die|das|wir|es|unser\w*|hier)\s.{12,})"
            r"|^das (?:ist|war) (?:falsch|nicht richtig)[,.!:\s–-]+(?P<rest2>.{12,})"
            r"|^no[,.:\s]+(?:eso |así )?(?:no es correcto|está mal|es incorrecto"
            r"|no es así)[,.:\s]+(?P<rest3>.{12,})"
            r"|^non[,.:\s]+c'est (?:faux|incorrect|pas ça)[,.:\s]+(?P<rest4>.{12,})"
            r"|^(?:不对|错了|不是这样)[，,：:。！!\s]+(?P<rest5>.{4,})"
        ),
    ),
    (
        "decision",
        re.compile(
            r"\b(?:haben|habe) (?:uns|mich) (?:für|gegen|dafür|dagegen|darauf)\b.+\b(?:entschieden"
            r"|geeinigt)\b|\b(?:wir haben|ich habe|wurde) (?:\S+ ){0,6}(?:entschieden|beschlossen),"
            r"|\b(?:decidimos|hemos decidido|he decidido|decidí|optamos por)\s.{8,}|\b(?:on a|nous avons"
            r"|j'ai) décidé (?:de|d')\s?.{8,}|\b(?:on a|nous avons) choisi\s.{6,}\bplutôt que\b|(?:我们|我"
            r"|团队)(?:已经)?(?:决定|选择了?)(?:使用|用|采用|改用|不|把|将).{2,}"
        ),
    ),
    (
        "blocker",
        re.compile(
            r"\b(?:ist|sind|bin|werden) (?:\S+ ){0,3}(?:blockiert|gesperrt) (?:durch|von|bis|weil)\b.+"
            r"|\b(?:können|kann) (?:erst )?nicht (?:weiter\w*|mergen|deployen|releasen),? (?:bis|solange"
            r"|bevor)\b.+|\b(?:können|kann) erst weiter\w*,? wenn\b.+"
            r"|\b(?:estamos|está|estoy) bloquead[oa]s? (?:por|hasta)\b.+|\bno podemos (?:continuar"
            r"|avanzar|desplegar) hasta\b.+|\b(?:est|sommes|suis) bloquée?s? (?:par|tant que"
            r"|jusqu')\S*\s?.+|\bon ne peut pas (?:continuer|avancer|déployer) (?:tant que|avant)\b.+"
            r"|被.{2,}(?:阻塞|卡住|阻止)"
        ),
    ),
    (
        "fact",
        re.compile(
            r"\b(?:hat sich herausgestellt|stellte? sich heraus|es stellt sich heraus)\b.{10,}"
            r"|\b(?:die )?(?:eigentliche )?(?:ursache|fehlerursache|das problem|der grund) (?:war"
            r"|lag)\b.{8,}|\bresult[aó] que\b.{10,}|\bla causa (?:raíz |real )?(?:era|fue|es)\b.{8,}"
            r"|\bil s'avère que\b.{10,}|\bla cause (?:réelle |racine )?(?:était|est)\b.{8,}|(?:原来是?"
            r"|根本原因是|问题的?原因是|结果发现).{4,}"
        ),
    ),
    (
        "preference",
        re.compile(
            r"\b(?:wir|ich) (?:benutzen|benutze|verwenden|verwende|nutzen|nutze|schreiben|schreibe"
            r"|nehmen|nehme|machen|committen)\b.*\b(?:immer|nie|niemals|statt|nur|grundsätzlich|lieber"
            r"|keine?)\b"
            r"|\bab (?:jetzt|sofort|nun)\b(?=.*\b(?:bitte|immer|nur|nie|keine?n?|auf|mit)\b)|\b(?:bitte"
            r"|bitte,)\s(?:.*\b)?(?:immer(?! noch)|nie|niemals|in zukunft|künftig)\b|^(?:immer(?! noch"
            r"| wieder)|nie|niemals)\s\w+.*\w{3,}|\bin zukunft bitte\b"
            r"|\bich (?:bevorzuge|mag lieber|möchte (?:immer|nie|keine|nur))\b.{4,}|\b(?:benutze"
            r"|verwende|nutze|nimm) (?!die |das |den |diese)\S+ (?:statt|anstatt|anstelle von)\b.+"
            r"|(?<!\w)siempre (?:usa|utiliza|escribe|ejecuta|pon|haz|responde|añade|usamos)\b.+"
            r"|(?<!\w)nunca (?:uses|hagas|escribas|pongas|modifiques|borres|usamos)\b.+|\b(?:usa|utiliza"
            r"|usamos) (?!el |la |los |las |este )\S+ en (?:lugar|vez) de\b.+|\b(?:a partir de ahora"
            r"|de ahora en adelante)\b.{6,}"
            r"|(?<!\w)prefiero (?!no decir|este|esta|el |la )\S+.+|\bpor favor,? no (?:uses|añadas"
            r"|agregues|pongas|hagas)\s\S+.+"
            r"|\b(?:utilise|écris|ajoute|mets|lance|fais|réponds|utilisez)\b.*\btoujours\b.*"
            r"|(?<!\w)toujours (?:utiliser|utilise|écrire|écris|répondre|lancer)\b.+|\bn'(?:ajoute"
            r"|utilise|écris|oublie)\w* jamais\b.+|\bne \w+ jamais\b.+|\b(?:à partir de maintenant"
            r"|désormais|dorénavant)\b.{6,}|(?<!\w)(?:je )?préfère (?!ne pas|celui|celle|cette|ce )\S+.+"
            r"|(?:以后|今后|从现在(?:开始|起))(?:请|都|要|不要|别|一律)*.{2,}|(?:请|务必)(?:始终|总是|一律|永远).{2,}|(?:请)?(?:不要|别"
            r"|禁止)(?:再|在|用|使用|添加|写|修改|提交|加).{2,}|我(?:更|比较)?(?:喜欢|偏好|习惯).{2,}"
        ),
    ),
)


def find(reading: str) -> Mark | None:
    """The statement that a sentence in one of these languages makes, or None."""
    if _ASKS.search(reading) or _DOUBT.search(reading):
        return None
    if not _CHINESE.search(reading) and len(reading.split()) < 3:
        return None
    for kind, pattern in _RULES:
        if found := pattern.search(reading):
            rest = next((name for name, group in found.groupdict().items() if group), None)
            start = found.start(rest) if rest else 0
            return Mark(kind, f"{kind}.other language", 1.0, found.start(), start, len(reading))
    return None

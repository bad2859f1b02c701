"""Line patterns of application and schema languages that have no grammar here; only what is reliable."""

from __future__ import annotations

from typing import Final

from sidecar.files.structure.language_rules import Language, language

_HASH: Final = ("#",)
_NONE: Final[tuple[tuple[str, str], ...]] = ()

APPLICATION_LANGUAGES: Final[dict[str, Language]] = {
    "dart": language(
        {
            "class": r"(?:(?:abstract|sealed|base|interface|final|mixin)\s+)*class\s+(\w+)",
            "mixin": r"(?:base\s+)?mixin\s+(\w+)",
            "extension": r"extension\s+(?:type\s+)?(\w+)",
            "enum": r"enum\s+(\w+)",
            "type": r"typedef\s+(?:[\w<>?, ]{1,80}\s)?(\w+)\s*[=(<]",
            "constant": r"(?:static\s+)?(?:const|final)\s+(?:[\w<>?, ]{1,80}\s)?(\w+)\s*=",
            "function": (
                r"(?:(?:external|static|factory|Future<[^>]{0,80}>|void|[A-Z]\w*(?:<[^>]{0,80}>)?\??"
                r"|int|double|bool|num|dynamic)\s+)+(?:get\s+|set\s+|async\s+)?(\w+(?:\.\w+)?)\s*"
                r"(?:<[^>]{0,60}>)?(?:\(|=>)"
            ),
            "function#constructor": r"(?:const\s+)?([A-Z]\w*(?:\.\w+)?)\((?:\{|this\.|super\.|\w+ \w+|\);)",
        },
        comment=("//",),
        containers="class mixin extension enum",
        imports=r"(?:import|export|part)\s+['\"]([^'\"]{1,300})['\"]",
        private=r"^(?:[\w<>?, ]{0,80}\s)?_\w",
        main=r"(?:Future<void>|void|int)?\s*main\s*\(",
    ),
    "scala": language(
        {
            "class": (
                r"(?:(?:private|protected|final|sealed|abstract|case|implicit|open|override|inline)"
                r"(?:\[\w+\])?\s+)*class\s+(\w+)"
            ),
            "object": r"(?:(?:private|protected|final|case|implicit)(?:\[\w+\])?\s+)*object\s+(\w+)",
            "trait": r"(?:(?:private|protected|sealed|abstract|transparent)(?:\[\w+\])?\s+)*trait\s+(\w+)",
            "enum": r"enum\s+(\w+)",
            "function": (
                r"(?:(?:private|protected|final|override|implicit|inline|transparent|lazy|abstract)"
                r"(?:\[\w+\])?\s+|@\w+\s+)*def\s+([^\s(:\[=]+)"
            ),
            "constant": r"(?:(?:private|protected|final|override|implicit|lazy)(?:\[\w+\])?\s+)*val\s+(\w+)",
            "type": r"(?:opaque\s+)?type\s+(\w+)",
            "given": r"given\s+(\w+)\s*(?::|\[|\()",
        },
        containers="class object trait enum",
        imports=r"import\s+([\w.{}*, =>]{1,200})",
        private=r"\bprivate\b",
        main=r"@main\b|object\s+\w+\s+extends\s+App\b",
    ),
    "haskell": language(
        {
            "module": r"module\s+([\w.]+)",
            "type": r"(?:data|newtype|type(?:\s+family)?)\s+(?:\([^)]{0,80}\)\s*=>\s*)?(\w+)",
            "class": r"class\s+(?:[^=]{0,80}=>\s*)?(\w+)",
            "instance": r"instance\s+(?:[^=]{0,80}=>\s*)?([\w. ()\[\]]{1,80}?)\s*(?:where|$)",
            "function": r"([a-z_]\w*'?)\s*::",
        },
        comment=("--",),
        blocks=(("{-", "-}"),),
        containers="class",
        imports=r"import\s+(?:safe\s+|qualified\s+)*([\w.]+)",
        main=r"main\s*::",
        clauses=True,
    ),
    "elixir": language(
        {
            "module": r"defmodule\s+([\w.]+)",
            "protocol": r"defprotocol\s+([\w.]+)",
            "implementation": r"defimpl\s+([\w.]+)",
            "macro": r"defmacrop?\s+([\w?!]+)",
            "struct": r"(defstruct)\b",
            "function": r"def(?:p|delegate|guard|guardp|callback)?\s+([\w?!]+)",
            "type": r"@(?:type|opaque|typep)\s+(\w+)",
            "callback": r"@callback\s+(\w+)",
        },
        comment=_HASH,
        blocks=(('@moduledoc """', '"""'), ('@doc """', '"""'), ('"""', '"""')),
        containers="module protocol implementation",
        imports=r"(?:alias|import|use|require)\s+([\w.]+)",
        private=r"^(?:defp|defmacrop|defguardp|@typep)\b",
        clauses=True,
    ),
    "zig": language(
        {
            "function": r"(?:(?:pub|export|inline|extern)\s+)*fn\s+(\w+)",
            "type": (
                r"(?:pub\s+)?const\s+(\w+)\s*=\s*(?:packed\s+|extern\s+)?(?:struct|enum|union|opaque"
                r"|error)\b"
            ),
            "constant": r"(?:(?:pub|export|threadlocal)\s+)*(?:const|var)\s+(\w+)",
            "test": r"test\s+\"([^\"]{1,100})\"",
        },
        blocks=_NONE,
        containers="type",
        imports=r"(?:pub\s+)?const\s+\w+\s*=\s*@import\(\"([^\"]{1,200})\"\)",
        private=r"^(?!pub\b|export\b)",
        main=r"pub\s+fn\s+main\b",
    ),
    "protobuf": language(
        {
            "package": r"package\s+([\w.]+)",
            "message": r"message\s+(\w+)",
            "service": r"service\s+(\w+)",
            "enum": r"enum\s+(\w+)",
            "rpc": r"rpc\s+(\w+)",
            "extend": r"extend\s+([\w.]+)",
            "oneof": r"oneof\s+(\w+)",
            "field": r"(?:(?:optional|required|repeated)\s+)?(?:map\s*<[^>]{1,80}>|[\w.]+)\s+(\w+)\s*=\s*\d+",
            "case": r"([A-Z]\w*)\s*=\s*-?\d+",
        },
        containers="message service enum extend oneof",
        imports=r"import\s+(?:public\s+|weak\s+)?\"([^\"]{1,300})\"",
    ),
    "graphql": language(
        {
            "type": r"(?:extend\s+)?type\s+(\w+)",
            "interface": r"(?:extend\s+)?interface\s+(\w+)",
            "input": r"(?:extend\s+)?input\s+(\w+)",
            "enum": r"(?:extend\s+)?enum\s+(\w+)",
            "union": r"union\s+(\w+)",
            "scalar": r"scalar\s+(\w+)",
            "directive": r"directive\s+(@\w+)",
            "schema": r"(?:extend\s+)?(schema)\b",
            "operation": r"(?:query|mutation|subscription)\s+(\w+)",
            "fragment": r"fragment\s+(\w+)",
            "field": r"(\w+)\s*(?:\([^)]{0,300}\)?)?\s*:",
            "case": r"([A-Z][A-Z0-9_]*)$",
        },
        comment=_HASH,
        blocks=(('"""', '"""'),),
        containers="type interface input enum schema",
    ),
    "terraform": language(
        {
            "resource": r"resource\s+\"([\w-]+)\"\s+(\"[\w-]+\")",
            "data": r"data\s+\"([\w-]+)\"\s+(\"[\w-]+\")",
            "module": r"module\s+\"([\w-]+)\"",
            "variable block": r"variable\s+\"([\w-]+)\"",
            "output": r"output\s+\"([\w-]+)\"",
            "provider": r"provider\s+\"([\w-]+)\"",
            "block": r"(locals|terraform|moved|import|removed|check)\b[^={]{0,60}\{",
            "block#labelled": r"(\w+)\s+(\"[^\"]{1,80}\")\s*\{",
            "key": r"([A-Za-z_][\w-]*)\s*=",
        },
        comment=("#", "//"),
    ),
    "vim": language(
        {
            "function": r"(?:export\s+)?(?:fu(?:n|nc|nct|ncti|nctio|nction)?!?|def!?)\s+([\w:#.<>]+)",
            "command": r"com(?:mand)?!?\s+(?:-\S{1,40}\s+)*([A-Z]\w*)",
            "augroup": r"aug(?:roup)?\s+(?!END)(\w+)",
            "variable": r"(?:let|const|var)\s+([gs]:\w+)\s*=",
        },
        comment=('"', "#"),
        blocks=_NONE,
        imports=r"(?:so(?:urce)?|runtime!?|import(?:\s+autoload)?)\s+(\S{1,200})",
        private=r"\bs:|<SID>",
        margin=2,
    ),
    "r": language(
        {
            "function": r"`?([A-Za-z.][\w.<-]*?)`?\s*(?:<-|=)\s*function\b",
            "class": r"(?:set(?:Ref)?Class|R6Class|setGeneric|setMethod)\(\s*\"([\w.]{1,80})\"",
            "constant": r"([A-Z][A-Z0-9_.]+)\s*(?:<-|=)",
        },
        comment=_HASH,
        blocks=_NONE,
        imports=r"(?:library|require|source)\(\s*['\"]?([\w./-]{1,200})",
    ),
}

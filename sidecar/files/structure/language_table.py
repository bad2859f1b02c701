"""Line patterns of the languages that have no grammar here; only what is reliable."""

from __future__ import annotations

import re
from typing import Final

from sidecar.files.structure.language_rules import Language, language

_HASH: Final = ("#",)
_NONE: Final[tuple[tuple[str, str], ...]] = ()

LANGUAGES: Final[dict[str, Language]] = {
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
    "prisma": language(
        {
            "model": r"(?:model|view|type)\s+(\w+)",
            "enum": r"enum\s+(\w+)",
            "source": r"(?:datasource|generator)\s+(\w+)",
            "field": r"(\w+)\s+[A-Z]\w*[\[\]?]*(?:\s|$)",
            "case": r"(\w+)(?:\s+@map\(.{1,80}\))?$",
        },
        containers="model enum",
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
    "perl": language(
        {
            "package": r"(?:package|class|role)\s+([\w:]+)",
            "function": r"(?:sub|method)\s+(\w+)",
            "constant": r"use\s+constant\s+([A-Z]\w*)",
            "property": r"has\s+\(?\s*['\"+]*(\w+)",
        },
        comment=_HASH,
        blocks=(("=head", "=cut"), ("=pod", "=cut"), ("=over", "=cut"), ("=item", "=cut")),
        imports=r"(?:use|require)\s+(?!constant|strict|warnings|utf8|\d|v\d)([\w:]+)",
        private=r"sub\s+_",
        containers="package",
        margin=4,
    ),
    "groovy": language(
        {
            "class": (
                r"(?:(?:public|private|protected|abstract|final|static|@\w+)\s+)*(?:class|interface"
                r"|trait|enum)\s+(\w+)"
            ),
            "function": (
                r"(?:(?:public|private|protected|static|final|@\w+)\s+)*(?:def|void|[A-Z]\w*"
                r"(?:<[^>]{0,60}>)?|int|boolean|long)\s+(\w+)\s*\("
            ),
            "block": (
                r"(plugins|dependencies|repositories|android|pipeline|stages|allprojects|subprojects"
                r"|buildscript)\s*\{"
            ),
            "task": r"task\s+(\w+)",
        },
        containers="class",
        imports=r"import\s+(?:static\s+)?([\w.*]+)",
        private=r"\bprivate\b",
    ),
    "clojure": language(
        {
            "namespace": r"\(ns\s+(?:\^\S+\s+)?([\w.-]+)",
            "function": r"\(def(?:n-?|multi|method)\s+(?:\^\S+\s+)*([^\s()\[\]]+)",
            "macro": r"\(defmacro\s+([^\s()\[\]]+)",
            "type": r"\(def(?:record|type|protocol|struct|interface)\s+([^\s()\[\]]+)",
            "constant": r"\(def(?:once)?\s+(?:\^\S+\s+)*([^\s()\[\]]+)",
        },
        comment=(";",),
        blocks=_NONE,
        private=r"\(defn-|\^:private",
    ),
    "erlang": language(
        {
            "module": r"-module\((\w+)\)",
            "record": r"-record\((\w+)",
            "macro": r"-define\((\w+)",
            "type": r"-(?:type|opaque)\s+(\w+)",
            "callback": r"-callback\s+(\w+)",
            "function": r"([a-z]\w*)\(",
        },
        comment=("%",),
        blocks=_NONE,
        imports=r"-include(?:_lib)?\(\"([^\"]{1,200})\"\)",
        clauses=True,
    ),
    "fsharp": language(
        {
            "module": r"(?:module|namespace)\s+(?:rec\s+)?([\w.]+)",
            "type": r"(?:and|type)\s+(?:private\s+|internal\s+)?(\w+)",
            "function": r"let\s+(?:rec\s+|inline\s+|private\s+|mutable\s+)*(\w+)",
            "method": (
                r"(?:static\s+|abstract\s+|override\s+|default\s+)?member\s+(?:inline\s+|private"
                r"\s+)?(?:\w+\.)?(\w+)"
            ),
        },
        blocks=(("(*", "*)"),),
        containers="module type",
        imports=r"open\s+([\w.]+)",
        private=r"\bprivate\b",
        main=r"\[<EntryPoint>\]",
        margin=4,
    ),
    "cmake": language(
        {
            "project": r"project\s*\(\s*(\w+)",
            "target": (
                r"add_(?:executable|library|custom_target|subdirectory|test)\s*\(\s*(?:NAME"
                r"\s+)?([\w:./${}-]+)"
            ),
            "function": r"(?:function|macro)\s*\(\s*(\w+)",
            "option": r"option\s*\(\s*(\w+)",
        },
        comment=_HASH,
        blocks=(("#[[", "]]"),),
        imports=r"include\s*\(\s*([\w./${}-]{1,200})|find_package\s*\(\s*(\w+)",
        flags=re.I,
        margin=4,
    ),
    "objective-c": language(
        {
            "interface": r"@(?:interface|protocol)\s+(\w+)(?!.*;$)(?:\s*\((\w+)\))?",
            "implementation": r"@implementation\s+(\w+)(?:\s*\((\w+)\))?",
            "method": r"[-+]\s*\((?:[^()]|\((?:[^()]|\([^()]{0,80}\)){0,80}\)){1,120}\)\s*(\w+)",
            "property": r"@property\b.{0,200}?(\w+)(?:\s+[A-Z_]{3,}\S{0,80})?;",
            "type": r"typedef\s+(?:NS_(?:ENUM|OPTIONS)\(\s*\w+\s*,\s*(\w+)|(?:struct|enum)\s+(\w+))",
            "macro": r"#\s*define\s+(\w+)",
            "case": r"(\w+)\s*(?:=[^,;]{1,80},?|,)(?:\s*//.*)?$",
            "field": r"(?!return\b|typedef\b)[A-Za-z_][\w<>, ]{0,80}?[\s*]+(\w+)(?:\[\w*\])?;",
            "function": (
                r"(?:static\s+|extern\s+|inline\s+)*[A-Za-z_][\w ]{0,40}[\s*]+(\w+)"
                r"\s*\([^;]{0,200}\)?\s*\{?$"
            ),
        },
        imports=r"(?:#import|#include|@import)\s+[<\"]?([\w./+-]{1,200})",
        containers="type interface implementation",
        main=r"int\s+main\b",
    ),
    "gomod": language(
        {"module": r"module\s+(\S+)", "go": r"(?:go|toolchain)\s+(\S+)"},
        blocks=_NONE,
        imports=r"(?:require\s+)?([\w./~-]{1,200})\s+v\d",
    ),
    "nim": language(
        {
            "function": r"(?:proc|func|method|iterator|converter|template|macro)\s+`?([^\s`*(\[]+)",
            "type": r"type\s+(\w+)",
            "constant": r"const\s+(\w+)",
        },
        comment=_HASH,
        blocks=(("#[", "]#"),),
        imports=r"(?:import|from|include)\s+([\w./]+)",
        private=r"^(?:proc|func|method|iterator|template|macro)\s+\w+[^*\w]",
    ),
    "lisp": language(
        {
            "function": r"\((?:cl-)?def(?:un|generic|method|subst|ine)\*?\s+\(?([^\s()]+)",
            "macro": r"\((?:cl-)?(?:defmacro|define-(?:syntax|macro)\S*)\s+\(?([^\s()]+)",
            "class": r"\((?:cl-)?def(?:class|struct|ine-record-type)\s+\(?([^\s()]+)",
            "constant": r"\(def(?:var|const|custom|parameter|constant|group|face)\s+([^\s()]+)",
        },
        comment=(";",),
        blocks=(("#|", "|#"),),
        imports=r"\((?:require|load)\s+['\"]([^\s()\"]{1,100})",
    ),
    "cython": language(
        {
            "class": r"(?:cdef\s+|cpdef\s+)?class\s+(\w+)",
            "function": r"(?:async\s+)?(?:def|cpdef|cdef)\s[^(=\n]{0,80}?(\w+)\s*\(",
        },
        comment=_HASH,
        blocks=(('"""', '"""'),),
        containers="class",
        imports=r"(?:from|c?import)\s+([\w.]+)",
        private=r"\b(?:def|cpdef|class)\s+_(?!_)|^cdef\s+(?!class)",
    ),
    "fish": language(
        {"function": r"function\s+([\w:.-]+)"}, comment=_HASH, blocks=_NONE, imports=r"source\s+(\S{1,200})"
    ),
    "matlab": language(
        {
            "class": r"classdef\s+(?:\([^)]{0,80}\)\s*)?(\w+)",
            "function": r"function\s+(?:(?:\[[^\]]{0,120}\]|\w+)\s*=\s*)?([\w.]+)",
        },
        comment=("%",),
        blocks=(("%{", "%}"),),
        margin=4,
    ),
    "batch": language({"label": r":([A-Za-z]\w*)"}, comment=("REM ", "rem ", "::"), blocks=_NONE),
}

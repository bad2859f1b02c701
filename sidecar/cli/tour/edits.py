"""Edits with a visible effect: a new top-level symbol in each language that the tour may meet."""

from __future__ import annotations

from pathlib import PurePosixPath

SYMBOL = "added_by_the_tour"

_FUNCTION_OF_C = f"\nint {SYMBOL}(int count) {{\n    return count + 1;\n}}\n"
_FUNCTION_OF_JAVASCRIPT = f"\nexport function {SYMBOL}(count) {{\n  return count + 1;\n}}\n"
_FUNCTION_OF_TYPESCRIPT = f"\nexport function {SYMBOL}(count: number): number {{\n  return count + 1;\n}}\n"
_APPENDED = {
    ".py": f'\n\ndef {SYMBOL}(count: int) -> int:\n    """Show that an edit is seen."""\n    return count + 1\n',
    ".pyi": f"\n\ndef {SYMBOL}(count: int) -> int: ...\n",
    ".js": _FUNCTION_OF_JAVASCRIPT,
    ".jsx": _FUNCTION_OF_JAVASCRIPT,
    ".ts": _FUNCTION_OF_TYPESCRIPT,
    ".tsx": _FUNCTION_OF_TYPESCRIPT,
    ".go": f"\nfunc {SYMBOL}(count int) int {{\n\treturn count + 1\n}}\n",
    ".rs": f"\npub fn {SYMBOL}(count: u32) -> u32 {{\n    count + 1\n}}\n",
    ".java": f"\nclass {SYMBOL} {{\n}}\n",
    ".c": _FUNCTION_OF_C,
    ".h": f"\nint {SYMBOL}(int count);\n",
    ".cc": _FUNCTION_OF_C,
    ".cpp": _FUNCTION_OF_C,
    ".hpp": f"\nint {SYMBOL}(int count);\n",
    ".cs": f"\npublic class {SYMBOL} {{\n}}\n",
    ".rb": f"\ndef {SYMBOL}(count)\n  count + 1\nend\n",
    ".kt": f"\nfun {SYMBOL}(count: Int): Int {{\n    return count + 1\n}}\n",
    ".swift": f"\npublic func {SYMBOL}(count: Int) -> Int {{\n    return count + 1\n}}\n",
    ".lua": f"\nfunction {SYMBOL}(count)\n  return count + 1\nend\n",
    ".sh": f"\n{SYMBOL}() {{\n  echo seen\n}}\n",
    ".md": f"\n\n## {SYMBOL}\n\nShow that an edit is seen.\n",
}
CODE = frozenset(_APPENDED) - {".md", ".pyi", ".h", ".hpp"}


def edited(path: str, data: bytes) -> bytes | None:
    """Return the file with a symbol appended; None if this kind of file has no symbols."""
    addition = _APPENDED.get(PurePosixPath(path).suffix.lower())
    return None if addition is None else data.rstrip(b"\r\n \t") + b"\n" + addition.encode()

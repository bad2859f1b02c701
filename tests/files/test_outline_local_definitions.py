"""Long functions list their inner definitions, none of them as public."""

from __future__ import annotations

from sidecar.files.outline import outline
from sidecar.store.records import SymbolRecord

FILLER = "  work();\n" * 30


def only(path: str, text: str) -> SymbolRecord:
    [symbol] = outline(path, text.encode(), "").symbols
    return symbol


def inner_symbols(symbol: SymbolRecord) -> list[tuple[str, str]]:
    assert not any(child.public for child in symbol.children)
    return [(child.kind, child.signature) for child in symbol.children]


def test_a_component_tells_its_state_handlers_and_effects() -> None:
    text = (
        "export const Panel = memo(({ open }) => {\n"
        "  const [size, setSize] = useState(10);\n"
        "  const limit = 5;\n  const rows = list.map((one) => {\n    return one;\n  });\n"
        "  const close = () => setSize(0);\n"
        "  // Grows by a step.\n"
        "  const grow = useCallback((step: number) => {\n    setSize(size + step);\n  }, [size]);\n"
        "  useEffect(() => {\n    grow(1);\n    return close;\n  }, [open, grow]);\n"
        "  function shrink(step) {\n    if (step) {\n      const inner = () => 1;\n    }\n  }\n"
        f"{FILLER}"
        "  return <div />;\n});\n"
    )
    panel = only("a.tsx", text)
    assert inner_symbols(panel) == [
        ("variable", "const [size, setSize] = useState(10)"),
        ("function", "const close = ()"),
        ("function", "const grow = useCallback((step: number) …)"),
        ("call", "useEffect [open, grow]"),
        ("function", "function shrink(step)"),
    ]
    assert [(child.name, child.start, child.end) for child in panel.children[:3]] == [
        ("size", 2, 2),
        ("close", 7, 7),
        ("grow", 9, 11),
    ]
    assert panel.children[2].doc == "Grows by a step"


def test_a_factory_tells_its_functions_and_routes() -> None:
    text = (
        "module.exports = function routes(app) {\n"
        "  app.get('/users', (request, response) => {\n    a();\n    b();\n  });\n"
        f"{FILLER}}};\n"
    )
    assert inner_symbols(only("a.js", text)) == [("call", "app.get '/users'")]
    text = (
        "def create(name):\n    @app.route('/')\n    def index():\n        return 1\n\n    class Inner:\n        pass\n"
        + "    work()\n" * 30
    )
    assert inner_symbols(only("a.py", text)) == [("function", "@app.route('/') def index()"), ("class", "class Inner")]


def test_a_short_function_keeps_its_inside_to_itself() -> None:
    assert inner_symbols(only("a.js", "function f() {\n  const g = () => 1;\n  return g;\n}\n")) == []
    assert inner_symbols(only("a.js", f"function f() {{\n{FILLER}}}\n")) == []


def test_inner_outline_of_a_function_is_bounded() -> None:
    functions = "".join(f"  function f{number}() {{\n    return {number};\n  }}\n" for number in range(200))
    assert len(inner_symbols(only("a.js", f"function f() {{\n{functions}}}\n"))) == 40

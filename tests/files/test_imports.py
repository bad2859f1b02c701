"""Which imports are files of the workspace, by language; probes are bounded and confirmed."""

from __future__ import annotations

import pytest

from sidecar.files.imports import MAX_FOUND, MAX_PROBES, project_imports
from sidecar.store.records import ContentRecord


def record(language: str, *imports: str) -> ContentRecord:
    return ContentRecord(recipe=1, hash="0" * 32, language=language, lines=1, file_tokens=1, imports=imports)


def found(language: str, path: str, imports: str, files: str) -> list[str]:
    return project_imports(record(language, *imports.split()), path, frozenset(files.split()).__contains__)


CASES = {
    # language, path, imports, files of the workspace, expected
    "python relative": ("python", "a/b/c.py", ".m .m.f ..x .", "a/b/m.py a/x/__init__.py a/b/__init__.py",
                        "a/b/m.py a/x/__init__.py a/b/__init__.py"),
    "python absolute": ("python", "pkg/a.py",
        "os pkg.b pkg.b.C other", "pkg/__init__.py pkg/b.py", "pkg/b.py"),
    "python src layout": ("python", "tests/t.py",
        "app.core json", "src/app/__init__.py src/app/core.py", "src/app/core.py"),
    "python beside": ("python", "tools/run.py", "helper", "tools/helper.py", "tools/helper.py"),
    "python above the workspace": ("python", "a.py", "...x", "x.py", ""),
    "typescript": ("typescript", "src/a/b.ts", "./c ../d/index.js ./e.js react @/f node:fs ./data.json ..",
                   "src/a/c.tsx src/d/index.ts src/a/e.ts src/f.ts src/a/data.json src/index.ts",
                   "src/a/c.tsx src/d/index.ts src/a/e.ts src/f.ts src/a/data.json src/index.ts"),
    "typescript folder": ("typescript", "a.ts", "./lib", "lib/index.ts", "lib/index.ts"),
    "javascript dotted": ("javascript", "a.js",
        "./x.config ./y.js?raw", "x.config.js y.js", "x.config.js y.js"),
    "go": ("go", "main.go", "fmt github.com/o/r/render github.com/o/r/bind/inner github.com/o/r",
           "render/render.go bind/inner/doc.go", "render/render.go bind/inner/doc.go"),
    "rust": ("rust", "src/a/mod.rs", "crate::b::T self::c super::d::X std::io serde::Serialize",
             "src/b.rs src/a/c.rs src/d/mod.rs", "src/b.rs src/a/c.rs src/d/mod.rs"),
    "rust plain file": ("rust", "src/a.rs", "self::c super::d", "src/a/c.rs src/d.rs", "src/a/c.rs src/d.rs"),
    "rust in a workspace": ("rust", "crates/x/src/m.rs",
        "crate::n::f", "crates/x/src/n.rs", "crates/x/src/n.rs"),
    "java": ("java", "app/src/main/java/com/me/a/A.java",
        "com.me.b.B java.util.List com.me.b.B.method org.x.Y",
             "app/src/main/java/com/me/b/B.java", "app/src/main/java/com/me/b/B.java"),
    "java test": ("java", "src/test/java/com/me/ATest.java", "com.me.A", "src/main/java/com/me/A.java",
                  "src/main/java/com/me/A.java"),
    "kotlin": ("kotlin", "src/main/kotlin/x/y/A.kt",
        "x.y.z.B", "src/main/kotlin/x/y/z/B.kt", "src/main/kotlin/x/y/z/B.kt"),
    "csharp": ("csharp", "A.cs", "System.Text App.Models.User", "Models/User.cs", "Models/User.cs"),
    "c": ("c", "src/a.c", '"b.h" "x/y.h" <stdio.h> <lib/z.h>', "src/b.h include/x/y.h include/lib/z.h",
          "src/b.h include/x/y.h include/lib/z.h"),
    "ruby": ("ruby", "lib/app/a.rb", "./b ../c app/d json", "lib/app/b.rb lib/c.rb lib/app/d.rb",
             "lib/app/b.rb lib/c.rb lib/app/d.rb"),
    "php": ("php", "public/index.php",
        "App\\Models\\User ./boot.php Other\\Thing", "src/Models/User.php public/boot.php",
            "src/Models/User.php public/boot.php"),
    "lua": ("lua", "lua/tele/init.lua",
        "tele.pick x.lua", "lua/tele/pick/init.lua x.lua", "lua/tele/pick/init.lua x.lua"),
    "bash": ("bash", "bin/run.sh",
        "./lib.sh $DIR/other.sh /etc/profile", "bin/lib.sh bin/other.sh", "bin/lib.sh bin/other.sh"),
    "scss": ("scss", "css/a.scss",
        "base colors/brand x.css", "css/_base.scss css/colors/_brand.scss css/x.css",
             "css/_base.scss css/colors/_brand.scss css/x.css"),
    "html": ("html", "site/i.html",
        "a.js /root.css https://x.y/z.js b.js?v=1", "site/a.js root.css site/b.js",
             "site/a.js root.css site/b.js"),
    "makefile": ("makefile", "Makefile", "mk/a.mk missing.mk", "mk/a.mk", "mk/a.mk"),
    "dart": ("dart", "lib/a.dart",
        "b.dart package:app/c.dart dart:io", "lib/b.dart lib/c.dart", "lib/b.dart lib/c.dart"),
}  # fmt: skip


@pytest.mark.parametrize("case", sorted(CASES))
def test_an_import_leads_to_its_files(case: str) -> None:
    language, path, imports, files, expected = CASES[case]
    assert found(language, path, imports, files) == expected.split()


def test_a_file_is_no_import_of_itself_and_nothing_is_named_twice() -> None:
    assert found("python", "a/__init__.py", ". .b .b", "a/__init__.py a/b.py") == ["a/b.py"]


@pytest.mark.parametrize(
    "name", ["../../x.py", "/etc/passwd", "..", "a\0b", "x" * 1000, "", "....", "//", "file:///etc/x"]
)
@pytest.mark.parametrize("language", ["python", "typescript", "c", "ruby", "php", "bash", "rust", "lua", "nonsense"])
def test_only_paths_inside_the_workspace_are_asked_for(language: str, name: str) -> None:
    asked: list[str] = []

    def exists(path: str) -> bool:
        asked.append(path)
        return False

    assert project_imports(record(language, name), "a/b.x", exists) == []
    assert not [path for path in asked if path.startswith(("/", "../")) or "/../" in path or path in {"", ".", ".."}]


@pytest.mark.parametrize(
    "language", ["python", "typescript", "java", "c", "ruby", "go", "rust", "php", "lua", "csharp"]
)
def test_probes_are_bounded(language: str) -> None:
    names = [f"./a/b{n}" if language == "typescript" else f"crate::a{n}" for n in range(2000)]
    names += [f"x.y{n}.z" for n in range(2000)] + [f"github.com/a/b/c{n}" for n in range(2000)]
    probes = 0

    def exists(_: str) -> bool:
        nonlocal probes
        probes += 1
        return False

    assert project_imports(record(language, *names), "d/e/f/g.x", exists) == []
    assert probes <= MAX_PROBES
    every = project_imports(record(language, *names), "d/e/f/g.x", lambda path: True)
    assert len(every) <= MAX_FOUND

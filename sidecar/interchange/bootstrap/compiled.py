"""Rust, Go and Swift: languages whose own tool builds and tests by definition of its manifest."""

from __future__ import annotations

import re

from sidecar.interchange.bootstrap.fact import Fact, Project, at, commands, listed, text

_GO = re.compile(r"^(module|go|toolchain)[ \t]+(\S+)", re.MULTILINE)
_SWIFT_TOOLS = re.compile(r"swift-tools-version:\s*([\d.]+)")
_SWIFT_OTHER = re.compile(r"Package@swift-(\d+(?:\.\d+)*)\.swift")
_SWIFT_NAME = re.compile(r"name:\s*\"([^\"]{1,100})\"")
_MAIN = re.compile(r"(?:cmd/[^/]+/)?main\.go")


def rust(project: Project) -> list[Fact]:
    """The crate, its edition and programs, and cargo's commands."""
    table = project.toml("Cargo.toml")
    if not table:
        return []
    package, space = at(table, "package"), at(table, "workspace")
    shared = at(space, "package")
    said, files = [], ["Cargo.toml"]
    for key, words in (("edition", "Its edition is Rust"), ("rust-version", "It needs Rust from version")):
        value = at(package, key)
        value = at(shared, key) if isinstance(value, dict) or value is None else value
        if (known := text(value, 40)) is not None:
            said.append(f"{words} {known}.")
    toolchain = text(at(project.toml("rust-toolchain.toml"), "toolchain", "channel"), 60)
    if toolchain is not None:
        said.append(f"Its toolchain is `{toolchain}`.")
        files.append("rust-toolchain.toml")
    members = at(space, "members")
    if isinstance(members, list) and members:
        said.append(
            f"It is a workspace; members: {listed([one for one in members if isinstance(one, str)])}."
        )
    programs = at(table, "bin")
    for program in programs if isinstance(programs, list) else []:
        name, path = text(at(program, "name"), 80), text(at(program, "path"), 200)
        if name is not None:
            said.append(
                f"Its program `{name}` begins in `{path}`." if path else f"It has the program `{name}`."
            )
    if not isinstance(programs, list) and project.has("src/main.rs"):
        said.append("Its program begins in `src/main.rs`.")
        files.append("src/main.rs")
    every = " --workspace" if isinstance(space, dict) else ""
    pairs = [("build", f"cargo build{every}"), ("test", f"cargo test{every}")]
    form = project.first("rustfmt.toml", ".rustfmt.toml")
    if form is not None:
        pairs.append(("format", "cargo fmt --all"))
    found = [Fact("Rust: what the crate is", "\n".join(said), tuple(files))] if said else []
    where = ("Cargo.toml", form) if form is not None else ("Cargo.toml",)
    return [*found, Fact("Rust: commands", commands(pairs, where), where, "procedure")]


def go(project: Project) -> list[Fact]:
    """The module, the version it needs, its programs, and go's commands."""
    given = dict(_GO.findall(project.texts.get("go.mod", "")))
    if "module" not in given:
        return []
    said = [f"The Go module is `{given['module']}`."]
    if "go" in given:
        said.append(f"It needs Go {given['go']} or newer.")
    if "toolchain" in given:
        said.append(f"Its toolchain is `{given['toolchain']}`.")
    programs = sorted(path for path in project.present if _MAIN.fullmatch(path))
    if programs:
        said.append(f"Its programs begin in {listed(programs)}.")
    pairs = [("build", "go build ./..."), ("test", "go test ./..."), ("vet", "go vet ./...")]
    lint = project.first(".golangci.yml", ".golangci.yaml")
    if lint is not None:
        pairs.append(("lint", "golangci-lint run"))
    where = ("go.mod", lint) if lint is not None else ("go.mod",)
    return [
        Fact("Go: what the module is", "\n".join(said), ("go.mod", *programs[:5])),
        Fact("Go: commands", commands(pairs, where), where, "procedure"),
    ]


def swift(project: Project) -> list[Fact]:
    """The package, and swift's commands."""
    source = project.texts.get("Package.swift", "")
    tools, name = _SWIFT_TOOLS.search(source), _SWIFT_NAME.search(source)
    if tools is None or name is None:
        return []
    others = [found[1] for path in project.present if (found := _SWIFT_OTHER.fullmatch(path))]
    least = min([tools[1], *others], key=lambda version: [int(part) for part in version.split(".") if part])
    said = f"The Swift package is `{name[1]}`; it needs Swift {least} or newer.\n"
    pairs = [("build", "swift build")] + ([("test", "swift test")] if ".testTarget(" in source else [])
    return [Fact("Swift: package and commands", said + commands(pairs), ("Package.swift",), "procedure")]

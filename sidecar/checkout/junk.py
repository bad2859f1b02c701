"""Names that are never worth remembering, in any repository and whatever its own rules say.

The lists are in gitignore syntax and hold only names that mean one thing everywhere: `build/`, `dist/` and `target/`
are sources in some projects and are left to the project's own `.gitignore`.
"""

from __future__ import annotations

# Version control, dependencies, caches, leftovers of editors and systems, our own memory file being written.
JUNK = tuple(
    """
    .git .hg .svn .bzr .jj CVS/ node_modules bower_components/ jspm_packages/ .yarn/ .pnpm-store/ __pycache__/
    __pypackages__/ .venv .tox/ .nox/ .eggs/ *.egg-info/ *.dist-info/ .mypy_cache/ .pytest_cache/ .ruff_cache/
    .hypothesis/ .ipynb_checkpoints/ .gradle/ .terraform/ .dart_tool/ .bundle/ .next/ .nuxt/ .svelte-kit/
    .turbo/ .parcel-cache/ .cache/ .direnv/ .idea/ .vs/ .nyc_output/ *.pyc *.pyo .DS_Store Thumbs.db .#* #*# *~
    .*.md-*.tmp *.swp *.swo *.swx 4913 .goutputstream-* *___jb_tmp___ *___jb_old___
    """.split()
)
# Written by tools from other files: lock files, bundles, source maps.
GENERATED = tuple(
    """
    *.min.js *.min.mjs *.min.css *.map package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock
    deno.lock poetry.lock pdm.lock uv.lock Pipfile.lock Cargo.lock Gemfile.lock composer.lock mix.lock
    pubspec.lock Podfile.lock flake.lock go.sum packages.lock.json Package.resolved gradle.lockfile
    """.split()
)
# Their content must reach no memory and no model.
SECRET = tuple(
    """
    .env .env.* !.env.example !.env.sample !.env.template !.env.dist *.pem *.key *.p12 *.pfx *.jks *.keystore
    *.kdbx id_rsa id_dsa id_ecdsa id_ed25519 .netrc .npmrc .pypirc .pgpass .htpasswd .git-credentials
    """.split()
)
_BINARY = frozenset(
    """
    .png .jpg .jpeg .gif .bmp .ico .icns .webp .avif .tif .tiff .psd .mp3 .mp4 .m4a .ogg .wav .flac .avi .mov
    .mkv .webm .zip .gz .bz2 .xz .zst .tar .tgz .7z .rar .jar .war .whl .egg .so .dylib .dll .exe .o .a .lib
    .obj .class .wasm .pyd .node .woff .woff2 .ttf .otf .eot .pdf .doc .docx .xls .xlsx .ppt .pptx .odt .ods
    .sqlite .sqlite3 .db .mo .npy .npz .parquet .pickle .pkl .onnx .pt .iso .dmg .deb .rpm .bin .dat
    """.split()
)
"""A walk skips these without opening them; a request for one is judged by its content."""


def binary_name(name: str) -> bool:
    """Return whether files of this name are nearly always binary."""
    dot = name.rfind(".")
    return dot > 0 and name[dot:].lower() in _BINARY

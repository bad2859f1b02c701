"""Every language whose definitions are found line by line."""

from __future__ import annotations

from typing import Final

from sidecar.files.structure.language_rules import Language
from sidecar.files.structure.languages_application import APPLICATION_LANGUAGES
from sidecar.files.structure.languages_scripting import SCRIPTING_LANGUAGES

LANGUAGES: Final[dict[str, Language]] = {**APPLICATION_LANGUAGES, **SCRIPTING_LANGUAGES}

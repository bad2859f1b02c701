"""The two families of structs to which every message of the wire belongs.

`Params` is what a client sends. Unknown fields are refused, so that a typo is an error instead of doing nothing.
`Result` is what the sidecar sends. A client of an older version may meet fields that it does not know.

Names are camelCase on the wire. An optional field that holds its default is left out.
"""

from typing import Annotated

import msgspec

# The version, told in `initialize`.
# The second number grows when something is added, the first when something breaks.
PROTOCOL_VERSION = "1.1"


class Params(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, forbid_unknown_fields=True):
    """Parameters of a request or notification sent by a client."""


class WorkspaceParams(Params, frozen=True, kw_only=True):
    """Parameters that may name the workspace they are about."""

    workspace_uri: str | None = None


class Result(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A result, or the parameters of a notification sent by the sidecar."""


Millis = Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1, description="Epoch milliseconds, UTC.")]
MemoryId = Annotated[str, msgspec.Meta(min_length=1, max_length=64, description="Time-ordered id (UUIDv7).")]
Limit = Annotated[int, msgspec.Meta(ge=1, le=200)]
Budget = Annotated[int, msgspec.Meta(ge=1, le=1_000_000, description="Tokens, estimated.")]
MaxLines = Annotated[int, msgspec.Meta(ge=5, le=100_000, description="Lines of the text, its frame among them.")]
# Asks for `$/progress` under it, as in LSP.
WorkDoneToken = str | int
Score = Annotated[float, msgspec.Meta(ge=0)]
PathText = Annotated[
    str, msgspec.Meta(min_length=1, max_length=4096, description="A `file://` URI or a workspace-relative POSIX path.")
]

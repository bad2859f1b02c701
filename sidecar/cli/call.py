"""`call`: send any request of the protocol."""

from __future__ import annotations

import click
import msgspec

from protocol.methods import METHODS
from sidecar.cli.options import Cli, command, read_stdin
from sidecar.cli.output import print_json, print_line
from sidecar.cli.wording import did_you_mean


@command("call")
@click.argument("method", required=False)
@click.argument("params", default="{}", metavar="[PARAMS]")
def call_command(cli: Cli, method: str | None, params: str) -> None:
    """Send any request of the protocol; print JSON.

    PARAMS are its parameters, a JSON object, or - for stdin. Without a METHOD, list them all.
    """
    if method is None:
        for listed in METHODS.values():
            print_line(f"{listed.name}  {listed.summary}")
        return
    if method not in METHODS:
        raise click.UsageError(f"There is no method {method}.{did_you_mean(method, METHODS, cutoff=0.6)}")
    try:
        decoded = msgspec.json.decode(read_stdin() if params == "-" else params, type=dict[str, object])
    except (msgspec.MsgspecError, RecursionError) as error:
        raise click.UsageError(f"PARAMS is not a JSON object: {error}.") from None
    with cli.open_calls() as calls:
        result = calls.send(method, decoded)
    if METHODS[method].result is not None:
        print_json(result)

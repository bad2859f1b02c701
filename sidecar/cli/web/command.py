"""`web`: serve the local page until Ctrl-C."""

from __future__ import annotations

import click

from sidecar.cli.folder import find_workspace
from sidecar.cli.options import Cli, command
from sidecar.cli.output import print_json
from sidecar.cli.projects import open_projects
from sidecar.cli.web.server import PageServer


@command("web")
@click.option("--port", type=click.IntRange(0, 65_535), default=0, help="Default: any that is free.")
@click.option(
    "--open", "opens", is_flag=True, help="Open your browser; other users of this machine can see the address."
)
def web_command(cli: Cli, port: int, opens: bool) -> None:
    """View and edit all memories in a browser.

    Shows the memories of all projects on this machine, with a graph of related ones and a timeline. Serves the page
    on this machine only, at a secret address, until you press Ctrl-C.
    """
    folder = str(find_workspace(cli.workspace))
    with open_projects() as projects:
        first = next((project.id for project in projects.all if project.folder == folder), "")
        try:
            server = PageServer(projects, port, first)
        except OSError as error:
            raise click.ClickException(f"Port {port} cannot be used: {error.strerror}.") from None
        with server:
            try:
                if cli.as_json:
                    print_json({"url": server.url})
                else:
                    click.echo(f"{server.url}\nPress Ctrl-C to end.")
                if opens:
                    click.launch(server.url)
                server.serve_forever()
            except KeyboardInterrupt:
                click.echo("Ended.", err=True)

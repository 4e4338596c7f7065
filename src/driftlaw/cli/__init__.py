"""The command line: parse, call, print. Rooms are imported by the command that needs them."""

from driftlaw.cli.bound import bound
from driftlaw.cli.demo import demo
from driftlaw.cli.group import app
from driftlaw.cli.reproduce import reproduce

__all__ = ["app"]

for _command in (demo, bound, reproduce):
    app.command()(_command)

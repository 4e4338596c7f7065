"""The command line: parse, call, print. Rooms are imported by the command that needs them."""

from driftlaw.cli.bound import bound
from driftlaw.cli.compare import compare
from driftlaw.cli.compile import compile  # noqa: A004 - the command's name
from driftlaw.cli.demo import demo
from driftlaw.cli.group import app
from driftlaw.cli.reproduce import reproduce
from driftlaw.cli.run import run

__all__ = ["app"]

for _command in (demo, run, compare, reproduce, bound, compile):
    app.command()(_command)

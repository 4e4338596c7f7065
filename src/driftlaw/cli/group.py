"""The group of all commands: its errors, its exit codes, its version."""

import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from driftlaw import __version__
from driftlaw.errors import InputError, MissingExtraError


class _Commands(TyperGroup):
    """Turns the package's own errors into one line and exit code 2, Ctrl-C into 130; only here."""

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen command."""
        try:
            return super().invoke(ctx)
        except (InputError, MissingExtraError) as error:
            typer.echo(f"Error: {error}", err=True)
            raise typer.Exit(2) from error
        except BrokenPipeError as error:
            # whoever read our output has left: nothing to say, and nobody to say it to
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from error
        except KeyboardInterrupt as error:
            typer.echo("Stopped.", err=True)
            raise typer.Exit(130) from error


app = typer.Typer(cls=_Commands, no_args_is_help=True, add_completion=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"driftlaw {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print it.")
    ] = False,
) -> None:
    """Predict the whole distribution of a stream whose law drifts and may be corrupted."""

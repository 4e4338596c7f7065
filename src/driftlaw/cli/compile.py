"""The command `driftlaw compile`."""

import os
from time import perf_counter
from typing import Annotated

import typer

from driftlaw.cli.progress import progress_bar


def compile(  # noqa: A001 - the command's name
    kinds: Annotated[
        list[str] | None, typer.Argument(help="Only these: adaptive, quasibayes, …; else all.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Processes at a time; as many as there are cores if not set.")
    ] = None,
    progress: Annotated[bool, typer.Option(help="Show a progress bar.")] = True,
) -> None:
    """Compile the predictors now, so that no first use has to wait: after installing, say.

    What is compiled stays in Numba's cache, beside the package or in NUMBA_CACHE_DIR, until
    driftlaw, Numba or the processor changes.
    """
    from driftlaw.live import KINDS, compile_ahead  # noqa: PLC0415 - so that --help stays fast

    chosen = kinds or list(KINDS)
    n_workers = min((os.cpu_count() or 1) if workers is None else workers, len(chosen))
    begin = perf_counter()
    compiling = compile_ahead(chosen, n_workers=n_workers)
    with progress_bar("compiling", len(chosen), shown=progress) as advance:
        for _kind in compiling:
            advance()
    typer.echo(f"Ready in {perf_counter() - begin:.0f} s: {', '.join(chosen)}.")

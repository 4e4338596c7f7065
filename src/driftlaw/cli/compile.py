"""The command `driftlaw compile`."""

import os
from time import perf_counter
from typing import Annotated

import typer

from driftlaw.cli.progress import progress_bar


def compile(  # noqa: A001 - the command's name
    kinds: Annotated[
        list[str] | None,
        typer.Argument(
            help="Some of adaptive, quasibayes, quasibayes-long (windows of thousands), "
            "quasibayes-bounded (max_history), quasibayes-paper (its sampler); all if not given."
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Processes at a time; as many as there are cores if not set.")
    ] = None,
    progress: Annotated[bool, typer.Option(help="Show a progress bar.")] = True,
) -> None:
    """Compile the predictors now, so that no first use has to wait: after installing, say.

    What is compiled is kept in NUMBA_CACHE_DIR, or beside the package, or in the user's cache
    folder: the first of these that may be written. What lies beside the package serves also those
    who may not write there. It serves until driftlaw, Numba or the processor changes.
    """
    from driftlaw.live import KINDS, compile_ahead, kept_in  # noqa: PLC0415 - for a fast --help

    chosen = list(dict.fromkeys(kinds or KINDS))
    n_workers = (os.cpu_count() or 1) if workers is None else workers
    begin = perf_counter()
    compiling = compile_ahead(chosen, n_workers=n_workers)
    with progress_bar("compiling", len(chosen), shown=progress) as advance:
        for _kind in compiling:
            advance()
    typer.echo(f"Ready in {perf_counter() - begin:.0f} s: {', '.join(chosen)}.")
    typer.echo(f"Kept in {kept_in()}")

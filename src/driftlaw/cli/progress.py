"""One bar for every long command: what is done, how much of it, how fast, how long it will take."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_PATIENCE = 2.0  # seconds of silence before a word is said about it


@contextmanager
def progress_bar(word: str, total: int, *, shown: bool = True) -> Iterator[Callable[..., None]]:
    """Show on the error stream a bar of ``total`` steps; what it yields adds one, or n, steps."""
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import (  # noqa: PLC0415 - so that --help stays fast
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn(word), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    hidden = not (shown and console.is_terminal)
    with Progress(*columns, console=console, disable=hidden, transient=True) as bar:
        task = bar.add_task(word, total=total)
        yield lambda n=1: bar.advance(task, n)


@contextmanager
def row_bar(word: str, total: int | None, *, shown: bool = True) -> Iterator[Callable[[int], None]]:
    """Show on the error stream how many rows are done, the rate, and the time left if known."""
    from rich.console import Console  # noqa: PLC0415 - so that --help stays fast
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    rate = TextColumn("{task.fields[rate]}")
    columns = (TextColumn(word), BarColumn(), MofNCompleteColumn(), rate, TimeRemainingColumn())
    console = Console(stderr=True)
    bar = Progress(*columns, console=console, disable=not shown, transient=True)
    task = bar.add_task(word, total=total, rate="")

    def advance(done: int) -> None:
        bar.start()  # with the first row: before it, others may speak
        speed = bar.tasks[0].speed
        bar.update(task, completed=done, rate=f"{speed:.0f}/s" if speed else "")

    try:
        yield advance
    finally:
        bar.stop()


@contextmanager
def patience(message: str, *, shown: bool = True) -> Iterator[None]:
    """Say ``message`` on the error stream if the block takes more than two seconds."""
    from rich.console import Console  # noqa: PLC0415 - so that --help stays fast

    console = Console(stderr=True)
    if shown and console.is_terminal:
        with console.status(message):
            yield
        return
    timer = threading.Timer(_PATIENCE, console.print, [message], {"highlight": False})
    if shown:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()

"""One bar for every long command: what is done, how much of it, how long it will take."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(word: str, total: int, *, shown: bool = True) -> Iterator[Callable[..., None]]:
    """Show a bar of ``total`` steps while the block runs; what it yields adds one, or n, steps."""
    from rich.progress import (  # noqa: PLC0415 - so that --help stays fast
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn(word), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, disable=not shown, transient=True) as bar:
        task = bar.add_task(word, total=total)
        yield lambda n=1: bar.advance(task, n)

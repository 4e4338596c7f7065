"""How much memory a loop keeps: what endless streams and runs must not do."""

import gc
import tracemalloc
from collections.abc import Iterator
from itertools import islice
from typing import Any


def kept_bytes(items: Iterator[Any], n_items: int, n_before: int = 200) -> int:
    """Bytes kept by taking ``n_items`` more items after ``n_before``.

    The interpreter's free lists take up to about 25 kB whatever is done, so a bound must be above
    that and below what the items themselves would take.
    """
    _exhaust(islice(items, n_before))
    tracemalloc.start()
    try:
        _exhaust(islice(items, 50))
        gc.collect()
        early, _ = tracemalloc.get_traced_memory()
        _exhaust(islice(items, n_items))
        gc.collect()
        late, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return late - early


def _exhaust(items: Iterator[Any]) -> None:
    for _ in items:
        pass

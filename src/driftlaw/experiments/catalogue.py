"""The figures by name, in the paper's order, read from the small files beside this one."""

import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from driftlaw.errors import InputError
from driftlaw.experiments.spec import Figure

_FOLDER = files(__package__) / "figures"


def catalogue() -> dict[str, Figure]:
    """Return every figure by name: those of the paper in its order, then ours.

    Paper: [fig:main-sqrt-average-log], [fig:main-abrupt-shift], [fig:supp-one-over-t],
    [fig:supp-one-over-t2], [fig:supp-sensitivity], [fig:supp-abrupt-shift-scaling] and
    [fig:real-spy-all].

    Examples
    --------
    >>> list(catalogue())[:2]
    ['main', 'abrupt']
    """
    names = [entry.name for entry in _FOLDER.iterdir() if entry.name[0] not in "._"]
    figures = [Figure.from_dict(_read(name)) for name in names if name.endswith(".toml")]
    return {figure.name: figure for figure in sorted(figures, key=lambda figure: figure.order)}


def select(names: Sequence[str]) -> list[Figure]:
    """Return the named figures in the paper's order; ``all``, or the first word of several names.

    Examples
    --------
    >>> [figure.name for figure in select(["spy", "main"])]
    ['main', 'spy-close', 'spy-ohlcv', 'spy-pair-close', 'spy-pair-ohlcv']
    """
    known = catalogue()
    chosen: set[str] = set()
    for name in names:
        found = {each for each in known if name in ("all", each) or each.startswith(f"{name}-")}
        if not found:
            raise InputError(f"figure must be all or one of {', '.join(known)}, got {name!r}")
        chosen |= found
    return [figure for figure in known.values() if figure.name in chosen]


def _read(name: str) -> dict[str, Any]:
    """Read a file over the one that it names as its base."""
    record = tomllib.loads((_FOLDER / name).read_text(encoding="utf-8"))
    base = record.pop("base", None)
    return record if base is None else _merged(_read(f"{base}.toml"), record)


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for name, value in above.items():
        inner = merged.get(name)
        both = isinstance(inner, dict) and isinstance(value, dict)
        merged[name] = _merged(dict(inner or {}), value) if both else value
    return merged

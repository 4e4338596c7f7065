"""Files that a command is to write, checked before it begins."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from driftlaw.errors import InputError


def check_files(named: Mapping[str, str], spec: Any, config: Path | None = None) -> None:
    """Raise unless each file can be written and is neither the input nor another of them.

    Parameters
    ----------
    named : mapping of option to file
    spec : the `driftlaw.tables.TableSpec` that is read
    config : the file of options, which is read, too
    """
    from driftlaw.tables import check_apart, is_same_file  # noqa: PLC0415 - for a fast --help
    from driftlaw.viz import check_target  # noqa: PLC0415

    before = {} if config is None else {"config": str(config)}
    for name, path in named.items():
        check_apart(name, path, spec)
        check_target(name, path)
        for other, place in before.items():
            if is_same_file(path, place):
                raise InputError(f"{name} must be another file than {other}, got {path!r}")
        before[name] = path
    if "report" in named:
        from driftlaw.report import check_report  # noqa: PLC0415

        if Path(named["report"]).suffix.lower() not in {".html", ".htm"}:
            raise InputError(f"report must end in .html, got {named['report']!r}")
        check_report()

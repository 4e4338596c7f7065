"""Options of a command from a TOML file and from the command line, which goes first."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from driftlaw.errors import InputError


def merged(path: Path | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was given on the command line, filled up from the file; None is not given."""
    values = {name: value for name, value in given.items() if value is not None}
    if path is None:
        return values
    known = set(given) | {"predictor"}
    found = _read(path)
    for key in found:
        if key.replace("-", "_") not in known:
            names = ", ".join(sorted(name.replace("_", "-") for name in known))
            raise InputError(f"{path}: unknown key {key!r}; the keys are {names}")
    from_file = {key.replace("-", "_"): value for key, value in found.items()}
    return _with_table(path, from_file) | values


def _with_table(path: Path, values: dict[str, Any]) -> dict[str, Any]:
    """Split a table [predictor] into the name and the options."""
    table = values.get("predictor")
    if not isinstance(table, dict):
        return values
    if "name" not in table:
        raise InputError(f"{path}: [predictor] needs the key name")
    options = {key: value for key, value in table.items() if key != "name"}
    return values | {"predictor": table["name"], "option": options}


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"config must be a readable file, got {str(path)!r}: {error}") from error
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: not TOML: {error}") from error


def names(value: Any) -> tuple[str, ...]:
    """Read column names: a list, or text with commas."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or not all(isinstance(part, str) for part in parts):
        raise InputError(f"columns must be names, got {value!r}")
    found = tuple(part.strip() for part in parts)
    if not all(found):
        raise InputError(f"columns must be names between commas, got {value!r}")
    return found


def texts(value: Any) -> tuple[str, ...]:
    """Read readings that mean nothing was measured: one or a list, of texts or numbers."""
    parts = value if isinstance(value, list | tuple) else [value]
    if not all(isinstance(part, str | int | float) for part in parts):
        raise InputError(f"missing-value must be numbers or words, got {value!r}")
    return tuple(str(part) for part in parts)


def numbers(name: str, value: Any) -> tuple[float, ...]:
    """Read numbers: a list, or text with commas."""
    parts = value.split(",") if isinstance(value, str) else value
    try:
        return tuple(float(part) for part in parts)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be numbers between commas, got {value!r}") from error


def options(value: Any) -> dict[str, Any]:
    """Read options of a predictor: a table, or texts name=value."""
    if isinstance(value, Mapping):
        return dict(value)
    found: dict[str, Any] = {}
    for text in value:
        name, separator, content = str(text).partition("=")
        if not separator or not name:
            raise InputError(f"an option must be written name=value, got {text!r}")
        key = name.replace("-", "_")
        if key in found:
            raise InputError(f"option {name} must be given once, got {list(value)}")
        found[key] = _parsed(content)
    return found


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text

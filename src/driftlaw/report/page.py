"""A page with charts: the chart library packed inside it, so that it works without a network."""

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftlaw._validate import require
from driftlaw.errors import MissingExtraError
from driftlaw.viz import PathLike, write_whole


def check_report() -> None:
    """Raise before a long run if its page could not be made."""
    _library()


@cache
def _library() -> str:
    """Return the chart library, compressed, as text."""
    try:
        folder = resources.files(require("plotly", "report")) / "package_data"
        script = (folder / "plotly.min.js").read_bytes()
    except OSError as error:
        raise MissingExtraError(
            "the installed plotly does not bring its JavaScript: pip install 'driftlaw[report]'"
        ) from error
    return base64.b64encode(gzip.compress(script, 9, mtime=0)).decode()


def pack(array: NDArray[Any]) -> dict[str, Any]:
    """Pack numbers as 32-bit floats in base64: a third of their size as text.

    Examples
    --------
    >>> pack(np.zeros((1, 2)))
    {'shape': [1, 2], 'f4': 'AAAAAAAAAAA='}
    """
    data = np.ascontiguousarray(array, dtype="<f4")
    return {"shape": list(data.shape), "f4": base64.b64encode(data.tobytes()).decode()}


def pack_shades(array: NDArray[Any]) -> dict[str, Any]:
    """Pack shades between 0 and 1 as one byte each.

    Examples
    --------
    >>> pack_shades(np.array([0.0, 1.0]))
    {'shape': [2], 'u1': 'AP8='}
    """
    data = np.ascontiguousarray(np.rint(255 * np.asarray(array)), dtype=np.uint8)
    return {"shape": list(data.shape), "u1": base64.b64encode(data.tobytes()).decode()}


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of words."""
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
        "</div>"
    )


def chart(name: str, title: str, text: str) -> str:
    """Return the place of a chart with its heading and what it shows, in words."""
    return (
        f'<section class="chart"><h2>{escape(title)}</h2><p class="soft">{escape(text)}</p>'
        f'<div id="{escape(name)}" class="plot" role="img" aria-label="{escape(text)}"></div>'
        "</section>"
    )


def page(title: str, body: str, data: Mapping[str, Any], script: str) -> str:
    """Return a whole page; ``script`` is the file that draws its charts from ``data``."""
    embedded = json.dumps(data, allow_nan=False).replace("</", "<\\/")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_asset('page.css')}</style></head>"
        f"<body><main><h1>{escape(title)}</h1>{body}</main>"
        '<noscript><p class="soft">The charts need JavaScript; it is inside this file.</p>'
        "</noscript>"
        f'<script type="application/json" id="data">{embedded}</script>'
        f'<script type="text/plain" id="library">{_library()}</script>'
        f"<script>{_asset('charts.js')}{_asset(script)}</script></body></html>\n"
    )


def write(path: PathLike, html: str) -> None:
    """Write a page, whole or not at all."""
    write_whole("report", path, html.encode())


def _asset(name: str) -> str:
    return (resources.files("driftlaw.report") / "assets" / name).read_text(encoding="utf-8")

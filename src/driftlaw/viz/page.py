"""A self-contained HTML page of text, tables and figures: one file, no network."""

import base64
import io
import os
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from driftlaw.errors import InputError

_STYLE = """
:root { color-scheme: light dark; --ink: #1d2430; --soft: #5b6472; --line: #dfe3ea; --page: #fff;
  --card: #f6f8fb; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --soft: #9aa3b2; --line: #2c3440;
  --page: #12161c; --card: #1a2028; } }
body { margin: 0 auto; max-width: 62rem; padding: 2rem 1.25rem 4rem; background: var(--page);
  color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.7rem; margin: 0 0 .4rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .4rem; }
p { margin: .4rem 0; max-width: 46rem; } .soft { color: var(--soft); }
.summary { background: var(--card); border: 1px solid var(--line); border-radius: .6rem;
  padding: .8rem 1.1rem; margin: 1rem 0; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; margin: .6rem 0; }
th, td { text-align: right; padding: .3rem .8rem; border-bottom: 1px solid var(--line);
  font-variant-numeric: tabular-nums; } th:first-child, td:first-child { text-align: left; }
img { width: 100%; height: auto; display: block; margin: .4rem 0; }
@media print { body { max-width: none; padding: 0; } section { break-inside: avoid; } }
"""


class Page:
    """Collects parts of a page in order; `html` gives the whole, `write` puts it in place.

    Examples
    --------
    >>> page = Page("A run")
    >>> page.text("All went well.")
    >>> "All went well." in page.html()
    True
    """

    def __init__(self, title: str) -> None:
        self.title = title
        self._parts: list[str] = []

    def heading(self, text: str) -> None:
        """Begin a section."""
        self._parts.append(f"<h2>{escape(text)}</h2>")

    def text(self, text: str, *, kind: str = "") -> None:
        """Add a paragraph; ``kind`` is a CSS class such as ``soft``."""
        attribute = f' class="{escape(kind)}"' if kind else ""
        self._parts.append(f"<p{attribute}>{escape(text)}</p>")

    def summary(self, sentences: Sequence[str]) -> None:
        """Add the box at the top that a reader in a hurry reads."""
        lines = "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)
        self._parts.append(f'<div class="summary">{lines}</div>')

    def table(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Add a table; the first column names the row."""
        head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
        body = "".join(
            f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
        )
        self._parts.append(
            f'<div class="scroll"><table><thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table></div>"
        )

    def figure(self, figure: Any, description: str) -> None:
        """Add a matplotlib figure as an inline image; ``description`` is its alternative text."""
        buffer = io.BytesIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None}, dpi=160)
        data = base64.b64encode(buffer.getvalue()).decode()
        self._parts.append(
            f'<section><img alt="{escape(description)}" src="data:image/svg+xml;base64,{data}">'
            f'<p class="soft">{escape(description)}</p></section>'
        )

    def html(self) -> str:
        """Return the whole page."""
        title = escape(self.title)
        return (
            '<!doctype html><html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{title}</title><style>{_STYLE}</style></head>"
            f"<body><h1>{title}</h1>{''.join(self._parts)}</body></html>\n"
        )

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the page beside ``path`` and rename it into place: never half a page."""
        target = Path(path)
        temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
        try:
            temporary.write_text(self.html(), encoding="utf-8")
            temporary.replace(target)
        except OSError as error:
            raise InputError(f"output must be writable, got {str(path)!r}: {error}") from error
        finally:
            temporary.unlink(missing_ok=True)

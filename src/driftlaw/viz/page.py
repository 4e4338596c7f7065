"""A self-contained HTML page of text, tables and figures: one file, no network."""

import base64
import platform
from collections.abc import Mapping, Sequence
from html import escape
from importlib.metadata import version
from typing import Any

from driftlaw.viz.files import PathLike, write_whole
from driftlaw.viz.style import INK, INK_ON_DARK, svg_of

_STYLE = """
:root { color-scheme: light dark; --ink: #1d2430; --soft: #5b6472; --line: #dfe3ea; --page: #fff;
  --card: #f6f8fb; }
@media screen and (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --soft: #aab2bf;
  --line: #2c3440; --page: #12161c; --card: #1a2028; } }
body { margin: 0 auto; max-width: 62rem; padding: 2rem 1.25rem 4rem; background: var(--page);
  color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .8rem; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .4rem; break-after: avoid; }
p { margin: .4rem 0; } .soft { color: var(--soft); font-size: .92rem; }
.summary { background: var(--card); border: 1px solid var(--line); border-radius: .6rem;
  padding: .8rem 1.1rem; margin: 1rem 0; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; margin: .6rem 0; }
th, td { text-align: left; padding: .3rem 1.2rem .3rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; }
.numbers :is(th, td):not(:first-child) { text-align: right; padding: .3rem 0 .3rem 1.6rem;
  font-variant-numeric: tabular-nums; }
.good::before { content: "● "; color: #2b9a66; } .bad::before { content: "● "; color: #d4503e; }
.open::before { content: "○ "; color: var(--soft); }
img { width: 100%; height: auto; display: block; margin: .4rem 0; }
@media print { :root { color-scheme: light; } body { max-width: none; padding: 0;
  font-size: 11pt; } section, .summary, table { break-inside: avoid; } }
"""
# The pictures' grey follows the page: an image has its own style sheet, and only that.
_INK_STYLE = (
    f"<style>:root {{ --ink: {INK}; }} @media screen and (prefers-color-scheme: dark) "
    f"{{ :root {{ --ink: {INK_ON_DARK}; }} }}</style>"
)


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

    def table(
        self,
        header: Sequence[str],
        rows: Sequence[Sequence[str]],
        *,
        kind: str = "numbers",
        marks: Mapping[str, str] | None = None,
    ) -> None:
        """Add a table; the first column names the row, the others hold ``numbers`` or ``words``.

        ``marks`` gives cells that begin with a word a dot: ``good``, ``bad`` or ``open``.
        """
        head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in header)
        body = "".join(
            f"<tr>{''.join(_cell(text, marks or {}) for text in row)}</tr>" for row in rows
        )
        self._parts.append(
            f'<div class="scroll"><table class="{escape(kind)}"><thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table></div>"
        )

    def figure(self, figure: Any, description: str) -> None:
        """Add a matplotlib figure as an inline image; ``description`` is its alternative text."""
        self.picture(svg_of(figure), description)

    def picture(self, svg: bytes, description: str) -> None:
        """Add a figure that has been drawn already, as `svg_of` gave it."""
        drawing = svg.decode().replace(INK, "var(--ink)")
        drawing = drawing.replace("<defs>", f"{_INK_STYLE}<defs>", 1)
        data = base64.b64encode(drawing.encode()).decode()
        self._parts.append(
            f'<section><img alt="{escape(description)}" src="data:image/svg+xml;base64,{data}">'
            f'<p class="soft">{escape(description)}</p></section>'
        )

    def versions(self, *packages: str) -> None:
        """Add a line that names the versions of Python and of these packages."""
        named = ", ".join(f"{name} {version(name)}" for name in packages)
        self.text(f"Python {platform.python_version()}, {named}.", kind="soft")

    def html(self) -> str:
        """Return the whole page."""
        title = escape(self.title)
        return (
            '<!doctype html><html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{title}</title><style>{_STYLE}</style></head>"
            f"<body><h1>{title}</h1>{''.join(self._parts)}</body></html>\n"
        )

    def write(self, path: PathLike) -> None:
        """Write the page to ``path``, whole or not at all."""
        write_whole("output", path, self.html().encode())


def _cell(text: str, marks: Mapping[str, str]) -> str:
    kinds = [kind for word, kind in marks.items() if text.startswith(word)]
    name = f' class="{escape(kinds[0])}"' if kinds else ""
    return f"<td{name}>{escape(text)}</td>"

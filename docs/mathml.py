"""Formulas of the site: TeX in pages and docstrings becomes MathML while the site is built.

Browsers draw MathML themselves, so the pages need neither a script nor a network.
"""

import re
import unicodedata
from typing import Any

from latex2mathml.converter import convert
from markdown import Markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor

# Name, pattern, display and priority. What has backticks comes before code (190), the rest after
# it and before escapes (180), because TeX is full of backslashes.
_FORMS = (
    ("math-directive", r"^\s*\.\. math::\s*(.+)$", "block", 198),
    ("math-role", r":math:`([^`]+)`", "inline", 196),
    ("math-display", r"\$\$(.+?)\$\$", "block", 188),
    ("math-inline", r"(?<![\\$\w])\$(?![\s$])([^$]+?)(?<!\s)\$(?![\w$])", "inline", 186),
)
_STYLED = re.compile(r'<mi mathvariant="script">(\w)</mi>')


def on_config(config: Any) -> Any:
    """Let the site's Markdown, and through it that of docstrings, know formulas."""
    config.markdown_extensions.append(_Formulas())
    return config


def mathml(tex: str, display: str) -> str:
    """Return a formula as MathML; script letters as characters, since browsers know no variants.

    Examples
    --------
    >>> mathml("x", "inline")[-30:]
    '<mrow><mi>x</mi></mrow></math>'
    """
    return _STYLED.sub(_script_letter, convert(" ".join(tex.split()), display=display))


def _script_letter(found: re.Match[str]) -> str:
    kind = "CAPITAL" if found[1].isupper() else "SMALL"
    names = (f"MATHEMATICAL SCRIPT {kind} {found[1]}", f"SCRIPT {kind} {found[1]}")
    for name in names:  # a few letters had a character before the others came
        try:
            return f'<mi mathvariant="normal">{unicodedata.lookup(name)}</mi>'
        except KeyError:
            continue
    return found[0]


class _Formulas(Extension):  # type: ignore[misc] # Markdown has no types
    """The four ways in which pages and docstrings write formulas."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Markdown's name
        """Add them to the inline patterns."""
        for name, pattern, display, priority in _FORMS:
            md.inlinePatterns.register(_Formula(pattern, display, md), name, priority)


class _Formula(InlineProcessor):  # type: ignore[misc] # Markdown has no types
    """One way of writing a formula."""

    def __init__(self, pattern: str, display: str, md: Markdown) -> None:
        super().__init__(pattern, md)
        self._display = display

    def handleMatch(  # noqa: N802 - Markdown's name
        self, m: re.Match[str], data: str
    ) -> tuple[str, int, int]:
        """Put the formula where nothing else will read it."""
        made = mathml(m.group(1), self._display)
        return self.md.htmlStash.store(made), m.start(0), m.end(0)

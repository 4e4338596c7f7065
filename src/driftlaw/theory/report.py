r"""A bound as a report: every term, its share and its exponent."""

import json
import math
from dataclasses import dataclass

from driftlaw.theory.regimes import Ansatz


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One line of a report."""

    name: str
    label: str
    value: float
    """As it stands in its formula: inside the bracket for bracket terms."""
    contribution: float
    """Its part of the capped total; bracket terms share the square root in proportion."""
    share: float
    exponent: float
    """Power of T that the contribution grows with under the report's scaling."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundReport:
    r"""What the theorem certifies for a :class:`Problem`, and where it comes from.

    ``total`` is the printed bound and may be infinite; ``capped`` counts at most D per step for
    corruption; ``trivial`` is D·T, true without any theorem.

    Examples
    --------
    >>> from driftlaw.theory import ClusterPrior, Problem, Space, bound
    >>> prior = ClusterPrior(dim=1, n_centers=1, max_centers=1, support_radius=1.0)
    >>> report = bound(Problem(horizon=100, space=Space.common(2.0), prior=prior))
    >>> report.total == report.capped > report.trivial
    True
    """

    kind: str
    """``"paper"`` or ``"sharper"``."""
    label: str
    horizon: int
    restart_every: int | None
    n_segments: int
    total: float
    log_corruption: float
    capped: float
    trivial: float
    failure_probability: float
    ansatz: Ansatz
    terms: tuple[Term, ...]
    notes: tuple[str, ...]

    @property
    def is_vacuous(self) -> bool:
        """Whether the capped bound says no more than D per step."""
        return self.capped >= self.trivial

    @property
    def dominating(self) -> Term:
        """The term with the largest contribution."""
        return max(self.terms, key=lambda term: term.contribution)

    def table(self) -> dict[str, list[str | float]]:
        """Tidy columns, one row per term: what a figure or a data frame wants."""
        names = ("name", "label", "value", "contribution", "share", "exponent")
        return {name: [getattr(term, name) for term in self.terms] for name in names}

    def to_dict(self) -> dict[str, object]:
        """JSON-able form; infinities become the strings ``"inf"`` and ``"-inf"``."""
        own = {name: getattr(self, name) for name in self.__slots__}
        own["ansatz"] = {name: getattr(self.ansatz, name) for name in self.ansatz.__slots__}
        own["terms"] = [{name: getattr(t, name) for name in t.__slots__} for t in self.terms]
        own["is_vacuous"] = self.is_vacuous
        return {name: _plain(value) for name, value in own.items()}

    def to_json(self) -> str:
        """Return :meth:`to_dict` as strict JSON text."""
        return json.dumps(self.to_dict(), allow_nan=False, indent=2)

    def to_text(self) -> str:
        """Return the report as a table for a terminal."""
        title = f"{self.kind} bound {self.label}, T={self.horizon}, H={self.restart_every or 'T'}"
        rows = [("term", "value", "contribution", "share", "exponent")]
        for t in self.terms:
            numbers = (f"{t.value:.4g}", f"{t.contribution:.4g}", f"{t.share:.1%}")
            rows.append((t.name, *numbers, f"{t.exponent:.3f}"))
        rows.append(("total", f"{self.total:.4g}", "", "", ""))
        if self.capped < self.total:  # a step's corruption can cost no more than D
            rows.append(("capped", f"{self.capped:.4g}", "", "", ""))
        rows.append(("D*T", f"{self.trivial:.4g}", "", "", ""))
        lines = ["{:<14}{:>12}{:>14}{:>8}{:>10}".format(*row).rstrip() for row in rows]
        lines[len(self.terms) + 1 : len(self.terms) + 1] = ["-" * 58]
        if self.is_vacuous:
            lines.append("Vacuous here: D per step, which always holds, is less.")
        return "\n".join([title, *lines, *self.notes])

    def __str__(self) -> str:
        return self.to_text()


def _plain(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value

"""What a comparison says: paired differences with their uncertainty, and a sentence."""

import math
from typing import NamedTuple

import numpy as np
from scipy import special

from driftlaw._validate import Array
from driftlaw.compare.contest import PROMISED, Contest, Entry
from driftlaw.errors import InputError

_N_BLOCKS = 20
_CONFIDENCE = 0.95


class Gap(NamedTuple):
    """Mean score of an entry less that of the best, with its simultaneous 95 % interval."""

    name: str
    difference: float
    low: float
    high: float


class Verdict(NamedTuple):
    """Whom to take, and why."""

    best: str
    advised: str
    sentences: list[str]


def mean_gap(a: Array, b: Array, n_others: int) -> tuple[float, float]:
    """Mean of a - b and half the width of its interval, from means of 20 blocks in time.

    Neighbouring scores hang together; means of long blocks hardly do. Student's quantile is
    that of 19 degrees of freedom, at a level shared among ``n_others`` comparisons.
    """
    blocks = np.array([block.mean() for block in np.array_split(a - b, _N_BLOCKS)])
    error = blocks.std(ddof=1) / math.sqrt(len(blocks))
    level = 1 - (1 - _CONFIDENCE) / max(n_others, 1) / 2
    return float((a - b).mean()), float(special.stdtrit(len(blocks) - 1, level) * error)


def gaps(contest: Contest) -> list[Gap]:
    """Compare every entry that finished with the best one, in the order of the entries."""
    done = finished(contest)
    best = min(done, key=lambda entry: entry.scores.mean())
    found = []
    for entry in done:
        difference, half = mean_gap(entry.scores, best.scores, len(done) - 1)
        found.append(Gap(entry.name, difference, difference - half, difference + half))
    return found


def finished(contest: Contest) -> list[Entry]:
    """Return the entries that were judged to the end."""
    done = [entry for entry in contest.entries if not entry.failure]
    if not done:
        reasons = "; ".join(f"{e.name}: {e.failure}" for e in contest.entries)
        raise InputError(f"no predictor could be compared: {reasons}")
    return done


def verdict(contest: Contest) -> Verdict:
    """Advise the simplest predictor that the best one does not clearly beat."""
    done = {entry.name: entry for entry in finished(contest)}
    found = {gap.name: gap for gap in gaps(contest)}
    best = min(done, key=lambda name: float(done[name].scores.mean()))
    advised = next(name for name in done if found[name].low <= 0)
    return Verdict(best, advised, [_advice(contest, best, advised), _trust(done[advised])])


def _advice(contest: Contest, best: str, advised: str) -> str:
    done = {entry.name: entry for entry in finished(contest)}
    others = [name for name in done if name != advised]
    if not others:
        return f"Only «{advised}» could be judged."
    if best != advised:
        return (
            f"Use «{advised}» ({done[advised].description}): «{best}» had the lowest score, but "
            "the difference is within the uncertainty, and the simpler one will do."
        )
    others.sort(key=lambda name: float(done[name].scores.mean()))
    rival = done[others[0]]
    mean, half = mean_gap(rival.scores, done[best].scores, len(others))
    base = float(rival.scores.mean())
    if not base > 0:  # both knew every value: there is nothing to take a share of
        return (
            f"Use «{best}» ({done[best].description}): it was right about every value, as was "
            f"«{rival.name}»; it is also the simpler of the two."
        )
    share, low, high = (100 * value / base for value in (mean, mean - half, mean + half))
    text = f"Use «{best}» ({done[best].description}): its scores were {share:.1f} % lower than "
    text += f"those of the next best, «{rival.name}» (between {low:.1f} and {high:.1f} %)"
    return f"{text}." if low > 0 else f"{text}; it is also the simpler of the two."


def _trust(entry: Entry) -> str:
    share = 100 * entry.coverage
    text = (
        f"Its {100 * PROMISED:.0f} % ranges held {share:.1f} % of the values, and a prediction "
        f"with its update took {entry.milliseconds:.2g} ms."
    )
    if entry.coverage < PROMISED - 0.03:
        return f"{text} Its ranges are too narrow: widen them, or do not rely on them."
    return text

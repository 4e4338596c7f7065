"""Predictors that others would take instead, behind the same doors."""

from driftlaw.peers.bocpd import BOCPD
from driftlaw.peers.ewma import EWMA
from driftlaw.peers.garch import GARCH
from driftlaw.peers.kde import KDE
from driftlaw.peers.mixture import WindowMixture
from driftlaw.peers.window import RollingWindow

__all__ = ["BOCPD", "EWMA", "GARCH", "KDE", "RollingWindow", "WindowMixture"]

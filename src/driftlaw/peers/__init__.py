"""Predictors that others would take instead, behind the same doors."""

from driftlaw.peers.window import RollingWindow

__all__ = ["RollingWindow"]

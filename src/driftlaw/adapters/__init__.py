"""Doors of other ecosystems."""

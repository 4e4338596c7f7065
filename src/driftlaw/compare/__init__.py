"""Predictors compared on one stream."""

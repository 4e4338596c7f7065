"""Predict the whole distribution of a stream whose law drifts and may be corrupted."""

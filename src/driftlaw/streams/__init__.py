"""The streams room."""

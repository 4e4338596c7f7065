"""The inference room."""

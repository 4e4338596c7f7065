"""The viz room."""

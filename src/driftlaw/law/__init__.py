"""The law room."""

"""Exceptions of driftlaw.

::

    ValueError
    └── InputError          an argument, observation or file breaks a stated rule
        └── SavedStateError a saved predictor or law cannot be read back
    ImportError
    └── MissingExtraError   an optional dependency is not installed; the message says which extra
"""


class InputError(ValueError):
    """An argument, observation or file breaks a stated rule; nothing was changed."""


class SavedStateError(InputError):
    """A saved predictor or law cannot be read back: truncated, foreign, newer or damaged."""


class MissingExtraError(ImportError):
    """An optional dependency is needed; the message names the extra that installs it."""

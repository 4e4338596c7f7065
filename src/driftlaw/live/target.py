"""Where a run's records go: frozen, checked at birth."""

from dataclasses import dataclass

from driftlaw._validate import check_choice
from driftlaw.errors import InputError
from driftlaw.tables import record_format

RESUME_FROM = ("start", "next")


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where records go, and whether the run can be taken up again.

    Parameters
    ----------
    output : str
        A file, or ``-`` for the standard output.
    form : str, optional
        Format of the records; from the name when None.
    checkpoint : str, optional
        File from which a killed run goes on.
    every : str
        When to save it: ``500`` observations or ``30s``.
    resume_from : {"start", "next"}
        What the standard input holds when a run is taken up: the stream from its start, whose
        rows already seen are checked and skipped, or only the rows that come next.
    """

    output: str
    form: str | None = None
    checkpoint: str | None = None
    every: str = "30s"
    resume_from: str = "start"

    def __post_init__(self) -> None:
        record_format(self.output, self.form)
        check_choice("resume-from", self.resume_from, RESUME_FROM)
        if self.checkpoint is not None and self.checkpoint == self.output:
            raise InputError(f"checkpoint must be another file than output, got {self.output!r}")

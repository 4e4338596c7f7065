"""Files and pipes in and out: rows of named numbers, transforms, missing values, records."""

from driftlaw.tables.apart import check_apart, is_same_file
from driftlaw.tables.prepare import MISSING, TRANSFORMS, Counts, Preparation
from driftlaw.tables.reader import Reader, Row, open_reader
from driftlaw.tables.records import RECORD_FORMATS, Recorder, check_suffix, record_format
from driftlaw.tables.source import FORMATS, TableSpec

__all__ = [
    "FORMATS",
    "MISSING",
    "RECORD_FORMATS",
    "TRANSFORMS",
    "Counts",
    "Preparation",
    "Reader",
    "Recorder",
    "Row",
    "TableSpec",
    "check_apart",
    "check_suffix",
    "is_same_file",
    "open_reader",
    "record_format",
]

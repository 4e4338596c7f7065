"""What every test and benchmark needs: a compile cache of its own for each state of the sources."""

import hashlib
import os
from pathlib import Path

import hypothesis

_ROOT = Path(__file__).parent


def _sources_digest() -> str:
    """Hash all sources: Numba's own cache does not see edits in another file."""
    digest = hashlib.sha256()
    for path in sorted((_ROOT / "src").rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


os.environ.setdefault("NUMBA_CACHE_DIR", str(_ROOT / ".cache" / "numba" / _sources_digest()))

# The same examples in every run, however long they take: a failure is then a property of the code,
# not of the day or of the machine.
hypothesis.settings.register_profile("fixed", derandomize=True, deadline=None)
hypothesis.settings.load_profile("fixed")

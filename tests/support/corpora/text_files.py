"""Files for tests of text in and out."""

from __future__ import annotations

import os
from pathlib import Path

AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


def written(path: Path, data: bytes) -> Path:
    """The path, with these bytes in the file."""
    path.write_bytes(data)
    return path

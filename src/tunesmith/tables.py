"""Access to pandas, an optional dependency."""

from __future__ import annotations

from typing import Any

from tunesmith.errors import MissingExtraError


def pandas() -> Any:
    """Import pandas; MissingExtraError says how to install it."""
    try:
        import pandas as library
    except ImportError:
        raise MissingExtraError("to_pandas()", "pandas", "pandas") from None
    return library

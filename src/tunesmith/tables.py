"""Tables of pandas, which is installed by those who use it."""

from __future__ import annotations

from typing import Any

from tunesmith.errors import MissingExtraError


def pandas() -> Any:
    """The library; MissingExtraError says how to install it."""
    try:
        import pandas as library
    except ImportError:
        raise MissingExtraError("to_pandas()", "pandas", "pandas") from None
    return library

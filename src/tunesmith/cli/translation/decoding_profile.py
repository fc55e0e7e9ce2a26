"""What `translate --profile` prints."""

from __future__ import annotations

import resource
from typing import TYPE_CHECKING

from tunesmith.cli.printing import tell

if TYPE_CHECKING:
    from tunesmith.decoding import Decoder
    from tunesmith.signature import Signature


def report_profile(decoder: Decoder, words: int, signature: Signature) -> None:
    """Print seconds of every part and feature on stderr. Seconds of the search are sums over threads."""
    found = decoder.profile()
    seconds = {f"feature {name}, all rules": spent for name, spent in decoder.features.seconds.items()}
    seconds |= {f"feature {name}": spent for name, spent in found.features.items()}
    seconds |= {
        "local scores, target sides": found.target_sides,
        "rest of the search": found.rest_of_search,
        "graphs and lists": found.lists,
    }
    usage = resource.getrusage(resource.RUSAGE_SELF)
    rows = {
        "words": f"{words}",
        "edges scored": f"{found.edges}",
        **{name: f"{spent:.3f} s" for name, spent in seconds.items()},
        "processor time": f"{usage.ru_utime + usage.ru_stime:.3f} s",
        "peak memory": f"{usage.ru_maxrss / 1024:.0f} MB",
        "signature": str(signature),
    }
    width = max(map(len, rows))
    for name, value in rows.items():
        tell(f"  {name:{width}}  {value}")

"""Templates that the search computes."""

from tunesmith.features.search import (  # noqa: F401 (our templates register themselves)
    class_boundary,
    distortion,
    in_domain,
    orientation,
    reordering,
    signed_distortion,
    source_triggers,
    structure,
    target_bigrams,
    token_ratio,
)

"""Templates that see one rule."""

from tunesmith.features.rules import (  # noqa: F401 (our templates register themselves)
    classes,
    count_bin,
    counts,
    dimensions,
    identity,
    length_bin,
    lexical,
    lexical_penalties,
    penalties,
    target_unaligned,
    translation,
    word_pair,
)

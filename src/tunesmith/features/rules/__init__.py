"""Templates that see one rule."""

from tunesmith.features.rules import (  # noqa: F401 (templates of ours register themselves)
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

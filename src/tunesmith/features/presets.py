"""Presets: lists of templates under one name, written as a user would. Language models belong to the search."""

from __future__ import annotations

# Green et al. 2014, section 5.1: what EXT has of every kind of rules, and what needs phrases.
_EXTENDED = (
    "class_rule,target_class,class_alignment,source_class_deletion,punctuation_ratio,function_word_ratio,"
    "source_dimension,target_dimension,rule_shape"
)
_EXTENDED_OF_PHRASES = f"{_EXTENDED},class_boundary,class_orientation,signed_distortion"
# Their FILT; the paper states no cut-off for alignments and calls them filtered.
_FILTERED = "lexical_rule,lexical_alignment:more_than=50"
_SPARSE = "lexical_rule:more_than=0,lexical_alignment,source_deletion"

PRESETS = {
    "default": "translation,word_penalty,rule_penalty,glue_penalty,unknown",  # Liu et al. 2013
    # Cherry and Foster 2012, for phrase-based models: 7 features with one language model; 18 with two and a joined
    # table of two; Big is medium,big.
    "small": "translation,word_penalty,distortion",
    "medium": "translation,word_penalty,distortion,reordering",
    "big": "target_unaligned,count_bin,word_pair,length_bin",  # the sparse part of Big, Cherry and Foster 2012
    "overfit": "target_unaligned,count_bin:exact=yes,word_pair,length_bin",  # their Figure 1
    # What the recipe of this name learns on training data, in addition to dense features.
    "shares": "id,lexical_alignment,target_unaligned:top=0,source_triggers",
    # Green et al. 2014: DENSE, for phrase-based models, 18 with a language model and eight orientations; the
    # others are added to it.
    "dense-green": "translation,rule_penalty,log_count,singleton,reordering,distortion,word_penalty",
    "sparse": _SPARSE,
    "extended": _EXTENDED,
    "extended-filtered": f"{_EXTENDED},{_FILTERED}",
}
# What a preset means for models of another kind than hierarchical ones.
PRESETS_OF_KIND = {
    "phrase": {
        "default": "translation,word_penalty,rule_penalty,unknown,distortion,reordering",  # as Moses has them
        "sparse": f"{_SPARSE},lexical_orientation:more_than=0",
        "extended": _EXTENDED_OF_PHRASES,
        "extended-filtered": f"{_EXTENDED_OF_PHRASES},{_FILTERED},lexical_orientation",
    }
}
# Orientations that a phrase table is extracted with, where a preset asks for certain ones.
REORDERING_OF_PRESETS = {"dense-green": "hier-msdn-bidirectional-fe"}


def preset_templates(name: str, kind: str) -> str | None:
    """Return the templates of a preset for models of a kind; None if there is no such preset."""
    return PRESETS_OF_KIND.get(kind, {}).get(name, PRESETS.get(name))


def preset_reordering(text: str) -> str | None:
    """Return the orientations that the presets of a `--features` text ask for, if one does."""
    names = (part.partition(":")[0].strip() for part in text.split(","))
    return next((REORDERING_OF_PRESETS[name] for name in names if name in REORDERING_OF_PRESETS), None)

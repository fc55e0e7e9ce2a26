"""Features of candidates in n-best lists, for rerankers, in addition to features of the decoder."""

from tunesmith.search.list_features.agreement import Agreement
from tunesmith.search.list_features.base import ListFeature, add_features, list_features, make_feature
from tunesmith.search.list_features.language_model import LanguageModel
from tunesmith.search.list_features.ngram_posterior import NgramPosterior
from tunesmith.search.list_features.places import Length, Rank

__all__ = [
    "Agreement",
    "LanguageModel",
    "Length",
    "ListFeature",
    "NgramPosterior",
    "Rank",
    "add_features",
    "list_features",
    "make_feature",
]

"""Features of candidates that are in a list already: what a reranker may know besides the decoder's own."""

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

"""Weights for features: losses, regularizers, optimizers, the recipes and the loop that join them."""

from tunesmith.tuning import recipes
from tunesmith.tuning.constraints import Constraints
from tunesmith.tuning.history import History, Round
from tunesmith.tuning.projection import Projection
from tunesmith.tuning.proximal import ProximalPoint, prox_oscar, prox_sorted_l1
from tunesmith.tuning.recipes import Recipe
from tunesmith.tuning.sources import CandidateSource, FileSource, KBestDecoder, KBestSource
from tunesmith.tuning.tuner import Tuner

__all__ = [
    "CandidateSource",
    "Constraints",
    "FileSource",
    "History",
    "KBestDecoder",
    "KBestSource",
    "Projection",
    "ProximalPoint",
    "Recipe",
    "Round",
    "Tuner",
    "prox_oscar",
    "prox_sorted_l1",
    "recipes",
]

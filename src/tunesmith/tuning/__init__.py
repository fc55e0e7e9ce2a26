"""Tuning of weights: losses, regularizers, optimizers, and the recipes and the loop that combine them."""

from tunesmith.tuning import recipes
from tunesmith.tuning.constraints import Constraints
from tunesmith.tuning.groups.plan import GroupedRounds
from tunesmith.tuning.groups.settings import Grouping
from tunesmith.tuning.loop.batch import BatchRounds
from tunesmith.tuning.loop.history import History, Round
from tunesmith.tuning.loop.observer import Observer
from tunesmith.tuning.loop.online import OnlineRounds
from tunesmith.tuning.loop.parts import Learner
from tunesmith.tuning.observers import CsvObserver, TensorBoardObserver
from tunesmith.tuning.pools.lists import ListPool
from tunesmith.tuning.projection import Projection
from tunesmith.tuning.recipe import Recipe
from tunesmith.tuning.regularizers.proximal import ProximalPoint, prox_oscar, prox_sorted_l1
from tunesmith.tuning.reranking import rerank
from tunesmith.tuning.sources.base import CandidateSource, ListSource
from tunesmith.tuning.sources.decoder import KBestSource
from tunesmith.tuning.sources.decoders import KBestDecoder
from tunesmith.tuning.sources.graph_files import GraphFileSource
from tunesmith.tuning.sources.lists import FileSource
from tunesmith.tuning.tuner import Tuner

__all__ = [
    "BatchRounds",
    "CandidateSource",
    "Constraints",
    "CsvObserver",
    "FileSource",
    "GraphFileSource",
    "GroupedRounds",
    "Grouping",
    "History",
    "KBestDecoder",
    "KBestSource",
    "Learner",
    "ListPool",
    "ListSource",
    "Observer",
    "OnlineRounds",
    "Projection",
    "ProximalPoint",
    "Recipe",
    "Round",
    "TensorBoardObserver",
    "Tuner",
    "prox_oscar",
    "prox_sorted_l1",
    "recipes",
    "rerank",
]

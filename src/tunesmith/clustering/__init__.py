"""Word classes: learnt by exchange, assigned to new words, evaluated by perplexity; maps of other tools."""

from tunesmith.clustering.assigning import assign
from tunesmith.clustering.classes import WordClasses
from tunesmith.clustering.options import OBJECTIVES, ClusteringOptions
from tunesmith.clustering.perplexity import ClassPerplexity, perplexity
from tunesmith.clustering.training import Clustering, Pass, cluster

__all__ = [
    "OBJECTIVES",
    "ClassPerplexity",
    "Clustering",
    "ClusteringOptions",
    "Pass",
    "WordClasses",
    "assign",
    "cluster",
    "perplexity",
]

"""Word classes of a model: from its maps to the words of its rule table."""

from __future__ import annotations

import numpy as np

from tunesmith.clustering import WordClasses
from tunesmith.clustering.classes import UNKNOWN
from tunesmith.config import System
from tunesmith.corpus.vocab import Vocabulary
from tunesmith.errors import ConfigError
from tunesmith.grammar import RuleTable
from tunesmith.grammar.vocabulary_classes import VocabularyClasses
from tunesmith.io import StrPath
from tunesmith.io.inside import inside


def open_rules(folder: StrPath, system: System) -> RuleTable:
    """Open the rule table of a model directory, with the classes of its words where the model has maps."""
    path = inside(folder)
    table = RuleTable.open(path / system.rules)
    for side, name in system.classes.items():
        vocabulary = table.source_vocabulary if side == "source" else table.target_vocabulary
        table.word_classes[side] = classes_of(WordClasses.load(path / name), vocabulary)
    return table


def classes_of(classes: WordClasses, vocabulary: Vocabulary) -> VocabularyClasses:
    """Return the class of every word; words missing in the map share the class of `<unk>`, or a new one."""
    names = list(classes.names)
    found = [classes.find(word) for word in vocabulary]
    if UNKNOWN not in classes and UNKNOWN not in names:
        names.append(UNKNOWN)
    place = {name: number for number, name in enumerate(names)}
    unknown = place[classes.find(UNKNOWN) or UNKNOWN]
    numbers = np.array([unknown if name is None else place[name] for name in found], dtype=np.int32)
    return VocabularyClasses(tuple(names), numbers, unknown)


def needed_classes(table: RuleTable, side: str, template: str) -> VocabularyClasses:
    """Return the classes of a side; ConfigError, naming the template, where the model has no map of it."""
    found = table.word_classes.get(side)
    if found is None:
        raise ConfigError(
            f"the feature template {template!r} needs classes of {side} words, which this model does not have. "
            f"Make a map with: tunesmith classes train, and train the model with --{side}-classes MAP"
        )
    return found

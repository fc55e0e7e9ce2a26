"""Training data decoded as if the model had not read it: a source of lists from held-out folds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tunesmith.corpus.bitext import Bitext
from tunesmith.decoding import JackknifeDecoder, TranslationModel
from tunesmith.grammar import OwnRules
from tunesmith.tuning import KBestSource


def held_out_source(
    model: TranslationModel,
    bitext: Bitext,
    own: OwnRules,
    folds: int | NDArray[np.int64],
    k: int,
    numbers: NDArray[np.int64] | None = None,
) -> KBestSource:
    """Decode sentences of the training data, each without what it taught the model; the language model is new.

    bitext: all the training data.   own: what each of its pairs gave to the rules.   numbers: pairs to decode,
    None for all.   folds: the fold of each pair, decoded with rules and a language model of the other folds; a
    number leaves only the pair itself out of the rules (leave-one-out), and estimates so many language models.
    """
    decoder = JackknifeDecoder.train(model, bitext.target, folds)
    left_out = own if isinstance(folds, int) else own.in_parts(folds)
    if numbers is not None:
        left_out = left_out.select(numbers)
    chosen = range(len(bitext)) if numbers is None else numbers.tolist()
    lines, references = [bitext.source[at] for at in chosen], [(bitext.target[at],) for at in chosen]
    return KBestSource(decoder, lines, references, k, own_rules=left_out)

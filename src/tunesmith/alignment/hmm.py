"""Built-in word alignment by IBM model 1, then the hidden Markov model of Vogel et al. (1996).

The models need no other library, and all threads work on each iteration. Counts are integers inside, so that
results do not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tunesmith import _core
from tunesmith.alignment.pharaoh import WordAlignments
from tunesmith.corpus.vocab import Vocabulary

LONGEST = 256
"""Words of a sentence beyond which a pair gets no links: time grows with the cube of the length."""

MODEL1, HMM = "model1", "hmm"


def align_both_ways(
    source: Sequence[str],
    target: Sequence[str],
    chain: Sequence[tuple[str, int]],
    *,
    threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[WordAlignments, WordAlignments]:
    """Return alignments of both directions, as (source, target) links; pairs with an empty side get none.

    chain: models and how many iterations of each.   progress: called with (iterations done, in all).
    """
    words = [Vocabulary.build(side) for side in (source, target)]
    sides = [each.encode(side, threads=threads) for each, side in zip(words, (source, target), strict=True)]
    total, done = 2 * sum(iterations for _, iterations in chain), 0
    found = []
    for given, other in ((0, 1), (1, 0)):
        aligner = _core.HmmAligner(*sides[given], *sides[other], len(words[given]))
        for model, iterations in chain:
            train = aligner.train_model1 if model == MODEL1 else aligner.train_hmm
            for _ in range(iterations):
                train(threads)
                done += 1
                if progress is not None:
                    progress(done, total)
        found.append(WordAlignments(aligner.align(flipped=given == 1, threads=threads)))
    return found[0], found[1]

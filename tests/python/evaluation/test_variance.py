"""Reference variance against the plain definition, sentence by sentence."""

import statistics

import numpy as np
import pytest
from reference.made_up import damaged, references
from reference.ngrams import bleu_statistics
from reference.sentence_bleu import nakov, plus_one

import tunesmith
from tunesmith import FormatError
from tunesmith.evaluation.variance import reference_variance

REFERENCES = references(40, seed=8, count=3)
HYPOTHESES = [*damaged([sentence[0] for sentence in REFERENCES], 0.25, seed=1)[:-1], ""]


def bleu_plus_one(hypothesis, references, extensions=False):
    return (nakov if extensions else plus_one)(bleu_statistics(hypothesis, references))


@pytest.mark.parametrize("extensions", [False, True])
def test_against_the_definition(extensions):
    found = reference_variance(HYPOTHESES, REFERENCES, extensions=extensions)
    spreads = []
    for at, (hypothesis, sentence) in enumerate(zip(HYPOTHESES, REFERENCES, strict=True)):
        single = [100 * bleu_plus_one(hypothesis, [reference], extensions) for reference in sentence]
        together = 100 * bleu_plus_one(hypothesis, sentence, extensions)
        assert found.minimum[at] == pytest.approx(min(single), abs=1e-9)
        assert found.maximum[at] == pytest.approx(max(single), abs=1e-9)
        assert found.multiple[at] == pytest.approx(together, abs=1e-9)
        spreads.append(max(single) - min(single))
    assert found.mean == pytest.approx(statistics.mean(spreads))
    assert found.deviation == pytest.approx(statistics.stdev(spreads))


def test_sentences_with_one_reference_are_counted_and_left_out():
    padded = [(sentence[0],) * 3 if at % 4 == 0 else sentence for at, sentence in enumerate(REFERENCES)]
    found = reference_variance(HYPOTHESES, padded)
    kept = [at for at in range(40) if at % 4]
    alone = reference_variance([HYPOTHESES[at] for at in kept], [REFERENCES[at] for at in kept])
    assert found.as_dict()["left_out"] == 10
    assert found.as_dict()["sentences"] == 40
    assert (found.mean, found.deviation) == pytest.approx((alone.mean, alone.deviation))
    assert np.array_equal(found.counts == 1, [at % 4 == 0 for at in range(40)])


def test_padding_changes_nothing():
    padded = [(*sentence, sentence[0]) for sentence in REFERENCES]
    one, other = reference_variance(HYPOTHESES, REFERENCES), reference_variance(HYPOTHESES, padded)
    assert one.as_dict() == other.as_dict()
    assert str(one.signature) == f"BLEU+1|nrefs:3|case:mixed|tok:none|version:{tunesmith.__version__}"


def test_references_that_differ_in_case_are_one_when_case_does_not_count():
    pairs = [("a b c d", "A b c d"), ("a b", "c d")]
    assert list(reference_variance(["a b c d", "a b"], pairs).counts) == [2, 2]
    found = reference_variance(["A B C D", "A B"], pairs, lowercase=True)
    assert list(found.counts) == [1, 2]
    assert found.minimum[0] == found.maximum[0] == pytest.approx(100)
    assert found.deviation == 0


def test_without_several_references_there_is_nothing_to_compare():
    with pytest.raises(FormatError, match="no sentence has two different references"):
        reference_variance(["a", "b"], [("a", "a"), ("b",)])


def test_threads_do_not_matter():
    one, other = (reference_variance(HYPOTHESES, REFERENCES, threads=threads) for threads in (1, 3))
    assert one.as_dict() == other.as_dict()

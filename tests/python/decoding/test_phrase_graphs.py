"""Lists, graphs, lattices and arrays of phrase-based search hold the same derivations."""

import numpy as np
import pytest
from reference import search_graph
from support.models.phrase_models import phrases_of, small_model
from support.models.small_models import sentences

from tunesmith.decoding import ListDecoder, StackOptions


@pytest.mark.parametrize("limits", [(3, 3), (8, 4), (30, 8)])
def test_lists_hold_every_derivation_that_the_stacks_kept(limits, tmp_path):
    """With pruning: walking all edges one by one, nothing joined, gives the very same derivations and scores."""
    pop_limit, stack_limit = limits
    options = StackOptions(pop_limit=pop_limit, stack_limit=stack_limit, table_limit=0, distortion_limit=3)
    model = small_model(tmp_path, 9, order=2, options=options)
    joined = 0
    for words in sentences(9, 6, 5):
        (found,) = model.decoder.stream([" ".join(words)], 100_000, graph=True)
        scores = found.graph.edge_scores(found.local_scores, model.decoder.weights)
        wanted = search_graph.derivations(found.graph, scores.tolist())
        assert [one.score for one in found] == pytest.approx([one.score for one in wanted], abs=1e-9)
        everything = {one.phrases: score for score, one in model.ranked(words)}
        kept = [phrases_of(one) for one in found]
        assert len(set(kept)) == len(kept)
        for one, phrases in zip(found, kept, strict=True):
            assert one.score == pytest.approx(everything[phrases], abs=1e-4)
        joined += found.graph.edges > found.graph.nodes
        short = model.decoder.k_best([" ".join(words)], 5)[0]
        assert [one.score for one in short] == pytest.approx([one.score for one in wanted[:5]], abs=1e-9)
    assert joined


def test_graph_lattice_and_arrays_hold_what_the_list_holds(tmp_path):
    model = small_model(tmp_path, 23, count=30, options=StackOptions(pop_limit=30, stack_limit=20))
    lines = [" ".join(words) for words in sentences(23, 6, 8)]
    arrays = model.decoder.candidate_arrays(lines, 10)
    for number, decoding in enumerate(model.decoder.stream(lines, 10, graph=True)):
        graph = decoding.graph
        scores = graph.edge_scores(decoding.local_scores, model.decoder.weights)
        assert [one.score for one in graph.k_best(scores, 10)] == pytest.approx(
            [one.score for one in decoding], abs=1e-9
        )
        begin, end = arrays.sentences[number : number + 2].tolist()
        assert arrays.scores[begin:end].tolist() == [one.score for one in decoding]
        assert [arrays.text(at) for at in range(begin, end)] == [one.text for one in decoding]
    candidates = ListDecoder(model.decoder).k_best(lines, 10)
    assert candidates.scores(model.decoder.weights) == pytest.approx(arrays.scores, abs=1e-4)


def test_the_graph_is_a_lattice_with_a_path_for_every_derivation(tmp_path):
    model = small_model(tmp_path, 25)
    for words in sentences(25, longest=4):
        wanted = model.ranked(words)
        (found,) = model.decoder.stream([" ".join(words)], graph=True)
        lattice = found.graph.lattice(found.graph.edge_scores(found.local_scores, model.decoder.weights))
        assert found.graph.is_lattice
        assert lattice.whole
        best, paths = [0.0] + [-np.inf] * (lattice.states - 1), [1] + [0] * (lattice.states - 1)
        arcs = sorted(zip(*(x.tolist() for x in (lattice.sources, lattice.targets, lattice.scores)), strict=True))
        for source, target, score in arcs:  # from smaller to larger states
            best[target] = max(best[target], best[source] + score)
            paths[target] += paths[source]
        assert paths[-1] == len(wanted)
        assert best[-1] == pytest.approx(wanted[0][0], abs=1e-4)

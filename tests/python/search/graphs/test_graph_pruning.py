"""Pruned search graphs against the enumeration of all derivations."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from reference import search_graph as twin
from support.lists.search_graphs import patient, scored_graphs


@patient
@given(scored_graphs(), st.integers(0, 16).map(lambda n: n / 4))
def test_a_beam_keeps_every_derivation_within_it(scored, beam):
    graph, scores = scored
    everything = twin.derivations(graph, scores)
    part = graph.prune(scores, beam)
    kept = {
        tuple(part.edges[list(d.edges)]): d
        for d in twin.derivations(part.graph, np.array(scores)[part.edges].tolist())
    }
    assert {d.edges for d in everything if d.score >= everything[0].score - beam} <= set(kept)
    assert set(kept) <= {d.edges for d in everything}
    used = {edge for edges in kept for edge in edges}
    assert used == set(part.edges.tolist())  # nothing that no derivation uses
    assert np.all(graph.max_marginals(scores)[part.edges] >= everything[0].score - beam)
    same = graph.core.application_rules[part.applications].tolist()
    assert part.graph.core.application_rules.tolist() == same


@patient
@given(scored_graphs(), st.integers(0, 12), st.sampled_from(["posterior", "max_marginal"]))
def test_pruning_to_a_size_keeps_the_best_derivation(scored, size, by):
    graph, scores = scored
    part = graph.prune_to_size(scores, size, by)
    best = set(graph.best(scores).edges.tolist())
    assert best <= set(part.edges.tolist())
    assert part.graph.edges <= max(size, len(best))
    assert part.graph.best(np.array(scores)[part.edges]).score == graph.best(scores).score
    if by == "max_marginal" and part.graph.edges:
        # No edge outside is better than one inside, and every edge inside is still used.
        marginals = graph.max_marginals(scores)
        left_out = np.delete(marginals, part.edges)
        inside = np.delete(marginals, [e for e in range(graph.edges) if e not in set(part.edges.tolist()) - best])
        assert not left_out.size or not inside.size or left_out.max() <= inside.min()
    density = graph.prune_to_density(scores, reference_words=3, density=size / 3, by=by)
    assert density.edges.tolist() == graph.prune_to_size(scores, int(size / 3 * 3), by).edges.tolist()

"""Search graphs to files and back, word lattices, drawings."""

import ast
import itertools
import json
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import search_graph as twin
from support.lists.search_graphs import WORDS, graphs, patient, scored_graphs

from tunesmith import ConfigError, FormatError
from tunesmith.errors import MissingFileError
from tunesmith.search import GraphSet, Lattice, SearchGraph, write_graphs


def word_of(number: int) -> str:
    return WORDS[number]


@settings(patient, max_examples=25)
@given(st.lists(graphs(), max_size=3))
def test_graphs_come_back_from_a_file(tmp_path_factory, many):
    path = tmp_path_factory.mktemp("graphs") / "dev.graphs"
    with write_graphs(path, {"features": ["lm"]}) as writer:
        for graph in many:
            writer.add(graph)
    with GraphSet(path) as back:
        assert len(back) == len(many)
        assert back.metadata == {"features": ["lm"]}
        for before, after in zip(many, back, strict=True):
            assert after.vocabulary == before.vocabulary
            assert all(np.array_equal(array, after.arrays[name]) for name, array in before.arrays.items())
        assert [graph.edges for graph in back[:2]] == [graph.edges for graph in many[:2]]
        with pytest.raises(IndexError):
            back[len(many)]


@pytest.fixture
def written(tmp_path):
    path = tmp_path / "dev.graphs"
    graph = SearchGraph.from_arrays(
        node_edges=[0, 2], tail_offsets=[0, 0, 0], symbol_offsets=[0, 1, 2], symbols=[3, 4],
        edge_application=[0, 0], application_rules=[0], application_begins=[0], application_ends=[1],
    )  # fmt: skip
    with write_graphs(path) as writer:
        writer.add(graph)
        writer.add(graph)
    return path


def test_damage_anywhere_is_noticed(written):
    whole = written.read_bytes()
    for at in range(len(whole)):
        written.write_bytes(whole[:at] + bytes([whole[at] ^ 16]) + whole[at + 1 :])
        with pytest.raises(FormatError, match=r"dev\.graphs"), GraphSet(written) as graphs:
            list(graphs)
    for size in [*range(0, len(whole), 7), len(whole) - 1]:
        written.write_bytes(whole[:size])
        with pytest.raises(FormatError, match=r"dev\.graphs"):
            GraphSet(written)


def test_an_end_that_lies_is_refused(written):
    whole = written.read_bytes()
    offset_bytes, text_bytes, _, _ = struct.unpack("<QQQ16s", whole[-40:])
    index = len(whole) - 40 - text_bytes - offset_bytes
    offsets = np.frombuffer(whole[index : index + offset_bytes], dtype="<u8")

    def with_end(places: list[int], text: bytes) -> bytes:
        packed = np.array(places, dtype="<u8").tobytes()
        crc = zlib.crc32(text, zlib.crc32(packed))
        return whole[:index] + packed + text + struct.pack("<QQQ", len(packed), len(text), crc) + whole[-16:]

    first, second, end = offsets.tolist()
    for places, text in [
        ([first, second], b"{}"),
        ([first, 2**63, end], b"{}"),
        ([0, second, end], b"{}"),
        ([first, second, end], b"["),
        ([first, second, end], b"[" * 100000),
        ([first, second, end], json.dumps([1]).encode()),
        ([], b"{}"),
    ]:
        written.write_bytes(with_end(places, text))
        with pytest.raises(FormatError, match="end is damaged"):
            GraphSet(written)
    written.write_bytes(with_end([first, second + 8, end], b"{}"))
    with pytest.raises(FormatError, match="graph 0"), GraphSet(written) as graphs:
        list(graphs)


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "x.graphs"

    def break_off():
        with write_graphs(path) as writer:
            writer.add(SearchGraph.from_arrays())
            raise KeyError

    with pytest.raises(KeyError):
        break_off()
    assert list(tmp_path.iterdir()) == []
    for name in ("-", "x.gz"):
        with pytest.raises(ConfigError, match="plain file"), write_graphs(name):
            pass
    with pytest.raises(MissingFileError):
        GraphSet(path)
    path.write_bytes(b"tunesmith-graphs 2\n".ljust(100, b"\0"))
    with pytest.raises(FormatError, match="another version"):
        GraphSet(path)
    path.write_text("once upon a time")
    with pytest.raises(FormatError, match="not a file of search graphs"):
        GraphSet(path)


def paths(arcs: list[tuple[int, int, str, float]], end: int) -> list[tuple[str, float]]:
    """Strings and scores of all ways from state 0 to the end."""
    found: list[list[tuple[str, float]]] = [[("", 0.0)], *([] for _ in range(end))]
    for source, target, word, score in arcs:
        assert source < target <= end
        found[target] += [(f"{text} {word}".strip(), sum_ + score) for text, sum_ in found[source]]
    return sorted(found[end])


def openfst_arcs(lattice: Lattice) -> list[tuple[int, int, str, float]]:
    *lines, end = lattice.openfst(word_of)
    assert int(end) == lattice.states - 1
    fields = [line.split(" ") for line in lines]
    return [(int(a), int(b), word.replace("<eps>", ""), -float(cost)) for a, b, word, cost in fields]


def plf_arcs(lattice: Lattice) -> list[tuple[int, int, str, float]]:
    states = ast.literal_eval(lattice.plf(word_of))
    return [
        (source, source + ahead, word.replace("*EPS*", ""), score)
        for source, arcs in enumerate(states)
        for word, score, ahead in arcs
    ]


@patient
@given(scored_graphs(max_arity=1, appending=True))
def test_the_paths_of_a_lattice_are_the_derivations(scored):
    graph, scores = scored
    lattice = graph.lattice(scores)
    assert graph.is_lattice
    assert lattice.whole
    expected = sorted((" ".join(map(word_of, d.words)), d.score) for d in twin.derivations(graph, scores))
    assert paths(openfst_arcs(lattice), lattice.states - 1) == expected
    assert paths(plf_arcs(lattice), lattice.states - 1) == expected


@patient
@given(scored_graphs(), st.integers(1, 9))
def test_a_hierarchical_graph_gives_the_lattice_of_its_best_strings(scored, k):
    graph, scores = scored
    lattice = graph.lattice(scores, k)
    if lattice.whole:
        return
    expected = sorted((d.text(word_of), d.score) for d in graph.k_best(scores, k, distinct=True))
    assert paths(openfst_arcs(lattice), lattice.states - 1) == expected
    assert paths(plf_arcs(lattice), lattice.states - 1) == expected


@pytest.mark.parametrize("word", ["<eps>", "*EPS*", "a b", ""])
def test_words_that_would_be_read_as_something_else_are_refused(word):
    graph = SearchGraph.from_arrays(
        node_edges=[0, 1], tail_offsets=[0, 0], symbol_offsets=[0, 1], symbols=[0], edge_application=[0],
        application_rules=[0], application_begins=[0], application_ends=[1],
    )  # fmt: skip
    lattice = graph.lattice([1.0])
    with pytest.raises(FormatError, match="cannot be written"):
        list(lattice.openfst(lambda _: word))
    with pytest.raises(FormatError, match="cannot be written"):
        lattice.plf(lambda _: word)
    assert lattice.plf(lambda _: "it's\\") == r"((('it\'s\\',1.0,1),),)"


@patient
@given(scored_graphs())
def test_a_drawing_has_every_node_edge_and_tail(scored):
    graph, scores = scored
    lines = graph.dot(word_of, scores).splitlines()
    arrows, forest = sum(" -> " in line for line in lines), not graph.is_lattice
    assert arrows == graph.edges + forest * len(graph.core.tails)
    assert sum("shape=box" in line for line in lines) == forest * graph.edges
    assert sum("firebrick" in line for line in lines) == len(set(graph.best(scores).edges.tolist()))
    assert sum("circle" in line for line in lines) == graph.nodes
    assert all(line.endswith((";", "{", "}")) for line in itertools.islice(lines, 1, None))

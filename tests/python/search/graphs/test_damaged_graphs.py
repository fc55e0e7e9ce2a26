"""Bad files of search graphs are refused with file and line, in every format."""

import pytest
from support.lists.graph_texts import CDEC, EXTENDED, HTK_SLF, MOSES_SLF, NAMED_PLF, OPENFST, PLF, SEARCH_GRAPH

from tunesmith.errors import FormatError
from tunesmith.search.graphs.formats import read_graphs

WRONG = {
    "moses-search-graph": [
        (
            SEARCH_GRAPH,
            "back=4 score=-2.75",
            "back=5 score=-2.75",
            4,
            "back=5 is not a hypothesis of the lines above",
        ),
        (SEARCH_GRAPH, "hyp=0 stack=0\n", "hyp=1 stack=0\n", 1, "begins with its empty hypothesis"),
        (SEARCH_GRAPH, "forward=-1", "forward=1", 5, "there is no state to end at"),
        (SEARCH_GRAPH, "transition=-2 rec", "transition=nan rec", 3, "must be finite"),
        (SEARCH_GRAPH, "transition=-2 rec", "transition=x rec", 3, "transition must be a number, got 'x'"),
        (SEARCH_GRAPH, "recombined=4", "recombined=0", 3, "an arc leads from 0 back to it"),
        (SEARCH_GRAPH, "back=4 score=-3.75", "score=-3.75", 5, "expected a line of a search graph"),
        (SEARCH_GRAPH, "0 hyp=8", "2 hyp=8", 5, "sentence 2 follows sentence 0"),
        (SEARCH_GRAPH, "hyp=9", f"hyp={10**30}", 4, "expected a line of a search graph"),
        (EXTENDED, "(-1,0)", "(-1,inf)", 4, "must be finite"),
        (EXTENDED, "(-1,0)", "(-1,)", 4, "a score must be a number, got ''"),
        (EXTENDED, "qing|please", "please", 4, 'expected out="source|target"'),
    ],
    "slf": [
        (MOSES_SLF, "LINKS=11", "LINKS=12", 22, "the header says 12 links, there are 11"),
        (MOSES_SLF, "NODES=9", "NODES=8", 16, "8 is not a node; there are 8, counted from 0"),
        (MOSES_SLF, "NODES=9\n", "", 11, "the number of nodes (N=…) comes before"),
        (MOSES_SLF, "NODES=9", f"NODES={10**12}", 4, "N must be a whole number below 10^9"),
        (MOSES_SLF, "base=2.71828182845905", "base=-1", 3, "base must be 0 or a base of logarithms"),
        (HTK_SLF, "a=-1.50", "a=x", 13, "acoustic must be a number, got 'x'"),
        (HTK_SLF, "a=-1.50", "a=nan", 13, "must be finite"),
        (HTK_SLF, "S=2 E=3 W=now", "S=3 E=2 W=now", 13, "a lattice has one end"),
        (HTK_SLF, "S=1 E=2", "S=2 E=1", 13, "a lattice has one"),
        (HTK_SLF, "S=2 E=3 W=please", "S=2 W=please", 12, "a link needs its start and end node"),
        (HTK_SLF, "UTTERANCE=cha", "SUBLAT=cha", 2, "sub-lattices (SUBLAT) are not supported"),
        (HTK_SLF, "N=4 L=5", "N=4 L=5\nnothing", 5, "expected fields name=value"),
    ],
    "cdec-json": [
        (CDEC, "[0,1]", "[0,9]", 1, "node 0 has an edge that is not known yet, got 9"),
        (CDEC, "[2,3]", "[2,1]", 1, "an edge leads to two nodes, got 1"),
        (CDEC, '"tail":[0]', '"tail":[7]', 1, "edge 2 has a tail that is not a node; there are 2, got 7"),
        (CDEC, '"tail":[0]', '"tail":[1]', 1, "node 1 is part of a cycle"),
        (CDEC, "[0,-1.5,", "[0,NaN,", 1, "NaN is not a number of a forest"),
        (CDEC, "[0,-1.5,", "[0,1e400,", 1, "must be finite"),
        (CDEC, "[0,-1.5,", "[5,-1.5,", 1, "there are 3 features, counted from 0, got 5"),
        (CDEC, '"rule":3', '"rule":8', 1, "unknown rule, got 8"),
        (CDEC, ',"rule":3', "", 1, "this forest was written without them"),
        (CDEC, "[1] please", "please", 1, "must name each of them once"),
        (CDEC, '"edges"', '"egdes"', 1, "unknown key of a forest, got 'egdes'"),
        (CDEC, '"cat":"S"}}', '"cat":"S"}', 1, "is not JSON"),
        (CDEC, "the tea", "the \\ud800", 1, "must be a text of whole characters"),
        (CDEC, "[1,", "[[1],", 1, "the number of a rule must be a whole number"),
        (CDEC, "{", "{" + '"rules":' + "[" * 200_000, 1, "is"),
    ],
    "plf": [
        (PLF, "'now',-2,1", "'now',-2,3", 1, "an arc leads to state 5; the lattice has the states 0 to 3"),
        (PLF, "'now',-2,1", "'now',-2,0", 1, "must be at least 1, got 0"),
        (PLF, "'now',-2,1", f"'now',-2,{10**20}", 1, "must be a whole number below 10^9"),
        (PLF, "'now',-2,1", "'now',-2,-1", 1, "must be a whole number below 10^9, got '-1'"),
        (PLF, "'now',-2", "'now',nan", 1, "must be finite"),
        (PLF, "'now',-2", "'now',two", 1, "a value must be a number, got 'two'"),
        (PLF, "'now',-2,1", "'now',-2,-2,1", 1, "all arcs have as many"),
        (PLF, "'now'", "now", 1, "expected a word in quotes, got 'now'"),
        (PLF, "'now'", "'now", 1, "a word needs its quotes"),
        (PLF, "'now'", "' '", 1, "an arc has the word ' '"),
        (PLF, "'now'", "__import__('os')", 1, "expected a word in quotes"),
        (PLF, "(('please',-1,1),('now',-2,1),)", "()", 1, "no path leads from the start to an end"),
        (PLF, ",)\n", "", 1, "got the end of the file"),
        (NAMED_PLF, "'lm':-1.5", "'lm'-1.5", 1, "expected ':', got '-1.5'"),
        (NAMED_PLF, "'lm':-1.5", "'l m':-1.5", 1, "l m"),
    ],
    "openfst": [
        ("0 1 a b 1\n0 1 c\n1\n", "0 1 c", "0 1 c", 2, "expected 4 or 5 fields in an arc of a transducer, got 3"),
        (OPENFST, "1\t2\ttea", "2\t0\ttea", 1, "node 0 is part of a cycle"),
        (OPENFST, "1\t2\ttea", "1\t1\ttea", 3, "an arc leads from 1 back to it"),
        (OPENFST, "\n3\n", "\n", 5, "there is no state to end at"),
        (OPENFST, "\n3\n", "\n7\n", 6, "no path leads from the start to an end"),
        (OPENFST, "now\t2", "now\tnan", 5, "must be finite"),
        (OPENFST, "now\t2", "now\t-inf", 5, "must be finite"),
        (OPENFST, "now\t2", "now\t2\t3\t4", 5, "expected 3 or 4 fields in an arc of an acceptor, got 6"),
        (OPENFST, "2\t3\tnow", f"2\t{10**20}\tnow", 5, "must be a whole number below 10^9"),
    ],
}


@pytest.mark.parametrize(("name", "at"), [(name, at) for name, cases in WRONG.items() for at in range(len(cases))])
def test_mistakes_are_named_with_file_and_line(tmp_path, name, at):
    text, old, new, line, message = WRONG[name][at]
    assert old in text
    path = tmp_path / "graph"
    path.write_text(text.replace(old, new, 1) if old != "forward=-1" else text.replace(old, new), encoding="utf-8")
    with pytest.raises(FormatError) as error:
        read_graphs(path, name)
    assert message in str(error.value)
    assert str(error.value).startswith(f"{path}:{line}: ")


def test_symbols_with_mistakes_are_refused(tmp_path):
    graph, symbols = tmp_path / "graph", tmp_path / "symbols"
    graph.write_text("0 1 1\n1\n", encoding="utf-8")
    for text, message in {
        "a\n": ":1: expected a word and its number",
        "a 1\nb 1\n": ":2: the number 1 is that of two words",
        f"a {10**20}\n": ":1: expected a word and its number",
    }.items():
        symbols.write_text(text, encoding="utf-8")
        with pytest.raises(FormatError, match="symbols" + message):
            read_graphs(graph, f"openfst:symbols={symbols}")
    symbols.write_text("a 2\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"graph:1: the label '1' is not in .*symbols"):
        read_graphs(graph, f"openfst:symbols={symbols}")

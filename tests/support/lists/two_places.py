"""Two lattices with two places of two choices each, in formats of other toolkits."""

from pathlib import Path

START = {"lm": 1.0, "length": 0.1}
REFERENCES = ["the cat sat on the mat", "a dog and a cat"]
SENTENCES = [["cat sat|-7", "the cat sat|-8"], ["a dog|-5", "dog|-3"]]
ENDS = [["on the mat|-4", "mat|-1"], ["and a cat|-5", "cat|-2"]]
ONE_SCORE = "score"


def choices(number):
    """Of each place of a sentence: words and `lm`; the second feature, `length`, is the number of words."""
    return [
        [(text.split("|")[0].split(), float(text.split("|")[1])) for text in place[number]]
        for place in (SENTENCES, ENDS)
    ]


def one_score(words, lm):
    """The score under the start weights."""
    return lm * START["lm"] + len(words) * START["length"]


def hypergraph(firsts, seconds, features=lambda words, lm: f"lm={lm:g} length={len(words)}"):
    """A hypergraph of Moses."""
    text = f"3 {len(firsts) + len(seconds) + 1}\n1\n<s> ||| ||| 0\n"
    for node, place in ((1, firsts), (2, seconds)):
        text += f"{len(place)}\n"
        for words, lm in place:
            text += f"[{node - 1}] {' '.join(words)} ||| {features(words, lm)} ||| {node}\n"
    return text


def slf(firsts, seconds):
    """As Moses writes it: each hypothesis is a separate path, and its first word has the sums of the path."""
    nodes, links, ends = 1, [], []

    def phrase(begin, words, lm, length):
        nonlocal nodes
        for at, word in enumerate(words):
            values = (lm, length) if at == 0 else (0, 0)
            links.append(f"S={begin} E={nodes} W={word} x1={values[0]:f} x2={values[1]:f}")
            begin, nodes = nodes, nodes + 1
        return begin

    for words, lm in firsts:
        middle = phrase(0, words, lm, len(words))
        ends += [phrase(middle, more, lm + its, len(words) + len(more)) for more, its in seconds]
    links += [f"S={end} E={nodes}" for end in ends]
    header = f"VERSION=1.1\nbase=2.71828182845905\nNODES={nodes + 1}\nLINKS={len(links)}\n"
    header += "# lm lm 1 of 1\nx1scale=1.0\n# length length 1 of 1\nx2scale=0.1\n"
    return header + "".join(f"J={at} {link}\n" for at, link in enumerate(links))


def search_graph(number, firsts, seconds, *, extended):
    """A search graph of Moses as text; the extended form has all features, the other one the weighted score."""
    lines, best = [f"{number} hyp=0 stack=0"], 0
    for stack, place in enumerate((firsts, seconds), 1):
        for at, (words, lm) in enumerate(place):
            hyp = len(lines)
            merged = f" recombined={hyp - at}" if at else ""
            values = f' scores="core=({lm:g},{len(words)}) "' if extended else ""
            out = f'"x|{" ".join(words)}"' if extended else " ".join(words)
            score = f"score=0 transition={one_score(words, lm):g}"
            lines.append(
                f"{number} hyp={hyp} stack={stack} back={best} {score}{merged} "
                f"forward={-1 if stack == 2 else 9} fscore=0 covered={stack}-{stack}{values} out={out}"
            )
        best = len(lines) - len(place)
    return "\n".join(lines) + "\n"


def openfst(firsts, seconds):
    """An acceptor with the weighted scores as costs, at the first word of each choice."""
    lines, free = [], 3
    for begin, end, place in ((0, 1, firsts), (1, 2, seconds)):
        for words, lm in place:
            at = begin
            for number, word in enumerate(words):
                to = end if number == len(words) - 1 else free
                free += to == free
                lines.append(f"{at} {to} {word} {-one_score(words, lm) if number == 0 else 0:g}")
                at = to
    return "\n".join([*lines, "2"]) + "\n"


def write(folder: Path, kind: str) -> list[str]:
    """The files of a kind; words of `tune` that name them."""
    folder.mkdir()
    both = [choices(number) for number in range(2)]
    if kind == "moses-search-graph":
        text = "".join(search_graph(at, *each, extended=False) for at, each in enumerate(both))
    elif kind == "moses-search-graph extended":
        text = "".join(search_graph(at, *each, extended=True) for at, each in enumerate(both))
        (folder / "names").write_text("lm\nlength\n", encoding="utf-8")
    if kind.startswith("moses-search-graph"):
        (folder / "all").write_text(text, encoding="utf-8")
        settings = f":names={folder / 'names'}" if kind.endswith("extended") else ""
        return ["--graphs", str(folder / "all"), "--graph-format", f"moses-search-graph{settings}"]
    writers = {
        "moses-hypergraph": hypergraph,
        "one score": lambda *places: hypergraph(*places, lambda *choice: f"{ONE_SCORE}={one_score(*choice):g}"),
        "slf": slf,
        "openfst": openfst,
    }
    for number, places in enumerate(both):
        (folder / str(number)).write_text(writers[kind](*places), encoding="utf-8")
    return ["--graphs", str(folder)]

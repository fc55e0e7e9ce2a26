"""Every verb that writes, as a command on tiny data; and that data.

Commands run in their own folder, next to `bench`: corpus, models, lists, a run.
"""

from __future__ import annotations

from pathlib import Path

from fuzz.forked import run
from fuzz.judge import put
from fuzz.kinds.moses import HIERO

BENCH = "bench"
_CORPUS = "../bench/corpus"
_PAIR = f"--source {_CORPUS}/train.zh --target {_CORPUS}/train.en"
_DEV = f"--dev {_CORPUS}/dev.zh --refs {_CORPUS}/dev.en.0 {_CORPUS}/dev.en.1"
_LISTS = f"--candidates ../bench/dev.nbest --refs {_CORPUS}/dev.en.0 {_CORPUS}/dev.en.1"

# Verb, and what to call this use of it → the words of the command after the verb.
VERBS: dict[str, str] = {
    "phrasebook": "--pairs 80 --eval-sentences 8 -q -o out",
    "tokenize": f"{_CORPUS}/train.en -o out.en",
    "detokenize": f"{_CORPUS}/train.en -o out.en",
    "clean": f"{_CORPUS}/train.zh {_CORPUS}/train.en -o out --removed removed.tsv -q",
    "select": f"{_CORPUS}/train.zh {_CORPUS}/train.en --in-domain {_CORPUS}/dev.zh --sentences 20 -o out "
    "--label-file labels --ranks ranks -q",
    "vocab": f"{_CORPUS}/train.en -o out.vocab",
    "train": f"{_PAIR} --align ../bench/links --order 2 -q -o out",
    "train phrase": f"{_PAIR} --align ../bench/links --kind phrase --order 2 -q -o out",
    "align": f"{_CORPUS}/train.zh {_CORPUS}/train.en --aligner fast_align --lexicon lex -q -o out",
    "lm train": f"{_CORPUS}/train.en --order 3 -q -o out.arpa",
    "lm train binary": f"{_CORPUS}/train.en --order 3 -q -o out.bin",
    "lm train classes": f"{_CORPUS}/train.en --classes ../bench/classes.tsv --order 3 -q -o out.lm",
    "lm convert": "../bench/lm.arpa -o out.bin",
    "classes train": f"{_CORPUS}/train.en --classes 4 --min-count 2 -q -o out.tsv",
    "classes train gzip": f"{_CORPUS}/train.en --classes 4 --objective two-sided -q -o out.tsv.gz",
    "classes assign": f"--map ../bench/classes.tsv {_CORPUS}/dev.en.0 --min-count 1 -q -o out.tsv",
    "classes convert": "../bench/classes.tsv --to brown -o out.paths",
    "extract": f"{_PAIR} --align ../bench/links -q -o out",
    "extract phrase": f"{_PAIR} --align ../bench/links --kind phrase --reordering wbe-msd-forward-fe -q -o out",
    "rules filter": f"../bench/rules --input {_CORPUS}/dev.zh -o out",
    "rules export": "../bench/rules -o out.gz",
    "rules import": "../bench/rules.txt -o out",
    "rules join": "../bench/phrases ../bench/fewer -o out",
    "rules leave-one-out": f"-m ../bench/model {_PAIR} --align ../bench/links -q -o out",
    "rules force": f"-m ../bench/phrase-model {_PAIR} -q -o out",
    "import-moses": "../bench/moses/moses.ini -o out",
    "translate": f"-m ../bench/model -q {_CORPUS}/dev.zh -o out.en",
    "translate list": f"-m ../bench/model -q {_CORPUS}/dev.zh --kbest 5 -o out.nbest",
    "tune mira": f"-m ../bench/model {_DEV} --recipe mira --rounds 2 --k 5 -q -o out",
    "tune pro lists": f"{_LISTS} --recipe pro --set min_gain=0 --rounds 2 -q -o out",
    "tune mert lists": f"{_LISTS} --recipe mert --rounds 1 -q -o out",
    "tune mira graphs": "--graphs ../bench/graphs --refs ../bench/graph.refs --start ../bench/graph.weights "
    "--recipe lattice-mira -q -o out",
    "tune mert graphs": "--graphs ../bench/graphs --refs ../bench/graph.refs --start ../bench/graph.weights "
    "--recipe lattice-mert -q -o out",
    "tune risk graphs": "--graphs ../bench/graphs --refs ../bench/graph.refs --start ../bench/graph.weights "
    "--recipe forest-risk -q -o out",
    "tune mert forests": f"-m ../bench/model {_DEV} --recipe lattice-mert --rounds 2 --set restarts=1 -q -o out",
    "tune mira forests": f"-m ../bench/model {_DEV} --recipe lattice-mira --rounds 2 --set passes=3 -q -o out",
    "report": "../bench/run -o out.html",
    "groups plot": "../bench/run -o out.svg",
    "candidates convert": "../bench/dev.nbest --to json -o out.jsonl",
    "candidates merge": "../bench/dev.nbest ../bench/more.nbest -o out.nbest",
    "candidates sort": "../bench/dev.nbest --by-score -o out.nbest.gz",
    "candidates oracle": f"../bench/dev.nbest --refs {_CORPUS}/dev.en.0 -o out.en",
    "candidates features": "../bench/dev.nbest --add length -o out.nbest",
    "candidates weights": "../bench/model/weights.tsv --to cdec -o out.cdec",
    "graphs kbest": "../bench/graphs -W ../bench/graph.weights --k 3 -q -o out.nbest",
    "graphs mbr": "../bench/graphs -W ../bench/graph.weights -q -o out.en",
    "graphs oracle": "../bench/graphs --refs ../bench/graph.refs -q -o out.en",
    "graphs draw": "../bench/graphs -q -o out.dot",
    "graphs convert": "../bench/graphs -q -o out.graphs",
    "graphs prune": "../bench/graphs -W ../bench/graph.weights --edges 3 -q -o out.graphs",
    "graphs best": "../bench/graphs -W ../bench/graph.weights -q -o out.en",
    "rerank": "../bench/dev.nbest -o out.en",
    "references": f"../bench/dev.out --refs {_CORPUS}/dev.en.0 {_CORPUS}/dev.en.1 -o out.svg",
    "experiment liu2013": "--tiny -q -o out",
    "experiment cherry2012": "--tiny -q -o out",
    "experiment green2014": "--tiny -q -o out",
    "experiment watanabe2007": "--tiny -q -o out",
    "demo": "-o out",
    "pipeline": "../bench/lists.toml -q -o out",
}
# Minutes each; they are killed only when asked for by name.
LONG = frozenset(
    {"experiment liu2013", "experiment cherry2012", "experiment green2014", "experiment watanabe2007", "demo"}
)
# They refuse an output that is there, even one of theirs.
ONCE = frozenset({"import-moses"})
# Verbs that write nothing but standard output, and folders of verbs.
READ_ONLY = frozenset(
    {
        *("runs", "evaluate", "compare", "lm query", "rules show", "rules stats", "features list"),
        *("features describe", "features show", "features reused", "groups show", "groups compare", "check"),
        *("candidates stats", "graphs stats", "classes show", "classes evaluate", "doctor", "serve"),
        # They start and end processes; tests/python/execution/cluster has their tests.
        *("cluster start", "cluster status", "cluster stop"),
    }
)


def command(name: str, words: str) -> list[str]:
    """The words of a verb's command line: the verb is as much of the name as the program knows."""
    two = name.split()[0] in ("lm", "classes", "rules", "groups", "candidates", "graphs", "experiment", "features")
    return [*name.split()[: 2 if two else 1], *words.split()]


_MAKE = (
    "phrasebook --pairs 60 --eval-sentences 6 --references 2 -q -o corpus",
    "align corpus/train.zh corpus/train.en --aligner fast_align -q -o links",
    "lm train corpus/train.en --order 2 -q -o lm.arpa",
    "classes train corpus/train.en --classes 4 --min-count 2 -q -o classes.tsv",
    "extract --source corpus/train.zh --target corpus/train.en --align links -q -o rules",
    "rules export rules -o rules.txt",
    "extract --source corpus/train.zh --target corpus/train.en --align links --kind phrase -q -o phrases",
    "rules filter phrases --top 1 -q -o fewer",
    "train --source corpus/train.zh --target corpus/train.en --align links --order 2 -q -o model",
    "train --source corpus/train.zh --target corpus/train.en --align links --kind phrase --order 2 -q "
    "-o phrase-model",
    "translate -m model -q corpus/dev.zh --kbest 5 -o dev.nbest",
    "translate -m model -q corpus/dev.zh --kbest 3 --pop-limit 5 -o more.nbest",
    "translate -m model -q corpus/dev.zh -o dev.out",
    "tune --candidates dev.nbest --refs corpus/dev.en.0 corpus/dev.en.1 --recipe shares "
    "--train-candidates more.nbest --train-refs corpus/dev.en.0 --group translation* --rounds 1 --inner-rounds 1 "
    "-q -o run",
)
_LISTS_TOML = """
[tune.mert]
candidates = "dev.nbest"
refs = "corpus/dev.en.*"
recipe = "mert"
rounds = 1
[test.dev]
lists = "more.nbest"
refs = "corpus/dev.en.*"
[rerank.before]
[rerank.mert]
weights = "{tune.mert}/weights.tsv"
[evaluate]
bootstrap = 0
[compare]
bootstrap = 0
trials = 20
"""

_GRAPH = """\
2 4
1
<s> ||| ||| 0
3
[0] tea </s> ||| lm=-2 length=1 ||| 1
[0] the tea </s> ||| lm=-3 length=2 ||| 1
[0] a tea </s> ||| lm=-4 length=2 ||| 1
"""


def make_bench(folder: Path) -> None:
    """Write the tiny data that commands read."""
    folder.mkdir(parents=True)
    put(folder / "moses", HIERO)
    (folder / "lists.toml").write_text(_LISTS_TOML)
    put(folder / "graphs", {"0": _GRAPH.encode(), "1": _GRAPH.encode()})
    (folder / "graph.weights").write_text("lm\t1\nlength\t1\n")
    (folder / "graph.refs").write_text("the tea\na tea\n")
    for words in _MAKE:
        ended = run(words.split(), folder)
        if ended.code != 0:
            raise RuntimeError(f"tunesmith {words} ended with {ended.code}:\n{ended.output}{ended.errors}")

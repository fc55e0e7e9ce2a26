"""`tunesmith classes`: learn word classes, give them to new words, show, judge and convert maps."""

from __future__ import annotations

import dataclasses
import time
from enum import Enum
from typing import TYPE_CHECKING, Annotated

from tunesmith.cli.console import note, progress, remark
from tunesmith.cli.declaring import argument, option
from tunesmith.cli.group import Verb, verb_group
from tunesmith.cli.options import THREADS, Digits, Format, OutputFile, OutputFormat, Quiet, Threads
from tunesmith.cli.printing import put, put_json, say
from tunesmith.cli.streams import expect_input
from tunesmith.clustering.options import ClusteringOptions
from tunesmith.errors import ConfigError
from tunesmith.io import check_output
from tunesmith.io.texts import Texts

if TYPE_CHECKING:
    from tunesmith.clustering import Clustering, WordClasses

DEFAULT = ClusteringOptions()

classes = verb_group("classes", "Learn, assign, show, evaluate and convert word classes.")


class Objective(str, Enum):
    """What classes are chosen by."""

    one_sided = "one-sided"
    two_sided = "two-sided"
    bidirectional = "bidirectional"


class MapFormat(str, Enum):
    """Formats of maps."""

    tsv = "tsv"
    mkcls = "mkcls"
    clustercat = "clustercat"
    brown = "brown"


TextFiles = Annotated[
    list[str] | None, argument("[FILE]…", "Tokenised text, one sentence a line; - is standard input.")
]
MapFile = Annotated[str, argument("MAP", "Map of words to classes: ours, mkcls, ClusterCat or Brown paths.")]
Map = Annotated[str, option("--map FILE", "Map of words to classes: ours, mkcls, ClusterCat or Brown paths.")]
Objectives = Annotated[Objective, option(
    "--objective", "one-sided: the class given the word before; bidirectional: that, and given the word after; "
    "two-sided: the class given the class before.",
)]  # fmt: skip
MinCount = Annotated[int, option("--min-count N", "Rarer words are <unk>.", min=1, max=2**31 - 1)]
DigitsToOne = Annotated[bool, option("--digits-to-one", "Read every digit as 0.")]
To = Annotated[MapFormat, option("--to FORMAT", "Format of the map: tsv, mkcls, clustercat or brown.")]


@classes.command(cls=Verb)
def train(
    paths: TextFiles = None,
    output: OutputFile = "-",
    classes: Annotated[int | None, option(
        "--classes N", "How many classes.", show_default=f"{DEFAULT.classes}, or those of --start", min=1,
    )] = None,
    objective: Objectives = Objective(DEFAULT.objective),
    passes: Annotated[
        int, option("--passes N", "Most passes over the words; training ends when no word moves.", min=1)
    ] = DEFAULT.passes,
    min_count: MinCount = DEFAULT.min_count,
    digits_to_one: DigitsToOne = False,
    refine_from: Annotated[int | None, option(
        "--refine-from N", "Learn N classes first, and divide them until there are --classes.",
        show_default="all at once",
    )] = None,
    start: Annotated[
        str | None, option("--start MAP", "Begin with these classes.", show_default="by frequency")
    ] = None,
    to: To = MapFormat.tsv,
    threads: Threads = THREADS,
    quiet: Quiet = False,
) -> None:  # fmt: skip
    """Learn classes: words move to the class where the likelihood of the text is highest.

    Prints a line word<TAB>class for every word, by class, most frequent words first.

    [bold]Examples[/bold]
      tunesmith classes train --classes 64 train.en -o classes.tsv
      tunesmith classes train --classes 512 --objective two-sided --digits-to-one < train.en > classes.tsv
      tunesmith classes train --start classes.tsv more.en.gz -o more.tsv
    """
    from tunesmith.clustering import WordClasses, cluster

    expect_input(paths or [], "tokenised text", "tunesmith classes train train.en -o classes.tsv")
    check_output(output, [*(paths or []), *([] if start is None else [start])])
    _one_standard_input(start, paths or ["-"], "--start")
    given = None if start is None else WordClasses.load(start)
    if classes is None:
        classes = DEFAULT.classes if given is None else len(given.names)
    options = ClusteringOptions(
        classes=classes,
        objective=objective.value,
        passes=passes,
        min_count=min_count,
        digits_to_one=digits_to_one,
        refine_from=refine_from,
    )
    texts = Texts(paths or ["-"])
    begin = time.perf_counter()
    with progress("clustering", quiet=quiet) as show_progress, texts.located():
        learnt = cluster(texts, options, start=given, threads=threads, progress=show_progress)
    if learnt.words < classes:
        remark(f"{classes} classes for {learnt.words} words: some are empty", quiet=quiet)
    learnt.classes.save(output, to.value)
    note(_learnt(learnt, time.perf_counter() - begin), quiet=quiet)


@classes.command(cls=Verb)
def assign(
    given: Map,
    paths: TextFiles = None,
    output: OutputFile = "-",
    objective: Objectives = Objective(DEFAULT.objective),
    min_count: MinCount = DEFAULT.min_count,
    digits_to_one: DigitsToOne = False,
    to: To = MapFormat.tsv,
    threads: Threads = THREADS,
    quiet: Quiet = False,
) -> None:
    """Give classes to new words of a text; words of the map keep theirs, nothing is learnt again.

    [bold]Examples[/bold]
      tunesmith classes assign --map classes.tsv more.en -o more.tsv
    """
    from tunesmith.clustering import WordClasses
    from tunesmith.clustering import assign as assign_words

    expect_input(paths or [], "tokenised text", "tunesmith classes assign --map classes.tsv more.en -o more.tsv")
    check_output(output, [given, *(paths or [])])
    _one_standard_input(given, paths or ["-"], "the map")
    known = WordClasses.load(given)
    grown = assign_words(
        Texts(paths or ["-"]),
        known,
        objective=objective.value,
        min_count=min_count,
        digits_to_one=digits_to_one,
        threads=threads,
    )
    grown.save(output, to.value)
    note(f"{len(known)} words kept their classes, new words: {len(grown) - len(known)}", quiet=quiet)


@classes.command(cls=Verb)
def show(
    given: MapFile,
    words: Annotated[int, option("--words N", "Words to print of each class; 0 for all.", min=0)] = 10,
    only: Annotated[
        str | None, option("--class NAME", "Only the class with this name.", show_default="all")
    ] = None,
    output_format: OutputFormat = Format.text,
) -> None:
    """Print the classes of a map: name, number of words, the first ones.

    [bold]Examples[/bold]
      tunesmith classes show classes.tsv
      tunesmith classes show classes.tsv --class 12 --words 0
    """
    members = _load(given).members()
    if only is not None:
        if only not in members:
            raise ConfigError(f"{given} has no class {only!r}; tunesmith classes show {given} lists them")
        members = {only: members[only]}
    for name, inside in members.items():
        shown = inside[: words or None]
        if output_format is Format.json:
            put_json({"class": name, "size": len(inside), "words": shown})
        else:
            say(f"{name}\t{len(inside)}\t{' '.join(shown)}")


@classes.command(cls=Verb)
def evaluate(
    maps: Annotated[list[str], argument("MAP…", "Maps to compare.")],
    text: Annotated[list[str], option("--text FILE", "Tokenised text; may be given again.")],
    min_count: Annotated[
        int, option("--min-count N", "Words of a map that are rarer in the text are <unk>.", min=1, max=2**31 - 1)
    ] = 1,
    digits_to_one: DigitsToOne = False,
    output_format: OutputFormat = Format.text,
    digits: Digits = 3,
) -> None:
    """Print perplexities of a text under the classes of each map; lower is better.

    One-sided: p(w|c) p(c|v), v the word before. Two-sided: p(w|c) p(c|c'), c' the class before.
    Bidirectional: the mean of one-sided and the same with the word after. Parameters are estimated on the text.

    [bold]Examples[/bold]
      tunesmith classes evaluate classes.tsv --text train.en
      tunesmith classes evaluate ours.tsv mkcls.classes paths --text train.en --min-count 5
    """
    from tunesmith.clustering.counting import count_bigrams
    from tunesmith.clustering.perplexity import perplexity_of

    loaded = {path: _load(path) for path in maps}
    counter = count_bigrams(Texts(text), digits_to_one=digits_to_one)
    if output_format is Format.text:
        put("map\ttokens\tunknown\twords\tclasses\tone-sided\ttwo-sided\tbidirectional")
    for path, given in loaded.items():
        found = perplexity_of(counter, given, min_count=min_count)
        if output_format is Format.json:
            put_json({"map": path, **dataclasses.asdict(found)})
            continue
        numbers = (found.tokens, found.unknown_tokens, found.words, found.classes)
        values = (found.one_sided, found.two_sided, found.bidirectional)
        say("\t".join([path, *map(str, numbers), *(f"{value:.{digits}f}" for value in values)]))


@classes.command(cls=Verb)
def convert(given: MapFile, to: To, output: OutputFile = "-") -> None:
    """Write a map in the format of another tool.

    Brown paths are the numbers of classes in binary digits: the classes have no hierarchy.

    [bold]Examples[/bold]
      tunesmith classes convert classes.tsv --to mkcls -o train.en.vcb.classes
      tunesmith classes convert paths --to tsv > classes.tsv
    """
    check_output(output, [given])
    _load(given).save(output, to.value)


def _load(path: str) -> WordClasses:
    from tunesmith.clustering import WordClasses

    return WordClasses.load(path)


def _one_standard_input(given: str | None, texts: list[str], what: str) -> None:
    if given == "-" and "-" in texts:
        raise ConfigError(f"{what} and the text cannot both come from standard input; name a file for one of them")


def _learnt(learnt: Clustering, seconds: float) -> str:
    last = learnt.passes[-1]
    ended = "no word moves any more" if learnt.converged else f"{last.moves} words moved in the last"
    return (
        f"{learnt.sentences} sentences, {learnt.tokens} tokens, {learnt.types} types: {learnt.words} words in "
        f"{last.classes} classes; {len(learnt.passes)} passes, {ended}; objective {last.objective:.1f} "
        f"({seconds:.1f} s)"
    )

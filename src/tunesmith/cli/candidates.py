"""`tunesmith candidates`: look at lists, convert, merge and sort them, see how good they could be."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from tunesmith.cli import metric_options as choose
from tunesmith.cli import options
from tunesmith.cli.candidate_files import Dialect, SkipBad, read_one
from tunesmith.cli.console import note
from tunesmith.cli.group import Verb, Verbs
from tunesmith.cli.rerank import ListFileArgument, model_scores
from tunesmith.cli.streams import expect_input
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.evaluation.list_statistics import ListStatistics
    from tunesmith.metrics import Metric
    from tunesmith.search import CandidateSet, ListFile

candidates = typer.Typer(
    name="candidates",
    cls=Verbs,
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Look at n-best lists of any toolkit; convert, merge and sort them; their oracle.",
)

To = Annotated[
    str | None, typer.Option("--to", metavar="DIALECT", help="Dialect to write.", show_default="that of the input")
]
Lossy = Annotated[bool, typer.Option("--lossy", help="Leave out what the dialect cannot hold.")]
References = Annotated[
    list[str] | None, typer.Option("--refs", metavar="FILE…", help="References.", show_default="those of the list")
]
MetricName = Annotated[str, typer.Option("--metric", metavar="NAME", help="bleu, chrf, ter, …")]


@candidates.command(cls=Verb)
def stats(
    ctx: typer.Context,
    file: ListFileArgument = None,
    references: References = None,
    metric: MetricName = "bleu",
    lowercase: options.Lowercase = False,
    tokenize: choose.Tokenize = None,
    top: Annotated[int, typer.Option("--top", min=0, help="Features shown, those that fire most first.")] = 30,
    dialect: Dialect = None,
    skip_bad: SkipBad = False,
    output_format: options.OutputFormat = options.Format.text,
    digits: options.Digits = 2,
    threads: options.Threads = 1,
    quiet: options.Quiet = False,
) -> None:
    """Print list sizes and a table of features; with references, how good the lists could be.

    The correlation is that of feature and metric inside the lists: what a reranker can use of it.

    [bold]Examples[/bold]
      tunesmith candidates stats dev.nbest
      tunesmith candidates stats dev.nbest --refs dev.en.* --metric chrf -f json
    """
    from tunesmith.evaluation.list_statistics import list_statistics

    found = _read(file, dialect, skip_bad=skip_bad, quiet=quiet)
    texts = _references(ctx, found, references, quiet=quiet)
    measure = _metric(metric, lowercase, tokenize)
    lists = found.candidates
    if texts is not None:
        lists = lists.with_statistics(measure.prepare(texts), threads=threads)
    described = list_statistics(lists, measure if texts is not None else None)
    if output_format is options.Format.json:
        print(json.dumps({"dialect": found.dialect, **described.as_dict()}, ensure_ascii=False, indent=1))
        return
    _print_statistics(described, found.dialect, top, digits)


@candidates.command(cls=Verb)
def convert(
    file: ListFileArgument = None,
    to: To = None,
    lossy: Lossy = False,
    dialect: Dialect = None,
    skip_bad: SkipBad = False,
    output: options.OutputFile = "-",
    quiet: options.Quiet = False,
) -> None:
    """Write lists in another dialect.

    Every value is kept; what has no place there is an error unless --lossy.

    [bold]Examples[/bold]
      tunesmith candidates convert --to cdec < dev.nbest > dev.kbest
      tunesmith candidates convert --to json generate-test.txt -o test.jsonl.gz
    """
    _write(_read(file, dialect, skip_bad=skip_bad, quiet=quiet), None, output, to, file, lossy=lossy)


@candidates.command(cls=Verb)
def merge(
    files: Annotated[list[str], typer.Argument(metavar="LIST…", help="Lists of the same sentences.")],
    to: To = None,
    lossy: Lossy = False,
    dialect: Dialect = None,
    skip_bad: SkipBad = False,
    output: options.OutputFile = "-",
    threads: options.Threads = 1,
    quiet: options.Quiet = False,
) -> None:
    """Put lists of the same sentences together, each candidate once: those of the first file first.

    Two candidates are the same if words and features are.

    [bold]Examples[/bold]
      tunesmith candidates merge run1.nbest run2.nbest > all.nbest
    """
    from tunesmith.corpus.bitext import expand_paths
    from tunesmith.search import CandidateSet

    paths = expand_paths(files)
    read = [read_one(path, dialect, skip_bad=skip_bad, quiet=quiet) for path in paths]
    merged = CandidateSet.merge([each.candidates for each in read], threads=threads)
    before = sum(len(each.candidates) for each in read)
    note(f"{len(merged)} different candidates of {before}", quiet=quiet)
    _write(read[0], merged, output, to, *paths, lossy=lossy)


@candidates.command(cls=Verb)
def sort(
    file: ListFileArgument = None,
    weights: Annotated[
        str | None,
        typer.Option("-W", "--weights", metavar="FILE", show_default=False,
                     help="Sort every list by these weights, and write the scores they give."),
    ] = None,
    by_score: Annotated[bool, typer.Option("--by-score", help="Sort every list by the scores it has.")] = False,
    to: To = None,
    lossy: Lossy = False,
    dialect: Dialect = None,
    skip_bad: SkipBad = False,
    output: options.OutputFile = "-",
    threads: options.Threads = 1,
    quiet: options.Quiet = False,
) -> None:  # fmt: skip
    """Bring sentences into rising order, and with -W or --by-score the candidates of each too, best first.

    [bold]Examples[/bold]
      tunesmith candidates sort shuffled.nbest -o dev.nbest
      tunesmith candidates sort -W weights.tsv < dev.nbest > best-first.nbest
    """
    from tunesmith.search.taking import sorted_by

    found = _read(file, dialect, skip_bad=skip_bad, any_order=True, quiet=quiet)
    lists = found.candidates
    if weights is not None or by_score:
        lists = sorted_by(lists, model_scores(lists, weights, threads=threads, quiet=quiet))
    _write(found, lists, output, to, file, lossy=lossy)


@candidates.command(cls=Verb)
def oracle(
    ctx: typer.Context,
    file: ListFileArgument = None,
    references: References = None,
    metric: MetricName = "bleu",
    lowercase: options.Lowercase = False,
    tokenize: choose.Tokenize = None,
    worst: Annotated[bool, typer.Option("--worst", help="The anti-oracle: the worst candidates.")] = False,
    dialect: Dialect = None,
    skip_bad: SkipBad = False,
    output: options.OutputFile = "-",
    digits: options.Digits = 2,
    threads: options.Threads = 1,
    quiet: options.Quiet = False,
) -> None:
    """Print the best candidate of every list by the metric (the worst with --worst), a line each.

    Chosen sentence by sentence (BLEU: by BLEU+1), which need not be the best choice for all together.

    [bold]Examples[/bold]
      tunesmith candidates oracle dev.nbest --refs dev.en.* > oracle.out
    """
    from tunesmith.evaluation.list_statistics import oracle as find_oracle
    from tunesmith.io import check_output, write_lines

    check_output(output, [] if file is None else [file])
    found = _read(file, dialect, skip_bad=skip_bad, quiet=quiet)
    texts = _references(ctx, found, references, quiet=quiet)
    if texts is None:
        raise ConfigError("an oracle needs references: --refs FILE…")
    measure = _metric(metric, lowercase, tokenize)
    lists = found.candidates.with_statistics(measure.prepare(texts), threads=threads)
    best = find_oracle(lists, measure, worst=worst)
    assert lists.statistics is not None
    score = float(measure.score(lists.statistics[best].sum(axis=0, dtype=float)))
    lines = [""] * lists.sentences
    for sentence, at in zip(lists.sentence_of[best].tolist(), best.tolist(), strict=True):
        lines[sentence] = lists.text(at)
    write_lines(output, lines)
    note(f"{'anti-oracle' if worst else 'oracle'}: {measure.label} {score:.{digits}f}", quiet=quiet)


@candidates.command(cls=Verb)
def features(
    file: ListFileArgument = None,
    add: Annotated[
        list[str] | None,
        typer.Option("--add", metavar="NAME:KEY=VALUE,…", show_default=False,
                     help="length, rank, agreement:metric=chrf, posterior:order=4, lm:path=FILE, or one of "
                     "--features-from; may be repeated."),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option("--source", metavar="FILE", help="Source text, for features of yours that look at it.",
                     show_default="that of the list"),
    ] = None,
    features_from: options.FeaturesFrom = None,
    to: To = None,
    lossy: Lossy = False,
    dialect: Dialect = None,
    skip_bad: SkipBad = False,
    output: options.OutputFile = "-",
    threads: options.Threads = 1,
    quiet: options.Quiet = False,
) -> None:  # fmt: skip
    """Add features to lists: length, rank, agreement with the others, language models, a class of yours.

    [bold]Examples[/bold]
      tunesmith candidates features --add length --add agreement:metric=chrf < dev.nbest > dev.more
      tunesmith candidates features --add lm:path=big.arpa.gz --features-from mine.py --add mine dev.nbest
    """
    from tunesmith.features.python_features import features_from as run_file
    from tunesmith.io import read_lines
    from tunesmith.search.list_features import add_features, make_feature

    if features_from is not None:
        run_file(features_from)
    chosen = [make_feature(text) for text in add or []]
    if not chosen:
        raise ConfigError("which features? Give --add length, --add agreement, …")
    found = _read(file, dialect, skip_bad=skip_bad, quiet=quiet)
    texts = found.sources if source is None else read_lines(source)
    more = add_features(found.candidates, chosen, texts, threads=threads)
    _write(found, more, output, to, file, lossy=lossy)


@candidates.command(cls=Verb)
def weights(
    file: Annotated[str, typer.Argument(metavar="WEIGHTS", help="Weights by name; - is standard input.")],
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help="moses or cdec.")] = "moses",
    template: Annotated[
        str | None,
        typer.Option("--template", metavar="FILE", show_default=False,
                     help="A moses.ini whose weights are replaced; the rest of it stays."),
    ] = None,
    sparse: Annotated[
        str | None,
        typer.Option("--sparse", metavar="FILE", show_default=False,
                     help="With --template: where weights go that its [weight] section does not have."),
    ] = None,
    output: options.OutputFile = "-",
) -> None:  # fmt: skip
    """Write weights as Moses or cdec read them.

    [bold]Examples[/bold]
      tunesmith candidates weights run/weights.tsv --to cdec -o weights.cdec
      tunesmith candidates weights run/weights.tsv --template moses.ini --sparse sparse.weights -o tuned.ini
    """
    from tunesmith.io import atomic_writer, check_output, read_lines
    from tunesmith.weight_formats import write_weights
    from tunesmith.weights import Weights

    check_output(output, [file])
    text = None if template is None else "\n".join([*read_lines(template), ""])
    written = write_weights(dict(Weights.read(file).items()), text, to, sparse)
    if written.sparse is not None:
        assert sparse is not None
        with atomic_writer(sparse) as out:
            out.write(written.sparse)
    with atomic_writer(output) as out:
        out.write(written.config)


def _read(
    file: str | None, dialect: str | None, *, skip_bad: bool, any_order: bool = False, quiet: bool
) -> ListFile:
    expect_input([] if file is None else [file], "a list", "tunesmith candidates stats < dev.nbest")
    return read_one(file or "-", dialect, skip_bad=skip_bad, any_order=any_order, quiet=quiet)


def _write(
    found: ListFile, lists: CandidateSet | None, output: str, to: str | None, *inputs: str | None, lossy: bool
) -> None:
    from tunesmith.io import check_output
    from tunesmith.search import write_kbest

    check_output(output, [path for path in inputs if path is not None])
    written = found.candidates if lists is None else lists
    write_kbest(written, output, to or ("moses" if found.dialect == "folder" else found.dialect), lossy=lossy)


def _references(
    ctx: typer.Context, found: ListFile, references: Sequence[str] | None, *, quiet: bool
) -> Sequence[Sequence[str]] | None:
    from tunesmith.cli.evaluation_input import read_reference_files

    texts = found.references
    if references:
        texts = read_reference_files(ctx, references, [], quiet=quiet).sentences
    if texts is not None and len(texts) < found.candidates.sentences:
        raise ConfigError(
            f"the lists have {found.candidates.sentences} sentences and there are references for {len(texts)}"
        )
    return texts


def _metric(name: str, lowercase: bool, tokenize: str | None) -> Metric:
    settings = choose.Settings(lowercase, tokenize, None, None)
    return next(iter(choose.chosen_metrics([name], settings, scores=False, lower_is_better=False).values()))


def _print_statistics(described: ListStatistics, dialect: str, top: int, digits: int) -> None:
    from tunesmith.cli.table import print_table

    empty = f", {described.without_candidates} of them without" if described.without_candidates else ""
    texts = "" if described.different_texts is None else f", {described.different_texts} different texts"
    print(f"{dialect}: {described.candidates} candidates of {described.sentences} sentences{empty}{texts}")
    print(f"candidates of a sentence: {described.smallest} to {described.largest}, median {described.median:g}")
    if described.bounds is not None:
        each = described.bounds
        print(
            f"{each.metric}: first {each.first:.{digits}f}, oracle {each.oracle:.{digits}f}, "
            f"anti-oracle {each.anti_oracle:.{digits}f}"
        )
    rows = sorted(described.features, key=lambda row: -row.fires)
    header = ["feature", "fires", "mean", "deviation", "minimum", "maximum", "correlation"]
    cells = [
        [
            row.name, f"{100 * row.fires:.1f}%", f"{row.mean:.4g}", f"{row.deviation:.4g}", f"{row.minimum:.4g}",
            f"{row.maximum:.4g}", "" if row.correlation is None else f"{row.correlation:.3f}",
        ]
        for row in rows[:top]
    ]  # fmt: skip
    if cells:
        print_table(header, cells)
    if len(rows) > top:
        print(f"and {len(rows) - top} more features")

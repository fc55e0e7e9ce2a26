"""`tunesmith rerank`: the best candidate of every list, by weights or by agreement with the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tunesmith.cli import options
from tunesmith.cli.candidate_files import Dialect, SkipBad, read_one
from tunesmith.cli.console import remark
from tunesmith.cli.streams import expect_input
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tunesmith.search import CandidateSet

ListFileArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[LIST]", help="Lists of any dialect; - or nothing is standard input.", show_default=False
    ),
]


def rerank(
    file: ListFileArgument = None,
    weights: Annotated[
        str | None,
        typer.Option("-W", "--weights", metavar="FILE", help="Weights by name.",
                     show_default="scores of the list"),
    ] = None,
    bayes_risk: Annotated[
        str | None,
        typer.Option("--mbr", metavar="METRIC", show_default=False,
                     help="Minimum Bayes risk: the candidate that agrees best with the others by bleu, chrf, …"),
    ] = None,
    scale: Annotated[
        float, typer.Option("--scale", help="With --mbr: how sharp the distribution over a list is.")
    ] = 1.0,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="DIALECT", help="Write whole lists, best first, with the new scores.",
                     show_default="the best translation of each"),
    ] = None,
    most: Annotated[
        int | None,
        typer.Option("--k", min=1, show_default="all", help="With --to: at most so many candidates of a list."),
    ] = None,
    lossy: Annotated[
        bool, typer.Option("--lossy", help="With --to: leave out what the dialect cannot hold.")
    ] = False,
    dialect: Dialect = None,
    skip_bad: SkipBad = False,
    output: options.OutputFile = "-",
    threads: options.Threads = 1,
    quiet: options.Quiet = False,
) -> None:  # fmt: skip
    """Choose from n-best lists of any toolkit, by weights or minimum Bayes risk: a line for each sentence.

    [bold]Examples[/bold]
      tunesmith rerank -W run/weights.tsv < test.nbest > test.out
      tunesmith rerank -W run/weights.tsv --mbr chrf test.nbest -o test.out
      tunesmith rerank -W run/weights.tsv --to marian test.nbest > reranked.nbest
    """
    from tunesmith.io import check_output, write_lines
    from tunesmith.search import write_kbest
    from tunesmith.search.taking import sorted_by
    from tunesmith.tuning.choice import best_of_each

    expect_input([] if file is None else [file], "a list", "tunesmith rerank -W weights.tsv < test.nbest")
    check_output(output, [] if file is None else [file])
    if most is not None and to is None:
        raise ConfigError("--k is about whole lists: give --to DIALECT too")
    lists = read_one(file or "-", dialect, skip_bad=skip_bad, quiet=quiet).candidates
    if lists.words is None:
        raise ConfigError("these lists have no words, only features; there is nothing to choose")
    scores = model_scores(lists, weights, threads=threads, quiet=quiet)
    if bayes_risk is not None:
        from tunesmith.metrics import metrics
        from tunesmith.search.bayes_risk import BayesRisk

        risk = BayesRisk(metrics.make(bayes_risk), scale)
        scores = risk.expected_gains(lists, scores, threads=threads)
    if to is not None:
        write_kbest(sorted_by(lists, scores, most), output, to, lossy=lossy)
        return
    best = best_of_each(scores, lists.offsets)
    texts = [""] * lists.sentences
    for sentence, candidate in zip(lists.sentence_of[best].tolist(), best.tolist(), strict=True):
        texts[sentence] = lists.text(candidate)
    if len(best) < lists.sentences:
        remark(f"{lists.sentences - len(best)} sentences without candidates have an empty line", quiet=quiet)
    write_lines(output, texts)


def model_scores(lists: CandidateSet, weights: str | None, *, threads: int, quiet: bool) -> NDArray[np.float64]:
    """Features times weights, or the scores that came with the lists."""
    from tunesmith.tuning.feature_names import vector_by_name
    from tunesmith.weights import Weights

    if weights is None:
        if lists.model_scores is None:
            raise ConfigError("these lists have no scores; give weights with -W FILE")
        return lists.model_scores
    vector, unknown = vector_by_name(lists.features, Weights.read(weights))
    if unknown:
        shown = ", ".join(unknown[:5]) + (", …" if len(unknown) > 5 else "")
        remark(f"{len(unknown)} weights are of features that the lists do not have: {shown}", quiet=quiet)
    if lists.columns and not vector[: lists.columns].any():
        raise ConfigError(f"{weights}: no feature of these lists has a weight; are they of another system?")
    return lists.scores(vector, threads=threads)

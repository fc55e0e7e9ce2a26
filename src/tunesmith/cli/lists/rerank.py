"""`tunesmith rerank`: the best candidate of every list, by weights or by agreement with the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from tunesmith.cli import options
from tunesmith.cli.console import remark
from tunesmith.cli.declaring import option
from tunesmith.cli.evaluation import metric_options
from tunesmith.cli.evaluation.joined_words import tell_subwords
from tunesmith.cli.lists import list_options
from tunesmith.cli.lists.list_scores import ListScores
from tunesmith.cli.lists.list_sources import ListSources
from tunesmith.cli.lists.list_streams import open_lists, write_lists
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tunesmith.search import ListFile


def rerank(
    file: list_options.ListFileArgument = None,
    weights: Annotated[
        str | None, option("-W --weights FILE", "Weights by name.", show_default="scores of the list")
    ] = None,
    bayes_risk: Annotated[str | None, option(
        "--mbr METRIC", "Minimum Bayes risk: the candidate that agrees best with the others by bleu, chrf, …"
    )] = None,
    labels: Annotated[str | None, option(
        "--labels FILE", "Domain of each list: features count with the weights of its copies too."
    )] = None,
    source: metric_options.Source = None,
    scale: Annotated[float, option("--scale", "With --mbr: how sharp the distribution over a list is.")] = 1.0,
    to: Annotated[str | None, option(
        "--to DIALECT", "Write whole lists, best first, with the new scores.",
        show_default="the best translation of each",
    )] = None,
    most: Annotated[
        int | None, option("--k", "With --to: the most candidates of a list.", show_default="all", min=1)
    ] = None,
    lossy: Annotated[bool, option("--lossy", "With --to: leave out what the dialect cannot hold.")] = False,
    subwords: options.Subwords = None,
    dialect: list_options.Dialect = None,
    skip_bad: list_options.SkipBad = False,
    output: options.OutputFile = "-",
    threads: options.Threads = options.THREADS,
    quiet: options.Quiet = False,
) -> None:  # fmt: skip
    """Choose from n-best lists of many toolkits by weights or minimum Bayes risk, one line per sentence.

    Pieces of words (BPE, SentencePiece) are joined in these lines; whole lists (--to) keep them. A file or folder
    of search graphs is chosen from as well, by -W and --mbr bleu.

    [bold]Examples[/bold]
      tunesmith rerank -W run/weights.tsv < test.nbest > test.out
      tunesmith rerank -W run/weights.tsv --mbr chrf test.nbest -o test.out
      tunesmith rerank -W run/weights.tsv --to marian test.nbest > reranked.nbest
      tunesmith rerank -W run/weights.tsv --mbr bleu graphs/ > test.out
    """
    from tunesmith.cli.lists.graph_options import GraphInput
    from tunesmith.cli.lists.rerank_graphs import holds_graphs, rerank_graphs
    from tunesmith.corpus.text_files import read_label_file
    from tunesmith.io import check_output
    from tunesmith.metrics import metric_of
    from tunesmith.search.lists.bayes_risk import BayesRisk
    from tunesmith.search.lists.pieces import PieceJoiner
    from tunesmith.search.lists.taking import sorted_by

    check_output(output, [each for each in (file, labels) if each is not None])
    if file is not None and dialect is None and holds_graphs(file):
        how = GraphInput(weights, None, quiet)
        of_lists = {"--to": to, "--k": most, "--labels": labels, "--source": source}
        of_lists["--skip-bad"] = "given" if skip_bad else None
        rerank_graphs(file, how, bayes_risk, scale, of_lists, subwords=subwords, output=output, threads=threads)
        return
    if most is not None and to is None:
        raise ConfigError("--k is about whole lists: give --to DIALECT too")
    if source is not None and bayes_risk is None:
        raise ConfigError("--source is for metrics of --mbr METRIC; weights look at features alone: leave it out")
    if labels is not None and weights is None:
        raise ConfigError("--labels choose among weights: give them with -W FILE")
    scores_of = ListScores(weights, None if labels is None else read_label_file(labels), quiet=quiet)
    joiner = PieceJoiner(subwords)
    risk = None if bayes_risk is None else BayesRisk(metric_of(bayes_risk), scale, "none")
    looking = risk is not None and risk.metric.needs_source
    sources = ListSources(source, joined=looking, subwords=subwords)
    # Sources that lists carry are known when they are read whole.
    lists = open_lists(file, dialect, to, skip_bad=skip_bad, whole=looking and not sources, quiet=quiet)

    def scored() -> Iterator[tuple[ListFile, NDArray[np.float64]]]:
        sentences = 0
        for part in lists.parts:
            sentences = part.first + part.candidates.sentences
            if part.candidates.words is None:
                raise ConfigError("these lists have no words, only features; there is nothing to choose")
            words = joiner.joined(part.candidates, part.first)
            scores = scores_of(part.candidates, part.first, threads=threads)
            if risk is not None:
                scores = risk.expected_gains(words, scores, sources=sources.of(part), threads=threads)
            yield part if to is not None else replace(part, candidates=words), scores
        sources.check_end()
        scores_of.check_end(sentences)

    parts = scores_of.held_until_known(scored(), quiet=quiet)
    if to is not None:
        best_first = ((part.first, sorted_by(part.candidates, scores, most)) for part, scores in parts)
        write_lists(best_first, output, to, file, lossy=lossy)
    else:
        _write_best(parts, output, quiet=quiet)
        tell_subwords("the lists", joiner.found, quiet=quiet)


def _write_best(parts: Iterable[tuple[ListFile, NDArray[np.float64]]], output: str, *, quiet: bool) -> None:
    """Write the first of the best candidates of every sentence; an empty line for one without candidates."""
    from tunesmith.io import atomic_writer, put_lines
    from tunesmith.tuning.pools.gains import best_of_each

    empty = 0
    with atomic_writer(output) as out:

        def lines() -> Iterator[str]:
            nonlocal empty
            for part, scores in parts:
                candidates = part.candidates
                best = best_of_each(scores, candidates.offsets)
                texts = [""] * candidates.sentences
                for sentence, candidate in zip(candidates.sentence_of[best].tolist(), best.tolist(), strict=True):
                    texts[sentence] = candidates.text(candidate)
                empty += candidates.sentences - len(best)
                yield from texts
                out.flush()

        put_lines(out, lines(), output)
    if empty:
        remark(f"{empty} sentences without candidates have an empty line", quiet=quiet)

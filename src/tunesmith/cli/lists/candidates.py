"""`tunesmith candidates`: look at lists, convert, merge and sort them, see how good they could be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from tunesmith.cli import options
from tunesmith.cli.console import note, remark
from tunesmith.cli.declaring import argument, grouped, option
from tunesmith.cli.group import Verb, verb_group
from tunesmith.cli.lists.candidate_features import features
from tunesmith.cli.lists.candidate_files import read_one
from tunesmith.cli.lists.candidate_quality import oracle, stats
from tunesmith.cli.lists.candidate_weights import weights as write_weights
from tunesmith.cli.lists.list_options import Converting, ListFileArgument
from tunesmith.cli.lists.list_scores import ListScores

if TYPE_CHECKING:
    from tunesmith.search import CandidateSet

candidates = verb_group(
    "candidates", "Look at n-best lists of many toolkits; convert, merge and sort them; print oracles."
)


@grouped
def convert(
    file: ListFileArgument = None,
    how: Converting = Converting(),
) -> None:
    """Write lists in another dialect.

    Every value is kept; what has no place there is an error unless --lossy.

    [bold]Examples[/bold]
      tunesmith candidates convert --to cdec < dev.nbest > dev.kbest
      tunesmith candidates convert --to json generate-test.txt -o test.jsonl.gz
    """
    found = how.open(file)
    parts = ((part.first, part.candidates) for part in found.parts)
    how.write(parts, found.dialect, file)


@grouped
def merge(
    files: Annotated[list[str], argument("LIST…", "Lists of the same sentences.")],
    how: Converting,
    threads: options.Threads = options.THREADS,
) -> None:
    """Merge lists of the same sentences, each candidate once; candidates of the first file come first.

    Two candidates are the same if their words and features are equal.

    [bold]Examples[/bold]
      tunesmith candidates merge run1.nbest run2.nbest > all.nbest
    """
    from tunesmith.corpus.bitext import expand_paths
    from tunesmith.search import CandidateSet

    paths = expand_paths(files)
    read = [read_one(path, how.dialect, skip_bad=how.skip_bad, quiet=how.quiet) for path in paths]
    merged = CandidateSet.merge([each.candidates for each in read], threads=threads)
    if any(each.candidates.rest is not None for each in read):
        remark("alignments, and whatever else follows the scores, are left out", quiet=how.quiet)
    before = sum(len(each.candidates) for each in read)
    note(f"{len(merged)} different candidates of {before}", quiet=how.quiet)
    first = "moses" if read[0].dialect == "folder" else read[0].dialect
    how.write([(0, merged)], how.to or first, *paths)


@grouped
def sort(
    file: ListFileArgument = None,
    weights: Annotated[str | None, option(
        "-W --weights FILE", "Sort every list by these weights, and write the scores they give."
    )] = None,
    by_score: Annotated[bool, option("--by-score", "Sort every list by the scores it has.")] = False,
    how: Converting = Converting(),
    threads: options.Threads = options.THREADS,
) -> None:  # fmt: skip
    """Sort lists by sentence; with -W or --by-score also the candidates of each sentence, best first.

    [bold]Examples[/bold]
      tunesmith candidates sort shuffled.nbest -o dev.nbest
      tunesmith candidates sort -W weights.tsv < dev.nbest > best-first.nbest
    """
    from tunesmith.search.lists.taking import sorted_by

    found = how.open(file, any_order=True)
    parts: Iterator[tuple[int, CandidateSet]]
    if weights is None and not by_score:
        parts = ((part.first, part.candidates) for part in found.parts)
    else:
        scores_of = ListScores(weights, quiet=how.quiet)
        best_first = (
            (part.first, sorted_by(part.candidates, scores_of(part.candidates, threads=threads)))
            for part in found.parts
        )
        parts = scores_of.held_until_known(best_first, quiet=how.quiet)
    how.write(parts, found.dialect, file)


for verb in (stats, convert, merge, sort, oracle, features, write_weights):
    candidates.command(verb.__name__, cls=Verb)(verb)

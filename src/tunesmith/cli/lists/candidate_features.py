"""`tunesmith candidates features`: more features for lists that are to be reranked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from tunesmith.cli import options
from tunesmith.cli.declaring import grouped, option
from tunesmith.cli.lists.list_options import Converting, ListFileArgument
from tunesmith.cli.lists.list_sources import ListSources
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.search import CandidateSet


@grouped
def features(
    file: ListFileArgument = None,
    add: Annotated[list[str] | None, option(
        "--add NAME:KEY=VALUE,…", "length, rank, agreement:metric=chrf, posterior:order=4, lm:path=FILE, or one "
        "of --features-from; may be repeated."
    )] = None,
    source: Annotated[str | None, option(
        "--source FILE", "Source text, for features and metrics that look at it.", show_default="that of the list"
    )] = None,
    features_from: options.FeaturesFrom = None,
    how: Converting = Converting(),
    threads: options.Threads = options.THREADS,
) -> None:  # fmt: skip
    """Add features to lists: length, rank, agreement with the others, language models, your own classes.

    [bold]Examples[/bold]
      tunesmith candidates features --add length --add agreement:metric=chrf < dev.nbest > dev.more
      tunesmith candidates features --add lm:path=big.arpa.gz --features-from mine.py --add mine dev.nbest
    """
    from tunesmith.features import SentenceFeature
    from tunesmith.features.python_features import features_from as run_file
    from tunesmith.search.list_features import add_features, make_feature

    if features_from is not None:
        run_file(features_from)
    chosen = [make_feature(text) for text in add or []]
    if not chosen:
        raise ConfigError("which features? Give --add length, --add agreement, …")
    sources = ListSources(source, joined=False)
    # A feature of the user's may call its features as sentences make it; sources of lists are known at the end.
    whole = any(
        isinstance(feature, SentenceFeature) or (feature.needs_source and not sources) for _, feature in chosen
    )
    found = how.open(file, whole=whole)

    def more() -> Iterator[tuple[int, CandidateSet]]:
        for part in found.parts:
            yield part.first, add_features(part.candidates, chosen, sources.of(part), threads=threads)
        sources.check_end()

    how.write(more(), found.dialect, file)

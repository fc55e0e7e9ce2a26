"""What `tunesmith tune` tunes on: lists from files, or a model that decodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import typer

from tunesmith.cli.console import note, progress
from tunesmith.cli.tuning.tuning_input import Given
from tunesmith.cli.weights_file import read_weights
from tunesmith.errors import ConfigError, FormatError, MissingFileError
from tunesmith.execution.temporary import temporary_folder

if TYPE_CHECKING:
    from tunesmith.decoding import ListDecoder, TranslationModel
    from tunesmith.metrics import Precomputed
    from tunesmith.search import CandidateSet
    from tunesmith.tuning import CandidateSource, KBestSource, Recipe
    from tunesmith.weights import Weights

PARTS = 5
"""Parts of the training data for recipes that decode it so, where no other number is typed."""


def decoded_in_parts(ctx: typer.Context, given: Given, recipe: Recipe, *, threads: int, quiet: bool) -> Given:
    """Add own rules and parts for a recipe that needs them (`cross_fit`).

    Own rules are found where none are named, in a folder that goes with the command.
    """
    from tunesmith.corpus.bitext import expand_paths
    from tunesmith.training.own_rules import own_rules_of

    model, text = given.model, given.train
    if text is None or model is None or not recipe.plan.cross_fit:
        if given.parts is not None and given.leave_one_out is None:
            raise ConfigError("--parts says how much --leave-one-out FOLDER leaves out: give that too")
        return given
    given = replace(given, parts=PARTS if given.parts is None else given.parts)
    if given.leave_one_out is not None:
        return given
    references = expand_paths(given.train_references)
    if text == "-" or len(references) != 1:
        raise ConfigError(
            f"{recipe.name} decodes training data as if the model had not read it: this takes two files, "
            f"--train FILE and one of --train-refs FILE. {_WITHOUT_PARTS}"
        )
    folder = ctx.with_resource(temporary_folder("own"))
    try:
        with progress("finding own rules", quiet=quiet) as show_progress:
            own_rules_of(
                model, text, references[0], None, folder, threads=threads,
                progress=lambda what, done, total: show_progress(done, total),
            )  # fmt: skip
    except MissingFileError:
        raise
    except (ConfigError, FormatError) as error:  # other text does not fit the alignment
        raise ConfigError(f"{error}. {_WITHOUT_PARTS}") from None
    return replace(given, leave_one_out=folder)


_WITHOUT_PARTS = (
    "What a model has read is found by its word alignment (of one that has none: tunesmith rules own --align FILE "
    "-o OWN, then --leave-one-out OWN); text that it has not read needs nothing of that: --set cross_fit=false; "
    "nor does the method as printed: --as-printed"
)

MakeSources = Callable[[int], "tuple[CandidateSource, CandidateSource | None]"]
"""From a list length to sources of dev and of training data, new ones at every call."""


def source_maker(
    ctx: typer.Context, given: Given, metric: Precomputed | None, *, threads: int, quiet: bool
) -> MakeSources:
    """Sources of what was given. Lists are the same at every call; a model gets a decoder, which holds weights.

    metric: that of numbers computed elsewhere, None where `--scores` holds none.
    """
    if given.model is not None:
        return _model_sources(ctx, given.model, given, threads=threads, quiet=quiet)
    lists = _list_sources(ctx, given, metric, quiet=quiet)
    return lambda k: lists


def _list_sources(
    ctx: typer.Context, given: Given, metric: Precomputed | None, *, quiet: bool
) -> tuple[CandidateSource, CandidateSource | None]:
    """Lists to tune on and, where they are given, lists of training data, with the same features."""
    from tunesmith.cli.evaluation.evaluation_input import read_reference_files
    from tunesmith.cli.lists.candidate_files import read_candidates
    from tunesmith.corpus.bitext import expand_paths
    from tunesmith.search.lists.common import Common
    from tunesmith.tuning import FileSource

    class Read(NamedTuple):
        candidates: CandidateSet
        references: Sequence[Sequence[str]] | None

    def read(files: Sequence[str], scores: Sequence[str], references: Sequence[str]) -> Read:
        """References that stand in the lists are taken where no others are given."""
        lists = read_candidates(
            expand_paths(files), expand_paths(scores), given.dialect, metric, skip_bad=given.skip_bad, quiet=quiet
        )
        found = lists.candidates
        note(
            f"{len(found)} different candidates of {found.sentences} sentences, {found.columns} features",
            quiet=quiet,
        )
        if not references:
            return Read(found, None if found.statistics is not None else lists.references)
        if found.statistics is not None:
            raise ConfigError("these lists carry statistics of a metric already; leave out --refs or --scores")
        return Read(found, read_reference_files(ctx, references, files, quiet=quiet).sentences)

    dev = read(given.candidates, given.scores, given.references)
    if not given.train_candidates:
        return FileSource(*dev), None
    train = read(given.train_candidates, [], given.train_references)
    common = Common([dev.candidates, train.candidates])
    return (
        FileSource(common.fit(dev.candidates), dev.references),
        FileSource(common.fit(train.candidates), train.references),
    )


class Text(NamedTuple):
    """Lines and the references of each."""

    lines: Sequence[str]
    references: Sequence[Sequence[str]]


def read_text(ctx: typer.Context, path: str, references: Sequence[str], *, quiet: bool) -> Text:
    """Read source text and as many references."""
    from tunesmith.cli.evaluation.evaluation_input import read_reference_files
    from tunesmith.evaluation.mistakes import check_line_count
    from tunesmith.io import read_lines

    lines = read_lines(path)
    found = read_reference_files(ctx, references, [path], quiet=quiet)
    check_line_count(path, lines, found)
    return Text(lines, found.sentences)


def _model_sources(ctx: typer.Context, folder: Path, given: Given, *, threads: int, quiet: bool) -> MakeSources:
    """The k best translations of a model for the development data, and for training data where there is some."""
    from tunesmith.decoding import TranslationModel
    from tunesmith.tuning import KBestSource

    assert given.dev is not None
    dev = read_text(ctx, given.dev, given.references, quiet=quiet)
    train = None if given.train is None else read_text(ctx, given.train, given.train_references, quiet=quiet)
    opened = TranslationModel.open(folder, threads=threads)

    def make(k: int) -> tuple[CandidateSource, CandidateSource | None]:
        model = opened.with_own_names(threads=threads)
        decoder = model.list_decoder()
        source = KBestSource(decoder, *dev, k)
        if train is None:
            return source, None
        if given.leave_one_out is None:
            return source, KBestSource(decoder, *train, k)
        return source, _left_out(model, decoder, train, k, given.leave_one_out, given.parts, quiet=quiet)

    return make


def _left_out(
    model: TranslationModel,
    decoder: ListDecoder,
    train: Text,
    k: int,
    folder: Path,
    parts: int | None,
    *,
    quiet: bool,
) -> KBestSource:
    """Decode the first lines of the training data without what they gave to the rules, as `translate` does.

    With parts the lines are all the training data, and language models are estimated again.
    """
    import numpy as np

    from tunesmith.corpus.bitext import Bitext
    from tunesmith.corpus.parts import unrelated_parts
    from tunesmith.experiments.held_out import held_out_source
    from tunesmith.grammar import OwnRules
    from tunesmith.tuning import KBestSource

    own, lines = OwnRules.open(folder, model.table), train.lines
    if len(lines) > len(own):
        raise ConfigError(f"{folder}: has the rules of {len(own)} sentence pairs, {len(lines)} are to be decoded")
    if parts is None:
        own = own.select(range(len(lines)))
        own.check_lines(lines)
        return KBestSource(decoder, *train, k, own_rules=own)
    if len(lines) < len(own) or any(len(each) != 1 for each in train.references):
        raise ConfigError(
            f"--parts divides all the training data, {len(own)} sentence pairs with one reference each; given are "
            f"{len(lines)} sentences with up to {max(map(len, train.references), default=0)} references (to "
            "decode fewer of them in a round: --train-sample)"
        )
    own.check_lines(lines)
    bitext = Bitext(list(lines), [each[0] for each in train.references])
    own.check_target(bitext.target)
    part = unrelated_parts(bitext, parts)
    sizes = np.bincount(part)
    note(f"{parts} parts of {sizes.min()} to {sizes.max()} sentence pairs", quiet=quiet)
    return held_out_source(model, bitext, own, part, k)


def start_weights(text: str, source: CandidateSource) -> Weights:
    """Weights of a file, or a preset of the papers."""
    from tunesmith.features.start import START
    from tunesmith.features.start import start_weights as preset

    if Path(text).exists() or text not in START:
        try:
            return read_weights(text)
        except MissingFileError as error:
            raise MissingFileError(f"{error}; presets are {', '.join(START)}") from None
    return preset(text, source.features)

"""What `tunesmith tune` tunes on: lists from files, or a model that decodes; checked before any work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import typer

from tunesmith.cli.console import note, progress
from tunesmith.cli.weights_file import read_weights
from tunesmith.errors import ConfigError, FormatError, MissingFileError
from tunesmith.execution.temporary import temporary_folder

if TYPE_CHECKING:
    from tunesmith.decoding import ListDecoder, TranslationModel
    from tunesmith.grammar import OwnRules
    from tunesmith.metrics import Precomputed
    from tunesmith.search import CandidateSet
    from tunesmith.tuning import CandidateSource, KBestSource, Recipe
    from tunesmith.weights import Weights


class Data(NamedTuple):
    """Source text and files of references; None and empty where nothing was typed.

    own_rules: a folder of `tunesmith rules own`, for lines that the model was made from.
    parts: how many parts of these lines are left out one after the other; None for each line alone.
    """

    text: str | None
    references: Sequence[str]
    own_rules: Path | None = None
    parts: int | None = None


class Given(NamedTuple):
    """What was typed about input."""

    model: Path | None
    dev: Data
    train: Data
    candidates: Sequence[str]
    scores: Sequence[str]
    k: int | None
    train_candidates: Sequence[str] = ()


def check_given(given: Given) -> None:
    """Either a model with its development data, or lists; training data has references too."""
    if (given.model is None) == (not given.candidates):
        raise ConfigError(
            "give either a model to decode with (-m model/ --dev FILE --refs FILE…) or --candidates FILE…"
        )
    if given.candidates:
        if given.dev.text is not None or given.k is not None or given.train.text is not None:
            raise ConfigError(
                "--dev, --train and --k are for tuning a model; lists are taken as they are (training data: "
                "--train-candidates FILE… --train-refs FILE…)"
            )
        if given.train_candidates and given.scores:
            raise ConfigError("--train-candidates goes with --refs and --train-refs, not with --scores")
    else:
        if given.train_candidates:
            raise ConfigError("--train-candidates belongs to --candidates; a model decodes --train FILE itself")
        if given.scores:
            raise ConfigError("--scores belongs to --candidates")
        if given.dev.text is None or not given.dev.references:
            raise ConfigError("tuning a model needs development data: --dev FILE and --refs FILE…")
    if given.train.text is not None and not given.train.references:
        raise ConfigError("training data needs references, as a rule its target side: --train-refs FILE")
    if given.train.text is None and given.train.references and not given.train_candidates:
        raise ConfigError("--train-refs belongs to --train FILE or --train-candidates FILE…")
    if given.train.text is None and given.train.own_rules is not None:
        raise ConfigError("--leave-one-out is about training data: give --train FILE --train-refs FILE")


PARTS = 5
"""Parts of the training data for recipes that decode it so, where no other number is typed."""


def decoded_in_parts(ctx: typer.Context, given: Given, recipe: Recipe, *, threads: int, quiet: bool) -> Given:
    """With own rules and parts for a recipe that needs them (`cross_fit`), found anew where none were named.

    They are in a folder that goes with the command.
    """
    from tunesmith.corpus.bitext import expand_paths
    from tunesmith.training.own_rules import own_rules_of

    train, text = given.train, given.train.text
    if text is None or given.model is None or not recipe.plan.cross_fit:
        if train.parts is not None and train.own_rules is None:
            raise ConfigError("--parts says how much --leave-one-out FOLDER leaves out: give that too")
        return given
    train = train._replace(parts=PARTS if train.parts is None else train.parts)
    if train.own_rules is not None:
        return given._replace(train=train)
    references = expand_paths(train.references)
    if len(references) != 1 or text == "-":
        raise ConfigError(
            f"{recipe.name} decodes training data as if the model had not read it: two files, --train FILE and "
            f"one of --train-refs FILE, were expected. {_WITHOUT_PARTS}"
        )
    folder = ctx.with_resource(temporary_folder("own"))
    try:
        with progress("finding own rules", quiet=quiet) as show_progress:
            own_rules_of(
                given.model, text, references[0], None, folder, threads=threads,
                progress=lambda what, done, total: show_progress(done, total),
            )  # fmt: skip
    except MissingFileError:
        raise
    except (ConfigError, FormatError) as error:  # other text does not fit the alignment
        raise ConfigError(f"{error}. {_WITHOUT_PARTS}") from None
    return given._replace(train=train._replace(own_rules=folder))


_WITHOUT_PARTS = (
    "What a model has read is found by its word alignment (of one that has none: tunesmith rules own --align FILE "
    "-o OWN, then --leave-one-out OWN); text that it has not read needs nothing of that: --set cross_fit=false; "
    "nor does the method as printed: --as-printed"
)


class ListReading(NamedTuple):
    """How lists are read. metric: that of numbers computed elsewhere, None where `--scores` holds none."""

    dialect: str | None
    skip_bad: bool
    metric: Precomputed | None


def _list_sources(
    ctx: typer.Context, given: Given, reading: ListReading, *, quiet: bool
) -> tuple[CandidateSource, CandidateSource | None]:
    """Lists to tune on and, where they are given, lists of training data, with the same features."""
    from tunesmith.search.common import Common
    from tunesmith.tuning import FileSource

    dev = _read_lists(ctx, given.candidates, given.scores, given.dev.references, reading, quiet=quiet)
    if not given.train_candidates:
        return FileSource(*dev), None
    train = _read_lists(ctx, given.train_candidates, [], given.train.references, reading, quiet=quiet)
    common = Common([dev.candidates, train.candidates])
    return (
        FileSource(common.fit(dev.candidates), dev.references),
        FileSource(common.fit(train.candidates), train.references),
    )


class _Read(NamedTuple):
    """Lists, and their references where they carry no statistics."""

    candidates: CandidateSet
    references: Sequence[Sequence[str]] | None


def _read_lists(
    ctx: typer.Context,
    files: Sequence[str],
    scores: Sequence[str],
    references: Sequence[str],
    reading: ListReading,
    *,
    quiet: bool,
) -> _Read:
    """Lists from files; references that stand in them are taken where no others are given."""
    from tunesmith.cli.candidate_files import read_candidates
    from tunesmith.cli.evaluation_input import read_reference_files
    from tunesmith.corpus.bitext import expand_paths

    lists = read_candidates(
        expand_paths(files),
        expand_paths(scores),
        reading.dialect,
        reading.metric,
        skip_bad=reading.skip_bad,
        quiet=quiet,
    )
    found = lists.candidates
    note(
        f"{len(found)} different candidates of {found.sentences} sentences, {found.columns} features", quiet=quiet
    )
    if not references:
        return _Read(found, None if found.statistics is not None else lists.references)
    if found.statistics is not None:
        raise ConfigError("these lists carry statistics of a metric already; leave out --refs or --scores")
    return _Read(found, read_reference_files(ctx, references, files, quiet=quiet).sentences)


MakeSources = Callable[[int], "tuple[CandidateSource, CandidateSource | None]"]
"""From a list length to sources of dev and of training data, new ones at every call."""


def source_maker(
    ctx: typer.Context, given: Given, reading: ListReading, *, threads: int, quiet: bool
) -> MakeSources:
    """Sources of what was given. Lists are the same at every call; a model gets a decoder, which holds weights."""
    if given.model is not None:
        return _model_sources(ctx, given.model, given.dev, given.train, threads=threads, quiet=quiet)
    lists = _list_sources(ctx, given, reading, quiet=quiet)
    return lambda k: lists


def _model_sources(
    ctx: typer.Context, model: Path, dev: Data, train: Data, *, threads: int, quiet: bool
) -> MakeSources:
    """The k best translations of a model for the development data, and for training data where there is some."""
    from tunesmith.decoding import ListDecoder, TranslationModel

    given = [data for data in (dev, train) if data.text is not None]
    texts = [read_data(ctx, data, quiet=quiet) for data in given]
    opened = TranslationModel.open(model, threads=threads)

    def make(k: int) -> tuple[CandidateSource, CandidateSource | None]:
        named = opened.with_own_names(threads=threads)
        decoder = named.decoder()
        lists = ListDecoder(decoder, str(opened.signature(decoder.options)))
        sources = [
            _source(named, lists, *text, k, data, quiet=quiet) for data, text in zip(given, texts, strict=True)
        ]
        return sources[0], sources[1] if len(sources) > 1 else None

    return make


def read_data(ctx: typer.Context, data: Data, *, quiet: bool) -> tuple[list[str], Sequence[Sequence[str]]]:
    """Lines and the references of each."""
    from tunesmith.cli.evaluation_input import read_reference_files
    from tunesmith.evaluation.mistakes import check_line_count
    from tunesmith.io import read_lines

    assert data.text is not None
    lines = read_lines(data.text)
    references = read_reference_files(ctx, data.references, [data.text], quiet=quiet)
    check_line_count(data.text, lines, references)
    return lines, references.sentences


def _source(
    model: TranslationModel,
    decoder: ListDecoder,
    lines: Sequence[str],
    references: Sequence[Sequence[str]],
    k: int,
    data: Data,
    *,
    quiet: bool,
) -> KBestSource:
    """The lines of a source with own rules are the first ones of the training data, as in `translate`."""
    from tunesmith.grammar import OwnRules
    from tunesmith.tuning import KBestSource

    if data.own_rules is None:
        return KBestSource(decoder, lines, references, k)
    own = OwnRules.open(data.own_rules, decoder.decoder.table)
    if len(lines) > len(own):
        raise ConfigError(
            f"{data.own_rules}: has the rules of {len(own)} sentence pairs, {len(lines)} are to be decoded"
        )
    if data.parts is not None:
        return _source_of_parts(model, lines, references, k, own, data.parts, quiet=quiet)
    own = own.select(range(len(lines)))
    own.check_lines(lines)
    return KBestSource(decoder, lines, references, k, own_rules=own)


def _source_of_parts(
    model: TranslationModel,
    lines: Sequence[str],
    references: Sequence[Sequence[str]],
    k: int,
    own: OwnRules,
    parts: int,
    *,
    quiet: bool,
) -> KBestSource:
    """Lines and references are the two sides of all the training data; language models are estimated anew."""
    import numpy as np

    from tunesmith.corpus.bitext import Bitext
    from tunesmith.corpus.parts import unrelated_parts
    from tunesmith.decoding import JackknifeDecoder
    from tunesmith.tuning import KBestSource

    if len(lines) < len(own) or any(len(each) != 1 for each in references):
        raise ConfigError(
            f"--parts divides all the training data, {len(own)} sentence pairs with one reference each; given are "
            f"{len(lines)} sentences with up to {max(map(len, references), default=0)} references (to decode "
            "fewer of them in a round: --train-sample)"
        )
    own.check_lines(lines)
    bitext = Bitext(list(lines), [each[0] for each in references])
    own.check_target(bitext.target)
    part = unrelated_parts(bitext, parts)
    sizes = np.bincount(part)
    note(f"{parts} parts of {sizes.min()} to {sizes.max()} sentence pairs", quiet=quiet)
    decoder = JackknifeDecoder.train(model, bitext.target, part)
    return KBestSource(decoder, lines, references, k, own_rules=own.in_parts(part))


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

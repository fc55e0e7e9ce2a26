"""`tunesmith tune`: weights for a model or for lists of candidates, in a run directory that can be continued."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tunesmith.cli import metric_options as choose
from tunesmith.cli import options
from tunesmith.cli.console import note
from tunesmith.cli.group import GREEDY, Verb
from tunesmith.cli.recipe_options import Typed, chosen_recipe, chosen_tuner
from tunesmith.errors import ConfigError, MissingFileError

if TYPE_CHECKING:
    from tunesmith.metrics import Metric
    from tunesmith.tuning import CandidateSource, Tuner
    from tunesmith.weights import Weights

INPUT = "Input"
RECIPE = "Recipe"


class TuneVerb(Verb):
    """Candidates and their scores are globs, like references."""

    greedy = (*GREEDY, "--candidates", "--scores")


def tune(
    ctx: typer.Context,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="The run directory.")],
    model: Annotated[
        Path | None,
        typer.Option("-m", "--model", metavar="FOLDER", help="Model directory to tune.", rich_help_panel=INPUT,
                     show_default=False),
    ] = None,
    dev: Annotated[
        str | None,
        typer.Option("--dev", metavar="FILE", help="Source text of the development data.", rich_help_panel=INPUT,
                     show_default=False),
    ] = None,
    references: Annotated[
        list[str] | None,
        typer.Option("--refs", metavar="FILE…", help="Its references.", rich_help_panel=INPUT, show_default=False),
    ] = None,
    candidates: Annotated[
        list[str] | None,
        typer.Option("--candidates", metavar="FILE…", rich_help_panel=INPUT, show_default=False,
                     help="Lists to tune on instead of a model: n-best text, features.dat, or folders."),
    ] = None,
    scores: Annotated[
        list[str] | None,
        typer.Option("--scores", metavar="FILE…", rich_help_panel=INPUT, show_default=False,
                     help="scores.dat for each features.dat."),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option("--start", metavar="FILE|NAME", rich_help_panel=INPUT, show_default="the model's",
                     help="Start weights: a file, or a preset by name."),
    ] = None,
    recipe: Annotated[str, typer.Option("--recipe", help="mert, mira, pro, …", rich_help_panel=RECIPE)] = "mira",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", rich_help_panel=RECIPE, show_default=False,
                     help="A setting of the recipe's loss or optimizer; may be repeated."),
    ] = None,
    regularizer: Annotated[
        str | None,
        typer.Option("--regularizer", metavar="NAME:KEY=VALUE,…", rich_help_panel=RECIPE,
                     show_default="the recipe's", help="Such as oscar:l1=1e-3,l2=1e-5, or none."),
    ] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="The algorithm as published, no safety.", rich_help_panel=RECIPE)
    ] = False,
    fix: Annotated[
        list[str] | None,
        typer.Option("--fix", metavar="NAME", rich_help_panel=RECIPE, show_default=False,
                     help="Features that keep their weight; a name, or a beginning and *."),
    ] = None,
    bound: Annotated[
        list[str] | None,
        typer.Option("--bound", metavar="NAME>=X", rich_help_panel=RECIPE, show_default=False,
                     help="Features whose weight has a bound, such as 'lm>=0'."),
    ] = None,
    penalty: Annotated[
        list[str] | None,
        typer.Option("--penalty", metavar="NAME=X", rich_help_panel=RECIPE, show_default=False,
                     help="Features whose penalty is multiplied, such as 'id:*=2'."),
    ] = None,
    rounds: Annotated[
        int | None,
        typer.Option("--rounds", min=1, rich_help_panel=RECIPE, show_default="the recipe's", help="At most."),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option("--k", min=2, rich_help_panel=RECIPE, show_default="the recipe's", help="List length."),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option("--metric", metavar="NAME", show_default="bleu", rich_help_panel=RECIPE,
                     help="What is tuned towards: bleu, ter, chrf, …"),
    ] = None,
    lowercase: options.Lowercase = False,
    tokenize: choose.Tokenize = None,
    seed: options.Seed = 1,
    restart: Annotated[bool, typer.Option("--restart", help="Remove the run of this directory first.")] = False,
    output_format: options.OutputFormat = options.Format.text,
    digits: options.Digits = 2,
    threads: options.Threads = 1,
    quiet: options.Quiet = False,
) -> None:  # fmt: skip
    """Tune weights towards a metric: decode, merge, optimise, measure, until it is as good as it gets.

    Everything is in the run directory; weights.tsv there holds the best weights at any time. Interrupted or
    killed, the same command goes on and ends with the same bytes.

    [bold]Examples[/bold]
      tunesmith tune -m model/ --dev dev.zh --refs dev.en.* --recipe mira -o run/
      tunesmith tune --candidates *.features.dat --scores *.scores.dat --recipe mert -o run/
      tunesmith tune --candidates dev.nbest.gz --refs dev.en.* --recipe pro -o run/
    """
    from tunesmith.cli.interruptible import run_interruptibly
    from tunesmith.cli.tuning_progress import progress_of_tuning

    _check_input(model, dev, references, candidates, scores, k)
    typed = Typed(recipe, plain, settings or [], regularizer, fix or [], bound or [], penalty or [], rounds, k)
    chosen = chosen_recipe(typed, _metric(metric, lowercase, tokenize))
    tuner = chosen_tuner(chosen, typed, seed)
    if candidates:
        source = list_source(ctx, candidates, scores or [], references or [], quiet=quiet)
    else:
        assert model is not None
        assert dev is not None
        source = model_source(ctx, model, dev, references or [], chosen.k, threads=threads, quiet=quiet)
    begin = None if start is None else start_weights(start, source)
    with progress_of_tuning(quiet=quiet) as observer:

        def interrupted() -> str:
            observer.__exit__(None, None, None)
            best = output / "weights.tsv"
            kept = f"the best weights so far are in {best}. " if best.exists() else ""
            return f"interrupted; {kept}Resume with the same command"

        run_interruptibly(
            lambda: tuner.fit(
                source, start=begin, output=output, restart=restart, threads=threads, observer=observer
            ),
            interrupted,
        )
    if output_format is options.Format.json:
        print(json.dumps(document(tuner, output), indent=1, ensure_ascii=False))
        return
    best, first = tuner.history_.best, tuner.history_[0]
    assert best is not None
    if best.round == 0:
        note("no round is better than the start weights, which are kept", quiet=quiet)
    note(f"{tuner.reason_}; the weights are in {output / 'weights.tsv'}", quiet=quiet)
    print(f"{tuner.metric.label} {best.score:.{digits}f} in round {best.round} (start: {first.score:.{digits}f})")


def _check_input(
    model: Path | None,
    dev: str | None,
    references: list[str] | None,
    candidates: list[str] | None,
    scores: list[str] | None,
    k: int | None,
) -> None:
    """Either a model with its development data, or lists."""
    if (model is None) == (not candidates):
        raise ConfigError(
            "give either a model to decode with (-m model/ --dev FILE --refs FILE…) or --candidates FILE…"
        )
    if candidates:
        if dev is not None or k is not None:
            raise ConfigError("--dev and --k are for tuning a model; lists are taken as they are")
    else:
        if scores:
            raise ConfigError("--scores belongs to --candidates")
        if dev is None or not references:
            raise ConfigError("tuning a model needs development data: --dev FILE and --refs FILE…")


def _metric(name: str | None, lowercase: bool, tokenize: str | None) -> Metric | None:
    """The metric that was typed, None if nothing was."""
    if name is None and not lowercase and tokenize is None:
        return None
    settings = choose.Settings(lowercase, tokenize, None, None)
    wanted = [] if name is None else [name]
    return next(iter(choose.chosen_metrics(wanted, settings, scores=False, lower_is_better=False).values()))


def list_source(
    ctx: typer.Context, candidates: list[str], scores: list[str], references: list[str], *, quiet: bool
) -> CandidateSource:
    """Lists from files."""
    from tunesmith.cli.candidate_files import read_candidates
    from tunesmith.cli.evaluation_input import read_reference_files
    from tunesmith.corpus.bitext import expand_paths
    from tunesmith.tuning import FileSource

    found = read_candidates(expand_paths(candidates), expand_paths(scores))
    note(
        f"{len(found)} different candidates of {found.sentences} sentences, {found.columns} features", quiet=quiet
    )
    if not references:
        return FileSource(found)
    if found.statistics is not None:
        raise ConfigError("these lists carry statistics of a metric already; leave out --refs or --scores")
    refs = read_reference_files(ctx, references, candidates, quiet=quiet)
    return FileSource(found, refs.sentences)


def model_source(
    ctx: typer.Context, model: Path, dev: str, references: list[str], k: int, *, threads: int, quiet: bool
) -> CandidateSource:
    """The k best translations of a model."""
    from tunesmith.cli.evaluation_input import read_reference_files
    from tunesmith.decoding import ListDecoder, TranslationModel
    from tunesmith.evaluation.mistakes import check_line_count
    from tunesmith.io import read_lines
    from tunesmith.tuning import KBestSource

    lines = read_lines(dev)
    refs = read_reference_files(ctx, references, [dev], quiet=quiet)
    check_line_count(dev, lines, refs)
    opened = TranslationModel.open(model, threads=threads)
    decoder = opened.decoder()
    return KBestSource(ListDecoder(decoder, str(opened.signature(decoder.options))), lines, refs.sentences, k)


def start_weights(text: str, source: CandidateSource) -> Weights:
    """Weights of a file, or a preset of the papers."""
    from tunesmith.features.start import START
    from tunesmith.features.start import start_weights as preset
    from tunesmith.weights import Weights

    if Path(text).exists() or text not in START:
        try:
            return Weights.read(text)
        except MissingFileError as error:
            raise MissingFileError(f"{error}; presets are {', '.join(START)}") from None
    return preset(text, source.features)


def document(tuner: Tuner, output: Path) -> dict[str, Any]:
    """The result for JSON."""
    best = tuner.history_.best
    assert best is not None
    return {
        "run": str(output),
        "weights": str(output / "weights.tsv"),
        "recipe": tuner.name,
        "metric": tuner.metric.label,
        "score": best.score,
        "start_score": tuner.history_[0].score,
        "best_round": best.round,
        "reason": tuner.reason_,
        "rounds": [row.as_dict() for row in tuner.history_],
        "signature": tuner.signature_.as_dict(),
    }

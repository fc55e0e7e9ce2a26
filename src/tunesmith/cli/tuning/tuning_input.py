"""Options of `tunesmith tune` about data, and what cannot be meant by them together."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tunesmith.cli.declaring import option
from tunesmith.cli.evaluation.metric_options import LowerIsBetter
from tunesmith.cli.lists.graph_options import GraphFormatName
from tunesmith.cli.lists.list_options import Dialect, SkipBad
from tunesmith.cli.models.raw_text import Tokenized
from tunesmith.cli.options import Subwords
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.corpus.text_processing import TextProcessing
    from tunesmith.jobs.data import Data
    from tunesmith.tuning import Recipe

INPUT = "Input"
TRAINING = "Training data"


@dataclass(frozen=True)
class Given:
    """Development data for a model or as lists, and training data."""

    model: Annotated[Path | None, option("-m --model FOLDER", "Model directory to tune.")] = None
    dev: Annotated[str | None, option("--dev FILE", "Text to tune on.")] = None
    references: Annotated[list[str], option("--refs FILE…", "Its references.")] = field(default_factory=list)
    labels: Annotated[str | None, option(
        "--labels FILE", "Domain of each line of --dev, for a model with domains, or of each list of "
        "--candidates.", INPUT,
    )] = None  # fmt: skip
    domains: Annotated[str | None, option(
        "--domains SETTINGS", "With --candidates and --labels: which features have copies for domains, such as "
        "templates=lm/tm_0,default=news.", INPUT, show_default="all, in all domains",
    )] = None  # fmt: skip
    tokenized: Tokenized = False
    candidates: Annotated[list[str], option(
        "--candidates FILE…",
        "Lists to tune on instead of a model: text of any dialect, features.dat, or folders."
    )] = field(default_factory=list)  # fmt: skip
    graphs: Annotated[list[str], option(
        "--graphs FILE…", "Search graphs to tune on instead of a model: files, or a folder with a numbered file "
        "for each sentence.", INPUT,
    )] = field(default_factory=list)  # fmt: skip
    graph_format: GraphFormatName = None
    scores: Annotated[list[str], option(
        "--scores FILE…", "For each file of lists its scores.dat, or a number for each candidate (COMET, …).",
        INPUT,
    )] = field(default_factory=list)  # fmt: skip
    lower_is_better: LowerIsBetter = False
    source: Annotated[str | None, option(
        "--source FILE", "Source text of --candidates, for metrics that look at it and for the report.", INPUT
    )] = None  # fmt: skip
    dialect: Dialect = None
    skip_bad: SkipBad = False
    subwords: Subwords = None
    start: Annotated[str | None, option(
        "--start FILE|NAME", "Start weights: a file, or a preset by name.", INPUT, show_default="the model's"
    )] = None  # fmt: skip
    select: Annotated[str | None, option(
        "--select FILE", "Text that chooses the best round where weights are learnt on --dev.", INPUT
    )] = None  # fmt: skip
    select_references: Annotated[list[str], option("--select-refs FILE…", "Its references.", INPUT)] = field(
        default_factory=list
    )
    select_labels: Annotated[
        str | None, option("--select-labels FILE", "Domain of each line of --select.", INPUT)
    ] = None
    train: Annotated[str | None, option(
        "--train FILE", "Source text that groups (shares, oscar) or weights (others) are learnt on."
    )] = None  # fmt: skip
    train_candidates: Annotated[list[str], option(
        "--train-candidates FILE…", "With --candidates: lists of training data instead of --train.", TRAINING
    )] = field(default_factory=list)  # fmt: skip
    train_references: Annotated[list[str], option("--train-refs FILE…", "Its references, often one file.")] = (
        field(default_factory=list)
    )
    train_labels: Annotated[
        str | None, option("--train-labels FILE", "Domain of each line of --train.", TRAINING)
    ] = None
    train_source: Annotated[str | None, option(
        "--train-source FILE", "Source text of --train-candidates, for metrics that look at it.", TRAINING,
        show_default="that of the lists",
    )] = None  # fmt: skip
    leave_one_out: Annotated[Path | None, option(
        "--leave-one-out FOLDER", "Decode training sentences as if each had not been there; FOLDER was made by "
        "tunesmith rules leave-one-out, the training data are its first lines.", TRAINING,
        show_default="found for shares",
    )] = None  # fmt: skip
    folds: Annotated[int | None, option(
        "--folds N", "Decode each of N folds of the training data, which is all given, as if rules and language "
        "model (estimated again from --train-refs) had read the rest only.",
        TRAINING, show_default="5 for shares", min=2
    )] = None  # fmt: skip
    train_pop_limit: Annotated[int | None, option(
        "--train-pop-limit N", "Pop limit of the search for folds of the training data; 30 halves the time of "
        "decoding them.", TRAINING, show_default="that of --dev", min=1
    )] = None  # fmt: skip

    def check(self, k: int | None) -> None:
        """Accept a model with its development data, lists, or graphs; training data has references too."""
        self._check_select()
        self._check_labels()
        if self.graphs:
            self._check_graphs(k)
            return
        if self.graph_format is not None:
            raise ConfigError("--graph-format belongs to --graphs FILE…")
        if (self.model is None) == (not self.candidates):
            raise ConfigError(
                "give either a model to decode with (-m model/ --dev FILE --refs FILE…) or --candidates FILE… "
                "or --graphs FILE…"
            )
        if self.candidates:
            if self.dev is not None or k is not None or self.train is not None:
                raise ConfigError(
                    "--dev, --train and --k are for tuning a model; lists are taken as they are (training data: "
                    "--train-candidates FILE… --train-refs FILE…)"
                )
            if self.tokenized or self.folds is not None:
                raise ConfigError(
                    f"{'--tokenized' if self.tokenized else '--folds'} is for tuning a model (-m); lists are "
                    "taken as they are"
                )
            if self.train_candidates and self.scores:
                raise ConfigError("--train-candidates goes with --refs and --train-refs, not with --scores")
        else:
            if self.train_candidates:
                raise ConfigError("--train-candidates belongs to --candidates; a model decodes --train FILE")
            if self.scores or self.source is not None:
                raise ConfigError(f"{'--scores' if self.scores else '--source'} belongs to --candidates")
            if self.dev is None or not self.references:
                raise ConfigError("tuning a model needs development data: --dev FILE and --refs FILE…")
        if self.train is not None and not self.train_references:
            raise ConfigError("training data needs references, as a rule its target side: --train-refs FILE")
        if self.train is None and self.train_references and not self.train_candidates:
            raise ConfigError("--train-refs belongs to --train FILE or --train-candidates FILE…")
        if self.train_source is not None and not self.train_candidates:
            raise ConfigError("--train-source belongs to --train-candidates FILE…; a model decodes --train FILE")
        if self.train is None and self.leave_one_out is not None:
            raise ConfigError("--leave-one-out is about training data: give --train FILE --train-refs FILE")

    def _check_select(self) -> None:
        """Accept a set that chooses next to development data of a model, and nothing that would choose as well."""
        if self.select is None and not self.select_references:
            return
        if self.select is None or not self.select_references:
            raise ConfigError("a set that chooses the round needs both: --select FILE --select-refs FILE…")
        if self.model is None or self.train is not None:
            raise ConfigError(
                "--select is for tuning a model (-m) on --dev; where weights are learnt on --train or "
                "--train-candidates, the development data chooses already"
            )

    def _check_labels(self) -> None:
        """Accept labels of texts that are given, for a model, and of lists."""
        if self.domains is not None and (self.labels is None or not self.candidates):
            raise ConfigError("--domains goes with --candidates and --labels; a model has domains of its own")
        if self.candidates and self.labels is not None and self.select_labels is None:
            if bool(self.train_candidates) != (self.train_labels is not None):
                raise ConfigError("--labels and --train-labels: lists of both kinds have labels, or none have")
            return
        texts = {"--labels": (self.labels, self.dev), "--select-labels": (self.select_labels, self.select),
                 "--train-labels": (self.train_labels, self.train)}  # fmt: skip
        for name, (labels, text) in texts.items():
            if labels is not None and (self.model is None or text is None):
                of = {"--labels": "--dev"}.get(name, name.removesuffix("-labels"))
                raise ConfigError(
                    f"{name} are domains of the lines of {of}, which a model (-m) decodes: give that"
                )

    def files(self) -> list[str]:
        """Return names of the files that are read."""
        single = [self.dev, self.source, self.start, self.train, self.train_source, self.select,
                  self.labels, self.select_labels, self.train_labels]  # fmt: skip
        several = [
            *self.select_references,
            *self.references,
            *self.candidates,
            *self.scores,
            *self.train_candidates,
            *self.train_references,
            *self.graphs,
        ]
        return [*(path for path in single if path is not None), *several]

    def _check_graphs(self, k: int | None) -> None:
        """Refuse options that say nothing about graphs from files."""
        unread = {
            "-m": self.model is not None, "--dev": self.dev is not None, "--tokenized": self.tokenized,
            "--candidates": bool(self.candidates), "--scores": bool(self.scores),
            "--lower-is-better": self.lower_is_better, "--source": self.source is not None,
            "--dialect": self.dialect is not None, "--skip-bad": self.skip_bad,
            "--train": self.train is not None,
            "--train-candidates": bool(self.train_candidates), "--train-refs": bool(self.train_references),
            "--train-source": self.train_source is not None,
            "--leave-one-out": self.leave_one_out is not None, "--folds": self.folds is not None,
            "--train-pop-limit": self.train_pop_limit is not None,
            "--k": k is not None,
        }  # fmt: skip
        if wrong := [name for name, typed in unread.items() if typed]:
            raise ConfigError(f"--graphs FILE… is taken as it is, with --refs FILE…; leave out {', '.join(wrong)}")
        if not self.references:
            raise ConfigError("search graphs need references: --refs FILE…")

    def processing(self) -> TextProcessing | None:
        """Return how the model processes raw text; None where the text is already tokenised."""
        from tunesmith.config import read_system
        from tunesmith.corpus.text_processing import TextProcessing
        from tunesmith.io.inside import inside

        if self.model is None or self.tokenized:
            return None
        system = read_system(self.model)
        return TextProcessing.of(system.source_text, system.target_text, inside(self.model)) or None

    def data(self, recipe: Recipe, limits: dict[str, int | float | bool]) -> Data:
        """Return the tuning data, with what the recipe needs to be left out of training data.

        limits: options of the search in place of the model's.
        """
        from msgspec import structs

        from tunesmith.corpus.text_files import TextFiles
        from tunesmith.decoding.work.spec import DecoderSpec
        from tunesmith.jobs.decoded import Decoded, DecodedText
        from tunesmith.jobs.graphed import Graphed
        from tunesmith.jobs.listed import Listed
        from tunesmith.jobs.tuning import held_out_for

        if self.graphs:
            return Graphed(tuple(self.graphs), tuple(self.references), self.graph_format, self.subwords)
        if self.model is None or self.dev is None:
            return Listed(
                tuple(self.candidates),
                tuple(self.scores),
                tuple(self.references),
                tuple(self.train_candidates),
                tuple(self.train_references),
                self.dialect,
                self.skip_bad,
                self.subwords,
                self.source,
                self.train_source,
                self.labels,
                self.train_labels,
                self.domains or "",
            )
        raw = not self.tokenized
        decoder = DecoderSpec(str(self.model), options=limits)
        dev = DecodedText(decoder, TextFiles(self.dev, tuple(self.references), raw=raw, labels=self.labels))
        if self.select is not None:
            if recipe.plan.needs_training_data:
                raise ConfigError(f"{recipe.name} learns on --train and chooses by --dev: leave out --select")
            texts = TextFiles(self.select, tuple(self.select_references), raw=raw, labels=self.select_labels)
            return Decoded(DecodedText(dev.decoder, texts), dev, subwords=self.subwords)
        own = None if self.leave_one_out is None else str(self.leave_one_out)
        if self.train is None:
            if self.folds is not None:
                raise ConfigError("--folds says how much --leave-one-out FOLDER leaves out: give that too")
            if self.train_pop_limit is not None:
                raise ConfigError("--train-pop-limit is for training data: give --train FILE too")
            return Decoded(dev, subwords=self.subwords)
        left_out = held_out_for(recipe, own, self.folds)
        if self.train_pop_limit is not None:
            if left_out is None or left_out.folds is None:
                raise ConfigError(
                    "--train-pop-limit is for training data in held-out folds: --recipe shares, or "
                    "--leave-one-out FOLDER --folds N"
                )
            left_out = structs.replace(left_out, pop_limit=self.train_pop_limit)
        decoder = DecoderSpec(str(self.model), options=limits, left_out=left_out)
        files = TextFiles(self.train, tuple(self.train_references), raw=raw, labels=self.train_labels)
        train = DecodedText(decoder, files)
        return Decoded(dev, train, subwords=self.subwords)

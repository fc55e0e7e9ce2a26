"""Options of `tunesmith tune` about data, and what cannot be meant by them together."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from tunesmith.cli.declaring import option
from tunesmith.cli.evaluation.metric_options import LowerIsBetter
from tunesmith.cli.lists.list_options import Dialect, SkipBad
from tunesmith.errors import ConfigError

INPUT = "Input"
TRAINING = "Training data"


@dataclass(frozen=True)
class Given:
    """Development data for a model or as lists, and training data."""

    model: Annotated[Path | None, option("-m --model FOLDER", "Model directory to tune.", INPUT)] = None
    dev: Annotated[str | None, option("--dev FILE", "Source text of the development data.", INPUT)] = None
    references: Annotated[list[str], option("--refs FILE…", "Its references.", INPUT)] = field(
        default_factory=list
    )
    candidates: Annotated[list[str], option(
        "--candidates FILE…",
        "Lists to tune on instead of a model: text of any dialect, features.dat, or folders.", INPUT
    )] = field(default_factory=list)  # fmt: skip
    scores: Annotated[list[str], option(
        "--scores FILE…", "For each file of lists its scores.dat, or a number for each candidate (COMET, …).",
        INPUT,
    )] = field(default_factory=list)  # fmt: skip
    lower_is_better: LowerIsBetter = False
    dialect: Dialect = None
    skip_bad: SkipBad = False
    start: Annotated[str | None, option(
        "--start FILE|NAME", "Start weights: a file, or a preset by name.", INPUT, show_default="the model's"
    )] = None  # fmt: skip
    train: Annotated[str | None, option(
        "--train FILE", "Source text that groups (oscar) or weights (others) are learnt on.", TRAINING
    )] = None  # fmt: skip
    train_candidates: Annotated[list[str], option(
        "--train-candidates FILE…", "With --candidates: lists of training data instead of --train.", TRAINING
    )] = field(default_factory=list)  # fmt: skip
    train_references: Annotated[
        list[str], option("--train-refs FILE…", "Its references, one file as a rule.", TRAINING)
    ] = field(default_factory=list)
    leave_one_out: Annotated[Path | None, option(
        "--leave-one-out FOLDER", "Decode training sentences as if each had not been there; FOLDER was made by "
        "tunesmith rules own, the training data are its first lines.", TRAINING, show_default="found for oscar"
    )] = None  # fmt: skip
    parts: Annotated[int | None, option(
        "--parts N", "Decode each of N parts of the training data, which is all given, as if rules and language "
        "model (estimated again from --train-refs) had read the rest only.",
        TRAINING, show_default="5 for oscar", min=2
    )] = None  # fmt: skip

    def check(self, k: int | None) -> None:
        """Accept either a model with its development data, or lists; training data has references too."""
        if (self.model is None) == (not self.candidates):
            raise ConfigError(
                "give either a model to decode with (-m model/ --dev FILE --refs FILE…) or --candidates FILE…"
            )
        if self.candidates:
            if self.dev is not None or k is not None or self.train is not None:
                raise ConfigError(
                    "--dev, --train and --k are for tuning a model; lists are taken as they are (training data: "
                    "--train-candidates FILE… --train-refs FILE…)"
                )
            if self.train_candidates and self.scores:
                raise ConfigError("--train-candidates goes with --refs and --train-refs, not with --scores")
        else:
            if self.train_candidates:
                raise ConfigError("--train-candidates belongs to --candidates; a model decodes --train FILE")
            if self.scores:
                raise ConfigError("--scores belongs to --candidates")
            if self.dev is None or not self.references:
                raise ConfigError("tuning a model needs development data: --dev FILE and --refs FILE…")
        if self.train is not None and not self.train_references:
            raise ConfigError("training data needs references, as a rule its target side: --train-refs FILE")
        if self.train is None and self.train_references and not self.train_candidates:
            raise ConfigError("--train-refs belongs to --train FILE or --train-candidates FILE…")
        if self.train is None and self.leave_one_out is not None:
            raise ConfigError("--leave-one-out is about training data: give --train FILE --train-refs FILE")

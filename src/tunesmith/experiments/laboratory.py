"""Objects shared by the stages of an experiment: data, models with and without rule identities, the metric."""

from __future__ import annotations

import dataclasses
import shutil
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tunesmith.config import SYSTEM, WEIGHTS
from tunesmith.corpus.text_files import TextFiles
from tunesmith.decoding import TranslationModel
from tunesmith.decoding.work.left_out import LeftOut
from tunesmith.decoding.work.open_models import Models
from tunesmith.decoding.work.spec import DecoderSpec
from tunesmith.execution import Executor
from tunesmith.experiments.corpus import CorpusFiles, EvaluationSet
from tunesmith.experiments.settings import ExperimentSettings
from tunesmith.experiments.stages import Place
from tunesmith.grammar import (
    ExtractOptions,
    LeaveOneOutCounts,
    PhraseOptions,
    ReorderingOptions,
    RuleTable,
    ScoreOptions,
)
from tunesmith.grammar.select import select_rules
from tunesmith.io import atomic_bytes, make_folder
from tunesmith.io.inside import inside
from tunesmith.jobs.decoded import DecodedText
from tunesmith.lm import LmOptions
from tunesmith.metrics import Bleu
from tunesmith.training.leave_one_out import leave_one_out_counts_of
from tunesmith.training.observer import TrainingObserver
from tunesmith.training.options import TrainingData, TrainOptions
from tunesmith.training.start import feature_parts
from tunesmith.training.train import ALIGNMENT, train_model

MODEL, TRAINED, LEAVE_ONE_OUT = "model", "trained", "leave_one_out"
IDENTITY = "id"
PARTS = 5
"""Held-out folds of the training data, each decoded with a language model, or all models, of the others."""


class Laboratory:
    """Shared objects of an experiment; everything is read on first use.

    root: the folder of the run.
    data: files, or None for the phrasebook, which the stage `data` writes. executor: decodes for tuners in place
        of threads of this process.
    """

    def __init__(
        self,
        root: Path,
        data: CorpusFiles | None,
        settings: ExperimentSettings,
        threads: int,
        executor: Executor | None = None,
    ) -> None:
        self.root, self.settings, self.threads = inside(root), settings, threads
        self.executor = executor
        self.data = data
        self.models = Models(self.root)
        self.metric = Bleu(lowercase=True)

    @cached_property
    def corpus(self) -> CorpusFiles:
        folder = self.root / "data"
        return CorpusFiles(folder, "zh", "en") if self.data is None else self.data.placed(folder)

    @cached_property
    def corpus_is_lower_case(self) -> bool:
        """Whether the data is lower-case, like the phrasebook."""
        return self.data is None or self.data.is_lower_case

    @cached_property
    def train(self) -> EvaluationSet:
        """Decoded training sentences, drawn by the seed, in the order of the corpus."""
        numbers = self._train_numbers(self.settings.scale.train_sentences).tolist()
        bitext = self.corpus.bitext()
        return EvaluationSet([bitext.source[at] for at in numbers], [(bitext.target[at],) for at in numbers])

    @property
    def decoded_once(self) -> int | None:
        """Number of training sentences that equals all rounds over `train`; None for all."""
        scale = self.settings.scale
        return None if scale.train_sentences is None else scale.train_sentences * scale.rounds

    def _train_numbers(self, wanted: int | None) -> NDArray[np.int64]:
        """Return numbers of `wanted` lines of the training data, drawn by the seed; None for all."""
        size = len(self.corpus.bitext())
        if wanted is None or wanted >= size:
            return np.arange(size)
        return np.sort(np.random.default_rng(self.settings.seed).permutation(size)[:wanted])

    def sentences(self, name: str) -> EvaluationSet:
        return self.train if name == "train" else self.corpus.evaluation(name)

    def model(self, *, ids: bool) -> TranslationModel:
        """Return the model, with or without a feature for each rule, equal in all other respects."""
        return self.featured(f"default,{IDENTITY}" if ids else "default")

    def home(self, stage: str) -> Path:
        """Return the model directory of the stage of this name."""
        return self.root / stage / MODEL

    def decoder(self, features: str, stage: str = MODEL) -> DecoderSpec:
        """Return the decoder of a model with these templates and presets, and the start weights of the model."""
        return DecoderSpec(str(self.home(stage)), features=feature_parts(features, self.settings.kind))

    def featured(self, features: str, stage: str = MODEL) -> TranslationModel:
        """Return the model with these templates and presets, equal in all other respects. Thread-safe."""
        return self.models.of(self.decoder(features, stage), threads=self.threads)

    def own(self, features: str) -> TranslationModel:
        """Return the model for one stage, with its own numbers for features that occur while decoding."""
        return self.featured(features).with_own_names(threads=self.threads)

    def decoded(self, name: str, features: str, stage: str = MODEL) -> DecodedText:
        """Return a data set as a model with these features decodes it; `train`: sentences drawn by the seed."""
        corpus, decoder = self.corpus, self.decoder(features, stage)
        if name == "train":
            return self._decoded_train(decoder, self.settings.scale.train_sentences)
        references = tuple(map(str, corpus.references(name)))
        return DecodedText(decoder, TextFiles(str(corpus.side(name, corpus.source)), references))

    def _decoded_train(self, decoder: DecoderSpec, wanted: int | None) -> DecodedText:
        return DecodedText(decoder, self._train_files, tuple(self._train_numbers(wanted).tolist()))

    @property
    def _train_files(self) -> TextFiles:
        source, target = (
            str(self.corpus.side("train", each)) for each in (self.corpus.source, self.corpus.target)
        )
        return TextFiles(source, (target,), parallel=True)

    def train_left_out(self, features: str, *, by_part: bool = False, stage: str = MODEL) -> DecodedText:
        """Return the training data as the model of a stage decodes it with leave-one-out.

        Rules lose what its own pair gave to them; the language model is estimated from other parts of the data.
        by_part: rules lose what all pairs of the sentence's part gave, sentences that occur again are in one part,
        and there are as many sentences as `decoded_once` says.
        """
        left_out = LeftOut(
            str(self.leave_one_out(stage).folder),
            PARTS,
            self._train_files,
            whole_folds=by_part,
            seed=self.settings.seed,
        )
        wanted = self.decoded_once if by_part else self.settings.scale.train_sentences
        decoder = msgspec.structs.replace(self.decoder(features, stage), left_out=left_out)
        return self._decoded_train(decoder, wanted)

    def leave_one_out(self, stage: str = MODEL) -> LeaveOneOutCounts:
        """Return leave-one-out counts of the training data for a stage; made once, stored next to the model."""
        corpus, model = self.corpus, self.root / stage
        source, target = (corpus.side("train", language) for language in (corpus.source, corpus.target))
        alignment = model / (TRAINED if (model / TRAINED).exists() else MODEL) / ALIGNMENT
        folder = self.root / stage.replace(MODEL, LEAVE_ONE_OUT, 1)
        return leave_one_out_counts_of(model / MODEL, source, target, alignment, folder, threads=self.threads)

    @property
    def train_options(self) -> TrainOptions:
        """Training options, with all defaults."""
        chosen, phrases = self.settings.extraction, self.settings.phrases
        scores = ScoreOptions(top=chosen.top, significance=chosen.significance)
        extract = ExtractOptions(scores=scores)
        if phrases is not None:
            extract = ExtractOptions(PhraseOptions(), scores, ReorderingOptions())
        return TrainOptions(
            lm=LmOptions(order=self.settings.order),
            extract=extract,
            features=feature_parts(f"default,{IDENTITY}", self.settings.kind),
        )

    @property
    def train_options_by_label(self) -> TrainOptions:
        """Training options with a translation table for each label of the training data."""
        return dataclasses.replace(self.train_options, by_label=True)

    def train_model(self, place: Place) -> dict[str, Any]:
        """Return the stage `model`: alignment, language model, rules; then the rules that the experiment keeps."""
        chosen, corpus = self.settings.extraction, self.corpus
        source, target = (corpus.side("train", language) for language in (corpus.source, corpus.target))
        data = TrainingData(source, target)

        class Tell(TrainingObserver):
            def finished(self, step: str, summary: str, seconds: float) -> None:
                place.observer.note(f"{step}: {summary} ({seconds:.1f} s)")

        name = TRAINED if chosen.min_count else MODEL
        trained = place.folder / name
        train_model(data, trained, self.train_options, threads=self.threads, observer=Tell())
        table = RuleTable.open(trained / "rules")
        extracted = len(table)
        if chosen.min_count:
            kept = make_folder(place.folder / MODEL)
            table = select_rules(table, kept / "rules", min_joint=chosen.min_count)
            for part in (*(lm.path for lm in data.lm_parts()), SYSTEM, WEIGHTS):
                with (trained / part).open("rb") as stream, atomic_bytes(kept / part) as out:
                    shutil.copyfileobj(stream, out)
        return {"rules": len(table), "extracted": extracted, "pairs": len(corpus.bitext())}

    @property
    def start(self) -> str:
        """File of the model's start weights."""
        return str(self.home(MODEL) / WEIGHTS)

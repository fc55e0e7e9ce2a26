"""The model of the feature sets Medium and Big: two translation tables, and given language models."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from typing import Any

from tunesmith.config import SYSTEM, WEIGHTS, System, write_system
from tunesmith.decoding import TranslationModel
from tunesmith.decoding.forced import ForcedOptions
from tunesmith.decoding.forced_table import force_rules
from tunesmith.experiments.laboratory import MODEL, Laboratory
from tunesmith.experiments.settings import PhraseModel
from tunesmith.experiments.stages import Place, Stage
from tunesmith.grammar import LeaveOneOutCounts, RuleTable
from tunesmith.grammar.join import FLOOR, join_tables
from tunesmith.io import atomic_bytes, make_folder
from tunesmith.lm import load_model
from tunesmith.settings import settings_of
from tunesmith.training.options import TrainingData
from tunesmith.training.start import start_weights
from tunesmith.training.train import ALIGNMENT, LM, RULES, train_model

MEDIUM = "medium"
FORCED = "forced"


def medium_stage(laboratory: Laboratory, model: Stage) -> Stage:
    """Return the stage that makes the model from that of the feature set Small.

    With labels each sub-corpus has a translation table (as in their Chinese system); without, the second table
    comes from forced decoding (as in their English and French systems).
    """
    phrases = laboratory.settings.phrases or PhraseModel()
    used: dict[str, Any] = {**phrases.settings(), "floor": FLOOR}
    if phrases.labels is None:
        used["forced"] = settings_of(ForcedOptions())
    return Stage(MEDIUM, used, lambda place: _make(laboratory, place), (model,), resumable=True, cost=3000)


def medium_facts(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return facts about the model for the table."""
    if "reached" not in result:
        return {"second table": f"by label; {result['rules']:,} rules of both"}
    reached = f"{result['reached']:,} of {result['pairs']:,} training pairs have a derivation"
    return {"second table": f"{result['forced']:,} rules by forced decoding; {reached}"}


def _make(laboratory: Laboratory, place: Place) -> dict[str, Any]:
    phrases = laboratory.settings.phrases or PhraseModel()
    return _forced(laboratory, phrases, place) if phrases.labels is None else _by_label(laboratory, phrases, place)


def _by_label(laboratory: Laboratory, phrases: PhraseModel, place: Place) -> dict[str, Any]:
    small, corpus = laboratory.home(MODEL), laboratory.corpus
    labels = corpus.labels(str(phrases.labels), place.folder)
    source, target = (corpus.side("train", language) for language in (corpus.source, corpus.target))
    data = TrainingData(
        source, target, str(small / ALIGNMENT), lm=str(small / LM), labels=labels, more_lms=phrases.more_lms
    )
    train_model(data, place.folder / MODEL, laboratory.train_options_by_label, threads=laboratory.threads)
    return {"rules": len(RuleTable.open(place.folder / MODEL / RULES))}


def _forced(laboratory: Laboratory, phrases: PhraseModel, place: Place) -> dict[str, Any]:
    small, corpus = laboratory.home(MODEL), laboratory.corpus
    source, target = (corpus.side("train", language) for language in (corpus.source, corpus.target))
    opened = TranslationModel.open(small, threads=laboratory.threads)
    own = LeaveOneOutCounts.open(laboratory.leave_one_out().folder, opened.table)
    made = force_rules(opened, corpus.bitext(), own, place.folder / FORCED, threads=laboratory.threads)
    result = {"forced": len(made.table), "reached": made.reached, "pairs": made.pairs}
    place.observer.note(f"forced decoding: {made.reached} of {made.pairs} sentence pairs have a derivation")
    folder = make_folder(place.folder / MODEL)
    table = join_tables([opened.table, made.table], folder / RULES, first_counts=True)
    data = TrainingData(source, target, more_lms=phrases.more_lms)
    with (small / LM).open("rb") as stream, atomic_bytes(folder / LM) as out:
        shutil.copyfileobj(stream, out)
    for file, part in zip(phrases.more_lms, data.lm_parts()[1:], strict=True):
        load_model(file, check_all=True).save(folder / part.path)
    options = laboratory.train_options
    system = System(options.kind, RULES, data.lm_parts(), options.features, options.decoder)
    start_weights(system, table, options.start).write(folder / WEIGHTS)
    (folder / SYSTEM).unlink(missing_ok=True)
    write_system(folder, system)
    return {"rules": len(table), **result}

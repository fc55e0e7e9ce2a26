"""Experiments whose sentences are decoded by an executor, as `--cluster` has it: the same bytes as here."""

import filecmp

import pytest
from support.lists.elsewhere import Elsewhere
from support.processes.killed_experiments import published

from tunesmith.corpus.phrasebook import PhrasebookOptions
from tunesmith.experiments.cherry2012 import rows as batch
from tunesmith.experiments.cherry2012.experiment import BatchTuning
from tunesmith.experiments.green2014 import rows as extended
from tunesmith.experiments.green2014.experiment import ExtendedFeatures
from tunesmith.experiments.settings import ExperimentSettings, PhraseModel, Scale
from tunesmith.experiments.watanabe2007 import rows as structural
from tunesmith.experiments.watanabe2007.experiment import OnlineTraining

SCALE = Scale(train_sentences=30, rounds=1, inner_rounds=1, dev_rounds=1, k=5, reused_k=5)
BOOK = PhrasebookOptions(pairs=200, eval_sentences=10)


def settings(**more):
    return ExperimentSettings(SCALE, order=2, phrasebook=BOOK, **more)


EXPERIMENTS = {
    "cherry2012": lambda folder, where: BatchTuning(folder, None, settings(), samples=0, executor=where).run(
        batch.chosen_rows(["kb-mira-default"])
    ),
    "green2014": lambda folder, where: ExtendedFeatures(
        folder, None, settings(phrases=PhraseModel()), classes=4, more_than=1, executor=where
    ).run(extended.chosen_rows(["dense", "ext"])),
    "watanabe2007": lambda folder, where: OnlineTraining(folder, None, settings(), executor=where).run(
        structural.chosen_rows(["mira", "surface", "shares"])
    ),
}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_rows_whose_sentences_are_decoded_elsewhere_have_the_same_bytes(name, tmp_path):
    elsewhere, experiment = Elsewhere(), EXPERIMENTS[name]
    experiment(tmp_path / "here", None)
    experiment(tmp_path / "there", elsewhere)
    assert elsewhere.blocks
    assert published(tmp_path / "here")["rows"] == published(tmp_path / "there")["rows"]
    weights = sorted(path.relative_to(tmp_path / "here") for path in tmp_path.glob("here/**/run/weights.tsv"))
    assert weights
    for path in weights:
        assert filecmp.cmp(tmp_path / "here" / path, tmp_path / "there" / path, shallow=False), path

"""Descriptions of tuning jobs: opened anywhere, they give the weights of a tuner that was put together by hand."""

import dataclasses
import os
import tempfile
from pathlib import Path

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace
from support.corpora.tea_corpus import write_pairs

from tunesmith import execution
from tunesmith.corpus.text_files import TextFiles
from tunesmith.decoding import TranslationModel
from tunesmith.decoding.work.left_out import LeftOut
from tunesmith.decoding.work.spec import DecoderSpec
from tunesmith.errors import ConfigError, FormatError
from tunesmith.execution import from_text, to_text
from tunesmith.execution.temporary import temporary_folder
from tunesmith.jobs.decoded import Decoded, DecodedText
from tunesmith.jobs.listed import Commanded, Listed
from tunesmith.jobs.recipe import RecipeSpec
from tunesmith.jobs.tuning import Tune, TuningJob
from tunesmith.metrics import Bleu
from tunesmith.training.options import TrainingData
from tunesmith.training.train import train_model
from tunesmith.tuning import KBestSource, recipes

RECIPE = RecipeSpec(rounds=2, k=10, metric="bleu", metric_settings={"lowercase": True})


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A model of a few sentences, which are the development data too."""
    folder = tmp_path_factory.mktemp("jobs")
    write_pairs(folder)
    train_model(TrainingData(folder / "f", folder / "e", folder / "a"), folder / "model")
    return folder


def decoded(data, sentences=None, **changes):
    text = TextFiles(str(data / "f"), (str(data / "e"),), parallel=True)
    return DecodedText(DecoderSpec(str(data / "model"), **changes), text, sentences)


class Elsewhere:
    """Does work as another process would: it knows nothing but the text of its description."""

    def __init__(self):
        self.descriptions = []

    def map(self, work, blocks):
        text = to_text(work)
        self.descriptions.append(text)
        return execution.map(from_text(text), [msgspec.json.decode(msgspec.json.encode(each), type=type(each))
                                               for each in blocks])  # fmt: skip


def test_an_opened_job_tunes_as_parts_put_together_by_hand(data):
    job = TuningJob(data=Decoded(decoded(data, (0, 2, 3))), recipe=RECIPE, seed=3)
    with job.open() as opened:
        weights = opened.fit().weights_
    lines = [(data / name).read_text(encoding="utf-8").splitlines() for name in ("f", "e")]
    source = KBestSource(
        TranslationModel.open(data / "model").list_decoder(),
        [lines[0][at] for at in (0, 2, 3)], [[lines[1][at]] for at in (0, 2, 3)], 10,
    )  # fmt: skip
    mira = recipes.get("mira")
    recipe = dataclasses.replace(mira, metric=Bleu(lowercase=True), plan=mira.plan.with_rounds(2), k=10)
    assert weights == recipe.fit(source, seed=3).weights_


def test_a_job_comes_back_from_its_text_and_gives_the_same_weights(data, tmp_path):
    recipe = replace(RECIPE, settings=("step_cap=0.02",), fix=("lm",))
    job = TuningJob(data=Decoded(decoded(data), decoded(data)), recipe=recipe, start="moses")
    with job.open() as opened:
        weights = dict(opened.fit().weights_.items())
    work = from_text(to_text(Tune(job.sealed())))
    [found] = execution.map(work, [str(tmp_path / "run")])
    assert found == weights


def test_lists_may_be_made_elsewhere(data):
    executor, left_out = Elsewhere(), LeftOut("", 2)
    job = TuningJob(data=Decoded(decoded(data), decoded(data, left_out=left_out)), recipe=RECIPE)
    with job.open() as here, job.open(executor=executor) as there:
        for one, other in zip(here.sources(10), there.sources(10), strict=True):
            start = one.start()
            rows = start if one.sentence_folds is None else np.stack([start, 2 * start])
            mine, theirs = (source.candidates(rows, [3, 0, 1]) for source in (one, other))
            assert [mine.text(at) for at in range(len(mine))] == [theirs.text(at) for at in range(len(theirs))]
            assert list(mine.features) == list(theirs.features)
            np.testing.assert_array_equal(mine.rows().toarray(), theirs.rows().toarray())
    assert len(executor.descriptions) == 2


def test_leave_one_out_counts_of_a_job_stay_while_others_find_theirs(data, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    job = TuningJob(data=Decoded(decoded(data), decoded(data, left_out=LeftOut("", 2))), recipe=RECIPE)
    with job.open() as opened:
        [folder] = tmp_path.iterdir()
        os.utime(folder, (0, 0))
        with temporary_folder("own"):
            assert folder.exists()
        _, train = opened.sources(10)
        assert len(train.candidates(np.stack([train.start()] * 2), [0])) > 0
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "described",
    [
        Decoded(DecodedText(DecoderSpec("m"), TextFiles("f", ("e",)))),
        Listed(("a.nbest",), references=("r",), train_candidates=("b",), train_references=("c",), skip_bad=True),
        Commanded("moses -f {config} < {source}", "moses.ini", TextFiles("f", ("e",)), time_limit=2.5),
    ],
)
def test_every_kind_of_data_comes_back_from_its_text(described):
    for start in (None, "moses", {"lm": 0.5}):
        work = Tune(TuningJob(data=described, recipe=RECIPE, start=start, seed=7))
        assert from_text(to_text(work)) == work


def test_what_is_no_job_is_refused(data):
    for text in (b'{"work": "tune", "settings": {}}', b'{"work": "tune", "settings": {"job": {"data": {}}}}'):
        with pytest.raises(FormatError):
            from_text(text)
    sealed = TuningJob(data=Decoded(decoded(data)), recipe=RECIPE).sealed()
    dev = replace(sealed.data.dev, text=replace(sealed.data.dev.text, digest="00"))
    with pytest.raises(ConfigError, match="changed since this work was described"):
        replace(sealed, data=Decoded(dev)).open()
    other = decoded(data, options={"pop_limit": 3})
    with pytest.raises(ConfigError, match="must be decoded by the same model"):
        TuningJob(data=Decoded(decoded(data), other), recipe=RECIPE).open()
    with pytest.raises(ConfigError, match="oscar learns groups of features on training data: give --train FILE"):
        TuningJob(data=Decoded(decoded(data)), recipe=replace(RECIPE, name="oscar")).open()
    with pytest.raises(ConfigError, match="lowercase of bleu given twice"):
        replace(RECIPE, metric="bleu:lowercase=true", metric_settings={"lowercase": True}).open()
    with pytest.raises(ConfigError, match="text from standard input has no name"):
        TextFiles("-", ("e",)).sealed()


def test_a_sealed_text_keeps_all_that_was_said_of_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("f", "e"):
        Path(name).write_text("a b\n")
    sealed = TextFiles("f", ("e",), parallel=True, raw=True).sealed()
    names = str(tmp_path / "f"), (str(tmp_path / "e"),)
    assert sealed == TextFiles(*names, parallel=True, raw=True, digest=sealed.digest)
    assert sealed.digest

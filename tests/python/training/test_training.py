"""Training: interrupted anywhere it continues to the same files; what changed is done again and nothing else."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from support.damage.resealed import edited
from support.processes.killing import signalled_at

from tunesmith.alignment import AlignerOptions
from tunesmith.config import FeaturePart, read_system
from tunesmith.decoding import LeftToRightDecoder, load_decoder
from tunesmith.errors import ConfigError, FormatError, MissingFileError
from tunesmith.features import split_features
from tunesmith.grammar import ExtractOptions, HieroOptions, PhraseOptions, ReorderingOptions, RuleTable
from tunesmith.io.folders import alone
from tunesmith.io.seals import sealed_json
from tunesmith.lm import LmOptions, NgramModel
from tunesmith.training.observer import TrainingObserver
from tunesmith.training.options import TrainingData, TrainOptions
from tunesmith.training.start import feature_parts, state_names
from tunesmith.training.train import plan_training, train_model
from tunesmith.weights import Weights

OPTIONS = TrainOptions(AlignerOptions("fast_align"), LmOptions(order=3))
STEPS = ["align", "lm", "extract", "features"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Path:
    from tunesmith.corpus.phrasebook.generate import PhrasebookOptions, generate
    from tunesmith.corpus.phrasebook.phrasebook import Phrasebook

    folder = tmp_path_factory.mktemp("corpus")
    corpus = generate(PhrasebookOptions(pairs=200, eval_sentences=2), Phrasebook.load())
    corpus.write(folder)
    train_model(TrainingData(str(folder / "train.zh"), str(folder / "train.en")), folder / "model", OPTIONS)
    (folder / "model" / "train.align").rename(folder / "given.align")
    return folder


@pytest.fixture
def text(corpus) -> TrainingData:
    return TrainingData(str(corpus / "train.zh"), str(corpus / "train.en"))


@pytest.fixture
def data(corpus) -> TrainingData:
    """With an alignment, which takes most of the time of a small corpus."""
    return TrainingData(str(corpus / "train.zh"), str(corpus / "train.en"), str(corpus / "given.align"))


class Recorder(TrainingObserver):
    """Which steps ran."""

    def __init__(self, stop_at: int | None = None) -> None:
        self.ran: list[str] = []
        self.calls, self.stop_at = 0, stop_at

    def _call(self) -> None:
        self.calls += 1
        if self.calls == self.stop_at:
            raise KeyboardInterrupt

    def started(self, step: str, why: str) -> None:
        self._call()

    def progress(self, done: int, total: int) -> None:
        self._call()

    def finished(self, step: str, summary: str, seconds: float) -> None:
        self.ran.append(step)
        self._call()


def files(folder: Path) -> dict[str, bytes]:
    """All that training leaves, except the log, which has times in it."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "train.log"
    }


def run(data: TrainingData, folder: Path, options: TrainOptions = OPTIONS) -> list[str]:
    recorder = Recorder()
    train_model(data, folder, options, observer=recorder)
    return recorder.ran


def test_the_parts_of_a_model(text, tmp_path):
    data = text
    assert run(data, tmp_path / "model") == STEPS
    system = read_system(tmp_path / "model")
    table = RuleTable.open(tmp_path / "model" / system.rules)
    table.verify()
    assert (system.kind, table.kind) == ("hiero", "hiero")
    assert NgramModel.load(tmp_path / "model" / system.lms[0].path).order == 3
    assert run(data, tmp_path / "model") == []


def test_interrupted_anywhere_it_goes_on_to_the_same_files(data, tmp_path):
    counter = Recorder()
    train_model(data, tmp_path / "whole", OPTIONS, observer=counter)
    for stop in range(1, counter.calls + 1):
        folder = tmp_path / f"stopped{stop}"
        with pytest.raises(KeyboardInterrupt):
            train_model(data, folder, OPTIONS, observer=Recorder(stop))
        assert not (folder / "system.toml").exists() or stop == counter.calls
        run(data, folder)
        assert files(folder) == files(tmp_path / "whole")


@pytest.mark.parametrize("rename", [3, 6, 9])
def test_killed_it_goes_on_to_the_same_files(data, tmp_path, rename):
    assert data.alignment is not None
    words = ["train", "--source", data.source, "--target", data.target, "--align", data.alignment, "--order", "3",
             "-o", tmp_path / "killed"]  # fmt: skip
    train_model(data, tmp_path / "whole", OPTIONS)
    folder = tmp_path / "killed"
    killed = signalled_at(rename, signal.SIGKILL, words)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert not (folder / "system.toml").exists()
    (folder / ".lm.bin.0badcafe.partial").write_bytes(b"half a file")
    (folder / ".rules.0badcafe.partial").mkdir()
    subprocess.run([sys.executable, "-m", "tunesmith", *map(str, words)], check=True)
    assert files(folder) == files(tmp_path / "whole")
    assert not list(folder.glob(".*"))


def test_threads_and_memory_do_not_change_the_files(data, tmp_path):
    train_model(data, tmp_path / "one", OPTIONS, threads=1)
    train_model(data, tmp_path / "two", OPTIONS, threads=2, memory=128 << 20)
    assert files(tmp_path / "one") == files(tmp_path / "two")


@pytest.mark.parametrize(
    ("change", "redone"),
    [
        ({"lm": LmOptions(order=2)}, ["lm", "features"]),
        ({"lm": LmOptions(order=3, memory=1 << 30)}, []),
        ({"extract": ExtractOptions(PhraseOptions())}, ["extract", "features"]),
        ({"features": feature_parts("default,id")}, ["features"]),
    ],
)
def test_a_changed_setting_redoes_its_step_and_those_behind(data, tmp_path, change, redone):
    folder = tmp_path / "model"
    run(data, folder)
    changed = TrainOptions(**{**{key: getattr(OPTIONS, key) for key in OPTIONS.__dataclass_fields__}, **change})
    planned = [step.name for step in plan_training(data, folder, changed) if step.why is not None]
    assert planned == redone
    assert run(data, folder, changed) == redone
    train_model(data, tmp_path / "fresh", changed)
    assert files(folder) == files(tmp_path / "fresh")


def test_another_aligner_redoes_what_depends_on_it(text, tmp_path):
    run(text, tmp_path / "model")
    changed = TrainOptions(AlignerOptions("ibm1"), OPTIONS.lm)
    assert run(text, tmp_path / "model", changed) == ["align", "extract", "features"]


def test_changed_files_are_noticed(corpus, data, tmp_path):
    folder = tmp_path / "model"
    run(data, folder)
    whole = files(folder)
    (folder / "train.align").write_text("0-0\n", encoding="utf-8")
    assert run(data, folder) == ["align"]  # the same alignment again, so nothing after it changes
    (folder / "lm.bin").unlink()
    assert run(data, folder) == ["lm"]
    (folder / "rules/scores").unlink()
    assert run(data, folder) == ["extract"]
    with (folder / "rules/target_symbols").open("r+b") as array:
        array.write(b"\x7f")
    assert run(data, folder) == ["extract"]
    assert files(folder) == whole
    more = tmp_path / "more.en"
    more.write_text("a small cup of tea\n", encoding="utf-8")
    with_text = TrainingData(data.source, data.target, data.alignment, lm_texts=(str(more),))
    assert run(with_text, folder) == ["lm", "features"]
    more.write_text("a large cup of tea\n", encoding="utf-8")
    assert run(with_text, folder) == ["lm", "features"]


def test_edits_of_the_last_step_are_kept(data, tmp_path):
    folder = tmp_path / "model"
    run(data, folder)
    with edited(folder / "system.toml").open("a", encoding="utf-8") as out:
        out.write("\n[decoder]\npop_limit = 7\n")
    assert run(data, folder) == []
    (folder / "lm.bin").unlink()
    assert run(data, folder) == ["lm"]
    assert read_system(folder).decoder == {"pop_limit": 7}
    assert not (folder / "system.toml.before").exists()


def test_an_alignment_of_your_own(text, data, tmp_path):
    train_model(text, tmp_path / "computed", OPTIONS)
    train_model(data, tmp_path / "given", OPTIONS)
    assert (tmp_path / "given/rules/scores").read_bytes() == (tmp_path / "computed/rules/scores").read_bytes()
    bad = tmp_path / "bad.align"
    bad.write_text("0-0\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"bad.align"):
        train_model(TrainingData(data.source, data.target, str(bad)), tmp_path / "given", OPTIONS)


def test_a_language_model_of_your_own(data, tmp_path):
    run(data, tmp_path / "estimated")
    (tmp_path / "mine.bin").write_bytes((tmp_path / "estimated/lm.bin").read_bytes())
    given = replace(data, lm=str(tmp_path / "mine.bin"))
    assert run(given, tmp_path / "given") == STEPS
    assert files(tmp_path / "given").items() - files(tmp_path / "estimated").items() == {
        ("train.json", (tmp_path / "given/train.json").read_bytes())
    }
    assert run(given, tmp_path / "given", replace(OPTIONS, lm=LmOptions(order=2))) == []  # nothing is estimated
    (tmp_path / "mine.bin").write_text("no language model\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"mine\.bin"):
        run(given, tmp_path / "given")
    with pytest.raises(ConfigError, match="no text for one is read"):
        run(replace(given, lm_texts=(data.target,)), tmp_path / "given")


def test_features_and_start_weights_are_checked_before_the_work(data, tmp_path):
    with pytest.raises(ConfigError, match="unknown feature template 'word_pear'"):
        train_model(data, tmp_path / "model", TrainOptions(features=(FeaturePart("word_pear"),)))
    with pytest.raises(ConfigError, match="has no setting 'topp'"):
        train_model(data, tmp_path / "model", TrainOptions(features=(FeaturePart("word_pair", {"topp": 3}),)))
    with pytest.raises(ConfigError, match="start must be moses or"):
        TrainOptions(start="mosses")
    assert not (tmp_path / "model" / "train.align").exists()


def test_what_cannot_be_is_said_before_the_work(data, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").write_text("x", encoding="utf-8")
    with pytest.raises(ConfigError, match="a folder with other data"):
        train_model(data, tmp_path / "other", OPTIONS)
    with pytest.raises(ConfigError, match="is a file; name a folder for the model"):
        train_model(data, tmp_path / "other" / "thesis.tex", OPTIONS)
    with pytest.raises(ConfigError, match="not standard input"):
        train_model(TrainingData("-", data.target), tmp_path / "model", OPTIONS)
    with pytest.raises(MissingFileError, match="no such file"):
        train_model(TrainingData(data.source, data.target + "x"), tmp_path / "model", OPTIONS)
    assert not (tmp_path / "model").exists()
    run(data, tmp_path / "model")
    inside = str(tmp_path / "model" / "train.align")
    with pytest.raises(ConfigError, match="is an input; the result would replace it"):
        train_model(TrainingData(data.source, data.target, inside), tmp_path / "model", OPTIONS)
    with alone(tmp_path / "model"), pytest.raises(ConfigError, match="another tunesmith is at work"):
        train_model(data, tmp_path / "model", OPTIONS)


@pytest.mark.parametrize("text", ["", "[1]", "{}", '{"format": 2}', '{"format": 2, "steps": {"align": 3}}', "\0"])
def test_damaged_stamps_are_refused(data, tmp_path, text):
    (tmp_path / "train.json").write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=r"train\.json: .*remove it to do all steps again"):
        train_model(data, tmp_path, OPTIONS)


def test_stamps_of_a_later_version_are_refused(data, tmp_path):
    (tmp_path / "train.json").write_text(json.dumps({"format": 3, "steps": {}}), encoding="utf-8")
    with pytest.raises(FormatError, match="update it"):
        train_model(data, tmp_path, OPTIONS)


def test_steps_with_stamps_of_an_earlier_version_run_again(data, tmp_path):
    first = run(data, tmp_path / "model")
    stamps = json.loads((tmp_path / "model/train.json").read_text(encoding="utf-8"))
    (tmp_path / "model/train.json").write_text(sealed_json({**stamps, "format": 1}), encoding="utf-8")
    assert run(data, tmp_path / "model") == first


def test_stamps_that_do_not_say_what_they_should_redo_the_step(data, tmp_path):
    run(data, tmp_path / "model")
    stamps = json.loads((tmp_path / "model/train.json").read_text(encoding="utf-8"))
    stamps["steps"]["lm"] |= {"settings": 3}
    (tmp_path / "model/train.json").write_text(sealed_json(stamps), encoding="utf-8")
    assert run(data, tmp_path / "model") == ["lm"]
    assert os.access(tmp_path / "model/lm.bin", os.R_OK)


def test_steps_of_another_build_run_again_and_say_why(data, tmp_path, another_build):
    """A stamp of the same version and settings is not enough: code and defaults may have changed."""

    class Told(Recorder):
        def started(self, step: str, why: str) -> None:
            reasons.append((step, why))

    reasons: list[tuple[str, str]] = []
    run(data, tmp_path / "model")
    another_build()
    why = "made by another build of tunesmith"
    assert plan_training(data, tmp_path / "model", OPTIONS)[0].why == why
    train_model(data, tmp_path / "model", OPTIONS, observer=Told())
    assert reasons == [(step, why) for step in STEPS]
    assert run(data, tmp_path / "model") == []


def test_a_phrase_based_model(data, tmp_path):
    options = replace(OPTIONS, extract=ExtractOptions(PhraseOptions()))
    system = train_model(data, tmp_path / "model", options)
    assert read_system(tmp_path / "model") == system
    assert system.kind == "phrase"
    assert system.decoder == {"distortion_limit": 5}
    templates = ["translation", "word_penalty", "rule_penalty", "unknown", "distortion", "reordering"]
    assert [part.template for part in system.features] == templates
    table = RuleTable.open(tmp_path / "model/rules")
    weights = Weights.read(tmp_path / "model/weights.tsv")
    assert weights["distortion"] == weights["reordering:next-swap"] == 0.3  # as in train-model.perl
    assert {f"reordering:{name}" for name in table.reordering_columns} < set(dict(weights.items()))
    assert len(weights) == 15
    assert run(data, tmp_path / "model", options) == []


@pytest.mark.parametrize(
    ("preset", "lms", "by_label", "number"), [("small", 0, False, 7), ("medium", 1, True, 18)]
)
def test_the_models_of_cherry_and_foster(data, corpus, tmp_path, preset, lms, by_label, number):
    """Small has 7 features, Medium 18: section 4.2."""
    pairs = len(Path(data.source).read_text().splitlines())
    (tmp_path / "labels").write_text("".join(f"{'ab'[at % 2]}\n" for at in range(pairs)))
    given = replace(
        data, labels=str(tmp_path / "labels") if by_label else None, more_lms=(str(corpus / "model/lm.bin"),) * lms
    )
    reordering = ReorderingOptions() if preset == "medium" else None
    options = TrainOptions(
        extract=ExtractOptions(PhraseOptions(), reordering=reordering), features=feature_parts(preset, "phrase"),
        lm=LmOptions(order=3), by_label=by_label,
    )  # fmt: skip
    system = train_model(given, tmp_path / "model", options)
    table = RuleTable.open(tmp_path / "model/rules")
    local, across = split_features(system.features)
    names = [*local.compile(table).index, *(lm.name for lm in system.lms), *state_names(across, table)]
    assert len(names) == len(set(names)) == number
    assert run(given, tmp_path / "model", options) == []
    if by_label:
        assert run(given, tmp_path / "model", replace(options, floor=1e-5)) == ["extract", "features"]
        with pytest.raises(ConfigError, match="need labels"):
            train_model(replace(given, labels=None), tmp_path / "other", options)
        assert not (tmp_path / "other").exists()


def test_options_that_do_not_fit():
    for preset in ("small", "medium"):
        with pytest.raises(ConfigError, match="'distortion' is a feature of phrase-based models"):
            TrainOptions(features=feature_parts(preset))
    with pytest.raises(ConfigError, match="floor"):
        TrainOptions(floor=0)


def test_reordering_features_need_a_table_that_has_them(data, tmp_path):
    options = TrainOptions(
        extract=ExtractOptions(PhraseOptions()), features=feature_parts("medium"), lm=LmOptions(order=3)
    )
    with pytest.raises(ConfigError, match="has no reordering probabilities"):
        train_model(data, tmp_path / "model", options)
    with pytest.raises(MissingFileError):
        read_system(tmp_path / "model")


def test_a_model_for_left_to_right_search(data, tmp_path):
    rules = ExtractOptions(HieroOptions(normal_form=True))
    system = train_model(data, tmp_path / "model", replace(OPTIONS, extract=rules, search="left-to-right"))
    assert read_system(tmp_path / "model") == system
    assert system.kind == "left-to-right"
    decoder = load_decoder(tmp_path / "model", stack_limit=50)
    assert isinstance(decoder, LeftToRightDecoder)
    assert decoder.translate(["ich trinke tee"])[0].text
    among_all = replace(OPTIONS, extract=replace(rules, counts_of_all=True), search="left-to-right")
    train_model(data, tmp_path / "among-all", among_all)
    chosen = load_decoder(tmp_path / "among-all")
    assert isinstance(chosen, LeftToRightDecoder)
    assert chosen.table.manifest["settings"]["selections"][0]["normal_form"]
    assert chosen.table.unfiltered_rules > len(chosen.table)
    assert chosen.translate(["ich trinke tee"])[0].text
    with pytest.raises(ConfigError, match="target normalised form"):
        replace(OPTIONS, search="left-to-right")
    with pytest.raises(ConfigError, match="does not take hiero rules"):
        replace(OPTIONS, extract=rules, search="phrase")
    with pytest.raises(ConfigError, match="search must be"):
        replace(OPTIONS, search="right-to-left")

"""Descriptions of work: they travel as text, and give the same results wherever they are opened."""

import json
import subprocess
import sys

import msgspec
import pytest
from msgspec.structs import replace
from support.corpora.tea_corpus import write_pairs
from support.processes.processes import default_signals

from tunesmith import execution
from tunesmith.corpus.bitext import Bitext
from tunesmith.corpus.folds import unrelated_folds
from tunesmith.corpus.text_files import Lines, TextFiles
from tunesmith.decoding import HeldOutDecoder, TranslationModel, load_decoder
from tunesmith.decoding.work.kinds import KBest, Translate
from tunesmith.decoding.work.left_out import LeftOut
from tunesmith.decoding.work.open_models import Models
from tunesmith.decoding.work.spec import DecoderSpec
from tunesmith.errors import ConfigError, FormatError
from tunesmith.execution import Here, Opened, Work, from_text, kinds, to_text
from tunesmith.grammar import ExtractOptions, LeaveOneOutCounts, PhraseOptions, ReorderingOptions
from tunesmith.training.leave_one_out import leave_one_out_counts_of
from tunesmith.training.options import TrainingData, TrainOptions
from tunesmith.training.start import feature_parts
from tunesmith.training.train import train_model

CHILD = """
import json, msgspec, sys
from tunesmith import execution
from tunesmith.corpus.text_files import Lines
import tunesmith.decoding.work.kinds
work = execution.from_text(sys.argv[1].encode())
blocks = msgspec.json.decode(sys.stdin.buffer.read(), type=list[Lines])
print(json.dumps(list(execution.map(work, blocks))))
"""


class Squares(Work[list[int], list[int]], frozen=True):
    plus: int = 0

    def open(self, threads):
        return lambda numbers: [number**2 + self.plus for number in numbers]


@pytest.fixture(autouse=True)
def known_squares(monkeypatch):
    monkeypatch.setitem(kinds._factories, "squares", Squares)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model of a few sentences."""
    data = tmp_path_factory.mktemp("work")
    write_pairs(data)
    train_model(TrainingData(data / "f", data / "e", data / "a"), data / "model")
    return data / "model"


@pytest.fixture
def spec(folder):
    return DecoderSpec.of(folder, pop_limit=20)


@pytest.fixture(scope="module")
def left_out(folder):
    """Leave-one-out counts of the training data; text and folds."""
    leave_one_out_counts_of(folder, folder.parent / "f", folder.parent / "e", None, folder.parent / "own")
    text = TextFiles(str(folder.parent / "f"), (str(folder.parent / "e"),), parallel=True)
    return LeftOut(str(folder.parent / "own"), text=text)


def numbered(folder):
    return Lines((folder.parent / "f").read_text(encoding="utf-8").splitlines()[:5], list(range(5)))


def elsewhere(work, blocks):
    """What a process gives that knows nothing but the text of the description."""
    child = subprocess.run(
        [sys.executable, "-c", CHILD, to_text(work).decode()],
        input=msgspec.json.encode(blocks), capture_output=True, check=True, preexec_fn=default_signals,
    )  # fmt: skip
    return json.loads(child.stdout)


LINES = ["ich trinke tee", "er trinkt kaffee", "heute trinke ich tee", "der tee", "unbekannt", "ist heiß"]


def test_results_come_in_the_order_of_the_blocks():
    assert list(execution.map(Squares(plus=1), [[3], [], [1, 2]])) == [[10], [], [2, 5]]
    assert list(execution.map(Squares(), [[3]], Here(threads=3))) == [[9]]


def test_blocks_are_done_as_they_are_asked_for():
    asked = []
    results = execution.map(Squares(), ([asked.append(at) or at] for at in range(5)))
    assert next(results) == [0]
    assert asked == [0]


def test_a_description_comes_back_from_its_text():
    for work in (Squares(plus=4), Translate(DecoderSpec("m", {"rules": "1a"}, {"pop_limit": 3}, {"lm": 0.5}))):
        assert from_text(to_text(work)) == work


@pytest.mark.parametrize(
    "text",
    [b"", b"[]", b"{}", b'{"work": 3, "settings": {}}', b'{"work": "squares"}', b"\xff",
     b'{"work": "squares", "settings": {"plus": "one"}}', b'{"work": "squares", "settings": {"minus": 1}}',
     b'{"work": "squares", "settings": {}, "more": 1}', b"[" * 100_000,
     b'{"work": "translate", "settings": {"decoder": 1}}'],
)  # fmt: skip
def test_what_is_no_description_is_refused(text):
    with pytest.raises(FormatError):
        from_text(text)


def test_work_that_nobody_knows_is_refused():
    with pytest.raises(ConfigError, match="kind of work 'nothing'"):
        from_text(b'{"work": "nothing", "settings": {}}')

    class Hidden(Work[int, int], frozen=True):
        pass

    with pytest.raises(ConfigError, match="Hidden is not registered"):
        to_text(Hidden())
    with pytest.raises(ConfigError, match="threads must be at least 1, got 0"):
        Here(threads=0)


def test_another_process_translates_alike(spec, folder):
    blocks = [Lines(LINES[:2]), Lines(LINES[2:])]
    here = list(execution.map(Translate(spec), blocks, Here(threads=2)))
    decoder = load_decoder(folder, pop_limit=20)
    assert here == [[one.text for one in decoder.translate(block.lines)] for block in blocks]
    assert elsewhere(Translate(spec), blocks) == here


def test_what_is_left_out_travels_too(spec, folder, left_out):
    block, decoder = numbered(folder), load_decoder(folder, pop_limit=20)
    own = LeaveOneOutCounts.open(left_out.leave_one_out, decoder.table).select(block.numbers)
    work = Translate(replace(spec, left_out=left_out).sealed())
    wanted = [one.text for one in decoder.translate(block.lines, leave_one_out=own)]
    assert wanted != [one.text for one in decoder.translate(block.lines)]
    assert elsewhere(work, [block]) == [wanted]
    with pytest.raises(ConfigError, match="lines without numbers"):
        work.open(1)(Lines(LINES))
    changed = replace(work.decoder, left_out=replace(work.decoder.left_out, digest="00"))
    with pytest.raises(ConfigError, match="own: changed since this work was described"):
        changed.open()


@pytest.mark.parametrize("whole_folds", [False, True])
def test_held_out_folds_travel_too(spec, folder, left_out, whole_folds):
    """Opened from its text, a decoder of folds gives the lists of one that was made by hand."""
    described = replace(spec, left_out=replace(left_out, folds=3, whole_folds=whole_folds)).sealed()
    block, model = numbered(folder), TranslationModel.open(folder)
    text = left_out.text.read()
    bitext = Bitext(list(text.lines), [each[0] for each in text.references])
    folds = unrelated_folds(bitext, 3) if whole_folds else 3
    own = LeaveOneOutCounts.open(left_out.leave_one_out, model.table)
    own = (own.in_folds(folds) if whole_folds else own).select(block.numbers)
    lists = HeldOutDecoder.train(model, bitext.target, folds, model.options(pop_limit=20))
    by_hand = lists.k_best(block.lines, 5, leave_one_out=own)
    [found] = execution.map(from_text(to_text(KBest(described, 5))), [block])
    assert [found.text(at) for at in range(len(found))] == [by_hand.text(at) for at in range(len(by_hand))]
    assert found.model_scores.tolist() == by_hand.model_scores.tolist()
    weights = tuple({"lm": float(fold)} for fold in range(3))
    opened = replace(described, weights=weights).open()
    assert [each.weights[each.index.find("lm")] for each in opened.lists.decoders] == [0, 1, 2]
    with pytest.raises(ConfigError, match="k-best lists only"):
        opened.decode(block)


def test_forced_phrases_travel_too(tmp_path):
    write_pairs(tmp_path)
    options = TrainOptions(extract=ExtractOptions(PhraseOptions(), reordering=ReorderingOptions()))
    train_model(TrainingData(tmp_path / "f", tmp_path / "e", tmp_path / "a"), tmp_path / "model", options)
    forced = (("tee", "a cup of tea"),)
    work = from_text(to_text(Translate(replace(DecoderSpec.of(tmp_path / "model"), forced=forced))))
    [[text]] = execution.map(work, [Lines(["der tee"])])
    assert "a cup of tea" in text
    plain = DecoderSpec.of(tmp_path / "model").open()
    assert work.decoder.open().lists.signature.startswith(f"{plain.lists.signature}|forced:")


def test_forced_phrases_need_a_phrase_based_model(spec):
    with pytest.raises(ConfigError, match="--force is for phrase-based models"):
        replace(spec, forced=(("tee", "tea"),)).open()


def test_work_that_is_open_travels_by_its_description():
    opened = Opened(lambda threads: lambda block: block, lambda: Squares(plus=2))
    assert list(execution.map(opened, [[3]])) == [[3]]
    assert from_text(to_text(opened)) == Squares(plus=2)
    with pytest.raises(ConfigError, match="has no description"):
        to_text(Opened(lambda threads: lambda block: block))


def test_a_folder_with_another_model_is_refused(spec):
    for name in ("lm", "rules", "system.toml", "weights.tsv"):
        other = DecoderSpec(spec.model, {**spec.digests, name: "00000000"})
        with pytest.raises(ConfigError, match=f"{name} changed since this work was described"):
            other.open()


def test_models_of_one_folder_keep_their_own_features(spec):
    models = Models()
    other = models.of(replace(spec, features=feature_parts("default,id", "hierarchical")))
    own = models.of(replace(spec, features=None))
    assert any(part.template == "id" for part in other.system.features)
    assert not any(part.template == "id" for part in own.system.features)
    with pytest.raises(ConfigError, match="changed since this work was described"):
        models.of(replace(spec, features=None, digests={"rules": "0"}))

"""Descriptions of work: they travel as text, and give the same results wherever they are opened."""

import json
import subprocess
import sys

import pytest
from support.corpora.tea_corpus import write_pairs
from support.processes.processes import default_signals

from tunesmith import execution
from tunesmith.decoding import load_decoder
from tunesmith.decoding.work import DecoderSpec, Translate
from tunesmith.errors import ConfigError, FormatError
from tunesmith.execution import Here, Work, from_text, kinds, to_text
from tunesmith.training.options import TrainingData
from tunesmith.training.train import train_model

CHILD = """
import json, sys
from tunesmith import execution
import tunesmith.decoding.work
work = execution.from_text(sys.argv[1].encode())
print(json.dumps(list(execution.map(work, json.load(sys.stdin)))))
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
    blocks = [LINES[:2], LINES[2:]]
    here = list(execution.map(Translate(spec), blocks, Here(threads=2)))
    decoder = load_decoder(folder, pop_limit=20)
    assert here == [[one.text for one in decoder.translate(block)] for block in blocks]
    child = subprocess.run(
        [sys.executable, "-c", CHILD, to_text(Translate(spec)).decode()],
        input=json.dumps(blocks), capture_output=True, text=True, check=True, preexec_fn=default_signals,
    )  # fmt: skip
    assert json.loads(child.stdout) == here


def test_a_folder_with_another_model_is_refused(spec):
    for name in ("lm", "rules", "system.toml", "weights.tsv"):
        other = DecoderSpec(spec.model, {**spec.digests, name: "00000000"})
        with pytest.raises(ConfigError, match=f"{name} changed since this work was described"):
            other.open()

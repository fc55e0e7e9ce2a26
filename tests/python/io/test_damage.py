"""A wrong bit in anything we write is an error that names the file, or changes nothing; `check` finds each."""

import contextlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.corpora.tea_corpus import PAIRS, write_pairs
from support.corpora.tiny_corpora import tiny_corpus
from support.lists.candidate_sets import random_factored, random_rows, random_rule_features, random_texts
from support.lists.search_graphs import doubling
from support.lists.toy_parts import MeanDifference, SeededStep
from support.models.toy_decoder import ToyDecoder, toy_data
from typer.testing import CliRunner

from tunesmith.cli.check import checked
from tunesmith.cli.main import app
from tunesmith.decoding import load_decoder
from tunesmith.errors import ConfigError, FormatError, TunesmithError
from tunesmith.experiments.stages import Stage, run_stages
from tunesmith.grammar import (
    ExtractOptions,
    HieroOptions,
    LeaveOneOutCounts,
    RuleTable,
    extract_rules,
    find_leave_one_out_counts,
)
from tunesmith.io.arrays import write_manifest
from tunesmith.lm import ClassModel, LmOptions, NgramModel, load_model
from tunesmith.lm import model as lm_model
from tunesmith.search import CandidateSet, GraphSet, write_graphs
from tunesmith.tuning import BatchRounds, KBestSource, Tuner
from tunesmith.weights import Weights

LINES = [source for source, _, _ in PAIRS]


@dataclass(frozen=True)
class Kind:
    """Something we write. use: reads it as its users do, and returns all that results depend on.

    unsealed: names of files that hold no results and have no checksum.
    """

    path: Path
    use: Any
    unsealed: frozenset[str] = frozenset()


def run(*words, stdin=None):
    return CliRunner().invoke(app, [str(word) for word in words], input=stdin)


def candidates(folder, *, factored):
    random = np.random.default_rng(1)
    features = random_rule_features(random) if factored else None
    if factored:
        random_factored(random, features, rows=12).save(folder)
    else:
        rows = random_rows(random, rows=12, columns=9)
        CandidateSet.from_matrix(rows, [0, 5, 12], np.ones((12, 2)), random_texts(random, 12)).save(folder)

    def use(path):
        found = CandidateSet.load(path, features)
        names = [found.features.name(at) for at in range(found.columns)]
        texts = [found.text(at) for at in range(len(found))]
        rows = found.rows()
        return names, texts, rows.data.tobytes(), rows.indices.tobytes(), found.offsets.tobytes()

    return Kind(folder, use)


def table(folder):
    extract_rules(*tiny_corpus(1), folder, ExtractOptions(HieroOptions(min_gap=1)))
    return Kind(folder, lambda path: [repr(rule) for rule in RuleTable.open(path)])


def leave_one_out(folder):
    corpus = tiny_corpus(1)
    rules = extract_rules(*corpus, folder / "rules", ExtractOptions(HieroOptions(min_gap=1)))
    find_leave_one_out_counts(rules, *corpus, folder / "own")
    pairs = range(len(corpus[0]))
    return Kind(folder / "own", lambda path: [LeaveOneOutCounts.open(path, rules).of(pair) for pair in pairs])


def model(folder, *, kind):
    folder.mkdir()
    options = ("--reordering", "msd-bidirectional-fe") if kind == "phrase" else ()
    files, features = write_pairs(folder), ("--features", "default,id")
    trained = run("train", *files, "--kind", kind, *options, "--order", 2, *features, "-q", "-o", folder / "model")
    assert trained.exit_code == 0, trained.output

    def use(path):
        return [(each.text, each.score) for each in load_decoder(path).translate(LINES)]

    # What training notes for itself, and the alignment of its data, are not read by a decoder.
    return Kind(folder / "model", use, frozenset({"train.log"}))


def language_model(path):
    NgramModel.train([target for _, target, _ in PAIRS], LmOptions(order=3)).save(path)
    return Kind(path, lambda path: NgramModel.load(path).score(LINES + [t for _, t, _ in PAIRS]).log10.tobytes())


def class_language_model(path):
    text = [target for _, target, _ in PAIRS]
    words = sorted({word for line in text for word in line.split()})
    ClassModel.train(text, {word: str(len(word) % 3) for word in words}, LmOptions(order=2)).save(path)
    return Kind(path, lambda path: load_model(path).score(LINES + text).log10.tobytes())


def weights(path):
    Weights.from_mapping({"lm": 0.1, "a b": -2.5, "#3": 1e-300}, "from a test\nand more|version:1").write(path)
    return Kind(path, lambda path: list(Weights.read(path).items()))


def graphs(path):
    with write_graphs(path, {"names": ["lm"]}) as writer:
        for levels in (1, 3):
            writer.add(doubling(levels))

    def use(path):
        with GraphSet(path) as found:
            return found.metadata, [graph.core.pack() for graph in found]

    return Kind(path, use)


def tuning_run(folder):
    lines, references = toy_data(sentences=4)

    def use(path):
        tuner = Tuner(MeanDifference(), SeededStep(), plan=BatchRounds(2), name="toy")
        tuner.fit(KBestSource(ToyDecoder(), lines, references, k=4), output=path)
        return tuner.weights_.tobytes() if hasattr(tuner.weights_, "tobytes") else list(tuner.weights_.items())

    use(folder)
    # Read by people and by reports alone, or not at all.
    return Kind(folder, use, frozenset({"log.txt", "lock", "dev.jsonl", "chosen.tsv", "report.html"}))


def experiment(folder):
    folder.mkdir()
    (folder / "experiment.json").write_text('{"kind": "tunesmith experiment", "name": "x", "settings": {}}')

    def work(place):
        weights(place.folder / "weights.tsv")
        return {"score": 1.5}

    stages = [Stage("first", {"seed": 1}, work), Stage("second", {"seed": 2}, work)]

    def use(path):
        run_stages(path, stages)
        return [json.loads((path / stage.name / "stage.json").read_text())["result"] for stage in stages]

    use(folder)
    return Kind(folder, use, frozenset({"experiment.json"}))


KINDS = {
    "candidates": lambda folder: candidates(folder / "c", factored=False),
    "factored candidates": lambda folder: candidates(folder / "c", factored=True),
    "table": lambda folder: table(folder / "rules"),
    "leave-one-out counts": leave_one_out,
    "hiero model": lambda folder: model(folder / "m", kind="hiero"),
    "phrase model": lambda folder: model(folder / "m", kind="phrase"),
    "language model": lambda folder: language_model(folder / "lm.bin"),
    "class language model": lambda folder: class_language_model(folder / "classes.lm"),
    "weights": lambda folder: weights(folder / "any.tsv"),
    "graphs": lambda folder: graphs(folder / "graphs"),
    "run": lambda folder: tuning_run(folder / "run"),
    "experiment": lambda folder: experiment(folder / "e"),
}


@pytest.fixture(scope="module", params=KINDS)
def kind(request, tmp_path_factory):
    return KINDS[request.param](tmp_path_factory.mktemp("kind"))


@pytest.fixture
def large_lms(monkeypatch):
    """Language models of any size are verified in the background, as large ones are."""
    monkeypatch.setattr(lm_model, "_CHECKED_WHOLE", 0)


def files_of(path):
    return [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.is_file())


@contextlib.contextmanager
def flipped(file, bit):
    """The file with one bit that is wrong."""
    good = file.read_bytes()
    data = bytearray(good)
    data[bit // 8] ^= 1 << bit % 8
    try:
        file.write_bytes(data)
        yield
    finally:
        file.write_bytes(good)


def bits(file, number):
    """Some bits of a file, with those of both ends."""
    size = 8 * file.stat().st_size
    random = np.random.default_rng(len(file.name))
    return sorted({0, size - 1, size - 8, *random.integers(size, size=number).tolist()}) if size else []


def test_no_wrong_bit_changes_a_result_in_silence(kind, tmp_path, large_lms):
    copy = tmp_path / kind.path.name
    shutil.copytree(kind.path, copy) if kind.path.is_dir() else shutil.copy(kind.path, copy)
    right = kind.use(copy)
    silent, errors = [], []
    for file in files_of(copy):
        for bit in bits(file, 6):
            with flipped(file, bit):
                try:
                    if kind.use(copy) != right:
                        silent.append((file.name, bit))
                except TunesmithError as error:
                    errors.append(str(error))
    assert errors or kind.path.name == "e"  # a damaged stage is done again
    assert all(str(copy) in error and "\n" not in error for error in errors)
    assert silent == []


def test_check_finds_every_wrong_bit(kind, tmp_path):
    copy = tmp_path / kind.path.name
    shutil.copytree(kind.path, copy) if kind.path.is_dir() else shutil.copy(kind.path, copy)
    whole = checked(copy)
    assert whole.damaged == {}
    assert {file.name for file in whole.unsealed} <= kind.unsealed
    assert {*whole.whole, *whole.unsealed} == set(files_of(copy))
    missed = []
    for file in files_of(copy):
        for bit in bits(file, 12) if file.name not in kind.unsealed else []:
            with flipped(file, bit):
                if file not in checked(copy).damaged:
                    missed.append((file.name, bit))
    assert missed == []


def test_check_as_a_user_runs_it(tmp_path):
    weights(tmp_path / "w.tsv")
    language_model(tmp_path / "lm.bin")
    whole = run("check", tmp_path / "w.tsv", tmp_path / "lm.bin")
    assert whole.exit_code == 0
    assert "a weights file, whole; 1 file verified" in whole.stdout
    with flipped(tmp_path / "w.tsv", 500), flipped(tmp_path / "lm.bin", 5000):
        ended = run("check", tmp_path / "w.tsv", tmp_path / "lm.bin", "-f", "json")
        assert ended.exit_code == 1
        found = json.loads(ended.stdout)
        assert [list(report["damaged"]) for report in found.values()] == [[path] for path in found]
    (tmp_path / "other").write_text("a\tb\n")
    ended = run("check", tmp_path / "other")
    assert ended.exit_code == 2
    assert "is not a file or folder that tunesmith writes" in ended.stderr
    assert run("check", tmp_path / "missing").exit_code == 2
    with flipped(tmp_path / "w.tsv", 500):  # others are examined, and damage counts most
        ended = run("check", tmp_path / "other", tmp_path / "w.tsv")
        assert ended.exit_code == 1
        assert "damaged" in ended.stdout
        assert "other: is not" in ended.stderr


def test_a_table_with_several_damaged_files_names_them_all(tmp_path):
    table(tmp_path / "rules")
    with flipped(tmp_path / "rules" / "scores", 70), flipped(tmp_path / "rules" / "links", 3):
        ended = run("check", tmp_path / "rules")
        assert ended.exit_code == 1
        assert "rules/scores: the checksum is" in ended.stdout
        assert "rules/links: the checksum is" in ended.stdout
        ended = run("rules", "stats", tmp_path / "rules", "--check")
        assert ended.exit_code == 1
        assert "rules/scores" in ended.stderr
        assert "rules/links" in ended.stderr
    assert run("rules", "stats", tmp_path / "rules", "--check").exit_code == 0


def without_seal(path):
    """A manifest, or another JSON object, as earlier versions wrote it."""
    document = json.loads(path.read_text())
    for key in ("sealed", "crc32", "checksums"):
        document.pop(key, None)
    path.write_text(json.dumps(document))


def test_what_earlier_versions_wrote_still_opens(kind, tmp_path):
    copy = tmp_path / kind.path.name
    shutil.copytree(kind.path, copy) if kind.path.is_dir() else shutil.copy(kind.path, copy)
    right = kind.use(copy)
    for file in files_of(copy):
        if file.suffix == ".json":
            without_seal(file)
        if file.suffix in (".tsv", ".toml"):
            lines = file.read_text().split("\n")
            file.write_text("\n".join(line for line in lines if not line.startswith("# crc32 ")))
    if kind.path.name == "own":  # names the manifest of its table by checksum
        right = kind.use(copy)
    assert kind.use(copy) == right
    assert not [file for file in checked(copy).damaged if file.name != "manifest.json"]


def test_an_honest_change_is_no_damage(tmp_path):
    kind = candidates(tmp_path / "c", factored=False)
    (kind.path / "features.txt").write_text("".join(f"renamed{at}\n" for at in range(9)))
    with pytest.raises(FormatError, match=r"features\.txt"):
        kind.use(kind.path)
    manifest = json.loads((kind.path / "manifest.json").read_text())
    from tunesmith.io.verify import file_checksum

    size = (kind.path / "features.txt").stat().st_size
    manifest["files"]["features.txt"] = {"bytes": size, "crc32": file_checksum(kind.path / "features.txt")}
    write_manifest(kind.path, manifest)
    assert kind.use(kind.path)[0][0] == "renamed0"


def test_damage_found_in_the_background_stops_the_decoder(tmp_path):
    kind = model(tmp_path / "m", kind="phrase")
    file = kind.path / "rules" / "scores"
    with flipped(file, 8 * file.stat().st_size - 9):
        decoder = load_decoder(kind.path)
        for _ in range(2):
            with pytest.raises(FormatError, match="rules/scores: the checksum is"):
                decoder.translate(["tee"])
        ended = run("translate", "-m", kind.path, "-o", tmp_path / "out", stdin="tee\n")
        assert ended.exit_code == 1
        assert not (tmp_path / "out").exists()


def test_not_a_known_format(tmp_path):
    with pytest.raises(ConfigError, match="a rule table"):
        checked(tmp_path)


def test_missing_parts_are_damage(tmp_path):
    tuning_run(tmp_path / "run")
    (tmp_path / "run" / "weights.tsv").unlink()
    (tmp_path / "run" / "history.jsonl").unlink()
    damaged = checked(tmp_path / "run").damaged
    assert damaged == {tmp_path / "run" / name: "is missing" for name in ("history.jsonl", "weights.tsv")}

"""Data that a TOML file names: any files in any direction, sets taken out of train, errors with the line."""

import dataclasses
from pathlib import Path

import pytest

from tunesmith.errors import ConfigError, FormatError, TunesmithError
from tunesmith.experiments.cherry2012.experiment import BatchTuning
from tunesmith.experiments.cherry2012.rows import chosen_rows
from tunesmith.experiments.named_corpus import NamedCorpus
from tunesmith.experiments.settings import ExperimentSettings, PhraseModel, Scale

PAIRS = 40
GOOD = """source = "en"
target = "zh"

[train]
source = "train.en"
target = "train.zh"

[dev]
source = "dev.en"
references = ["dev.zh.*"]

[devtest]
from_train = 5

[test]
source = "dev.en"
references = "dev.zh.0"
"""


def write(folder, text=GOOD):
    def lines(name, given):
        (folder / name).write_text("".join(f"{line}\n" for line in given), encoding="utf-8")

    lines("train.en", [f"i see {at} today" for at in range(PAIRS)])
    lines("train.zh", [f"我 看 {at // 2} 今天 吧" for at in range(PAIRS)])
    lines("labels", [f"label{at}" for at in range(PAIRS)])
    lines("dev.en", ["i see 1 today", "tea"])
    for number in range(2):
        lines(f"dev.zh.{number}", ["我 看 0 今天 吧", f"茶 {number}"])
    (folder / "corpus.toml").write_text(text, encoding="utf-8")
    return folder / "corpus.toml"


def test_what_is_taken_out_of_train_is_not_trained_on(tmp_path):
    corpus = NamedCorpus.read(write(tmp_path)).placed(tmp_path / "data")
    assert (corpus.source, corpus.target, corpus.name) == ("en", "zh", "corpus")
    assert corpus.evaluation("dev").references == [("我 看 0 今天 吧",) * 2, ("茶 0", "茶 1")]
    taken, left = corpus.evaluation("devtest"), corpus.bitext()
    assert len(taken.lines) == 5
    assert not set(taken.lines) & set(left.source)
    assert not {line for each in taken.references for line in each} & set(left.target)
    # Every target side occurs twice: the other pair that has it is left out as well.
    assert PAIRS - 2 * 5 <= len(left) <= PAIRS - 5
    corpus.write()
    assert corpus.side("train", "zh").read_text(encoding="utf-8").splitlines() == left.target
    assert corpus.side("devtest", "en").read_text(encoding="utf-8").splitlines() == taken.lines
    kept = Path(corpus.labels(str(tmp_path / "labels"), tmp_path / "data")).read_text(encoding="utf-8").split()
    assert kept == [f"label{line.split()[2]}" for line in left.source]
    assert NamedCorpus.read(tmp_path / "corpus.toml").evaluation("devtest") == taken


def test_without_pairs_taken_out_nothing_is_written_and_every_byte_counts(tmp_path):
    text = GOOD.replace("from_train = 5", 'source = "dev.en"\nreferences = "dev.zh.1"')
    corpus = NamedCorpus.read(write(tmp_path, text)).placed(tmp_path / "data")
    corpus.write()
    assert not (tmp_path / "data").exists()
    assert corpus.side("train", "en") == tmp_path / "train.en"
    assert corpus.labels("any", tmp_path) == "any"
    assert len(corpus.bitext()) == PAIRS
    digests = {corpus.digest, NamedCorpus.read(write(tmp_path)).digest}
    for name in ("train.en", "train.zh", "dev.en", "dev.zh.1"):
        path = write(tmp_path)
        text = (tmp_path / name).read_text(encoding="utf-8")
        (tmp_path / name).write_text(text.replace("今", "昨", 1).replace("i", "u", 1), encoding="utf-8")
        digests.add(NamedCorpus.read(path).digest)
    assert len(digests) == 6


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('source = "en"\n', "", r"corpus\.toml: source is missing"),
        ('target = "zh"', 'target = "en"', r":2: source and target are both 'en'"),
        ('target = "zh"', 'target = "../x"', r":2: '\.\./x' is not the name of a language"),
        ('target = "zh"', "target = 3", r":2: target = 3; expected a text in quotes"),
        ("[train]", "[trian]", r"a table \[train\] is needed, with source and target"),
        ("[devtest]\nfrom_train = 5", "", r"a table \[devtest\] is needed, .* or from_train"),
        ('"train.en"', '"nowhere.en"', r":5: .*nowhere\.en: no such file"),
        ('["dev.zh.*"]', "[]", r":10: references in \[dev\] = \[\]; expected a file in quotes or a list"),
        ('["dev.zh.*"]', '["dev.xx.*"]', r"dev\.xx"),
        ('["dev.zh.*"]', '["train.zh"]', r"train\.zh"),
        ("from_train = 5", "from_train = 0", r":13: from_train must be .* at least 1, got 0"),
        ("from_train = 5", "from_train = true", r":13: from_train must be .* got True"),
        ("from_train = 5", 'from_train = 5\nsource = "dev.en"', r":14: .*leave out source"),
        ("from_train = 5", "from_train = 40", r"has 40 pairs, 40 cannot be taken"),
        ("from_train = 5", "from_train = 39", r"every pair shares a side"),
        ("from_train = 5", "from_trian = 5", r"source in \[devtest\] is missing"),
        ("[devtest]", '[devtest]\nrefs = "x"', r":13: .*leave out refs"),
        ("[test]", '[test]\nrefs = "x"', r":16: .*refs"),
        ("[test]", "[more]\n[test]", r":15: .*more"),
        ("[test]", "[test", r":15: is not TOML"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path, old, new, message):
    path = write(tmp_path)
    assert old in GOOD
    path.write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(TunesmithError, match=message) as found:
        NamedCorpus.read(path)
    assert isinstance(found.value, FormatError | ConfigError)
    assert "\n" not in str(found.value)


def test_labels_must_be_those_of_all_training_pairs(tmp_path):
    corpus = NamedCorpus.read(write(tmp_path))
    with pytest.raises(FormatError, match="has 2 labels"):
        corpus.labels(str(tmp_path / "dev.en"), tmp_path)


def test_an_experiment_runs_on_it(tmp_path):
    """A phrase-based model with a table for each label, in the reversed direction; the data stage has the sets."""
    corpus = NamedCorpus.read(write(tmp_path))
    (tmp_path / "labels").write_text("".join("in\n" if at % 2 else "out\n" for at in range(PAIRS)))
    settings = ExperimentSettings(Scale(dev_rounds=1, k=5), order=2, phrases=PhraseModel(str(tmp_path / "labels")))
    work = BatchTuning(tmp_path / "run", corpus, settings, samples=0)
    table = work.run(chosen_rows(["kb-mira-small"], "phrase"))
    assert table.facts["data"] == "corpus"
    assert table.facts["sentences in dev, devtest, test"] == "2, 5, 2"
    assert table.facts["training pairs"] == len(corpus.bitext())
    again = BatchTuning(tmp_path / "run", NamedCorpus.read(tmp_path / "corpus.toml"), settings, samples=0)
    assert all(done for _, done in again.plan(chosen_rows(["kb-mira-small"], "phrase")))
    other = dataclasses.replace(corpus, taken={"devtest": 6})
    work = BatchTuning(tmp_path / "run", other, settings, samples=0)
    assert not any(done for _, done in work.plan(chosen_rows(["kb-mira-small"], "phrase")))

"""Templates over word classes: against their definition, in models of both kinds, and what a model lacks."""

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from reference import features as twin

from tunesmith.clustering import WordClasses
from tunesmith.config import read_system
from tunesmith.corpus.phrasebook.generate import PhrasebookOptions, generate
from tunesmith.corpus.phrasebook.phrasebook import Phrasebook
from tunesmith.decoding import TranslationModel
from tunesmith.errors import ConfigError, FormatError
from tunesmith.features import FeatureSet, SpecialRule
from tunesmith.features.word_classes import classes_of
from tunesmith.grammar import ExtractOptions, HieroOptions, PhraseOptions
from tunesmith.lm import LmOptions
from tunesmith.training.options import TrainingData, TrainOptions
from tunesmith.training.start import feature_parts
from tunesmith.training.train import plan_training, train_model

TEMPLATES = "class_rule,target_class,class_alignment,source_class_deletion,source_deletion"


def random_map(words: list[str], seed: int, *, unknown: bool) -> WordClasses:
    """Classes of two words in three, with names that need escapes."""
    rng = random.Random(seed)
    names = ["0", "1", "a_b", "7|"]
    classes = {word: rng.choice(names) for word in words if rng.random() < 0.67 and not word.startswith("<")}
    return WordClasses({**classes, **({"<unk>": "1"} if unknown else {})})


@pytest.fixture(params=[True, False])
def with_classes(request, table):
    """A table with classes, and for each side the class of every word."""
    of_words = {}
    sides = {"source": table.source_vocabulary, "target": table.target_vocabulary}
    for seed, (side, vocabulary) in enumerate(sides.items()):
        classes = random_map(vocabulary.words, seed, unknown=request.param)
        table.word_classes[side] = classes_of(classes, vocabulary)
        of_words[side] = {word: classes.find(word) or "<unk>" for word in [*vocabulary, "never seen"]}
    yield table, of_words["source"], of_words["target"]
    table.word_classes.clear()


def test_every_rule_has_the_features_of_the_definition(with_classes):
    table, source, target = with_classes
    matrix = FeatureSet.parse(TEMPLATES).compile(table, threads=2)
    for number, rule in enumerate(table):
        fired = [
            *twin.class_rule(rule, source, target),
            *twin.target_class(rule, target),
            *twin.class_alignment(rule, source, target),
            *twin.source_class_deletion(rule, source),
            *twin.source_deletion(rule),
        ]
        assert matrix.named_row(number) == twin.summed(iter(fired)), rule


def test_a_word_that_passes_through_is_unknown_on_both_sides(with_classes):
    table, source, target = with_classes
    pair = f"{twin.spelled(source['never seen'])}|{twin.spelled(target['never seen'])}"
    matrix = FeatureSet.parse(f"default,{TEMPLATES}").compile(table)
    assert matrix.named_row(matrix.special(SpecialRule.unknown)) == {
        "word_penalty": -1.0,
        "unknown": 1.0,
        f"class_rule:{pair}": 1.0,
        f"class_alignment:{pair}": 1.0,
        f"target_class:{twin.spelled(target['never seen'])}": 1.0,
    }
    assert matrix.named_row(matrix.special(SpecialRule.glue)) == {"glue_penalty": 1.0}


def test_threads_change_nothing(with_classes):
    table, _, _ = with_classes
    one, many = (FeatureSet.parse(TEMPLATES).compile(table, threads=threads) for threads in (1, 5))
    assert list(one.index) == list(many.index)
    for a, b in zip(one.native.sparse(), many.native.sparse(), strict=True):
        assert a.tobytes() == b.tobytes()


@pytest.mark.parametrize("name", ["class_rule", "target_class", "class_alignment", "source_class_deletion"])
def test_a_table_without_classes_is_refused(table, name):
    with pytest.raises(ConfigError, match=f"'{name}' needs classes of (source|target) words"):
        FeatureSet.parse(name).compile(table)


def test_digits_and_unknown_words_have_the_class_of_the_map(table):
    vocabulary = table.source_vocabulary
    found = classes_of(WordClasses({"f0": "x", "<unk>": "y"}), vocabulary)
    assert found.names == ("x", "y")
    assert found.numbers[vocabulary.id("f0")] == 0
    assert found.unknown == 1
    assert set(np.delete(found.numbers, [vocabulary.id(f"f{digit}") for digit in range(10)])) <= {1}
    assert found.numbers[vocabulary.id("f3")] == 0  # f0, by its digits


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    made = generate(PhrasebookOptions(pairs=150, eval_sentences=12), Phrasebook.load())
    made.write(folder)
    for side, language in (("source", "zh"), ("target", "en")):
        text = (folder / f"train.{language}").read_text(encoding="utf-8")
        random_map(sorted(set(text.split())), 5, unknown=side == "target").save(folder / f"{side}.tsv")
    train_model(data(folder), folder / "hiero", options("hiero"))
    (folder / "hiero" / "train.align").rename(folder / "given.align")
    return folder


def data(folder: Path) -> TrainingData:
    links = folder / "given.align"
    return TrainingData(
        str(folder / "train.zh"),
        str(folder / "train.en"),
        str(links) if links.exists() else None,
        source_classes=str(folder / "source.tsv"),
        target_classes=str(folder / "target.tsv"),
    )


def options(kind: str, features: str = f"default,{TEMPLATES}") -> TrainOptions:
    rules = HieroOptions() if kind == "hiero" else PhraseOptions(max_length=3)
    parts = feature_parts(features, kind)
    if kind == "phrase":
        parts = tuple(part for part in parts if part.template != "reordering")
    return TrainOptions(lm=LmOptions(order=2), extract=ExtractOptions(rules), features=parts)


@pytest.mark.parametrize("kind", ["hiero", "phrase"])
def test_class_counts_of_translations_do_not_depend_on_segmentation(corpus, kind, tmp_path):
    """The counts of target classes are those of the words, whatever rules or phrases they came from."""
    train_model(data(corpus), tmp_path / "model", options(kind))
    model = TranslationModel.open(tmp_path / "model")
    classes = WordClasses.load(tmp_path / "model" / "classes.target.tsv")
    lines = (corpus / "dev.zh").read_text(encoding="utf-8").splitlines()
    lists = model.decoder().k_best([*lines, f"{lines[0]} never-seen"], 20)
    seen = 0
    for translations in lists:
        for each in translations:
            counted = Counter(
                f"target_class:{twin.spelled(classes.find(word) or '')}" for word in each.text.split()
            )
            fired = {
                name: value for name, value in each.named_features().items() if name.startswith("target_class:")
            }
            assert fired == counted
            seen += len(each.text.split())
    assert seen > 100


def test_the_maps_belong_to_the_model(corpus, tmp_path):
    folder = tmp_path / "model"
    train_model(data(corpus), folder, options("hiero"))
    assert read_system(folder).classes == {"source": "classes.source.tsv", "target": "classes.target.tsv"}
    model = TranslationModel.open(folder)
    before = str(model.signature(model.options()))
    assert all(step.why is None for step in plan_training(data(corpus), folder, options("hiero")))
    path = folder / "classes.source.tsv"
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("".join(f"{line}\n" for line in lines[:-1]), encoding="utf-8")
    model = TranslationModel.open(folder)
    assert str(model.signature(model.options())) != before
    path.write_text("a word without class\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"classes.source.tsv:1: expected word<TAB>class"):
        TranslationModel.open(folder)
    path.unlink()
    with pytest.raises(FormatError, match=r"system.toml:.*classes.source.tsv does not exist"):
        TranslationModel.open(folder)


def test_templates_without_a_map_are_refused_before_any_work(corpus, tmp_path):
    given = TrainingData(str(corpus / "train.zh"), str(corpus / "train.en"))
    with pytest.raises(ConfigError, match="'class_rule' needs classes of source words; name a map"):
        train_model(given, tmp_path / "model", options("hiero"))
    assert not (tmp_path / "model").exists()

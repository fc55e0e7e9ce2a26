"""Class language models: scores by hand, in every search, in lists; the file and its damage."""

import math
import random
from collections import Counter

import numpy as np
import pytest
from support.models import hiero_models, phrase_models, small_models
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.clustering import WordClasses
from tunesmith.decoding import HieroDecoder, LeftToRightDecoder, PhraseDecoder, TranslationModel
from tunesmith.errors import ConfigError, FormatError, TunesmithError
from tunesmith.lm import ClassModel, LmOptions, NgramModel, load_model
from tunesmith.search import CandidateSet
from tunesmith.search.list_features.base import add_features, make_feature
from tunesmith.weights import Weights

TEXT = ["the tea is hot", "a cup of tea", "the cup is 20 cm", "rare words here", "the tea of 1984 is old"]
CLASSES = {"the": "0", "a": "0", "tea": "n", "cup": "n", "is": "2", "of": "2", "hot": "3", "0000": "3", "00": "3"}
WITH_UNKNOWN = {**CLASSES, "<unk>": "n"}


def by_hand(classes: dict[str, str], line: str, order: int) -> float:
    """log10 p of a line, from a model of the class text and relative frequencies."""

    def entry(word: str) -> str:
        zeros = "".join("0" if digit in "0123456789" else digit for digit in word)
        return word if word in classes else zeros if zeros in classes else "<unk>"

    text = [" ".join(classes.get(entry(word), "<unk>") for word in each.split()) for each in TEXT]
    ngrams = NgramModel.train(text, LmOptions(order=order, special="unknown"))
    seen = Counter(entry(word) for each in TEXT for word in each.split())
    counts = {word: max(1, seen[word]) for word in classes}
    total = float(ngrams.score([" ".join(classes.get(entry(word), "<unk>") for word in line.split())]).log10[0])
    for word in map(entry, line.split()):
        if word in classes:
            of_class = sum(count for other, count in counts.items() if classes[other] == classes[word])
            total += math.log10(counts[word] / of_class)
    return total


@pytest.mark.parametrize("classes", [CLASSES, WITH_UNKNOWN])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_scores_are_those_by_hand(classes, order):
    model = ClassModel.train(TEXT, classes, LmOptions(order=order))
    lines = [*TEXT, "the 7777 cup", "nothing known at all 12345", ""]
    scores = model.score(lines)
    assert scores.log10 == pytest.approx([by_hand(classes, line, order) for line in lines], abs=1e-5)
    assert scores.words.tolist() == [len(line.split()) for line in lines]
    assert scores.unknown.tolist() == [0, 0, 1, 3, 1, 0, 5, 0]
    words = model.score_words(lines)
    assert words.offsets[-1] == len(words.log10) == sum(len(line.split()) + 1 for line in lines)


@pytest.mark.parametrize("classes", [CLASSES, WITH_UNKNOWN])
def test_probabilities_of_the_words_of_a_class_sum_to_one(classes):
    words = ClassModel.train(TEXT, classes, LmOptions(order=2)).words
    for name in set(classes.values()):
        shares = [10 ** words.find(word)[1] for word, label in classes.items() if label == name]
        assert sum(shares) == pytest.approx(1, abs=1e-6)


def test_the_core_reads_words_as_python_does():
    for classes in (CLASSES, WITH_UNKNOWN):
        model = ClassModel.train(TEXT, classes, LmOptions(order=1))
        lines = ["the", "1984", "0000", "19", "x7", "nothing", "７"]
        alone = model.score_words(lines, end=False).log10
        for line, log10 in zip(lines, alone, strict=True):
            number, share = model.words.find(line)
            ngram = model.ngram_model.score_ngrams(np.array([[number]], np.int32))[0]
            assert ngram + share == pytest.approx(log10, abs=1e-5)


SEARCHES = {
    "hiero": (hiero_models.small_model, HieroDecoder, hiero_models.ALL),
    "left-to-right": (hiero_models.left_to_right_model, LeftToRightDecoder, hiero_models.ALL_LEFT_TO_RIGHT),
    "phrase": (phrase_models.small_model, PhraseDecoder, phrase_models.ALL),
}


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("unknown", [True, False])
def test_every_search_has_the_value_of_the_whole_translation(search, unknown, tmp_path):
    """And, with a beam that holds everything, the best of all lists is found."""
    make, decoder_type, options = SEARCHES[search]
    for seed in range(3):
        small = make(tmp_path, seed, state_features=())
        rng = random.Random(seed)
        classes = {word: rng.choice("xy") for word in small_models.TARGET if rng.random() < 0.8}
        classes = {"A": "x", **classes, **({"<unk>": "y"} if unknown else {})}
        text = [" ".join(rng.choices(small_models.TARGET + "d", k=rng.randint(1, 6))) for _ in range(40)]
        model = ClassModel.train(text, classes, LmOptions(order=3))
        decoder = decoder_type(
            small.table, small.decoder.features, {"lm": small.lm, "lm2": model}, options=options, state_features={}
        )
        weights = {name: rng.uniform(-1, 1) for name in decoder.index}
        decoder.set_weights(Weights.from_mapping({**weights, "lm": 0.7, "lm2": 0.9}))
        for source in small_models.sentences(seed, 4, longest=4):
            found = decoder.k_best([" ".join(source)], 10_000)[0]
            for one in found:
                value = float(model.score([one.text]).log10[0]) * math.log(10)
                assert one.named_features().get("lm2", 0.0) == pytest.approx(value, abs=1e-3)
                total = sum(
                    decoder.weights[decoder.index.find(name)] * value
                    for name, value in one.named_features().items()
                )
                assert one.score == pytest.approx(total, abs=1e-3)
            graph = decoder.stream([" ".join(source)], graph=True)
            assert next(iter(graph)).best.score == pytest.approx(found[0].score, abs=1e-3)


def test_lists_have_the_values_of_the_model(tmp_path):
    model = ClassModel.train(TEXT, WITH_UNKNOWN, LmOptions(order=2))
    model.save(tmp_path / "classes.lm")
    texts = ["the tea", "cup never seen"]
    lists = CandidateSet.from_matrix([[1.0], [2.0]], [0, 2], texts=texts)
    added = add_features(lists, [make_feature(f"lm:path={tmp_path / 'classes.lm'},name=c")])
    columns = {added.features.name(at): at for at in range(added.columns)}
    scores, rows = model.score(texts), added.rows().toarray()
    assert rows[:, columns["c"]] == pytest.approx(scores.log10 * math.log(10), abs=1e-4)
    assert rows[:, columns["c:unknown"]].tolist() == scores.unknown.tolist() == [0, 2]


def test_a_saved_model_scores_the_same(tmp_path):
    model = ClassModel.train(TEXT, WITH_UNKNOWN, LmOptions(order=3))
    model.save(tmp_path / "classes.lm")
    again = load_model(tmp_path / "classes.lm")
    assert isinstance(again, ClassModel)
    assert (again.classes, again.counts, again.order) == (model.classes, model.counts, 3)
    assert again.score(TEXT).log10.tolist() == model.score(TEXT).log10.tolist()
    again.save(tmp_path / "again.lm")
    assert (tmp_path / "again.lm").read_bytes() == (tmp_path / "classes.lm").read_bytes()


def test_every_wrong_byte_is_found(tmp_path):
    path = tmp_path / "classes.lm"
    ClassModel.train(TEXT, CLASSES, LmOptions(order=2)).save(path)
    good = path.read_bytes()
    for at in random.Random(1).sample(range(len(good)), 150):
        path.write_bytes(good[:at] + bytes([good[at] ^ 4]) + good[at + 1 :])
        with pytest.raises(TunesmithError, match=r"classes\.lm"):
            ClassModel.load(path)
    for size in (0, 10, 25, 60, len(good) - 1):
        path.write_bytes(good[:size])
        with pytest.raises(FormatError, match=r"classes\.lm"):
            ClassModel.load(path)


@pytest.mark.parametrize("name", ["<s>", "</s>", "<unk>"])
def test_classes_with_names_of_special_words_are_refused(name):
    with pytest.raises(ConfigError, match="a class cannot be called"):
        ClassModel.train(TEXT, {"tea": name}, LmOptions(order=2))


def test_from_text_to_translations(tmp_path):
    """One command makes the model, another one takes it, `translate` scores with it."""
    run = CliRunner()

    def call(*words: object) -> str:
        result = run.invoke(app, [str(word) for word in words])
        assert result.exit_code == 0, result.output
        return result.stdout

    corpus = tmp_path / "corpus"
    call("phrasebook", "--pairs", 200, "-q", "-o", corpus)
    call(
        "classes", "train", corpus / "train.en", "--classes", 8, "--min-count", 2, "-q", "-o", tmp_path / "en.tsv"
    )
    lm = tmp_path / "classes.lm"
    call("lm", "train", "--classes", tmp_path / "en.tsv", "--order", 3, corpus / "train.en", "-q", "-o", lm)
    call("lm", "query", "-m", lm, corpus / "dev.en.0")
    call("check", lm)
    call(
        "train", "--kind", "phrase", "--source", corpus / "train.zh", "--target", corpus / "train.en",
        "--aligner", "fast_align", "--order", 2, "--more-lm", f"class:{lm}", "-q", "-o", tmp_path / "model",
    )  # fmt: skip
    model = TranslationModel.open(tmp_path / "model")
    assert isinstance(model.language_models["lm2"], ClassModel)
    classes = WordClasses.load(tmp_path / "en.tsv")
    assert model.language_models["lm2"].classes == dict(classes.items())
    line = (corpus / "dev.zh").read_text(encoding="utf-8").splitlines()[0]
    best = model.decoder().translate([line])[0]
    value = float(model.language_models["lm2"].score([best.text]).log10[0]) * math.log(10)
    assert best.named_features()["lm2"] == pytest.approx(value, abs=1e-3)
    wrong = run.invoke(
        app,
        [
            "train",
            "--source",
            "x",
            "--target",
            "y",
            "--more-lm",
            f"class:{tmp_path / 'en.tsv'}",
            "-o",
            str(tmp_path / "no"),
        ],
    )
    assert wrong.exit_code == 1
    assert "is not a class language model; make one with" in " ".join(wrong.output.split())

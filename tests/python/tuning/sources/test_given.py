"""Files, lines, lists, decoders and model directories are taken alike; a wrong type is one sentence."""

from pathlib import Path

import numpy as np
import pytest
from support.corpora.tea_corpus import write_pairs
from support.models.toy_decoder import ToyDecoder, toy_data
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.corpus.bitext import read_references
from tunesmith.corpus.given_text import lines_of, references_of
from tunesmith.corpus.vocab import Vocabulary
from tunesmith.decoding import load_decoder
from tunesmith.errors import ConfigError, MissingFileError
from tunesmith.lm.training import estimate
from tunesmith.metrics import Bleu, ChrF
from tunesmith.search import CandidateSet
from tunesmith.search.lists.bayes_risk import BayesRisk
from tunesmith.tuning import FileSource, KBestSource, Tuner, recipes, rerank
from tunesmith.tuning.sources.command import CommandSource, DecoderCommand
from tunesmith.weights import Weights

LINES, REFERENCES = toy_data()
DECODER = ToyDecoder()
LISTS = DECODER.k_best(LINES, 5)


@pytest.fixture
def files(tmp_path):
    """A source, two references and lists as files."""
    (tmp_path / "dev.zh").write_text("\n".join(LINES) + "\n")
    (tmp_path / "dev.en.0").write_text("\n".join(line for [line] in REFERENCES) + "\n")
    (tmp_path / "dev.en.1").write_text("\n".join(f"{line} again" for [line] in REFERENCES) + "\n")
    with (tmp_path / "dev.nbest").open("w") as out:
        for at in range(len(LISTS)):
            row = " ".join(f"f{i}={value}" for i, value in enumerate(LISTS.rows([at]).toarray()[0]))
            out.write(f"{LISTS.sentence_of[at]} ||| {LISTS.text(at)} ||| {row} ||| 0\n")
    return tmp_path


@pytest.fixture(scope="module")
def tiny_model(tmp_path_factory):
    """A model directory of a few sentence pairs."""
    folder = tmp_path_factory.mktemp("model")
    words = ["train", *write_pairs(folder), "--order", "2", "-q", "-o", str(folder / "model")]
    ended = CliRunner().invoke(app, words)
    assert ended.exit_code == 0, ended.output
    return folder / "model"


def test_references_are_files_or_texts_however_they_are_given(files):
    paths = [files / "dev.en.0", files / "dev.en.1"]
    read = read_references(paths)
    both = [tuple(each) for each in read.sentences]
    for given in (paths, [str(path) for path in paths], str(files / "dev.en.*"), read, read.sentences):
        assert [tuple(each) for each in references_of(given)] == both
    one = [(line,) for [line] in REFERENCES]
    for given in (paths[0], str(paths[0]), [paths[0]], [line for [line] in REFERENCES]):
        assert [tuple(each) for each in references_of(given)] == one
    assert list(lines_of(files / "dev.zh")) == list(lines_of(iter(LINES))) == LINES


def test_a_source_of_files_is_the_source_of_their_lines(files):
    given = KBestSource(ToyDecoder(), files / "dev.zh", str(files / "dev.en.0"), k=5)
    assert given.settings() == KBestSource(ToyDecoder(), LINES, REFERENCES, k=5).settings()


def test_lists_are_tuned_without_a_source(files):
    by_source = recipes.mira().fit(FileSource(LISTS, REFERENCES))
    measured = LISTS.with_statistics(Bleu().prepare(REFERENCES))
    records = [
        {"id": int(LISTS.sentence_of[at]), "hypothesis": LISTS.text(at),
         "features": dict(zip(LISTS.features, LISTS.rows([at]).toarray()[0], strict=True))}
        for at in range(len(LISTS))
    ]  # fmt: skip
    for fitted in (
        recipes.mira().fit(measured),
        recipes.mira().fit(LISTS, references=files / "dev.en.0"),
        recipes.mira().fit(files / "dev.nbest", references=[files / "dev.en.0"]),
        recipes.mira().fit(records, references=[line for [line] in REFERENCES]),
    ):
        assert dict(fitted.weights_.items()) == dict(by_source.weights_.items())


def test_start_weights_are_by_name_by_number_or_a_file(files):
    start = {"f0": 1.0, "f2": -0.5}
    Weights.from_mapping(start).write(files / "start.tsv")
    wanted = [1.0, 0.0, -0.5]
    for given in (start, Weights.from_mapping(start), files / "start.tsv", str(files / "start.tsv"), wanted):
        assert FileSource(LISTS, REFERENCES, start=given).start().tolist() == wanted
        assert KBestSource(ToyDecoder(), LINES, REFERENCES, start=given).start().tolist() == wanted
        assert recipes.mira().fit(LISTS, references=REFERENCES, start=given).history_[0].norm == pytest.approx(
            np.linalg.norm(wanted)
        )


def test_reranking_chooses_what_tuning_measured(files):
    tuner = recipes.mira().fit(LISTS, references=REFERENCES)
    tuner.weights_.write(files / "weights.tsv")
    chosen = rerank(files / "dev.nbest", files / "weights.tsv")
    assert chosen == rerank(LISTS, tuner.weights_)
    best = tuner.history_.best
    assert Bleu().corpus_score(chosen, files / "dev.en.0") == pytest.approx(best.score)
    gains = BayesRisk("chrf").expected_gains(LISTS, LISTS.scores(LISTS.features.vector(tuner.weights_)[0]))
    by_hand = [LISTS.text(max(LISTS.candidates_of(s), key=gains.__getitem__)) for s in range(LISTS.sentences)]
    assert rerank(LISTS, tuner.weights_, mbr=ChrF()) == by_hand


def test_a_model_directory_and_its_decoder_are_decoders(tiny_model):
    lines, weights = ["heute trinke ich kaffee", "der tee ist heiß"], []
    by_name = Weights.read(tiny_model / "weights.tsv")
    opened = load_decoder(tiny_model), load_decoder(tiny_model, dict(by_name))
    for decoder in (tiny_model, str(tiny_model), *opened):
        source = KBestSource(decoder, lines, ["i drink coffee today", "the tea is hot"], k=20)
        weights.append((source.settings(), recipes.mira().with_settings("rounds=1").fit(source).weights_))
    assert weights[0] == weights[1] == weights[2] == weights[3]
    assert "rules" in weights[0][0]["decoder"]  # the signature of the model, not the name of a class


NOT_LISTS = "candidates must be a CandidateSet, a file of n-best lists, or records"
WRONG = [
    (lambda: KBestSource(7, LINES, REFERENCES), "decoder must be a model directory, a decoder, or an object with"),
    (lambda: KBestSource(ToyDecoder, LINES, REFERENCES), "got the class ToyDecoder"),
    (lambda: KBestSource(ToyDecoder(), 7, REFERENCES), "lines must be a file or a list of lines, got int"),
    (lambda: KBestSource(ToyDecoder(), [LINES], REFERENCES), "lines must be .*, got a list with list"),
    (lambda: KBestSource(ToyDecoder(), LINES, None), "references must be files, or a list .*, got None"),
    (lambda: KBestSource(ToyDecoder(), LINES, [["a"], 7, *REFERENCES[2:]]), "got int for sentence 1"),
    (lambda: KBestSource(ToyDecoder(), LINES, [LINES]), r"a list for each sentence: list\(zip\(\*references\)\)"),
    (lambda: KBestSource(ToyDecoder(), LINES, ["dev.en.0", "dev.en.1"]), "dev.en.0: no such file"),
    (lambda: KBestSource(ToyDecoder(), "missing.zh", REFERENCES), "missing.zh: no such file"),
    (lambda: KBestSource(ToyDecoder(), LINES, "missing.en"), "missing.en: no such file"),
    (lambda: FileSource(7, REFERENCES), f"{NOT_LISTS}.*, got int"),
    (lambda: FileSource(CandidateSet, REFERENCES), f"{NOT_LISTS}.*, got the class CandidateSet"),
    (lambda: FileSource(LISTS, {"a": 1}), "references must be .*, got dict"),
    (lambda: CommandSource("moses", "dev.zh", REFERENCES), "decoder must be a DecoderCommand, got str"),
    (lambda: CommandSource(DecoderCommand("x {config} {source}", Path("t")), LINES, REFERENCES), "got list"),
    (lambda: recipes.mira().fit(LISTS), "these lists carry no statistics of a metric; give references"),
    (lambda: recipes.mira().fit(7), r"source must be a source such as KBestSource, or lists .*, got int"),
    (lambda: recipes.mira().fit(FileSource(LISTS, REFERENCES), references=REFERENCES), "FileSource has its own"),
    (
        lambda: recipes.mira().fit(LISTS, references=REFERENCES, start=object()),
        "start must be values by name",
    ),
    (lambda: Tuner("mira", None), "str is not a loss"),
    (lambda: Tuner(recipes.mira().loss, recipes.mira().optimizer, metric=Bleu), "got the class Bleu"),
    (lambda: Tuner(recipes.mira().loss, recipes.mira().optimizer, metric="blue"), "Did you mean 'bleu'"),
    (lambda: Bleu().prepare(7), "references must be files"),
    (lambda: ChrF().corpus_score(LINES, 7), "references must be files"),
    (lambda: Bleu().prepare(REFERENCES).statistics(7), "hypotheses must be a file or a list of lines, got int"),
    (lambda: BayesRisk("blue"), "Did you mean 'bleu'"),
    (lambda: rerank(7), f"{NOT_LISTS}.*, got int"),
    (lambda: rerank(LISTS, 7.5j), "weights must be values by name or number, or a file of them, got complex"),
    (lambda: rerank(LISTS, 7), "weights must be values by name or number, or a file of them, got int"),
    (lambda: rerank(LISTS, {"g": 1.0}), "no feature of these lists has a weight"),
    (lambda: rerank(LISTS, {"f0": 0.0}), "these weights cannot be used: no feature has a weight"),
    (lambda: rerank(LISTS, {"f0": "1"}), "weights must be numbers by name, got '1' for 'f0'"),
    (lambda: Weights(7), "weights must be values by name, got int"),
    (
        lambda: Bleu().corpus_score(["a"], ["a", "b"]),
        r"a: no such file; .* or a line for each sentence \(1 expected, 2 given\)",
    ),
    (lambda: rerank(["a", "b"]), f"{NOT_LISTS}.*, got a list with str"),
    (lambda: rerank([]), f"{NOT_LISTS}.*, got an empty list"),
    (lambda: KBestSource(ToyDecoder(), LINES, REFERENCES, k="5"), "k must be at least 1, got '5'"),
    (lambda: KBestSource(ToyDecoder(), LINES, REFERENCES, k=None), "k must be at least 1, got None"),
    (lambda: Tuner.from_recipe(7), r"recipe must be a recipe such as recipes.mira\(\), or its name, got int"),
    (lambda: Tuner.from_recipe("mirra"), "Did you mean 'mira'"),
    (lambda: load_decoder(7), "folder must be a model directory, got int"),
    (lambda: Vocabulary.build(7), "lines must be a file or a list of lines, got int"),
    (lambda: Vocabulary.build(["a", 7]), "lines must be a file or a list of lines, got a list with int"),
    (lambda: Vocabulary.build("missing.en"), "missing.en: no such file"),
    (lambda: estimate(["a", None]), "lines must be a file or a list of lines, got a list with None"),
]


@pytest.mark.parametrize(("call", "message"), WRONG, ids=range(len(WRONG)))
def test_a_wrong_type_is_one_sentence(call, message):
    with pytest.raises(ConfigError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, MissingFileError) == ("no such file" in message)


def test_a_string_is_a_file_never_a_list_of_characters(files):
    """`references="dev.en"` used to be one reference of a character for each letter of the name."""
    assert Bleu().corpus_score(str(files / "dev.en.0"), str(files / "dev.en.0")) == pytest.approx(100)
    one_each = Bleu().prepare([line for [line] in REFERENCES])
    assert one_each.counts.tolist() == [1] * len(LINES)


def test_what_is_no_candidate_set_is_found_where_it_is_made():
    class Wrong(ToyDecoder):
        def k_best(self, lines, k, *, threads=1):
            return ["a", "b"]

    with pytest.raises(ConfigError, match="k_best of Wrong must return a CandidateSet, got list"):
        recipes.mira().fit(KBestSource(Wrong(), LINES, REFERENCES))


def test_a_decoder_takes_lines_or_their_file(tiny_model, tmp_path):
    decoder, lines = load_decoder(tiny_model), ["heute trinke ich kaffee", "der tee ist heiß"]
    (tmp_path / "dev.de").write_text("\n".join(lines) + "\n")
    wanted = [each.text for each in decoder.translate(lines)]
    for given in (tmp_path / "dev.de", str(tmp_path / "dev.de"), iter(lines), tuple(lines)):
        assert [each.text for each in decoder.translate(given)] == wanted
    for given, message in ((7, "got int"), ([7], "got a list with int"), ("der tee", "der tee: no such file")):
        with pytest.raises(ConfigError, match=message):
            decoder.translate(given)
    assert len(Vocabulary.build(tmp_path / "dev.de")) == len(Vocabulary.build(lines))


def test_a_recipe_has_a_name():
    assert Tuner.from_recipe("mira").get_params() == Tuner.from_recipe(recipes.mira()).get_params()

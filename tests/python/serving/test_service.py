"""What is served is what the decoder gives: translations, lists, derivations; under any weights."""

import asyncio
import copy
import gc
import shutil
from pathlib import Path

import numpy as np
import pytest
from starlette.requests import ClientDisconnect

from tunesmith.corpus.text_processing import SideProcessing, TextProcessing
from tunesmith.errors import ConfigError, TunesmithError
from tunesmith.serving.app import _unless_gone
from tunesmith.serving.limits import Limits
from tunesmith.serving.messages import Item, RerankRequest, TranslateRequest
from tunesmith.serving.refusals import RefusedError
from tunesmith.serving.served_model import ServedModel
from tunesmith.serving.service import Service
from tunesmith.text_part import TextPart
from tunesmith.weights import Weights


@pytest.fixture
def files(opened, tmp_path):
    """Two files of weights: those of the model, and others."""
    start = opened.start_weights()
    changed = {name: value + 0.5 * (number % 3 - 1) for number, (name, value) in enumerate(start.items())}
    paths = {"start": tmp_path / "start.tsv", "other": tmp_path / "other.tsv"}
    start.write(paths["start"])
    Weights.from_mapping(changed).write(paths["other"])
    return paths


@pytest.fixture
def service(opened, files):
    return Service(ServedModel(opened, files, threads=2), threads=2)


@pytest.fixture
def ask(service):
    """Answers of the service, in the one event loop that it lives in."""
    loop = asyncio.new_event_loop()

    def asked(sentences, **options):
        request = TranslateRequest(list(sentences), **options)
        return loop.run_until_complete(service.translate(request)).translations

    yield asked
    loop.run_until_complete(service.close())
    loop.close()


def test_an_answer_that_fails_after_its_client_has_gone_is_not_reported():
    class Gone:
        async def receive(self):
            return {"type": "http.disconnect"}

    async def fails():
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            raise RefusedError(429, "busy") from None

    reported = []

    async def run():
        asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))
        with pytest.raises(ClientDisconnect):
            await _unless_gone(Gone(), fails())
        await asyncio.sleep(0)
        gc.collect()

    asyncio.run(run())
    assert reported == []


def test_translations_are_those_of_the_decoder_under_each_of_the_weights(ask, opened, files, lines):
    answers = {}
    for name, path in files.items():
        expected = [each.text for each in opened.decoder(Weights.read(path)).translate(lines)]
        answers[name] = [each.text for each in ask(lines, weights=name)]
        assert answers[name] == expected
    assert answers["start"] != answers["other"]
    assert [each.text for each in ask(lines)] == answers["start"]  # the first is the default


def test_lists_have_scores_that_are_weights_times_features(ask, opened, files, lines):
    weights = Weights.read(files["other"])
    expected = opened.decoder(weights).k_best(lines, 10, distinct=True)
    found = ask(lines, weights="other", nbest=10, distinct=True, features=True, alignment=True)
    for answer, decoding in zip(found, expected, strict=True):
        assert [each.text for each in answer.nbest] == [each.text for each in decoding]
        for each, translation in zip(answer.nbest, decoding, strict=True):
            assert sum(weights.get(name) * value for name, value in each.features.items()) == pytest.approx(
                each.score
            )
            assert each.alignment == translation.alignment


def test_an_explanation_adds_up_and_its_rules_are_a_tree_over_the_sentence(ask, lines):
    for answer, line in zip(ask(lines, explain=True), lines, strict=True):
        told = answer.explanation
        assert sum(each.score for each in told.contributions) == pytest.approx(answer.score, abs=1e-4)
        assert told.source == line.split()
        assert told.target == answer.text.split()
        assert told.derivation[0].parent == -1
        for at, step in enumerate(told.derivation[1:], start=1):
            parent = told.derivation[step.parent]
            assert step.parent < at
            assert parent.begin <= step.begin <= step.end <= parent.end


def test_changed_weights_are_those_of_one_request_alone(ask, opened, files, lines):
    weights = dict(Weights.read(files["start"]).items())
    before = [each.text for each in ask(lines)]
    changes = {"lm": 0.1, "word_penalty": -2.0}
    expected = [
        each.text for each in opened.decoder(Weights.from_mapping({**weights, **changes})).translate(lines)
    ]
    assert [each.text for each in ask(lines, changes=changes)] == expected
    assert expected != before
    assert [each.text for each in ask(lines)] == before
    assert [each.text for each in ask(lines, changes={"lm": weights["lm"]})] == before


def test_weights_are_read_again_and_stay_where_a_file_is_damaged(service, ask, files, lines):
    other = [each.text for each in ask(lines, weights="other")]
    shutil.copy(files["other"], files["start"])
    assert service.model.reload() == ["start", "other"]
    assert [each.text for each in ask(lines)] == other
    files["start"].write_text("lm\tnot a number\n")
    with pytest.raises(TunesmithError, match=r"start\.tsv:1"):
        service.model.reload()
    files["start"].write_text("nothing_of_this_model\t1\n")
    with pytest.raises(ConfigError, match="no weight other than 0"):
        service.model.reload()
    assert [each.text for each in ask(lines)] == other


def test_ranking_is_by_weights_times_features_and_stable(service):
    lists = [[Item("a", {"lm": 1.0}), Item("b", {"lm": 1.0}), Item("c", {"lm": 2.0, "of mine": 5.0})], []]
    ranked = service.rerank(RerankRequest(lists, {"lm": 1.0, "of mine": -3.0})).lists
    assert [(each.text, each.rank) for each in ranked[0]] == [("a", 0), ("b", 1), ("c", 2)]
    assert ranked[1] == []
    lm = service.model.scores_of("start")["lm"]
    assert service.rerank(RerankRequest(lists)).lists[0][0].score == pytest.approx(2 * lm)


@pytest.mark.parametrize(
    ("request_", "status", "words"),
    [
        (TranslateRequest(["a"] * 4), 413, "4 sentences; a request may have at most 3"),
        (TranslateRequest(["a b c d e f"]), 413, "6 words; at most 5"),
        (TranslateRequest(["x" * 1000]), 413, "1000 characters; at most 500"),
        (TranslateRequest(["a"] * 3, nbest=1000), 413, "3 lists of 1000 translations; at most 2000"),
        (TranslateRequest(["a\nb"]), 400, "line break"),
        (TranslateRequest(["a"], weights="no"), 404, "served: start, other"),
        (TranslateRequest(["a"], changes={"no such": 1.0}), 400, "no feature 'no such'"),
        (TranslateRequest(["a"], changes={"lm": float("nan")}), 400, "finite"),
    ],
)
def test_what_exceeds_a_limit_is_refused_in_words(opened, files, request_, status, words):
    service = Service(ServedModel(opened, files), Limits(words=5, sentences=3, waiting=2000))
    with pytest.raises(RefusedError, match=words) as refused:
        asyncio.run(service.translate(request_))
    assert refused.value.status == status


def test_raw_text_is_counted_in_the_tokens_that_it_becomes(opened, files, lines):
    """A model that splits its input into characters."""
    raw = copy.copy(opened)
    characters = SideProcessing(TextPart("char"), Path())
    vars(raw)["text"] = TextProcessing(characters, SideProcessing(TextPart(), Path()))
    service = Service(ServedModel(raw, files), Limits(words=5))

    async def ask(sentence, **options):
        return (await service.translate(TranslateRequest([sentence], explain=True, **options))).translations[0]

    line = lines[0].replace(" ", "")[:5]
    assert asyncio.run(ask(line)).explanation.source == list(line)
    with pytest.raises(RefusedError, match="sentence 0 has 6 words; at most 5"):
        asyncio.run(ask("我要喝茶好吗"))
    with pytest.raises(RefusedError, match="sentence 0 has 6 words; at most 5"):
        asyncio.run(ask("a b c d e f", tokenized=True))


def test_dead_weights_are_not_served(opened, tmp_path):
    path = tmp_path / "dead.tsv"
    Weights.from_mapping({"of another model": 1.0}).write(path)
    with pytest.raises(ConfigError, match="all translations score alike"):
        ServedModel(opened, {"dead": path})


def test_scores_that_are_not_finite_are_refused(service):
    with pytest.raises(RefusedError, match="finite"):
        service.rerank(RerankRequest([[Item("a", {"lm": 1e308, "x": 1e308})]], {"lm": 1.0, "x": 1.0}))


def test_described_weights_are_those_of_the_files(service, files):
    described = service.describe()
    assert [each.name for each in described.weights] == ["start", "other"]
    for each in described.weights:
        read = Weights.read(files[each.name])
        assert each.dense == {name: read[name] for name in each.dense}
        assert each.active == np.count_nonzero(read.array)

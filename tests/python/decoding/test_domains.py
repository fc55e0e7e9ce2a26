"""Copies of features for each domain: w + w_m in the search, copies among the features of candidates."""

import dataclasses
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import sparse

from tunesmith.alignment.aligner import AlignerOptions
from tunesmith.corpus.phrasebook import PhrasebookOptions, generate
from tunesmith.decoding import ListDecoder
from tunesmith.decoding.bayes_risk import least_risk
from tunesmith.decoding.model import TranslationModel
from tunesmith.errors import ConfigError, FormatError
from tunesmith.features.domains import Domains, copy_name, original_name
from tunesmith.grammar.options import ExtractOptions, PhraseOptions
from tunesmith.lm import LmOptions
from tunesmith.search import CandidateSet, PlainMatrix
from tunesmith.search.graphs.graph_bayes_risk import GraphBayesRisk
from tunesmith.serving.refusals import RefusedError
from tunesmith.serving.served_model import MODEL_WEIGHTS, ServedModel, Wanted
from tunesmith.training.options import TrainingData, TrainOptions
from tunesmith.training.start import feature_parts
from tunesmith.training.train import train_model
from tunesmith.tuning import FileSource, recipes
from tunesmith.weights import Weights

COPIES = "domains:names=news/web,templates=lexical_rule/word_penalty/signed_distortion"


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A phrase-based model with features of rules and of the search, and text to decode."""
    folder = tmp_path_factory.mktemp("domains")
    corpus = generate(PhrasebookOptions(pairs=150, eval_sentences=12))
    corpus.write(folder / "text")
    features = feature_parts("small,unknown,lexical_rule:more_than=0,signed_distortion," + COPIES, "phrase")
    options = TrainOptions(
        AlignerOptions("hmm"), LmOptions(order=2), ExtractOptions(rules=PhraseOptions()), features
    )
    train_model(TrainingData(folder / "text/train.zh", folder / "text/train.en"), folder / "model", options)
    return TranslationModel.open(folder / "model"), [each.source for each in corpus.dev]


def variant(model, domains=None):
    """The same model with other domains, or none."""
    features = [part for part in model.system.features if part.template != "domains"]
    if domains is not None:
        features += feature_parts(domains, "phrase")
    changed = dataclasses.replace(model, system=dataclasses.replace(model.system, features=tuple(features)))
    return changed.with_own_names()


def random_weights(model, lines, seed=1):
    """Weights of a plain model and of the copies of two domains, for all features that these lines meet."""
    decoder = model.decoder()
    decoder.candidate_arrays(["web\t" + line for line in lines] + ["news\t" + line for line in lines], 20)
    random = np.random.default_rng(seed)
    start = dict(model.start_weights().items())
    return {name: start.get(name, 0.0) + 0.3 * random.standard_normal() for name in decoder.index}


def added(weights, domain):
    """w + w_m by name."""
    found = {name: value for name, value in weights.items() if original_name(name) is None}
    for name, value in weights.items():
        parts = original_name(name)
        if parts is not None and parts[1] == domain:
            found[parts[0]] += value
    return found


def test_names_of_copies():
    assert copy_name("lexical_rule:a@b|c", "web") == "lexical_rule@web:a@b|c"
    assert copy_name("lm", "web") == "lm@web"
    assert original_name("lexical_rule@web:a@b|c") == ("lexical_rule:a@b|c", "web")
    assert original_name("lexical_rule:a@b|c") is None


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("domain", ["news", "web"])
def test_a_label_is_the_plain_model_with_the_sum_of_weights(trained, domain, threads):
    model, lines = trained
    weights = random_weights(variant(model, COPIES), lines)
    copies = variant(model, COPIES).decoder(Weights.from_mapping(weights))
    plain = variant(model).decoder(Weights.from_mapping(added(weights, domain)))
    assert copies.unknown_weights == plain.unknown_weights == []
    found = copies.k_best([f"{domain}\t{line}" for line in lines], 20, threads=threads)
    wanted = plain.k_best(lines, 20)
    assert [[one.text for one in each] for each in found] == [[one.text for one in each] for each in wanted]
    assert [[one.score for one in each] for each in found] == [[one.score for one in each] for each in wanted]


def test_candidates_have_the_values_of_their_copies(trained):
    """X·w of the lists is the score of the search, which has w + w_m; copies of other domains are 0."""
    model, lines = trained
    labels = [("news", "web")[at % 2] for at in range(len(lines))]
    weights = random_weights(variant(model, COPIES), lines)
    decoder = variant(model, COPIES).decoder(Weights.from_mapping(weights))
    given = [f"{label}\t{line}" for label, line in zip(labels, lines, strict=True)]
    found = ListDecoder(decoder).k_best(given, 10)
    vector = np.pad(decoder.weights, (0, max(0, found.columns - len(decoder.weights))))
    np.testing.assert_allclose(found.rows() @ vector[: found.columns], found.model_scores, rtol=1e-5, atol=1e-4)
    rows = found.rows().toarray()
    for at, name in enumerate(list(decoder.index)[: found.columns]):
        parts = original_name(name)
        if parts is None:
            continue
        own = np.array([labels[sentence] == parts[1] for sentence in found.sentence_of])
        np.testing.assert_array_equal(rows[own, at], rows[own, decoder.index.find(parts[0])])
        assert not rows[~own, at].any()


def test_tuning_with_one_domain_is_tuning_with_doubled_features(trained):
    model, lines = trained
    one = variant(model, "domains:names=all,templates=lexical_rule/signed_distortion").decoder()
    copied = ListDecoder(one).k_best([f"all\t{line}" for line in lines], 20)
    plain = variant(model).decoder()
    lists = ListDecoder(plain).k_best(lines, 20)
    names = list(plain.index)[: lists.columns]
    twice = [at for at, name in enumerate(names) if name.startswith(("lexical_rule:", "signed_distortion:"))]
    rows = lists.rows()
    doubled = CandidateSet(
        PlainMatrix.from_csr(sparse.hstack([rows, rows[:, twice]]).tocsr()),
        lists.offsets,
        features=[*names, *(copy_name(names[at], "all") for at in twice)],
        words=lists.words,
        model_scores=lists.model_scores,
    )
    references = [(lists.text(int(lists.offsets[at + 1]) - 1),) for at in range(len(lines))]  # the worst of each
    found = []
    for each in (copied, doubled):
        learnt = recipes.mira().fit(FileSource(each, references)).weights_
        found.append({name: value for name, value in learnt.items() if value})
    assert found[0] == pytest.approx(found[1], abs=1e-6)
    assert any("@all" in name for name in found[0])


def test_numbers_of_copies_do_not_depend_on_threads(trained):
    model, lines = trained
    names = []
    for threads in (1, 2):
        decoder = variant(model, COPIES).decoder()
        decoder.candidate_arrays(
            [f"{('web', 'news')[len(line) % 2]}\t{line}" for line in lines * 6], 5, threads=threads
        )
        names.append(list(decoder.index))
    assert names[0] == names[1]
    assert any(name.startswith("lexical_rule@web:") for name in names[0])


def test_changing_some_weights_equals_setting_all(trained):
    model, lines = trained
    weights = random_weights(variant(model, COPIES), lines)
    given = [f"{('news', 'web')[at % 2]}\t{line}" for at, line in enumerate(lines)]
    one = variant(model, COPIES).decoder(Weights.from_mapping(weights))
    vector = one.weights
    random = np.random.default_rng(2)
    ids = random.choice(len(vector), len(vector) // 2, replace=False)
    vector[ids] += random.standard_normal(len(ids))
    one.update_weights(ids, vector[ids])
    np.testing.assert_array_equal(one.weights, vector)
    updated = [each.best.score for each in one.stream(given)]
    one.set_weights(vector)
    assert [each.best.score for each in one.stream(given)] == updated


def test_translations_have_the_values_of_their_copies(trained):
    """So that explanations and served answers add up to the score."""
    model, lines = trained
    decoder = variant(model, COPIES).decoder(Weights.from_mapping(random_weights(variant(model, COPIES), lines)))
    weights = decoder.weights
    for label in ("news", "web"):
        for each in decoder.stream([f"{label}\t{line}" for line in lines[:4]]):
            found = each.best.feature_values()
            assert sum(weights[at] * value for at, value in found.items()) == pytest.approx(each.best.score, 1e-4)
            copies = {(original_name(name) or ("", ""))[1] for name in each.best.named_features()}
            assert copies == {"", label}


def test_least_risk_of_a_domain_is_that_of_the_plain_model(trained):
    model, lines = trained
    weights = random_weights(variant(model, COPIES), lines)
    decoder = variant(model, COPIES).decoder(Weights.from_mapping(weights))
    mixed = [f"{('news', 'web')[at % 2]}\t{line}" for at, line in enumerate(lines)]
    found = [each.best.text for each in least_risk(decoder, mixed, GraphBayesRisk())]
    for at, label in enumerate(("news", "web")):
        plain = variant(model).decoder(Weights.from_mapping(added(weights, label)))
        assert found[at::2] == [each.best.text for each in least_risk(plain, lines[at::2], GraphBayesRisk())]


def test_a_served_model_takes_labels(trained):
    model, lines = trained
    weights = Weights.from_mapping(random_weights(variant(model, COPIES), lines))
    plain, copies = ServedModel(variant(model)), variant(model, COPIES)
    served = ServedModel(copies)
    served._decoders[MODEL_WEIGHTS].set_weights(weights)
    wanted = copies.decoder(weights)
    assert (served.domains, plain.domains) == (["news", "web"], None)
    for label in ("news", "web"):
        served.check_label(label)
        answers = served.decode(Wanted(MODEL_WEIGHTS, label=label, explain=True), lines[:3])
        assert [each.text for each in answers] == [
            each.text for each in wanted.translate([f"{label}\t{line}" for line in lines[:3]])
        ]
        for each in answers:
            assert sum(one.score for one in each.explanation.contributions) == pytest.approx(each.score, 1e-4)
    plain.check_label("")
    for model_of, label in ((served, ""), (served, "sport"), (plain, "web")):
        with pytest.raises(RefusedError, match="label: "):
            model_of.check_label(label)


@pytest.mark.parametrize("value", [1.7e20, -0.9e20])
def test_weights_that_are_refused_change_nothing(trained, value):
    """w + w_m may be too large where neither is; the weights of other domains stay too."""
    model, lines = trained
    weights = {**random_weights(variant(model, COPIES), lines), "word_penalty": -0.6e20}
    decoder = variant(model, COPIES).decoder(Weights.from_mapping(weights))
    before = decoder.weights
    scores = [each.best.score for each in decoder.stream([f"news\t{line}" for line in lines])]
    number = decoder.index.find("word_penalty@web")
    for refused in (
        lambda: decoder.update_weights([decoder.index.find("lm"), number], [7.0, value]),
        lambda: decoder.set_weights(Weights.from_mapping({**weights, "lm": 7.0, "word_penalty@web": value})),
        lambda: decoder.update_weights([number], [np.nan]),
    ):
        with pytest.raises(ConfigError, match=r"beyond ±1e20|not a finite number"):
            refused()
        np.testing.assert_array_equal(decoder.weights[: len(before)], before)
        assert [each.best.score for each in decoder.stream([f"news\t{line}" for line in lines])] == scores


def test_threads_of_python_share_a_decoder(trained):
    """Each copy has one number, and scores are those of one thread."""
    model, lines = trained
    decoder = variant(model, COPIES).decoder()
    given = [[f"{label}\t{line}" for line in lines] for label in ("news", "web")] * 3
    with ThreadPoolExecutor(6) as threads:
        found = list(threads.map(lambda each: ListDecoder(decoder).k_best(each, 5), given))
    names = list(decoder.index)
    assert len(set(names)) == len(names)
    alone = variant(model, COPIES).decoder()
    for text, lists in zip(given, found, strict=True):
        wanted = ListDecoder(alone).k_best(text, 5)
        assert lists.model_scores == pytest.approx(wanted.model_scores)
        sums = []
        for candidates, index in ((lists, decoder.index), (wanted, alone.index)):
            values = np.asarray(candidates.rows().sum(axis=0)).ravel().tolist()
            sums.append({index.name(at): value for at, value in enumerate(values) if value})
        assert sums[0] == pytest.approx(sums[1])


def test_the_default_domain_has_no_copies(trained):
    model, lines = trained
    decoder = variant(model, COPIES + ",default=news").decoder()
    decoder.candidate_arrays([f"{label}\t{line}" for label in ("news", "web") for line in lines], 5)
    assert not [name for name in decoder.index if (original_name(name) or ("", ""))[1] == "news"]
    assert [name for name in decoder.index if (original_name(name) or ("", ""))[1] == "web"]


def test_unknown_and_missing_labels(trained):
    decoder = variant(trained[0], COPIES).decoder()
    with pytest.raises(ConfigError, match=r"the label 'sport' is not a domain of this model; it has news, web"):
        decoder.translate(["sport\t我"])
    with pytest.raises(FormatError, match=r"a line without a label; this model has the domains news, web"):
        decoder.translate(["我"])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"names": "a b/c"}, "is not the name of a domain"),
        ({"names": "a/a"}, "named twice"),
        ({"names": "a//b"}, "is not the name of a domain"),
    ],
)
def test_names_that_cannot_be(settings, message):
    with pytest.raises(ConfigError, match=message):
        Domains(**settings)


def test_domains_come_from_labels_of_training_pairs():
    assert Domains().known(["news", "web"]) == ("news", "web")
    with pytest.raises(ConfigError, match="which ones"):
        Domains().known([])
    with pytest.raises(ConfigError, match="default must be one of a, b, got 'c'"):
        Domains("a/b", default="c").known([])


def test_templates_that_the_model_has_not(trained):
    with pytest.raises(ConfigError, match="copies of 'id', which is not a template of this model"):
        variant(trained[0], "domains:names=a/b,templates=id").decoder()

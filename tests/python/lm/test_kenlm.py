"""Queries against KenLM (kenlm 0.3.0 on PyPI) on the same ARPA file: probabilities, lengths, OOVs, states."""

import gzip
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.models.lm_text import WORDS, lines, random_lines, read_gz

from tunesmith.io import read_lines
from tunesmith.lm import LmOptions, NgramModel, estimate

kenlm = pytest.importorskip("kenlm", reason="kenlm is the judge here; it cannot be had for this Python")

CORPORA = ("zh-en", "fr-en", "en-fr", "multi30k-de-en", "multi30k-fr-en", "software-fr-en")
EVALUATION_SETS = ("dev.*", "devtest.*", "test.*", "val.*", "test_2016_flickr.*")


def load_kenlm(path) -> kenlm.Model:
    config = kenlm.Config()
    config.show_progress = False
    config.arpa_complain = kenlm.ARPALoadComplain.NONE
    return kenlm.Model(str(path), config)


def both(path, text, **options) -> tuple[NgramModel, kenlm.Model]:
    estimate(text, LmOptions(**options)).write_arpa(path)
    return NgramModel.load(path), load_kenlm(path)


def check_words(ours: NgramModel, theirs: kenlm.Model, sentences: list[str], begin=True, end=True) -> None:
    """Every word: the same float, the same length, unknown or not."""
    scores = ours.score_words(sentences, begin=begin, end=end)
    expected = [word for line in sentences for word in theirs.full_scores(line, bos=begin, eos=end)]
    assert [(p, n, unknown) for p, n, unknown in expected] == list(
        zip(scores.log10.tolist(), scores.length.tolist(), (scores.ids == 0).tolist(), strict=True)
    )
    totals = ours.score(sentences, begin=begin, end=end)
    assert totals.log10 == pytest.approx(
        [theirs.score(x, bos=begin, eos=end) for x in sentences], rel=1e-5, abs=1e-5
    )


def check_states(ours: NgramModel, theirs: kenlm.Model, histories: list[list[str]], begin: bool) -> None:
    """Two histories have equal states for us iff they have for KenLM."""
    of_ours: dict[object, int] = {}  # state → number of its class
    of_theirs: dict[object, int] = {}
    for history in histories:
        mine = ours.begin() if begin else type(ours.begin())()
        for word in ours.ids(history):
            mine = ours.step(mine, int(word))[2]
        theirs_now = kenlm_state(theirs, history, begin)
        of_ours.setdefault(mine, len(of_ours))
        of_theirs.setdefault(theirs_now, len(of_theirs))
        assert of_ours[mine] == of_theirs[theirs_now], history


def kenlm_state(model: kenlm.Model, history: list[str], begin: bool) -> kenlm.State:
    state = kenlm.State()
    (model.BeginSentenceWrite if begin else model.NullContextWrite)(state)
    for word in history:
        out = kenlm.State()
        model.BaseScore(state, word, out)
        state = out
    return state


@given(text=lines, sentences=lines, order=st.integers(2, 6))
@settings(max_examples=60, deadline=None)
def test_every_word_of_tiny_models(tmp_path_factory, text, sentences, order):
    ours, theirs = both(tmp_path_factory.getbasetemp() / "tiny.arpa", text, order=order)
    check_words(ours, theirs, [*sentences, "unseen a unseen b", "</s> a", "a <unk> <s> b"])
    check_words(ours, theirs, sentences, begin=False, end=False)


@pytest.mark.parametrize("order", range(2, 7))
@pytest.mark.parametrize(
    "options", [{}, {"prune": (0, 1)}, {"vocab_limit": 25}], ids=["full", "pruned", "limited"]
)
def test_words_and_states(tmp_path, order, options):
    ours, theirs = both(tmp_path / "lm.arpa", random_lines(600, 60, seed=order), order=order, **options)
    rng = random.Random(order)
    sentences = random_lines(300, 70, seed=100 + order)
    check_words(ours, theirs, sentences)
    histories = [rng.choice(sentences).split()[: rng.randint(0, 7)] for _ in range(400)]
    histories += [rng.choices(["w0", "w1", "w2", "w3", "w9", "unseen"], k=rng.randint(0, 6)) for _ in range(400)]
    for begin in (True, False):
        check_states(ours, theirs, histories, begin)


@given(text=lines, order=st.integers(2, 6), histories=st.lists(st.lists(st.sampled_from(WORDS), max_size=7)))
@settings(max_examples=40, deadline=None)
def test_states_of_tiny_models(tmp_path_factory, text, order, histories):
    ours, theirs = both(tmp_path_factory.getbasetemp() / "tiny.arpa", text, order=order)
    check_states(ours, theirs, histories, begin=True)


def test_forgotten_context_gives_the_same_probability(tmp_path):
    ours, theirs = both(tmp_path / "lm.arpa", random_lines(600, 60, seed=1), order=4)
    rng = np.random.default_rng(1)
    rows = rng.integers(0, len(ours), size=(500, 5), dtype=np.int32)
    words = ours.vocabulary
    for row, seen in zip(rows.tolist(), ours.score_ngrams(rows).tolist(), strict=True):
        text = " ".join(words[id] for id in row)
        *_, (expected, _, _) = theirs.full_scores(text, bos=False, eos=False)
        # KenLM sums back-offs in the same order; contexts longer than the model are cut by both.
        assert seen == pytest.approx(expected, abs=1e-6)


def test_several_models_at_once(tmp_path):
    small, of_small = both(tmp_path / "a.arpa", ["a b c", "b c"], order=2)
    large, of_large = both(tmp_path / "b.arpa", ["c b a", "x a"], order=3)
    # Word by word in turns; the reference of each never sees the other model.
    for line in ("a b c", "x a b", "c b a unseen b"):
        models, states, seen = (small, large), [small.begin(), large.begin()], ([], [])
        for word in [*line.split(), "</s>"]:
            for at, model in enumerate(models):
                log10, length, states[at] = model.step(states[at], int(model.ids([word])[0]))
                seen[at].append((log10, length))
        for scores, reference in zip(seen, (of_small, of_large), strict=True):
            assert scores == [(p, n) for p, n, _ in reference.full_scores(line)]
        assert seen[0] != seen[1]
    assert small.ids(["c", "x"]).tolist() == [5, 0]
    assert large.ids(["c", "x"]).tolist() == [3, 6]


@pytest.fixture(scope="module", params=[3, 5])
def reference_model(request, shared, tmp_path_factory):
    """The model of lmplz, plain for both readers."""
    path = tmp_path_factory.mktemp("lm") / f"o{request.param}.arpa"
    path.write_bytes(gzip.decompress((shared / f"reference/lm/zh-en.o{request.param}.arpa.gz").read_bytes()))
    return NgramModel.load(path), load_kenlm(path)


@pytest.mark.parametrize("corpus", CORPORA)
def test_every_sentence_of_all_evaluation_sets(shared, reference_model, corpus):
    ours, theirs = reference_model
    folder = shared / "data" / corpus
    files = sorted(path for name in EVALUATION_SETS for path in folder.glob(name) if path.suffix != ".nrefs")
    assert len(files) >= 4
    sentences = list(dict.fromkeys(line for path in files for line in read_lines(path)))
    check_words(ours, theirs, sentences)


def test_states_on_real_text(shared, reference_model):
    ours, theirs = reference_model
    histories = [line.split()[: 1 + at % 9] for at, line in enumerate(read_lines(shared / "data/zh-en/test.en.0"))]
    check_states(ours, theirs, histories, begin=True)


@pytest.mark.parametrize("order", [2, 4, 6])
def test_models_of_other_orders_on_real_text(shared, tmp_path, order):
    text = read_gz(shared / "data/zh-en/train.en.gz")
    ours, theirs = both(tmp_path / "lm.arpa", text, order=order)
    sentences = read_lines(shared / "data/zh-en/test.en.0")
    check_words(ours, theirs, sentences)
    for begin in (True, False):
        check_states(ours, theirs, [line.split()[: 1 + at % 9] for at, line in enumerate(sentences)], begin)

"""Forced decoding against every segmentation of both sentences, and tables that are estimated from it."""

import math

import numpy as np
import pytest
from reference.forced_decoding import derivations, jumped
from support.corpora.tiny_corpora import tiny_corpus, without
from typer.testing import CliRunner

from tunesmith.alignment import write_alignments
from tunesmith.cli.main import app
from tunesmith.corpus.bitext import Bitext
from tunesmith.decoding import TranslationModel
from tunesmith.decoding.forced import ForcedOptions, force
from tunesmith.decoding.forced_table import derivation_counts, force_rules
from tunesmith.errors import ConfigError
from tunesmith.grammar import ExtractOptions, PhraseOptions, RuleTable, ScoreOptions, find_leave_one_out_counts
from tunesmith.training.options import TrainingData, TrainOptions
from tunesmith.training.start import feature_parts
from tunesmith.training.train import train_model
from tunesmith.weights import Weights

WEIGHTS = {"translation:p(e|f)": 0.7, "translation:p(f|e)": 0.4, "translation:lex(e|f)": 0.3, "rule_penalty": 0.2,
           "word_penalty": -0.3, "distortion": 0.25, "lm": 0.5}  # fmt: skip
CHANGED = ("translation:p(e|f)", "translation:p(f|e)")


def model_of(folder, corpus, *, single_words=False):
    folder.mkdir()
    bitext, alignments = corpus
    (folder / "f").write_text("".join(f"{line}\n" for line in bitext.source))
    (folder / "e").write_text("".join(f"{line}\n" for line in bitext.target))
    write_alignments(folder / "a", alignments)
    options = TrainOptions(
        extract=ExtractOptions(PhraseOptions(3), ScoreOptions(single_words=single_words)),
        features=feature_parts("translation,word_penalty,rule_penalty,distortion", "phrase"),
    )
    train_model(TrainingData(folder / "f", folder / "e", alignment=folder / "a"), folder / "model", options)
    return TranslationModel.open(folder / "model")


def rules_of(table):
    return {(rule.source, rule.target): at for at, rule in enumerate(table)}


def scores_of(model):
    """The local score of each rule."""
    vector = model.decoder(Weights.from_mapping(WEIGHTS)).weights
    return model.features.scores(vector)


def best_of(model, source, target, scores, limit):
    """The score of the best derivation, None without any."""
    found = [
        sum(scores[rule] for rule, _, _ in steps) - WEIGHTS["distortion"] * jumped(steps)
        for steps in derivations(rules_of(model.table), source.split(), target.split(), limit)
    ]
    return max(found, default=None)


def steps_of(found, pair):
    at = slice(found.offsets[pair], found.offsets[pair + 1])
    return tuple(zip(found.rules[at].tolist(), found.begins[at].tolist(), found.ends[at].tolist(), strict=True))


@pytest.mark.parametrize("limit", [0, 1, 2, 5])
@pytest.mark.parametrize("seed", range(3))
def test_the_best_derivation_is_that_of_all_segmentations(seed, limit, tmp_path):
    corpus = tiny_corpus(seed, 12, 6)
    model = model_of(tmp_path / "all", corpus)
    model.system.decoder["distortion_limit"] = limit
    others = tiny_corpus(seed + 100, 12, 6)[0]
    bitext = Bitext([*corpus[0].source, *others.source], [*corpus[0].target, *others.target])
    found = force(model, bitext, Weights.from_mapping(WEIGHTS))
    scores, rules, reached = scores_of(model), rules_of(model.table), 0
    for pair, (source, target) in enumerate(bitext):
        wanted = best_of(model, source, target, scores, limit)
        assert found.reached[pair] == (wanted is not None)
        if wanted is None:
            continue
        reached += 1
        assert found.scores[pair] == pytest.approx(wanted, abs=1e-5)
        assert steps_of(found, pair) in set(derivations(rules, source.split(), target.split(), limit))
    assert reached > 5


@pytest.mark.parametrize("seed", range(3))
def test_without_own_phrase_pairs_it_is_the_model_that_never_saw_the_pair(seed, tmp_path):
    corpus = tiny_corpus(seed, 8, 5)
    model = model_of(tmp_path / "all", corpus)
    own = find_leave_one_out_counts(model.table, *corpus, tmp_path / "own")
    weights = {name: value for name, value in WEIGHTS.items() if not name.startswith("translation:lex")}
    found = force(
        model, corpus[0], Weights.from_mapping(weights), leave_one_out=own, options=ForcedOptions(own=None)
    )
    changed = 0
    for pair, (source, target) in enumerate(corpus[0]):
        other = model_of(tmp_path / f"without{pair}", without(corpus, pair))
        wanted = force(other, Bitext([source], [target]), Weights.from_mapping(weights))
        assert found.reached[pair] == wanted.reached[0]
        assert found.scores[pair] == pytest.approx(wanted.scores[0], abs=1e-4)
        changed += not found.reached[pair]
    assert 0 < changed < len(corpus[0])


def test_own_phrase_pairs_are_scored_by_their_length(tmp_path):
    """Wuebker et al. (2010, section 4.2): both relative frequencies are β to the number of words."""
    corpus = tiny_corpus(1, 8, 5)
    model = model_of(tmp_path / "all", corpus)
    own = find_leave_one_out_counts(model.table, *corpus, tmp_path / "own")
    table, names = model.table, model.table.score_names
    found = force(
        model, corpus[0], Weights.from_mapping(WEIGHTS), leave_one_out=own, options=ForcedOptions(own=-2.0)
    )
    plain, used = scores_of(model), 0
    for pair, (source, target) in enumerate(corpus[0]):
        scores = plain.copy()
        counts = own.of(pair)
        sides = {side: sum(count for rule, count in counts.items() if table[rule].source == side)
                 for side in {rule.source for rule in table}}  # fmt: skip
        targets = {side: sum(count for rule, count in counts.items() if table[rule].target == side)
                   for side in {rule.target for rule in table}}  # fmt: skip
        for number, rule in enumerate(table):
            left = rule.joint - counts.get(number, 0.0)
            length = len(rule.source) + len(rule.target)
            new = [-2.0 * length] * 2
            if left > 0:
                new = [math.log(left / (rule.source_count - sides[rule.source])),
                       math.log(left / (rule.target_count - targets[rule.target]))]  # fmt: skip
            for name, value in zip(CHANGED, new, strict=True):
                known = math.log(rule.scores[names.index(name.removeprefix("translation:"))])
                scores[number] += WEIGHTS[name] * (value - known)
            used += left == 0 and number in {step[0] for step in steps_of(found, pair)}
        wanted = best_of(model, source, target, scores, 5)
        assert found.reached[pair] == (wanted is not None)
        if wanted is not None:
            assert found.scores[pair] == pytest.approx(wanted, abs=1e-4)
    assert used > 0


def test_threads_and_batches_do_not_change_anything(tmp_path, monkeypatch):
    corpus = tiny_corpus(3, 60, 8)
    model = model_of(tmp_path / "all", corpus)
    own = find_leave_one_out_counts(model.table, *corpus, tmp_path / "own")
    once = force(model, corpus[0], leave_one_out=own)
    monkeypatch.setattr("tunesmith.decoding.forced._PAIRS", 7)
    seen = []
    again = force(
        model, corpus[0], leave_one_out=own, threads=3, progress=lambda done, total: seen.append((done, total))
    )
    for one, other in zip(once, again, strict=True):
        assert one.tobytes() == other.tobytes()
    assert seen[0] == (0, 60)
    assert seen[-1] == (60, 60)


def test_a_narrow_beam_finds_what_is_no_better(tmp_path):
    corpus = tiny_corpus(4, 40, 9)
    model = model_of(tmp_path / "all", corpus)
    wide, narrow = (force(model, corpus[0], options=ForcedOptions(beam=beam)) for beam in (10_000, 1))
    both = wide.reached & narrow.reached
    assert (wide.reached | ~narrow.reached).all()
    assert (narrow.scores[both] <= wide.scores[both]).all()


def test_words_that_the_table_lacks_are_not_reached(tmp_path):
    model = model_of(tmp_path / "all", tiny_corpus(0))
    found = force(model, Bitext(["a q", "a", "", "<unk>"], ["A", "Q", "", "A"]))
    assert not found.reached.any()
    assert found.scores.tolist() == [0, 0, 0, 0]


def test_the_table_has_relative_frequencies_of_the_phrase_pairs_used(tmp_path):
    corpus = tiny_corpus(5, 30, 6)
    model = model_of(tmp_path / "all", corpus)
    own = find_leave_one_out_counts(model.table, *corpus, tmp_path / "own")
    made = force_rules(model, corpus[0], own, tmp_path / "forced", threads=2)
    found = force(model, corpus[0], leave_one_out=own)
    assert (made.pairs, made.reached) == (30, int(found.reached.sum()))
    counts = derivation_counts(found, own, corpus[0])
    used = {(model.table[at].source, model.table[at].target): count for at, count in enumerate(counts) if count}
    assert {(rule.source, rule.target) for rule in made.table} == set(used)
    for rule in made.table:
        before = model.table[rules_of(model.table)[rule.source, rule.target]]
        count = used[rule.source, rule.target]
        source = sum(value for (side, _), value in used.items() if side == rule.source)
        target = sum(value for (_, side), value in used.items() if side == rule.target)
        scores = dict(zip(made.table.score_names, rule.scores, strict=True))
        assert scores["p(e|f)"] == pytest.approx(count / source, rel=1e-6)
        assert scores["p(f|e)"] == pytest.approx(count / target, rel=1e-6)
        known = dict(zip(model.table.score_names, before.scores, strict=True))
        assert all(scores[name] == known[name] for name in ("lex(e|f)", "lex(f|e)"))
        assert (rule.joint, rule.source_count, rule.target_count) == pytest.approx((count, source, target))
        assert rule.links == before.links


def test_pairs_that_are_not_reached_count_as_extracted_or_not_at_all(tmp_path):
    corpus = tiny_corpus(6, 12, 5)
    model = model_of(tmp_path / "all", corpus)
    own = find_leave_one_out_counts(model.table, *corpus, tmp_path / "own")
    found = force(model, corpus[0], leave_one_out=own, options=ForcedOptions(own=None))
    assert not found.reached.all()
    dropped = derivation_counts(found, own, corpus[0], "dropped")
    assert dropped.sum() == len(found.rules)
    added = derivation_counts(found, own, corpus[0]) - dropped
    lengths = np.array([len(rule.source) for rule in model.table])
    words = sum(len(corpus[0].source[pair].split()) for pair in np.flatnonzero(~found.reached) if own.of(pair))
    assert added @ lengths == pytest.approx(words)


def test_the_same_bytes_from_the_command_line(tmp_path):
    corpus = tiny_corpus(7, 30, 6)
    model, folder = model_of(tmp_path / "all", corpus), tmp_path / "all"
    own = find_leave_one_out_counts(model.table, *corpus, tmp_path / "own")
    made = force_rules(model, corpus[0], own, tmp_path / "one")
    files = ["-m", model.folder, "--source", folder / "f", "--target", folder / "e"]
    for name, more in (("two", ["--leave-one-out", tmp_path / "own", "-j", "4"]), ("three", [])):
        words = ["rules", "force", *files, "-o", tmp_path / name, *more]
        ended = CliRunner().invoke(app, list(map(str, words)))
        assert ended.exit_code == 0, ended.output
        assert (
            f"{len(made.table)} phrase pairs; {made.reached} of 30 sentence pairs have a derivation"
            in ended.stderr
        )
        for path in (tmp_path / "one").iterdir():
            assert path.read_bytes() == (tmp_path / name / path.name).read_bytes(), path.name
    assert {path.name for path in tmp_path.iterdir()} == {"all", "own", "one", "two", "three"}


def test_what_cannot_be_forced_is_refused(tmp_path):
    corpus = tiny_corpus(0, 10, 5)
    model = model_of(tmp_path / "all", corpus)
    own = find_leave_one_out_counts(model.table, *corpus, tmp_path / "own")
    made = force_rules(model, corpus[0], own, tmp_path / "forced")
    with pytest.raises(ConfigError, match="it is not known what this table was extracted with"):
        find_leave_one_out_counts(RuleTable.open(made.table.folder), *corpus, tmp_path / "again")
    with pytest.raises(ConfigError, match="needs all of the training data"):
        force_rules(model, Bitext(["a"], ["A"]), own, tmp_path / "x")
    with pytest.raises(ConfigError, match="beam must be"):
        ForcedOptions(beam=0)
    with pytest.raises(ConfigError, match="own must be"):
        ForcedOptions(own=1.0)
    with pytest.raises(ConfigError, match="unreached must be"):
        force_rules(model, corpus[0], own, tmp_path / "x", unreached="guessed")
    with pytest.raises(ConfigError, match="is not the source of sentence pair 1"):
        force(model, Bitext(["d d d"], ["A"]), leave_one_out=own)

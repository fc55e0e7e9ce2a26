"""Corpora of the phrasebook: the numbers they promise, and how they are drawn and written."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from tunesmith.corpus.phrasebook import (
    Phrasebook,
    PhrasebookCorpus,
    PhrasebookOptions,
    PhrasebookStatistics,
    generate,
    statistics,
)
from tunesmith.errors import ConfigError, MissingFileError
from tunesmith.io import make_folder

SMALL = PhrasebookOptions(pairs=800, seed=3, eval_sentences=60)


@pytest.fixture(scope="session")
def numbers(grammar: Phrasebook, corpus: PhrasebookCorpus) -> PhrasebookStatistics:
    return statistics(grammar, corpus)


def test_grammar_is_large_enough(numbers: PhrasebookStatistics) -> None:
    assert numbers.lexical_entries >= 500
    assert numbers.patterns >= 150
    assert numbers.long_reordering_patterns >= 30
    assert len(numbers.ambiguous_words) >= 50


def test_evaluation_sets_have_few_unseen_words_and_many_references(
    numbers: PhrasebookStatistics,
) -> None:
    for measured in numbers.evaluation.values():
        assert measured.sentences == 500
        assert 0.02 <= measured.unseen_share <= 0.05
        assert measured.mean_references >= 4
        assert max(measured.histogram) == 16
        assert measured.histogram[16] >= 20
        assert min(measured.histogram) == 1


def test_training_is_varied(numbers: PhrasebookStatistics) -> None:
    assert numbers.pairs == 20000
    assert numbers.duplicate_share < 0.10
    assert 9 <= numbers.mean_source_length <= 12
    assert 0.7 <= numbers.zipf_exponent <= 1.3


@pytest.mark.parametrize("pairs", [5000, 40000])
def test_unseen_share_holds_at_other_sizes(grammar: Phrasebook, pairs: int) -> None:
    made = generate(PhrasebookOptions(pairs=pairs, seed=2, eval_sentences=150), grammar)
    vocabulary = {word for pair in made.train for word in pair.source.split()}
    for sentences in made.evaluation().values():
        words = [word for sentence in sentences for word in sentence.source.split()]
        assert 0.02 <= sum(word not in vocabulary for word in words) / len(words) <= 0.05


def test_same_options_give_the_same_bytes(grammar: Phrasebook, tmp_path: Path) -> None:
    first = generate(SMALL, grammar).write(tmp_path / "a")
    second = generate(SMALL, Phrasebook.load()).write(tmp_path / "b")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_another_seed_gives_another_corpus(grammar: Phrasebook) -> None:
    other = PhrasebookOptions(pairs=800, seed=4, eval_sentences=60)
    assert generate(SMALL, grammar).train != generate(other, grammar).train


def test_nothing_of_the_evaluation_sets_is_in_training(corpus: PhrasebookCorpus) -> None:
    sources = {pair.source for pair in corpus.train}
    targets = {pair.target for pair in corpus.train}
    sentences = [sentence for part in corpus.evaluation().values() for sentence in part]
    assert not any(sentence.source in sources for sentence in sentences)
    assert not any(ref in targets for sentence in sentences for ref in sentence.references)
    assert len({sentence.source for sentence in sentences}) == len(sentences)


def test_references_are_different_and_padded_with_the_first(corpus: PhrasebookCorpus, tmp_path: Path) -> None:
    corpus.write(tmp_path)
    for name, sentences in corpus.evaluation().items():
        columns = [(tmp_path / f"{name}.en.{k}").read_text(encoding="utf-8").splitlines() for k in range(16)]
        real = (tmp_path / f"{name}.nrefs").read_text(encoding="utf-8").splitlines()
        for sentence, count, row in zip(sentences, real, zip(*columns, strict=True), strict=True):
            n = int(count)
            assert n == len(set(sentence.references)) == len(sentence.references)
            assert row[:n] == sentence.references
            assert set(row[n:]) <= {row[0]}


def test_fewer_references_leave_no_stale_files(grammar: Phrasebook, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "test.en.old").write_text("mine", encoding="utf-8")
    generate(PhrasebookOptions(pairs=50, seed=1, eval_sentences=3, references=5), grammar).write(tmp_path)
    corpus = generate(PhrasebookOptions(pairs=50, seed=2, eval_sentences=3, references=2), grammar)
    written = {path.name for path in corpus.write(tmp_path)}
    assert {path.name for path in tmp_path.iterdir()} == written | {"notes.txt", "test.en.old"}
    assert {name for name in written if ".en." in name} == {
        f"{part}.en.{k}" for part in ("dev", "devtest", "test") for k in range(2)
    }


def test_an_interruption_leaves_the_folder_as_it_was(
    grammar: Phrasebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after = (
        generate(PhrasebookOptions(pairs=50, seed=seed, eval_sentences=3, references=n), grammar)
        for seed, n in ((1, 4), (2, 2))
    )
    before.write(tmp_path)
    kept = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    calls = itertools.count()

    def interrupted(path: Path, lines: list[str]) -> None:
        if next(calls) == 5:
            raise KeyboardInterrupt
        path.write_text("\n".join(lines), encoding="utf-8")

    monkeypatch.setattr("tunesmith.corpus.phrasebook.corpus.write_lines", interrupted)
    with pytest.raises(KeyboardInterrupt):
        after.write(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == kept


def test_a_folder_that_cannot_be_made_is_reported(grammar: Phrasebook, tmp_path: Path) -> None:
    assert make_folder(tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(MissingFileError, match="file: is a file; expected a folder"):
        make_folder(tmp_path / "file")
    with pytest.raises(MissingFileError, match="the folder cannot be made"):
        make_folder(tmp_path / "file" / "below")
    with pytest.raises(MissingFileError, match="is a file"):
        generate(PhrasebookOptions(pairs=5, eval_sentences=1), grammar).write(tmp_path / "file")


def test_noise_moves_its_share_of_targets_and_keeps_them_all(grammar: Phrasebook) -> None:
    clean, noisy = (
        generate(PhrasebookOptions(pairs=800, noise=noise, eval_sentences=5), grammar) for noise in (0.0, 0.25)
    )
    moved = [i for i, (a, b) in enumerate(zip(clean.train, noisy.train, strict=True)) if a != b]
    assert moved == noisy.noisy
    assert len(moved) == 200
    assert [p.source for p in clean.train] == [p.source for p in noisy.train]
    assert sorted(p.target for p in clean.train) == sorted(p.target for p in noisy.train)


def test_progress_is_reported(grammar: Phrasebook) -> None:
    calls: list[tuple[int, int]] = []
    generate(SMALL, grammar, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (980, 980)
    assert calls == sorted(calls)


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        ({"pairs": 0}, "pairs must be a whole number from 1 to 10000000, got 0"),
        ({"seed": -1}, "seed must be a whole number from 0 to .*, got -1"),
        ({"noise": 1.5}, "noise must be from 0 to 1, got 1.5"),
        ({"eval_sentences": 0}, "eval_sentences must be a whole number from 1 to 5000, got 0"),
        ({"references": 100}, "references must be a whole number from 1 to 64, got 100"),
    ],
)
def test_bad_options_say_what_is_allowed(settings_: dict[str, int], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        PhrasebookOptions(**settings_)

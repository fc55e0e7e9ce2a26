"""Alarms that name the likely cause: scores close to nothing, features that a few candidates lack."""

import pytest
from support.lists.noisy_lists import made_lists

from tunesmith.metrics import Bleu, ChrF
from tunesmith.metrics.low_scores import likely_cause, low_score_warning
from tunesmith.search import CandidateSet
from tunesmith.tuning import FileSource, recipes
from tunesmith.tuning.loop.history import History, Round
from tunesmith.tuning.loop.observer import Observer
from tunesmith.tuning.loop.safeguards import length_advice, length_drift
from tunesmith.tuning.pools.heldout import Judged

LINES = [
    "the cat sat on the mat",
    "a dog ran under this tree",
    "we want to drink green tea",
    "where is my old house",
]
OWN = [[line] for line in LINES]


@pytest.mark.parametrize(
    ("texts", "cause"),
    [
        (["die katze saß auf der matte", "ein hund lief unter diesen baum"] * 2, "languages swapped"),
        (LINES[1:] + LINES[:1], "same sentences, in the same order"),
        ([line.upper() for line in LINES], "--lowercase"),
        (["thecat saton themat", "a d og r an un der th is tree", "wewant todrink greentea", "whereis myoldhouse"],
         "--tokenize"),
        (LINES, None),
    ],
)  # fmt: skip
def test_the_likely_cause_is_found(texts, cause):
    found = likely_cause(texts, OWN)
    assert found is None if cause is None else cause in found


def test_only_low_bleu_is_an_alarm():
    assert low_score_warning(Bleu(), 2.0, "at the start", None, None) is None
    assert low_score_warning(ChrF(), 0.5, "at the start", None, None) is None
    assert "BLEU is 0.50 at the start: swapped languages" in low_score_warning(
        Bleu(), 0.5, "at the start", None, None
    )


class Notes(Observer):
    def __init__(self):
        self.texts = []

    def note(self, text):
        self.texts.append(text)


def test_a_run_on_other_references_is_told_at_the_start_and_at_the_end():
    lists, references = made_lists(1)
    others = [[f"{line} odd end"] for line in references[7:] + references[:7]]
    words = [[" ".join(word + "x" for word in each[0].split()[:-2]) + " x"] for each in others]
    notes = Notes()
    recipes.mira().fit(FileSource(lists, words), observer=notes)
    told = [text for text in notes.texts if "BLEU is" in text]
    assert len(told) == 2
    assert "at the start" in told[0]
    assert "after round 1" in told[1]


def test_a_feature_that_a_few_candidates_lack_is_named():
    lists, references = made_lists(1, sentences=150)
    rows = lists.rows().toarray().tolist()
    records = [
        {"id": int(lists.sentence_of[at]), "hypothesis": lists.text(at), "good": row[0], "model": -1 - row[0] ** 2}
        for at, row in enumerate(rows)
    ]
    for at in (11, 400):
        del records[at]["model"]
    notes = Notes()
    recipes.mira().fit(
        FileSource(CandidateSet.from_records(records), [[line] for line in references]), observer=notes
    )
    [told] = [text for text in notes.texts if "missing" in text]
    assert "model; 2 of them, the first is candidate 4 of sentence 2" in told
    notes = Notes()
    recipes.mira().fit(FileSource(lists, [[line] for line in references]), observer=notes)
    assert not any("missing" in text for text in notes.texts)


def test_held_out_scores_below_the_start_are_worse():
    assert Judged("held-out", "BLEU", 30.0, 29.9).worse
    assert not Judged("held-out", "BLEU", 30.0, 30.0).worse
    assert Judged("held-out", "TER", 30.0, 31.0, higher_is_better=False).worse


@pytest.mark.parametrize(
    ("ratios", "warned"),
    [
        ([1.0, 0.98, 0.96, 0.94], "shorter"),
        ([1.0, 0.98, 0.96, 0.94, 0.93], None),  # said in the round before
        ([1.0, 1.03, 1.04, 1.06], "longer"),
        ([1.0, 0.9, 0.95, 0.94], None),  # up and down
        ([1.0, 0.99, 0.98, 0.97], None),
        ([1.0, None, 0.96, 0.94], None),
        ([0.98, 0.94], None),
        ([1.0, 1.0, 0.97, 0.94], "shorter"),
        ([1.0, 0.9, 0.95, 0.93, 0.93, 0.91], "shorter"),
        ([1.0, 0.9, 0.9, 0.9], None),  # once, not from round to round
    ],
)
def test_output_that_shrinks_from_round_to_round_is_named_once(ratios, warned):
    history = History([Round(at, 30.0, length_ratio=ratio) for at, ratio in enumerate(ratios)])
    found = length_drift(history)
    assert (found is None) if warned is None else f"becomes {warned}" in found


@pytest.mark.parametrize(
    ("brevity", "ratio", "said"),
    [
        (0.5, 0.905, "a larger brevity than 0.5"),
        (0.0, 0.9, "a larger brevity than 0 "),
        (2.0, 1.05, "a smaller brevity than 2 "),
        (0.0, 1.05, None),  # nothing is smaller
        (0.5, 0.99, None),
        (0.5, None, None),
        (None, 0.9, None),  # the loss has no such setting
    ],
)
def test_the_setting_that_moves_the_length_of_the_output_is_named(brevity, ratio, said):
    found = length_advice(brevity, ratio)
    assert found is None if said is None else said in found

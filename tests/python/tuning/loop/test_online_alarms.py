"""What online recipes say about data and output that go wrong."""

import numpy as np
import pytest
from support.models.toy_decoder import ToyDecoder, toy_data

from tunesmith.errors import FormatError
from tunesmith.tuning import KBestSource, Observer, recipes

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")
LINES, REFERENCES = toy_data(sentences=14)
START = [0.1, 0.1, 0.1]
NAMES = ("expected-bleu", "online-pro", "online-mira", "mixed-mira")


def fitted(name, decoder, **settings):
    settings = {"rounds": 2, "batch": 3, **settings} | ({"shards": 2} if name == "mixed-mira" else {})
    return recipes.get(name, **settings).fit(KBestSource(decoder, LINES, REFERENCES, k=8, start=START))


class Broken(ToyDecoder):
    """Gives values that are not numbers after a few batches."""

    def __init__(self, change):
        super().__init__()
        self._change = change

    def translations(self, line):
        texts, rows = super().translations(line)
        return texts, self._change(rows) if self.calls > 3 else rows


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_values_that_are_no_numbers_are_named(name, value):
    with pytest.raises(FormatError, match=r"^a feature value is not a finite number"):
        fitted(name, Broken(lambda rows: np.where([False, True, False], value, rows)))


@pytest.mark.parametrize("name", ["expected-bleu", "online-pro"])
def test_values_whose_squares_are_no_numbers_are_named(name):
    with pytest.raises(FormatError, match=r"^no update could be made: the gradient is not finite, or too large"):
        fitted(name, Broken(lambda rows: rows * [1, 1e200, 1]))


@pytest.mark.parametrize("name", NAMES)
def test_empty_outputs_are_translations_like_others(name):
    """An empty translation has no words to count: its gain is 0, and it is learnt to be avoided."""

    class Silent(ToyDecoder):
        def translations(self, line):
            texts, rows = super().translations(line)
            return ["" if at % 2 else text for at, text in enumerate(texts)], rows

    tuner = fitted(name, Silent())
    assert np.isfinite(tuner.weights_.array).all()
    assert all(np.isfinite(row.score) for row in tuner.history_)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_learnt_where_all_output_is_empty(name):
    class Mute(ToyDecoder):
        def translations(self, line):
            texts, rows = super().translations(line)
            return [""] * len(texts), rows

    assert fitted(name, Mute(), regularizer="none").weights_.array.tolist() == pytest.approx(START)


def test_output_that_shrinks_while_it_is_learnt_is_said():
    """References are two words shorter than the lines: what is learnt is to say less."""
    said = []

    class Watching(Observer):
        def note(self, text):
            said.append(text)

    short = [[" ".join(line.split()[:-2])] for line in LINES]
    source = KBestSource(ToyDecoder(), LINES, short, k=40, start=[0.1, 0.1, -0.1])
    recipe = recipes.get("online-pro", rounds=6, batch=3, rate=0.03, brevity=0.0, regularizer="none")
    ratios = [row.length_ratio for row in recipe.fit(source, observer=Watching()).history_]
    assert ratios[-1] < 0.95 * ratios[0]
    assert len([text for text in said if "the output becomes shorter from round to round" in text]) == 1

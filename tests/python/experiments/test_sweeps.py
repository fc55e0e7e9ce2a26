"""`--sweep` as it is typed, and the shape of what is drawn of it."""

import re
import xml.etree.ElementTree as ElementTree

import pytest

from tunesmith.errors import ConfigError
from tunesmith.evaluation.pages.drawing import svg_file
from tunesmith.experiments.curves import Curve, draw_curves
from tunesmith.experiments.study.sweeps import Sweep, grid, recipes_of
from tunesmith.tuning import recipes


def test_several_sweeps_are_their_grid():
    sweeps = [Sweep.parse("strength=1e-3, 1e-2"), Sweep.parse("keep=10,50,100")]
    found = grid(sweeps)
    assert len(found) == len(set(found)) == 6
    assert found[0] == ("strength=1e-3", "keep=10")
    made = recipes_of(recipes.get("pro"), found)
    assert [(each.regularizer.strength, each.loss.keep) for each in made[:3]] == [
        (1e-3, 10), (1e-3, 50), (1e-3, 100)
    ]  # fmt: skip
    assert grid([]) == ((),)


@pytest.mark.parametrize("text", ["", "strength", "strength=", "=1,2", "strength=,", "a b=1", "x=../y", "x=a/b"])
def test_what_is_no_sweep_is_told(text):
    with pytest.raises(ConfigError, match="--sweep"):
        Sweep.parse(text)


def test_a_setting_twice_unknown_or_alike_is_told():
    with pytest.raises(ConfigError, match="given twice"):
        grid([Sweep.parse("keep=1,2"), Sweep.parse("keep=3")])
    with pytest.raises(ConfigError, match="no setting 'colour'"):
        recipes_of(recipes.get("mira"), grid([Sweep.parse("colour=red")]))
    with pytest.raises(ConfigError, match="step_cap must be a number, got 'red'"):
        recipes_of(recipes.get("mira"), grid([Sweep.parse("step_cap=red")]))
    with pytest.raises(ConfigError, match="are the same"):
        recipes_of(recipes.get("mira"), grid([Sweep.parse("step_cap=1e-2,0.01")]))


def test_values_are_drawn_from_small_to_large_and_words_as_given():
    assert Curve("", "c", ["1", "1e-3", "0.1"], {}).order == [1, 2, 0]
    assert Curve("", "c", ["uniform", "largest"], {}).order == [0, 1]
    curve = Curve("mira", "C", ["1", "0.1"], {"tune": [2.0, 1.0], "test": [1.0, 1.5]}, chosen="0.1")
    picture = svg_file(draw_curves([curve, curve, curve]))
    assert len(ElementTree.fromstring(picture).findall(".//{*}polyline")) == 6
    assert picture == svg_file(draw_curves([curve, curve, curve]))


def test_figures_of_one_scale_have_the_same_numbers_at_their_axes():
    curves = [Curve("", "C", ["a", "b"], {"tune": scores}) for scores in ([40.0, 42.0], [50.0, 55.0])]

    def numbers(**how):
        return [re.findall(r">([0-9]+)</text>", each.svg) for each in draw_curves(curves, **how)]

    one, other = numbers(same_scale=True)
    assert one == other
    assert min(map(float, one)) <= 42 < 50 <= max(map(float, one))
    one, other = numbers()
    assert one != other

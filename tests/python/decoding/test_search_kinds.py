"""Decoders of Python and searches of the core: the same names, settings, defaults and ranges."""

import dataclasses

import pytest

from tunesmith import _core
from tunesmith.decoding.decoder import decoders
from tunesmith.decoding.options import SearchOptions


@pytest.mark.parametrize("kind", decoders.names())
def test_options_are_those_of_the_core(kind):
    made = decoders.get(kind).options_type
    common = {field.name for field in dataclasses.fields(SearchOptions)}
    own = {field.name: field.default for field in dataclasses.fields(made) if field.name not in common}
    settings = {name: (usual, least, most) for name, usual, least, most, _ in _core.search_settings(kind)}
    assert {name: int(default) for name, default in own.items()} == {
        n: usual for n, (usual, _, _) in settings.items()
    }
    for name, (low, high) in made.bounds.items():
        if name in settings:
            assert settings[name][1] <= low
            assert high <= settings[name][2]


@pytest.mark.parametrize("kind", decoders.names())
def test_a_decoder_is_registered_under_the_name_of_its_search(kind):
    assert decoders.get(kind).search == kind

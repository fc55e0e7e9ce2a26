"""The templates of a model, and the feature matrix they make of a rule table."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.config import FeaturePart
from tunesmith.errors import ConfigError
from tunesmith.features.base import DenseFeature, NativeFeature, RuleFeature, SearchFeature, SpecialFeature
from tunesmith.features.domains import Domains
from tunesmith.features.index import FeatureIndex
from tunesmith.features.matrix import FeatureMatrix
from tunesmith.features.names import full_name
from tunesmith.features.python_features import python_features
from tunesmith.features.rules.identity import Identity
from tunesmith.features.specs import TemplateSpec, parse_features
from tunesmith.grammar import RuleTable
from tunesmith.signature import Signature

_ARRAYS = ("source_offsets", "source_rules", "target_offsets", "link_offsets", "source_symbols", "target_symbols",
           "links", "scores", "occurrences")  # fmt: skip


class FeatureSet:
    """Templates with their settings, in order; `specs` is what a model stores."""

    def __init__(self, specs: Iterable[TemplateSpec]) -> None:
        self.specs = tuple(spec.typed() for spec in specs)
        self.templates: dict[str, RuleFeature] = {}
        for spec in self.specs:
            template = spec.build()
            if not isinstance(template, RuleFeature):
                raise ConfigError(
                    f"the feature template {spec.name!r} has the scope {getattr(template, 'scope', '?')!r}; "
                    "a feature matrix holds templates of the scope 'rule'"
                )
            if spec.name in self.templates:
                raise ConfigError(f"the feature template {spec.name!r} is named twice")
            self.templates[spec.name] = template

    @classmethod
    def parse(cls, text: str) -> FeatureSet:
        """Parse what a user types: `default,id,word_pair:top=20` (see specs.py)."""
        return cls(parse_features(text))

    def signature(self) -> Signature:
        fields = {
            spec.name: {key: "/".join(map(str, value)) if isinstance(value, tuple) else value
                        for key, value in spec.settings.items()} or "yes"
            for spec in self.specs
        }  # fmt: skip
        return Signature("features", fields)

    def compile(
        self, table: RuleTable, *, threads: int = 1, rules: range | None = None, on_demand: bool = False
    ) -> FeatureMatrix:
        """Return the features of every rule of the table. The index reads the table when it names `id` features.

        rules: only these, consecutive ones; the first of them is row 0.
        on_demand: scores and penalties of a rule are computed when they are first read, so that a table of any
        size is ready at once. Templates of other kinds are computed for all rules; what is wrong with a score is
        then said by those who read it, and they call `table.confirm` before giving out results.

        Columns: those of dense templates, of Python templates, of special rules (glue, unknown words), of
        templates that number their columns (bins, top words), of those whose columns are what occurs; `id` last.
        FormatError if the table is damaged.
        """
        chosen = range(len(table)) if rules is None else rules
        if chosen.step != 1 or not 0 <= chosen.start <= chosen.stop <= len(table):
            raise ConfigError(f"{rules} are not consecutive rules of a table with {len(table)}")
        dense, special, native, given = [], [], [], []
        seconds = {}
        for name, template in self.templates.items():
            special += [
                (full_name(name, detail), int(rule), value)
                for rule, fired in template.special_of(table).items()
                for detail, value in fired
            ]
            if isinstance(template, DenseFeature):
                dense += [(full_name(name, detail), kind, at) for detail, kind, at in template.columns(table)]
            elif isinstance(template, NativeFeature):
                with table.core_errors():
                    native.append((name, template.native(table)))
            elif not isinstance(template, Identity | SpecialFeature):
                start = time.perf_counter()
                given.append(python_features(name, template, table, chosen))
                seconds[name] = time.perf_counter() - start
        with table.core_errors():
            matrix, index = _core.compile_features(
                rule_arrays(table, chosen),
                dense,
                special,
                native,
                given,
                "id" in self.templates,
                on_demand,
                threads,
            )
        if not on_demand:
            table.confirm()
        return FeatureMatrix(matrix, FeatureIndex(native=index), seconds)


def split_features(parts: Iterable[FeaturePart]) -> tuple[FeatureSet, dict[str, SearchFeature]]:
    """Return what a system names: the templates of the feature matrix, and by name those that the search computes.

    ConfigError for a template that is not known here, or does not take its settings.
    """
    specs = [_spec(part) for part in parts]
    built = {spec.name: spec.build() for spec in specs}
    of_search = {name: feature for name, feature in built.items() if isinstance(feature, SearchFeature)}
    of_domains = {name for name, feature in built.items() if isinstance(feature, Domains)}
    return FeatureSet(spec for spec in specs if spec.name not in of_search.keys() | of_domains), of_search


def domains_of(parts: Sequence[FeaturePart]) -> Domains | None:
    """Return the domains of a system; None for one whose features look at no label.

    ConfigError for copies of templates that it does not have.
    """
    built = [_spec(part).build() for part in parts]
    named = [each for each in built if isinstance(each, Domains)]
    if not named and not any(getattr(each, "needs_labels", False) for each in built):
        return None
    domains = named[0] if named else Domains()
    known = {part.template for part in parts}
    if missing := sorted(domains.copied - known):
        raise ConfigError(
            f"domains: copies of {missing[0]!r}, which is not a template of this model; it has "
            f"{', '.join(sorted(known))}"
        )
    return domains


def feature_labels(parts: Iterable[FeaturePart]) -> str:
    """Return what a system names, for signatures: templates with the settings that differ from their defaults."""
    return "+".join(_spec(part).label() for part in parts)


def _spec(part: FeaturePart) -> TemplateSpec:
    return TemplateSpec.from_dict({"template": part.template, **part.settings})


def rule_arrays(table: RuleTable, rules: range) -> _core.RuleArrays:
    """Return consecutive rules of a table as the core's features read them.

    If they are all, nothing is copied, and all who ask get the same object: decoders that have it share an index.
    Their files are verified in the background: call `table.confirm` before giving out results.
    """
    if len(rules) < len(table):
        return _core_arrays(table, _part(table.arrays(_ARRAYS), rules))
    if table.core_arrays is None:
        table.core_arrays = _core_arrays(table, table.arrays(_ARRAYS))
    return table.core_arrays


def _core_arrays(table: RuleTable, arrays: dict[str, NDArray[Any]]) -> _core.RuleArrays:
    flat = {name: array.reshape(-1) for name, array in arrays.items()}
    words = (table.source_vocabulary.native, table.target_vocabulary.native)
    return _core.RuleArrays(flat, len(table.score_names), *words)


def _part(arrays: dict[str, NDArray[Any]], rules: range) -> dict[str, NDArray[Any]]:
    begin, end = rules.start, rules.stop
    of_sides = arrays["source_rules"]
    first, last = (int(np.searchsorted(of_sides, rule, side="right")) for rule in (begin, max(begin, end - 1)))
    part = {name: arrays[name][begin:end] for name in ("scores", "occurrences")}
    part["source_rules"] = (np.clip(of_sides[first - 1 : last + 1], begin, end) - begin).astype(np.uint64)
    for offsets, values, at in (
        ("source_offsets", "source_symbols", slice(first - 1, last + 1)),
        ("target_offsets", "target_symbols", slice(begin, end + 1)),
        ("link_offsets", "links", slice(begin, end + 1)),
    ):
        ends = np.array(arrays[offsets][at])
        part[offsets] = ends - ends[0]
        part[values] = arrays[values][int(ends[0]) : int(ends[-1])]
    return part

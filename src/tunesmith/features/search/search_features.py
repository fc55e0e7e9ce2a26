"""Features that the search computes, as the core takes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.features.base import SearchFeature, SpanFeature, templates
from tunesmith.features.python_features import failures_of, is_detail
from tunesmith.grammar import Rule, RuleTable

Described = tuple[str, str, dict[str, Any]]
"""Kind in the core, name of the feature, inputs."""
_KEPT = 100_000  # rules that are kept as objects


def search_features(chosen: Mapping[str, SearchFeature] | Iterable[str]) -> dict[str, SearchFeature]:
    """Return templates by name; those given by name alone have their default settings."""
    if isinstance(chosen, Mapping):
        return dict(chosen)
    found = {}
    for name in chosen:
        template = templates.make(name)
        if not isinstance(template, SearchFeature):
            raise ConfigError(
                f"the feature template {name!r} has the scope {template.scope!r}; the search computes "
                "templates of the scopes 'span' and 'state'"
            )
        found[name] = template
    return found


def check_served(names: Iterable[str], search: str) -> None:
    """Raise ConfigError, naming the template, for one that the core computes in other searches only."""
    for name in names:
        served = _core.searches_serving(name)
        if served and search not in served:
            adjectives = {"phrase": "phrase-based", "hiero": "hierarchical"}
            of_models = " and ".join(adjectives.get(kind, kind) for kind in served)
            raise ConfigError(f"{name!r} is a feature of {of_models} models; train one with --kind {served[0]}")


def described(name: str, template: SearchFeature, table: RuleTable) -> Described:
    """Return one template as the core takes it."""
    if isinstance(template, SpanFeature) and type(template).__call__ is not SpanFeature.__call__:
        return "python", name, {"call": SpanRows(name, template, table)}
    return name, name, dict(template.inputs(table))


@dataclass(frozen=True)
class SpanRows:
    """A span feature written in Python, for all rules that may cover a span at once."""

    name: str
    template: SpanFeature
    table: RuleTable

    @cached_property
    def _rules(self) -> dict[int, Rule]:
        """Rules met so far; a table reads its arrays each time."""
        return {}

    def __call__(
        self, words: list[str], begin: int, end: int, rules: Sequence[int], passed: Sequence[str]
    ) -> list[list[tuple[str, float]]]:
        """Return the features that fire for each rule. -1: a rule of no table, target side in `passed`."""
        with failures_of(self.name):
            return [
                [
                    self._checked(detail, value)
                    for detail, value in self.template(self._rule(rule, words[begin:end], text), words, begin, end)
                ]
                for rule, text in zip(rules, passed, strict=True)
            ]

    def _rule(self, number: int, source: list[str], target: str) -> Rule:
        if number < 0:
            return Rule(tuple(source), tuple(target.split()), (), (), 0, 0, 0, 0, 0)
        rule = self._rules.get(number)
        if rule is None:
            if len(self._rules) >= _KEPT:
                self._rules.clear()  # other threads hold what they found
            rule = self._rules[number] = self.table[number]
        return rule

    def _checked(self, detail: str, value: float) -> tuple[str, float]:
        if not is_detail(detail):
            raise ConfigError(
                f"feature template {self.name!r}: the detail {detail!r} is not a text without blanks"
            )
        return detail, float(value)

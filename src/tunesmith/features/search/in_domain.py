"""Rules of the domain of the sentence: Green et al. (2014), section 4.2, after Durrani et al. (2013)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from tunesmith.errors import ConfigError
from tunesmith.features.base import SearchFeature, SpanFeature, StateFeature, register
from tunesmith.grammar import RuleTable


@dataclass(frozen=True)
class _OfDomain(SearchFeature):
    """default: nothing fires in sentences of this domain, which all rules are made for."""

    needs_labels: ClassVar[bool] = True

    default: str = ""

    def inputs(self, table: RuleTable) -> Mapping[str, object]:
        names = table.label_names
        if not table.has_labels() or not names:
            raise ConfigError(
                f"{table.folder}: its rules have no labels of training pairs, which in-domain features need; "
                "train the model with --labels FILE"
            )
        if self.default and self.default not in names:
            raise ConfigError(f"default must be a label of the training pairs, {', '.join(names)}; "
                              f"got {self.default!r}")  # fmt: skip
        without = names.index(self.default) if self.default else -1
        return {"labels": table.array("labels"), "names": names, "without": without}


@register("in_domain")
@dataclass(frozen=True)
class InDomain(_OfDomain, SpanFeature):
    """Rules that training pairs of the sentence's domain have: `in_domain` and, in `news`, `in_domain:news`.

    Words that pass through belong to every domain. Computed in the search (cpp/features/search/in_domain.hpp).
    """


@register("adjacent_in_domain")
@dataclass(frozen=True)
class AdjacentInDomain(_OfDomain, StateFeature):
    """Neighbours in the translation that both belong to the sentence's domain: `adjacent_in_domain:news`.

    Computed in the search of phrase-based models (cpp/features/search/in_domain.hpp).
    """

"""Copies of features for each domain of the input."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from tunesmith.errors import ConfigError
from tunesmith.features.base import Feature, register
from tunesmith.features.names import template_of

_NAME = re.compile(r"[^\s@:/,=%|]+")


@register("domains")
@dataclass(frozen=True)
class Domains(Feature):
    """Feature augmentation: Daumé III (2007); Green et al. (2014), section 4.

    A feature `template:detail` of a chosen template has a copy `template@domain:detail` for every domain, with the
    same value in input of this domain and 0 in all other. So the weight of a feature is a prior of all domains,
    and those of its copies say how a domain differs.

    names: of the domains, joined by `/`; without any, the labels of the training pairs.
    templates: whose features have copies, joined by `/`.
    default: a domain without copies, which has the weights of the original features.
    """

    scope: ClassVar[str] = "domain"

    names: str = ""
    templates: str = ""
    default: str = ""

    def __post_init__(self) -> None:
        for name in self._names:
            if not _NAME.fullmatch(name):
                raise ConfigError(f"{name!r} is not the name of a domain: no white space, @ : / , = % |")
        if len(set(self._names)) < len(self._names):
            raise ConfigError(f"names = {self.names!r}: a domain is named twice")

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(self.names.split("/")) if self.names else ()

    @property
    def copied(self) -> frozenset[str]:
        """The templates that have copies."""
        return frozenset(filter(None, self.templates.split("/")))

    def known(self, labels: Sequence[str]) -> tuple[str, ...]:
        """Return the domains of a model whose training pairs have these labels."""
        names = self._names or tuple(labels)
        if not names:
            raise ConfigError(
                "domains: which ones? Name them (domains:names=news/web), or label the training data: "
                "train --labels FILE"
            )
        if self.default and self.default not in names:
            raise ConfigError(f"domains: default must be one of {', '.join(names)}, got {self.default!r}")
        return names


def copy_name(name: str, domain: str) -> str:
    """Return the name of a feature's copy for a domain."""
    template = template_of(name)
    return f"{template}@{domain}{name[len(template) :]}"


def original_name(name: str) -> tuple[str, str] | None:
    """Return the name of the original of a copy, and its domain; None for a feature that is not a copy."""
    template = template_of(name)
    original, at, domain = template.rpartition("@")
    return (original + name[len(template) :], domain) if at and original and domain else None


def weights_in(weights: Mapping[str, float], domain: str, domains: Collection[str]) -> dict[str, float]:
    """Return the weights of features in a domain, w + w_m; copies that belong to no domain do not change."""
    found: dict[str, float] = {}
    for name, value in weights.items():
        parts = original_name(name)
        if parts is None or parts[1] not in domains:
            found[name] = found.get(name, 0.0) + value
        elif parts[1] == domain:
            found[parts[0]] = found.get(parts[0], 0.0) + value
    return found

"""Lists of sentences that have labels: copies of features for each domain (Daumé III 2007)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tunesmith.errors import ConfigError
from tunesmith.features.domains import Domains, copy_name
from tunesmith.features.names import template_of
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.search.lists.plain import PlainMatrix


def with_copies(lists: CandidateSet, labels: Sequence[str], domains: Domains | None = None) -> CandidateSet:
    """Add to the lists a copy of each feature for the domain of its sentence, as in models with domains.

    labels: of each sentence.
    domains: which templates have copies and which domain has none; without it, all features have them in all
        domains. A copy that no candidate has is not a column.
    """
    from scipy import sparse

    chosen = Domains() if domains is None else domains
    if len(labels) != lists.sentences:
        raise ConfigError(f"{len(labels)} labels for lists of {lists.sentences} sentences")
    names = chosen.known(sorted(set(labels)))
    for label in dict.fromkeys(labels):
        if label not in names:
            raise ConfigError(f"the label {label!r} is not a domain; there are {', '.join(names)}")
    originals = [lists.features.name(column) for column in range(lists.columns)]
    copied = _copied(originals, chosen)
    rows, of_rows = lists.rows(), np.array(labels, dtype=object)[lists.sentence_of]
    parts, found = [rows], list(originals)
    for name in names:
        if name == chosen.default:
            continue
        own: Any = sparse.diags((of_rows == name).astype(np.float64)) @ rows[:, copied]
        own.eliminate_zeros()
        fires = np.flatnonzero(own.getnnz(axis=0))
        parts.append(own[:, fires])
        found += [copy_name(originals[column], name) for column in copied[fires].tolist()]
    stated = lists.matrix.stated if isinstance(lists.matrix, PlainMatrix) else None
    matrix = PlainMatrix.from_csr(sparse.hstack(parts, format="csr"), stated)
    return lists.replaced(matrix=matrix, features=found)


def _copied(originals: Sequence[str], chosen: Domains) -> Any:
    """Return numbers of the features that have copies; ConfigError for a template that no feature has."""
    templates = [template_of(name) for name in originals]
    if missing := sorted(chosen.copied - set(templates)):
        raise ConfigError(
            f"domains: copies of {missing[0]!r}, which no feature of these lists is called; they have "
            f"{', '.join(sorted(set(templates))[:10])}"
        )
    return np.array(
        [at for at, template in enumerate(templates) if not chosen.copied or template in chosen.copied],
        dtype=np.int64,
    )

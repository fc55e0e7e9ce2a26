"""What all decoders offer: weights in, translations, lists and search graphs out."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tunesmith import _core
from tunesmith.checks import at_least, whole_number
from tunesmith.corpus.given_text import GivenLines, line_stream
from tunesmith.corpus.subwords import Subwords
from tunesmith.corpus.vocab import SPECIAL
from tunesmith.decoding.candidate_arrays import CandidateArrays, join_batches
from tunesmith.decoding.domain_copies import DomainCopies
from tunesmith.decoding.options import SearchOptions
from tunesmith.decoding.profile import DecodingProfile
from tunesmith.decoding.translation import Decoding, Model, Translation
from tunesmith.decoding.weighting import Weighting
from tunesmith.errors import ConfigError, FormatError, core_errors
from tunesmith.features import FeatureMatrix, SearchFeature
from tunesmith.features.domains import Domains
from tunesmith.features.featureset import rule_arrays
from tunesmith.features.search.search_features import check_served, described, search_features
from tunesmith.grammar import LeaveOneOutCounts, RuleTable
from tunesmith.lm import LanguageModel
from tunesmith.registry import Registry
from tunesmith.search.lists.pieces import vocabulary_subwords
from tunesmith.weights import Weights

if TYPE_CHECKING:
    from tunesmith.decoding.candidates import ListDecoder

Counts: TypeAlias = LeaveOneOutCounts | None
# Lines given to the core in one call, for each thread: signals are handled in between.
_LINES = 32
_LARGEST_K = 2**31


decoders: Registry[Decoder] = Registry("search", "tunesmith.searches")
"""Decoder classes by the kind of model."""


class Decoder:
    """What hierarchical and phrase-based decoders have in common: a rule table, features, weights, and a search.

    features: compiled from the same table; its index gets the features of the search.
    language_models: by the names of their features.
    state_features: other features of the search: templates by name, or names alone for their default settings.
    weights: by name, or by the numbers of `index`; without any, all are 0.
    domains: copies of features for each of them; every line is then `label<TAB>text`.

    Results depend on nothing but these, whatever the number of threads. Several threads of Python may share a
    decoder; they wait for one another.
    """

    search: ClassVar[str]
    """The search of the core, which is also the kind of models that it decodes."""
    kind: ClassVar[str]
    """Kind of the rules, as tables name it."""
    options_type: ClassVar[type[SearchOptions]]
    appends: ClassVar[bool] = False
    """Whether each rule appends to what is translated already; otherwise rules are a tree."""
    usual_features: ClassVar[tuple[str, ...]] = ()
    """Features of the search that a model has unless it says otherwise."""
    signature_of: Callable[[SearchOptions], object] = staticmethod(lambda options: "")
    """What translations depend on besides weights and input; set by the model directory that was opened."""

    def __init__(
        self,
        table: RuleTable,
        features: FeatureMatrix,
        language_models: Mapping[str, LanguageModel],
        weights: Weights | ArrayLike | None = None,
        options: SearchOptions | None = None,
        *,
        state_features: Mapping[str, SearchFeature] | Iterable[str] | None = None,
        domains: Domains | None = None,
    ) -> None:
        if table.kind != self.kind:
            raise ConfigError(f"{table.folder}: expected a table of {self.kind} rules, got {table.kind} rules")
        self.options = self.options_type() if options is None else options
        if not isinstance(self.options, self.options_type):
            raise ConfigError(
                f"{type(self).__name__} takes {self.options_type.__name__}, not {type(options).__name__}"
            )
        self.table, self.features, self.language_models = table, features, tuple(language_models)
        chosen = search_features(self.usual_features if state_features is None else state_features)
        check_served(chosen, self.search)
        self.state_features = tuple(chosen)
        self.index = features.index
        """Names and numbers of all features: those of rules, then those of the search."""
        self._scored_by = tuple(language_models.values())
        self.unknown_weights: list[str] = []
        """Names in the weights that no feature of the model has."""
        for name in language_models:
            if features.index.find(name) in range(features.columns):
                raise ConfigError(f"a language model cannot be called {name!r}: a feature of rules has this name")
            features.index.add(name)
        self._learned = features.columns
        models = [("language_model", name, model.inputs()) for name, model in language_models.items()]
        others = [described(name, template, table) for name, template in chosen.items()]
        self.domains = None if domains is None else DomainCopies(domains, table.label_names, features)
        """Domains of the input, where the model has some."""
        self._model = Model(table, features, self.domains)
        parts = (
            self.search, rule_arrays(table, range(len(table))), features.native, self.index.native,
            [*models, *others], self.options.native, [-1] if self.domains is None else self.domains.labels,
        )  # fmt: skip
        self._make: Callable[[], _core.Decoder] = lambda: _core.Decoder(*parts)
        with table.core_errors():
            self._native = self._make()
        self._weighting = Weighting(self._native, self.domains)
        self.index.growing.update(name for name in chosen if not chosen[name].dense_details(table))
        if weights is not None:
            self.set_weights(weights)

    @property
    def target_words(self) -> list[str]:
        """The words of the rules' target sides, which may be pieces of words."""
        return self.table.target_vocabulary.words[len(SPECIAL) :]

    @cached_property
    def subwords(self) -> Subwords:
        """The pieces that the model translates into: `bpe`, `sentencepiece`, or `none` for words."""
        return vocabulary_subwords(self.target_words)

    @property
    def weights(self) -> NDArray[np.float64]:
        """A copy of all weights, by number."""
        return self._weighting.current(len(self.index))

    def weights_in(self, domain: int) -> NDArray[np.float64]:
        """Return the weights in a domain, w + w_m, by number; `weights` in a model without domains."""
        return self._weighting.of_domain(domain, len(self.index))

    def set_weights(self, weights: Weights | ArrayLike) -> None:
        """Set weights for later sentences, by name or by number. Nothing is computed for the table."""
        if isinstance(weights, Weights):
            vector, self.unknown_weights = self.vector(weights)
        else:
            self.unknown_weights = []
            vector = np.ascontiguousarray(weights, dtype=np.float64)
            if vector.ndim != 1 or len(vector) > len(self.index):
                raise ConfigError(f"weights of shape {vector.shape} for {len(self.index)} features")
        self._learn_names()
        self._weighting.set(vector)

    def vector(self, weights: Weights) -> tuple[NDArray[np.float64], list[str]]:
        """Return weights by number, and the names that no feature of the model has.

        Sparse features of the search have no numbers before they are met, or named here.
        """
        vector, unknown = self.index.vector(weights)
        possible = [] if self.index.frozen else [name for name in unknown if self._native.can_have(name)]
        if self.domains is not None and not self.index.frozen:
            possible += self.domains.possible(unknown, self._native.can_have)
        if not possible:
            return vector, unknown
        for name in possible:
            self.index.add(name)
        return self.index.vector(weights)

    def update_weights(self, ids: ArrayLike, values: ArrayLike) -> None:
        """Set new values of some weights; what it costs depends on their number alone."""
        numbers = np.asarray(ids)
        if numbers.size and numbers.dtype.kind not in "iu":
            raise ConfigError(f"features are named by their whole numbers, not by {numbers.dtype}")
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < len(self.index):
            raise ConfigError(f"numbers of features go from 0 to {len(self.index) - 1}")
        self._learn_names()
        self._weighting.update(np.ascontiguousarray(numbers, dtype=np.uint32).ravel(),
                               np.ascontiguousarray(values, dtype=np.float64).ravel())  # fmt: skip

    def rest(self) -> None:
        """Give back memory of earlier sentences, and forced phrases; `set_weights` comes before the next one."""
        vector, self._native = self.weights, self._make()
        self._weighting, self._learned = Weighting(self._native, self.domains), self.features.columns
        self._weighting.set(vector)

    def stream(
        self,
        lines: GivenLines,
        k: int = 1,
        *,
        distinct: bool = False,
        graph: bool = False,
        threads: int = 1,
        leave_one_out: Counts = None,
    ) -> Iterator[Decoding]:
        """Decode lines as they come, in order, in constant memory.

        k: translations of each line.   distinct: of different words.   graph: keep all that was found.
        leave_one_out: each line is translated as if its sentence pair were not in the training data.
        """
        for batch, left_out, pairs, domains in self._batches(lines, k, threads, leave_one_out):
            with self._confirmed():
                found = self._native.decode(
                    batch, k, distinct, graph, not self.index.frozen, threads, left_out, pairs, domains
                )
            for at, native in enumerate(found):
                yield Decoding(native, self._model, int(domains[at]) if domains.size else 0)

    def translate(self, lines: GivenLines, *, threads: int = 1, leave_one_out: Counts = None) -> list[Translation]:
        return [decoding.best for decoding in self.stream(lines, threads=threads, leave_one_out=leave_one_out)]

    def k_best(
        self, lines: GivenLines, k: int, *, distinct: bool = False, threads: int = 1, leave_one_out: Counts = None
    ) -> list[Decoding]:
        """Return the k best translations of each line, fewer where there are no more."""
        return list(self.stream(lines, k, distinct=distinct, threads=threads, leave_one_out=leave_one_out))

    def list_decoder(self) -> ListDecoder:
        """Return the decoder as tuners use it, which gives lists as candidate sets."""
        from tunesmith.decoding.candidates import ListDecoder

        return ListDecoder(self, str(self.signature_of(self.options)))

    def candidate_arrays(
        self,
        lines: GivenLines,
        k: int,
        *,
        distinct: bool = False,
        threads: int = 1,
        leave_one_out: Counts = None,
    ) -> CandidateArrays:
        """Return the k best of each line as flat arrays: what tuning sets are made of, much faster than objects.

        `FactoredMatrix.from_rules` of `tunesmith.search` takes them as they are. leave_one_out: see `stream`; how
        much the scores of rules differ from the table's is among the sparse pairs.
        """
        batches = self.array_batches(lines, k, distinct, threads, leave_one_out)
        found = join_batches(batches, self.table.target_vocabulary)
        return found if self.domains is None else self.domains.in_arrays(found)  # numbered for all batches

    def array_batches(
        self, lines: GivenLines, k: int, distinct: bool, threads: int, leave_one_out: Counts
    ) -> Iterator[dict[str, Any]]:
        """Yield the k best of some lines at once, without copies of features, for `join_batches`."""
        for batch, left_out, pairs, domains in self._batches(lines, k, threads, leave_one_out):
            with self._confirmed():
                found = self._native.candidates(
                    batch, k, distinct, not self.index.frozen, threads, left_out, pairs, domains
                )
            yield {**found, "domains": domains}

    def start_profile(self) -> None:
        """Take times from now on, which costs a few per cent of them. Translations stay the same."""
        self._native.start_profile()

    def profile(self) -> DecodingProfile:
        """Return times since `start_profile`; all are 0 if it was not called."""
        return DecodingProfile.of(self._native.feature_names(), *self._native.profile())

    @contextlib.contextmanager
    def _confirmed(self) -> Iterator[None]:
        """Wait, at the end, until rules and language models are verified; FormatError names a damaged file."""
        try:
            with core_errors(None):
                yield
        except FormatError:
            self._confirm()  # a damaged file is the better reason
            raise
        self._confirm()

    def _confirm(self) -> None:
        for part in (self.table, *self._scored_by):
            part.confirm()

    def _column(self, name: str) -> int | None:
        found = self.index.find(name)
        return found if found in range(self.features.columns) else None

    def _batches(
        self, lines: GivenLines, k: int, threads: int, leave_one_out: Counts
    ) -> Iterator[tuple[list[str], _core.LeaveOneOut | None, NDArray[np.int64], NDArray[np.int64]]]:
        """Yield batches of lines, with what is left out of the model for each line, and their domains."""
        whole_number(1, _LARGEST_K, k=k)
        at_least(1, threads=threads)
        left_out = None if leave_one_out is None else leave_one_out.of_decoder(self.table, self._column)
        stream, first = line_stream(lines), 0
        while batch := list(islice(stream, _LINES * threads)):
            domains = np.empty(0, np.int64)
            if self.domains is not None:
                batch, domains = self.domains.split(batch)
            pairs = np.empty(0, np.int64) if leave_one_out is None else leave_one_out.check_lines(batch, first)
            yield batch, left_out, pairs, domains
            first += len(batch)

    def _learn_names(self) -> None:
        """Read names of features, from here or from another decoder that has the same index."""
        if self.state_features and self._learned < len(self.index):
            self._native.learn_names(self._learned)
        self._learned = len(self.index)

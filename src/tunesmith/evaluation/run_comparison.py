"""Several tuning runs side by side: scores with paired tests, and what differs between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tunesmith.errors import ConfigError
from tunesmith.evaluation.compare import Comparison, SystemResult, compare
from tunesmith.evaluation.run_record import RunRecord, check_distinct
from tunesmith.evaluation.settings import Resampling
from tunesmith.metrics import Metric
from tunesmith.metrics.base import Floats
from tunesmith.signature import Signature
from tunesmith.tuning.runs.chosen import Chosen
from tunesmith.tuning.runs.directory import flat
from tunesmith.tuning.sources.digests import references_digest
from tunesmith.weights import Weights

HEADER = ("run", "recipe", "score", "±", "difference", "p boot", "p rand", "best round", "active", "seconds")


@dataclass(frozen=True, eq=False)
class RunComparison:
    """Runs under their names, the base first.

    tests: scores, intervals and paired tests on `data`; None where there cannot be any, then `why_not` says so.
    translations: what each run chose on `data`, where it is known.
    """

    records: Sequence[RunRecord]
    names: Sequence[str]
    data: str
    tests: Comparison | None
    why_not: str
    translations: Mapping[str, Chosen]

    def result(self, name: str) -> SystemResult | None:
        """Return the row of a run in the tests."""
        systems = () if self.tests is None else self.tests.systems
        return next((each for each in systems if each.name == name), None)

    def rows(self, digits: int = 2) -> list[list[str]]:
        """Return cells of the table, as in `HEADER`; p-values below the level end in a star."""
        found = []
        for name, record in zip(self.names, self.records, strict=True):
            best, result = record.best, self.result(name)
            score = result.score if result else None if best is None else best.score
            interval = result.interval if result else None
            half = "" if interval is None else f"{(interval.high - interval.low) / 2:.{digits}f}"
            found.append(
                [
                    name,
                    record.recipe,
                    "" if score is None else f"{score:.{digits}f}",
                    half,
                    *_tests(result, digits),
                    "" if best is None else str(best.round),
                    "" if best is None else f"{int(best.active):,}",
                    f"{sum(row.seconds for row in record.rounds):.1f}",
                ]
            )
        return found

    def differing_settings(self) -> tuple[list[str], list[list[str]]]:
        """Return settings that are not the same in all runs: a header, and a row for each."""
        every = [flat(record.settings) for record in self.records]
        keys = dict.fromkeys(key for each in every for key in each)
        rows = [
            [key, *(_shown(each.get(key)) for each in every)]
            for key in keys
            if len({_shown(each.get(key)) for each in every}) > 1
        ]
        return ["setting", *self.names], rows

    def weights(self, limit: int = 20) -> tuple[list[str], list[list[str]]]:
        """Return the features with the largest weights in any run: their weights in each, and normalised ones.

        Normalised: divided by the sum of the absolute weights of the features that all runs share, for the scale
        of weights is arbitrary. The largest are those by normalised weight. The largest of the features that all
        runs share come first: the thousands that one run alone has would hide them.
        """
        tables = [record.best_weights for record in self.records]
        known = [each for each in tables if each is not None]
        shared = _shared(known)
        scales = list(_scales(known, shared))
        names = _largest(list(zip(known, scales, strict=True)), shared, limit)
        of_each = iter(scales)
        scale = [None if each is None else next(of_each) for each in tables]
        rows = []
        for name in names:
            cells = [
                ["", ""] if each is None or not divisor else
                [f"{each.get(name):.4g}", f"{each.get(name) / divisor:.3g}"]
                for each, divisor in zip(tables, scale, strict=True)
            ]  # fmt: skip
            rows.append([name, *(cell for pair in cells for cell in pair)])
        header = [cell for name in self.names for cell in (name, f"{name}, normalised")]
        return ["feature", *header], rows

    def as_dict(self) -> dict[str, object]:
        """Return tests and settings for JSON; `run_report.documents` describes the runs themselves."""
        header, rows = self.differing_settings()
        return {
            "data": self.data,
            "tests": None if self.tests is None else self.tests.as_dict(),
            "no_tests_because": self.why_not or None,
            "differing_settings": {row[0]: dict(zip(header[1:], row[1:], strict=True)) for row in rows},
        }


def compare_runs(
    records: Sequence[RunRecord],
    *,
    outputs: Mapping[str, Chosen] | None = None,
    metric: Metric | None = None,
    data: str = "dev",
    resampling: Resampling | None = None,
) -> RunComparison:
    """Compare each run with the first one, on what they chose on dev or on `outputs` of other data by name.

    metric: of the outputs. That of dev is found from what the runs have kept.
    """
    if len(records) < 2:
        raise ConfigError(f"{len(records)} runs: a comparison needs a base and at least one more")
    names = check_distinct(records)
    found = _own_outputs(records, names) if outputs is None else dict(outputs)
    judge = records[0].metric if metric is None else metric
    why_not = _why_not(records, names, found, judge, own=outputs is None)
    tests = None
    if not why_not and judge is not None:
        rows: dict[str, Floats] = {name: found[name].statistics for name in names}
        settings = judge.settings() if metric is not None else records[0].metric_settings
        tests = compare(judge, rows, Signature(judge.label, {**settings, "data": data}), resampling)
    return RunComparison(records, names, data, tests, why_not, found)


def _own_outputs(records: Sequence[RunRecord], names: Sequence[str]) -> dict[str, Chosen]:
    found = {}
    for record, name in zip(records, names, strict=True):
        chosen = None if record.best is None else record.chosen(record.best.round)
        if chosen is not None:
            found[name] = chosen
    return found


def _why_not(
    records: Sequence[RunRecord], names: Sequence[str], found: Mapping[str, Chosen], metric: Metric | None, *,
    own: bool,
) -> str:  # fmt: skip
    """Return why there can be no paired tests; empty where there can."""
    lost = [name for name in names if name not in found]
    if lost:
        return f"no translations of dev are kept of {', '.join(lost)}; -m, --test and --refs decode another text"
    if metric is None:
        return "the statistics that are kept do not give the scores of the history by any metric of tunesmith"
    if not own:
        return ""
    for key, what in (("dev", "development data"), ("metric", "metric")):
        if len({_identity(record, key) for record in records}) > 1:
            return f"the runs are not about the same {what}, so their scores cannot be compared"
    sizes = {found[name].statistics.shape for name in names}
    return "the runs translated different numbers of sentences" if len(sizes) > 1 else ""


def _identity(record: RunRecord, key: str) -> str:
    """Return what must be equal for scores to mean the same: of the data its digests, not how it was decoded."""
    settings = record.settings.get(key)
    if not isinstance(settings, Mapping):
        return str(settings)
    if key == "dev" and record.sentences is not None:
        return references_digest([each.references for each in record.sentences])
    if key == "dev":
        return str({name: settings.get(name) for name in ("references", "digest")})
    return str(dict(settings))


def _tests(result: SystemResult | None, digits: int) -> list[str]:
    if result is None or result.tests is None:
        return ["", "", ""]
    tests = result.tests
    p_values = [
        "" if p is None else f"{'<0.001' if p < 0.001 else format(p, '.3f')}{'*' if p < tests.alpha else ''}"
        for p in (tests.p_bootstrap, tests.p_randomization)
    ]
    return [f"{tests.difference:+.{digits}f}", *p_values]


def _shared(tables: Sequence[Weights]) -> list[str]:
    """Return the features that have a weight in all tables."""
    nonzero = [{each.native.name(int(at)) for at in each.array.nonzero()[0]} for each in tables]
    return sorted(set.intersection(*nonzero)) if nonzero else []


def _largest(tables: Sequence[tuple[Weights, float]], shared: Sequence[str], limit: int) -> list[str]:
    """Return the features with the largest weights, by size; the largest of those that all share come first."""

    def size(name: str) -> float:
        return max(abs(each.get(name)) / divisor for each, divisor in tables)

    first = sorted(shared, key=size, reverse=True)[: limit // 2]
    top = {
        each.native.name(at): None  # in order, each once
        for each, _ in tables
        for at in abs(each.array).argsort(kind="stable")[::-1][:limit].tolist()
        if each.array[at]
    }
    others = sorted((name for name in top if name not in first), key=size, reverse=True)
    return [*first, *others][:limit]


def _scales(tables: Sequence[Weights], shared: Sequence[str]) -> Iterator[float]:
    """Yield what the weights of each run are divided by."""
    for each in tables:
        total = sum(abs(each.get(name)) for name in shared) if shared else float(abs(each.array).sum())
        yield total or 1.0


def _shown(value: object) -> str:
    return "" if value is None else str(value)

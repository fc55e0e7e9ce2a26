"""Work of the stages of a comparison of tuners: tune, score, choose, evaluate."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from tunesmith.decoding.work.spec import OpenDecoder
from tunesmith.evaluation.group_overlap import group_overlap
from tunesmith.evaluation.reused import lists_support, projection_of, reuse
from tunesmith.experiments.laboratory import IDENTITY, Laboratory
from tunesmith.experiments.liu2013.clustering import describe_rules
from tunesmith.experiments.liu2013.partitions import ByCount, Clusters, NoGroups
from tunesmith.experiments.liu2013.row import BY_PART, Row
from tunesmith.experiments.stages import Place, Stage
from tunesmith.experiments.tuning_work import METRIC, TuningNotes, judge
from tunesmith.jobs.decoded import Decoded, decoded_source
from tunesmith.jobs.recipe import RecipeSpec
from tunesmith.jobs.tuning import TuningJob
from tunesmith.tuning import ListPool, Recipe
from tunesmith.tuning.groups.partitions import Partition, Ties
from tunesmith.tuning.groups.settings import IDENTITIES
from tunesmith.tuning.optimizers.batch_oscar import BatchOscar
from tunesmith.tuning.runs.directory import round_folder
from tunesmith.tuning.runs.group_files import read_groups
from tunesmith.weights import Weights

RUN, WEIGHTS = "run", "weights.tsv"
_TRAIN_SCORED = 500  # translated training sentences


def recipe_of(row: Row, settings: Sequence[str], laboratory: Laboratory, rounds: int) -> RecipeSpec:
    """Return the recipe of a row with these settings and the metric of the experiment."""
    scale = laboratory.settings.scale
    recipe = RecipeSpec(
        name=row.recipe, plain=row.plain, settings=tuple(settings), rounds=rounds, k=scale.k, **METRIC
    )
    parts = recipe.open().parts
    if "grouping" not in parts:
        return recipe
    features = (*(parts["grouping"].features or IDENTITIES), *_patterns(row.grouped))
    return msgspec.structs.replace(
        recipe, group=features, group_with=_patterns(row.shared), inner_rounds=scale.inner_rounds
    )


def _patterns(templates: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{template.partition(':')[0]}:*" for template in templates)


def with_grouping(recipe: Recipe, name: str, laboratory: Laboratory, groups: int) -> Recipe:
    """Return the recipe with another way to make groups: `none`, `batch`, `counts`, or `clusters`, that many."""

    def counts() -> Partition:
        return ByCount(np.asarray(laboratory.model(ids=True).table.array("joint_counts"), dtype=np.float64))

    partitions: dict[str, Callable[[], Partition]] = {
        "none": NoGroups,
        "batch": Ties,
        "counts": counts,
        "clusters": lambda: Clusters(describe_rules(laboratory.model(ids=True).table), groups),
    }
    learner = recipe.parts["grouping"].learner
    if name == "batch":
        learner = dataclasses.replace(learner, optimizer=BatchOscar())
    return recipe.with_part("grouping", learner=learner, partition=partitions[name]())


def tune(
    place: Place,
    laboratory: Laboratory,
    row: Row,
    settings: Sequence[str],
    *,
    rounds: int,
    seed: int,
    start: Path | None = None,
    lists: Path | None = None,
    groups: int = 1,
) -> dict[str, Any]:
    """Run the recipe of a row in the folder of the stage, which holds the run directory.

    start: weights to begin with, instead of the model's.
    lists: candidates of the training data that an earlier run has left; with them nothing is decoded there.
    groups: how many there are to be, where the row does not learn them.
    """
    described = recipe_of(row, settings, laboratory, rounds)
    recipe = described.open()
    if row.grouping:
        recipe = with_grouping(recipe, row.grouping, laboratory, groups)
    train = None
    if lists is None and row.data != "dev":
        train = laboratory.decoded("train", row.templates)
        if row.left_out:
            train = laboratory.train_left_out(row.templates, by_part=row.left_out in BY_PART)
    job = TuningJob(
        data=Decoded(laboratory.decoded("dev", row.templates), train, None if lists is None else str(lists)),
        recipe=described,
        start=laboratory.start if start is None else str(start),
        seed=seed,
    )
    with job.open(
        recipe=recipe, models=laboratory.models, executor=laboratory.executor, threads=laboratory.threads
    ) as opened:
        tuner = opened.fit(output=place.folder / RUN, observer=TuningNotes(place), report=False)
    history, best = tuner.history_, tuner.history_.best
    assert best is not None
    return {
        "run": str((place.folder / RUN).relative_to(place.root)),
        "dev": best.score,
        "last": history[-1].score,
        "best_round": best.round,
        "rounds": history[-1].round,
        "reason": tuner.reason_,
        "minutes": sum(each.seconds for each in history) / 60,
        "details": dict(best.details),
        "settings": list(settings),
        "signature": str(tuner.signature_),
    }


def score(
    place: Place, laboratory: Laboratory, weights: Path, *, features: str, sets: Sequence[str]
) -> dict[str, Any]:
    """Translate data sets; outputs and statistics of the metric stay in the folder."""
    decoder = laboratory.own(features).decoder()
    decoder.set_weights(Weights.read(weights))
    given = {name: laboratory.sentences(name) for name in sets}
    return dict(judge(place, decoder, given, laboratory.metric, threads=laboratory.threads))


def score_train(place: Place, laboratory: Laboratory, weights: Path) -> dict[str, Any]:
    """Compute BLEU on training sentences with their single reference, to measure over-fitting of the model.

    plain: with all rules and the language model.   unread: with leave-one-out.
    """
    features, k = f"default,{IDENTITY}", laboratory.settings.scale.k
    plain, unread = laboratory.decoded("train", features), laboratory.train_left_out(features)
    opened = OpenDecoder(plain.decoder, laboratory.model(ids=True))
    text, decoder = plain.text.read(), opened.lists
    assert unread.decoder.left_out is not None
    sources = {
        "plain": decoded_source(opened, text, plain.sentences, k),
        "unread": decoded_source(opened.leaving_out(unread.decoder.left_out, text), text, unread.sentences, k),
    }
    chosen = range(min(_TRAIN_SCORED, sources["plain"].sentences))
    prepared = laboratory.metric.prepare([sources["plain"].references[at] for at in chosen])
    decoder.decoder.set_weights(Weights.read(weights))
    found: dict[str, Any] = {"sentences": len(chosen)}
    for name, source in sources.items():
        lists = source.candidates(decoder.weights, chosen, threads=laboratory.threads)
        measured = lists.with_statistics(prepared, threads=laboratory.threads)
        best = ListPool(measured).best(decoder.weights, threads=laboratory.threads)
        found[name] = best.score(laboratory.metric)
    return found


def choose(place: Place, tried: Sequence[tuple[Stage, Stage]]) -> dict[str, Any]:
    """Choose the best of a sweep on devtest; ties by order. tried: the tuning and the scores of each value."""
    found = [
        {"settings": place.result(tuned)["settings"], "devtest": place.result(scored)["devtest"]}
        for tuned, scored in tried
    ]
    best = max(range(len(found)), key=lambda at: (found[at]["devtest"], -at))
    return {"chosen": best, "settings": found[best]["settings"], "tried": found}


def count(place: Place, laboratory: Laboratory, run: Path, *, features: str, groups: bool) -> dict[str, Any]:
    """Count active features, or groups, and how many of them fire in the lists of test (Table 1)."""
    decoder = laboratory.own(features).list_decoder()
    decoder.decoder.set_weights(Weights.read(run / WEIGHTS))
    vector = decoder.weights
    projection, sizes = None, np.zeros(0, dtype=np.int64)
    if groups:
        table = read_groups(run)
        projection, _ = projection_of(table, decoder.features)
        sizes = table.sizes[~table.alone]
    lines, k = laboratory.sentences("test").lines, laboratory.settings.scale.reused_k
    of_features, of_groups = lists_support(decoder, lines, k, projection, threads=laboratory.threads)
    single = reuse(vector, of_features)
    if projection is None or of_groups is None:
        return single.as_dict()
    found = reuse(projection.resized(len(vector)).weights(vector), of_groups)
    return {
        **found.as_dict(),
        "active_features": single.active,
        "reused_features": single.reused,
        "sizes": np.sort(sizes)[::-1].tolist(),
    }


def overlap(place: Place, one: Stage, other: Stage) -> float:
    """Compare the groups of two runs by the adjusted Rand index over features grouped in either."""
    return group_overlap(*(read_groups(run_of(place, stage)) for stage in (one, other))).rand_index_of_all


def groups_of(place: Place, tuned: Stage) -> int:
    """Count the groups of several features that a run has made."""
    table = read_groups(run_of(place, tuned))
    return max(int(np.count_nonzero(~table.alone)), 1)


def run_of(place: Place, tuned: Stage) -> Path:
    """Return the run directory that a tuning stage ended with; after a choice it may be that of another stage."""
    return place.root / str(place.result(tuned)["run"])


def weights_of(place: Place, tuned: Stage) -> Path:
    """Return the weights that a tuning stage ended with: those of the round it names, or the best on dev."""
    taken = place.result(tuned).get("taken")
    return run_of(place, tuned) / ("" if taken is None else round_folder(taken)) / WEIGHTS

"""A model of Moses as a model directory, in which a derivation has the score that Moses gives it.

What Moses counts differs from our defaults: the word penalty of hierarchical models counts `<s>` and `</s>`, the
phrase penalty every rule, those of the glue grammar and of unknown words too; an unknown word has the value -100.
Settings of our templates say so in `system.toml`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tunesmith.config import WEIGHTS, FeaturePart, LanguageModelPart, System, write_system
from tunesmith.features.rules.translation import score_detail
from tunesmith.grammar.moses import read_moses
from tunesmith.grammar.moses_ini import FeatureFunction, MosesIni, read_moses_ini
from tunesmith.grammar.moses_reordering import read_with_reordering
from tunesmith.grammar.select import select_rules
from tunesmith.grammar.table import RuleTable
from tunesmith.io import StrPath
from tunesmith.io.folders import new_folder, refuse_other_data, scratch_folder
from tunesmith.io.toml import Setting
from tunesmith.lm import NgramModel
from tunesmith.signature import Signature
from tunesmith.training.moses_model import SEARCH as HIERARCHICAL
from tunesmith.training.moses_model import MosesModel, number, read_moses_model
from tunesmith.training.moses_phrase_model import SEARCHES as PHRASE_BASED
from tunesmith.training.moses_phrase_model import MosesPhraseModel, read_moses_phrase_model
from tunesmith.weights import Weights

LEFT_TO_RIGHT = "left-to-right"
UNKNOWN_WORD = -100.0  # Moses' lowest score, for any unknown word
_PENALTIES = {"WordPenalty": "word_penalty", "PhrasePenalty": "rule_penalty", "UnknownWordPenalty": "unknown"}


@dataclass(frozen=True)
class _Import:
    """What is made of an ini file.

    read_rules: writes the table into a folder and returns what the user should know about it.
    weights: in addition to those of translation scores, penalties and language models.
    """

    ini: MosesIni
    table: FeatureFunction
    lms: Sequence[FeatureFunction]
    kind: str
    features: tuple[FeaturePart, ...]
    decoder: dict[str, int]
    weights: dict[str, float]
    notes: Sequence[str]
    read_rules: Callable[[Path], Sequence[str]]


def import_moses(
    path: StrPath,
    folder: StrPath,
    progress: Callable[[str], None] | None = None,
    *,
    left_to_right: bool = False,
) -> tuple[System, tuple[str, ...]]:
    """Read a Moses model into a new model directory, all or nothing; what it is, and notes for the user.

    left_to_right: a hierarchical model for left-to-right search, with its rules in target normalised form alone.
    """
    tell = progress or (lambda what: None)
    refuse_other_data(Path(folder), None, "model")
    plan = _planned(read_moses_ini(path))
    if left_to_right:
        plan = _in_normal_form(plan)
    ini = plan.ini
    with new_folder(folder, None, "model") as made:
        parts = []
        notes = list(plan.notes)
        for at, function in enumerate(plan.lms, 1):
            tell(f"reading {ini.file(function)}")
            lm = _read_lm(ini, function)
            notes += lm.notes
            parts.append(LanguageModelPart("lm" if at == 1 else f"lm{at}", "lm.bin" if at == 1 else f"lm{at}.bin"))
            lm.save(made / parts[-1].path)
        tell(f"reading {ini.file(plan.table)}")
        notes += plan.read_rules(made / "rules")
        table = RuleTable.open(made / "rules")
        _check_scores(plan, table)
        system = System(plan.kind, "rules", tuple(parts), plan.features, plan.decoder)
        Weights.from_mapping(_all_weights(plan, system, table), str(Signature("moses"))).write(made / WEIGHTS)
        write_system(made, system)
    return system, tuple(notes)


def _in_normal_form(plan: _Import) -> _Import:
    """Leave out rules with a word after a gap in the target side, which left-to-right search does not take."""
    if plan.kind != "hiero":
        raise plan.ini.error("is a phrase-based model; left-to-right search takes hierarchical rules", 1)

    def read_rules(folder: Path) -> Sequence[str]:
        with scratch_folder(folder) as scratch:
            notes = plan.read_rules(scratch / "all")
            whole = RuleTable.open(scratch / "all")
            kept = select_rules(whole, folder, normal_form=True)
        return [
            *notes,
            f"{len(kept)} of {len(whole)} rules are in target normalised form; the others are left out",
        ]

    return replace(plan, kind=LEFT_TO_RIGHT, read_rules=read_rules)


def _planned(ini: MosesIni) -> _Import:
    algorithm = ini.integers("search-algorithm") or [0]
    if algorithm == [HIERARCHICAL]:
        return _hierarchical(read_moses_model(ini))
    if len(algorithm) == 1 and algorithm[0] in PHRASE_BASED:
        return _phrase_based(read_moses_phrase_model(ini))
    raise ini.error(
        f"search algorithm {algorithm[0]} is neither that of hierarchical models, {HIERARCHICAL}, nor one of "
        f"phrase-based ones, {', '.join(map(str, PHRASE_BASED))}",
        ini.section_lines["search-algorithm"],
    )


def _hierarchical(model: MosesModel) -> _Import:
    ini, glue = model.ini, model.glue
    features = [
        FeaturePart("translation"),
        FeaturePart("glue_penalty", {"value": glue.append, "begin": glue.begin, "end": glue.end}),
        *_penalties(ini, {"borders": True}, {"every": True}),
    ]
    decoder = {"pop_limit": model.pop_limit, "max_span": model.max_span, "table_limit": model.table_limit}

    def read_rules(folder: Path) -> Sequence[str]:
        table = read_moses(ini.file(model.table), folder, "hiero")
        label = table.manifest["moses"]["label"]
        if label != model.label:
            raise ini.error(
                f"the rules of {model.table.name} make [{label}], but [non-terminals] has {model.label}",
                model.table.line,
            )
        return ()

    weights = {"glue_penalty": _weights(ini, model.glue_table, 1)[0]}
    return _Import(
        ini, model.table, model.lms, "hiero", tuple(features), decoder, weights, model.notes, read_rules
    )


def _phrase_based(model: MosesPhraseModel) -> _Import:
    ini = model.ini
    features = [FeaturePart("translation"), *_penalties(ini, {}, {"unknown": True})]
    decoder = {
        "pop_limit": model.pop_limit,
        "stack_limit": model.stack_limit,
        "distortion_limit": model.distortion_limit,
        "max_length": model.max_length,
        "table_limit": model.table_limit,
    }
    weights = {}
    if (distortion := model.function("Distortion")) is not None:
        features.append(FeaturePart("distortion"))
        weights["distortion"] = _weights(ini, distortion, 1)[0]
    if model.reordering is not None:
        function, options = model.reordering
        features.append(FeaturePart("reordering"))
        names = [f"reordering:{name}" for name in options.columns]
        weights |= dict(zip(names, _weights(ini, function, len(names)), strict=True))

    def read_rules(folder: Path) -> Sequence[str]:
        if model.reordering is None:
            read_moses(ini.file(model.table), folder, "phrase")
            return ()
        function, options = model.reordering
        file = ini.file(function)
        return read_with_reordering(ini.file(model.table), file, folder, options).notes(file)

    return _Import(
        ini, model.table, model.lms, "phrase", tuple(features), decoder, weights, model.notes, read_rules
    )


def _penalties(
    ini: MosesIni, word_settings: Mapping[str, Setting], rule_settings: Mapping[str, Setting]
) -> list[FeaturePart]:
    """Return our templates with the settings that make them count as Moses does."""
    settings: dict[str, Mapping[str, Setting]] = {
        "WordPenalty": word_settings,
        "PhrasePenalty": rule_settings,
        "UnknownWordPenalty": {"value": UNKNOWN_WORD},
    }
    found = {function.kind for function in ini.features}
    return [FeaturePart(_PENALTIES[kind], settings[kind]) for kind in _PENALTIES if kind in found]


def _all_weights(plan: _Import, system: System, table: RuleTable) -> dict[str, float]:
    names = [f"translation:{score_detail(name)}" for name in table.score_names]
    values = dict(zip(names, _weights(plan.ini, plan.table, len(names)), strict=True))
    values |= plan.weights
    for function in plan.ini.features:
        if function.kind in _PENALTIES:
            values[_PENALTIES[function.kind]] = _weights(plan.ini, function, 1)[0]
    for part, function in zip(system.lms, plan.lms, strict=True):
        values[part.name] = _weights(plan.ini, function, 1)[0]
    return values


def _weights(ini: MosesIni, function: FeatureFunction, expected: int) -> Sequence[float]:
    weights = ini.weights.get(function.name)
    if weights is None:
        raise ini.error(f"{function.name} has no weight in [weight]", function.line)
    if len(weights) != expected:
        raise ini.error(f"{function.name} must have {expected} weights, got {len(weights)}", function.line)
    return weights


def _read_lm(ini: MosesIni, function: FeatureFunction) -> NgramModel:
    lm = NgramModel.load(ini.file(function))
    order = number(ini, function, "order")
    if order is not None and order != lm.order:
        raise ini.error(f"{function.name}: order={order}, but the model has order {lm.order}", function.line)
    return lm


def _check_scores(plan: _Import, table: RuleTable) -> None:
    expected = number(plan.ini, plan.table, "num-features")
    if expected is not None and expected != len(table.score_names):
        raise plan.ini.error(f"{plan.table.name}: num-features={expected}, but its rules have "
                             f"{len(table.score_names)} scores", plan.table.line)  # fmt: skip

"""A hierarchical model of Moses as a model directory, in which a derivation has the score that Moses gives it.

What Moses counts differs from our defaults: its word penalty counts `<s>` and `</s>`, its phrase penalty every
rule, those of the glue grammar and of unknown words too; an unknown word has the value -100. Settings of our
templates say so in `system.toml`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tunesmith.config import WEIGHTS, FeaturePart, LanguageModelPart, System, write_system
from tunesmith.features.translation import score_detail
from tunesmith.grammar.moses import read_moses
from tunesmith.grammar.moses_ini import FeatureFunction, MosesIni
from tunesmith.grammar.table import RuleTable
from tunesmith.io import StrPath
from tunesmith.io.folders import new_folder, refuse_other_data
from tunesmith.lm import NgramModel
from tunesmith.signature import Signature
from tunesmith.training.moses_model import MosesModel, number, read_moses_model
from tunesmith.weights import Weights

UNKNOWN_WORD = -100.0  # Moses' lowest score, for any unknown word


def import_moses(
    path: StrPath, folder: StrPath, progress: Callable[[str], None] | None = None
) -> tuple[System, tuple[str, ...]]:
    """Read a Moses model into a new model directory, all or nothing; what it is, and notes for the user."""
    tell = progress or (lambda what: None)
    refuse_other_data(Path(folder), None, "model")
    model = read_moses_model(path)
    with new_folder(folder, None, "model") as made:
        parts = []
        notes = list(model.notes)
        for at, function in enumerate(model.lms, 1):
            tell(f"reading {model.ini.file(function)}")
            lm = _read_lm(model.ini, function)
            notes += lm.notes
            parts.append(LanguageModelPart("lm" if at == 1 else f"lm{at}", "lm.bin" if at == 1 else f"lm{at}.bin"))
            lm.save(made / parts[-1].path)
        tell(f"reading {model.ini.file(model.table)}")
        table = read_moses(model.ini.file(model.table), made / "rules")
        _check_table(model, table)
        system = System("hiero", "rules", tuple(parts), feature_parts(model), decoder_options(model))
        Weights.from_mapping(moses_weights(model, system, table.score_names), str(Signature("moses"))).write(
            made / WEIGHTS
        )
        write_system(made, system)
    return system, tuple(notes)


def feature_parts(model: MosesModel) -> tuple[FeaturePart, ...]:
    """Our templates with the settings that make them count as Moses does."""
    glue = {"value": model.glue.append, "begin": model.glue.begin, "end": model.glue.end}
    found = {function.kind for function in model.ini.features}
    parts = [FeaturePart("translation"), FeaturePart("glue_penalty", glue)]
    if "WordPenalty" in found:
        parts.append(FeaturePart("word_penalty", {"borders": True}))
    if "PhrasePenalty" in found:
        parts.append(FeaturePart("rule_penalty", {"every": True}))
    if "UnknownWordPenalty" in found:
        parts.append(FeaturePart("unknown", {"value": UNKNOWN_WORD}))
    return tuple(parts)


def decoder_options(model: MosesModel) -> dict[str, int]:
    """Limits of the search."""
    return {
        "pop_limit": model.pop_limit,
        "max_span": model.max_span,
        "table_limit": model.table_limit,
    }


def moses_weights(model: MosesModel, system: System, score_names: Sequence[str]) -> dict[str, float]:
    """The weights of the ini file under our names."""
    ini, table, glue = model.ini, model.table, model.glue_table
    names = [f"translation:{score_detail(name)}" for name in score_names]
    values = dict(zip(names, _weights(ini, table, len(names)), strict=True))
    values["glue_penalty"] = _weights(ini, glue, 1)[0]
    for kind, ours in (("WordPenalty", "word_penalty"), ("PhrasePenalty", "rule_penalty"),
                       ("UnknownWordPenalty", "unknown")):  # fmt: skip
        for function in ini.features:
            if function.kind == kind:
                values[ours] = _weights(ini, function, 1)[0]
    for part, function in zip(system.lms, model.lms, strict=True):
        values[part.name] = _weights(ini, function, 1)[0]
    return values


def _weights(ini: MosesIni, function: FeatureFunction, expected: int) -> Sequence[float]:
    weights = ini.weights.get(function.name)
    if weights is None:
        raise ini.error(f"{function.name} has no weight in [weight]", function.line)
    if len(weights) != expected:
        raise ini.error(f"{function.name} has {len(weights)} weights; {expected} were expected", function.line)
    return weights


def _read_lm(ini: MosesIni, function: FeatureFunction) -> NgramModel:
    lm = NgramModel.load(ini.file(function))
    order = number(ini, function, "order")
    if order is not None and order != lm.order:
        raise ini.error(f"{function.name}: order={order}, but the model has order {lm.order}", function.line)
    return lm


def _check_table(model: MosesModel, table: RuleTable) -> None:
    expected = number(model.ini, model.table, "num-features")
    if expected is not None and expected != len(table.score_names):
        raise model.ini.error(f"{model.table.name}: num-features={expected}, but its rules have "
                              f"{len(table.score_names)} scores", model.table.line)  # fmt: skip
    label = table.manifest["moses"]["label"]
    if label != model.label:
        raise model.ini.error(
            f"the rules of {model.table.name} make [{label}], but [non-terminals] has {model.label}",
            model.table.line,
        )

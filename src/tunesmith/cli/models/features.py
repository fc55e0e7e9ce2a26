"""`tunesmith features`: which templates there are, what they make of a table, the features of one rule."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tunesmith.cli.console import note, progress, remark
from tunesmith.cli.declaring import argument, option
from tunesmith.cli.group import Verb, verb_group
from tunesmith.cli.models.raw_text import Tokenized
from tunesmith.cli.options import THREADS, FeaturesFrom, Format, Model, OutputFormat, Quiet, Threads, WeightsFile
from tunesmith.cli.printing import put_json, say
from tunesmith.cli.weights_file import read_weights
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.features import FeatureSet
    from tunesmith.grammar import RuleTable

features = verb_group("features", "List feature templates, count what they fire, look at one rule.")

ModelOrTable = Annotated[Path, argument("MODEL|RULES", "A model directory, or the folder of a rule table.")]
Names = Annotated[str | None, option(
    "--features NAMES", "Templates and presets, as in default,id,word_pair:top=20.",
    show_default="those of the model; default for a table",
)]  # fmt: skip


@features.command("list", cls=Verb)
def list_templates(features_from: FeaturesFrom = None, output_format: OutputFormat = Format.text) -> None:
    """Print all templates with scope, settings and what they fire; then the presets.

    [bold]Examples[/bold]
      tunesmith features list
      tunesmith features list --features-from mine.py -f json
    """
    from tunesmith.features import PRESETS
    from tunesmith.features.describe import list_templates as listed
    from tunesmith.features.presets import PRESETS_OF_KIND

    _load(features_from)
    found = listed()
    if output_format is Format.json:
        put_json({"templates": found, "presets": PRESETS})
        return
    for entry in found:
        settings = ",".join(f"{key}={_setting(value)}" for key, value in entry["settings"].items())
        say(f"{entry['template']}{':' + settings if settings else ''}  ({entry['scope']})")
        say(f"    {entry['about']}")
    for name, templates in PRESETS.items():
        say(f"{name} = {templates}")
    for kind, presets in PRESETS_OF_KIND.items():
        for name, templates in presets.items():
            say(f"{name} (--kind {kind}) = {templates}")


@features.command(cls=Verb)
def describe(
    path: ModelOrTable,
    names: Names = None,
    features_from: FeaturesFrom = None,
    top: Annotated[int, option("--top", "Also print this many features that fire most.", min=0)] = 0,
    threads: Threads = THREADS,
    output_format: OutputFormat = Format.text,
) -> None:
    """Print for every template how many features it has and in how many rules they fire.

    [bold]Examples[/bold]
      tunesmith features describe model/
      tunesmith features describe rules/ --features default,id,big --top 10 -j 2
    """
    from tunesmith.cli.table import print_table
    from tunesmith.features.describe import describe_matrix

    table, chosen = _opened(path, names, features_from)
    found = describe_matrix(chosen.compile(table, threads=threads), chosen, table, top)
    if output_format is Format.json:
        put_json(found)
        return
    rows = [[str(entry[key]) for key in ("template", "features", "firing", "fired", "rules")]
            for entry in found["templates"]]  # fmt: skip
    print_table(["template", "features", "that fire", "times", "in rules"], rows)
    if top:
        say()
        print_table(["feature", "in rules"], [[entry["name"], str(entry["rules"])] for entry in found["top"]])


@features.command(cls=Verb)
def show(
    path: ModelOrTable,
    rule: Annotated[int | None, option("--rule", "The number of the rule.", min=0)] = None,
    source: Annotated[
        str | None, option("--source", "Rules with this source side; gaps are [X,1] and [X,2].")
    ] = None,
    names: Names = None,
    weights: Annotated[str | None, option("-W --weights FILE", "Weights to show too.")] = None,
    features_from: FeaturesFrom = None,
    limit: Annotated[int, option("--limit", "Rules to print; 0 for all.", min=0)] = 20,
    output_format: OutputFormat = Format.text,
) -> None:
    """Print the features of one rule, or of the rules with a source side; with weights, what each adds.

    [bold]Examples[/bold]
      tunesmith features show rules/ --rule 1204 --features default,id
      tunesmith features show model/ --source '喝 [X,1]' -W weights.tsv
    """
    from tunesmith.features.describe import named_features

    if (rule is None) == (source is None):
        raise typer.BadParameter("give either --rule or --source")
    given = None if weights is None else read_weights(weights)
    table, chosen = _opened(path, names, features_from)
    if rule is not None and rule >= len(table):
        raise typer.BadParameter(f"--rule {rule}: the table has the rules 0 to {len(table) - 1}")
    rules = range(rule, rule + 1) if rule is not None else table.rules_with_source(source or "")
    if not rules:
        raise typer.BadParameter(f"--source {source!r}: no rule of the table has this source side")
    rules = rules[:limit] if limit else rules
    matrix = chosen.compile(table, rules=rules)
    for row, number in enumerate(rules):
        entry = named_features(matrix, row, given)
        if output_format is Format.json:
            put_json({"rule": number, "text": str(table[number]), **entry})
        else:
            _print_rule(table, number, entry)


@features.command(cls=Verb)
def reused(
    model: Model,
    test: Annotated[str, option("--test FILE", "Source text of the test set.")],
    weights: WeightsFile = None,
    tokenized: Tokenized = False,
    run: Annotated[
        Path | None, option("--groups RUN", "Count groups instead of features: those of this run.")
    ] = None,
    kbest: Annotated[int, option("--kbest", "Length of the lists that are looked at.", min=1)] = 1000,
    threads: Threads = THREADS,
    output_format: OutputFormat = Format.text,
    quiet: Quiet = False,
) -> None:
    """Print how many features have a weight, and how many of these fire in k-best lists of a test set.

    With --groups, groups of features are what is counted (features that stand alone are groups of one), and the
    weights are those of the run unless others are given.

    [bold]Examples[/bold]
      tunesmith features reused -m model/ -W run/weights.tsv --test test.zh
      tunesmith features reused -m model/ --groups run/ --test test.zh -f json
    """
    from tunesmith.cli.table import print_table
    from tunesmith.decoding import ListDecoder, TranslationModel
    from tunesmith.evaluation.reused import lists_support, projection_of, reuse, reuse_by_template
    from tunesmith.io import read_lines
    from tunesmith.tuning.runs.directory import WEIGHTS
    from tunesmith.tuning.runs.group_files import read_groups, round_folder

    lines = read_lines(test)
    folder = None if run is None else round_folder(run)
    table = None if folder is None else read_groups(folder)
    used = weights if weights is not None or folder is None else folder / WEIGHTS
    opened = TranslationModel.open(model, threads=threads)
    lines = lines if tokenized else opened.text.sources(lines)
    decoder = opened.decoder(None if used is None else read_weights(used, quiet=quiet))
    for name in decoder.unknown_weights[:1]:
        remark(
            f"the model has no feature {name!r}, {len(decoder.unknown_weights)} weights are left out", quiet=quiet
        )
    lists = ListDecoder(decoder)
    projection, missing = (None, []) if table is None else projection_of(table, lists.features)
    if missing:
        raise ConfigError(f"{model}: has no feature {missing[0]!r}; these are the groups of another model")
    with progress("decode test", quiet=quiet) as advance:
        support, in_groups = lists_support(lists, lines, kbest, projection, threads=threads, progress=advance)
    found = {"features": reuse(decoder.weights, support)}
    if table is not None and in_groups is not None:
        found = {"groups": reuse(table.weights, in_groups), **found}
    templates = reuse_by_template(decoder.weights, support, decoder.index)
    if output_format is Format.json:
        told = {key: value.as_dict() for key, value in found.items()}
        per = {key: value.as_dict() for key, value in templates.items()}
        put_json({**told, "templates": per, "sentences": len(lines), "kbest": kbest})
        return
    rows = [[key, str(each.active), str(each.reused)] for key, each in (found | templates).items()]
    print_table(["", "active", "reused"], rows)


def _print_rule(table: RuleTable, number: int, entry: dict[str, Any]) -> None:
    from tunesmith.cli.table import print_table

    say(f"{number}: {table[number]}")
    weighted = "score" in entry
    header = ["feature", "value", *(["weight", "adds"] if weighted else [])]
    rows = [[name, *(f"{value:.6g}" for value in numbers.values())] for name, numbers in entry["features"].items()]
    if weighted:
        rows.append(["all together", "", "", f"{entry['score']:.6g}"])
    print_table(header, rows)


def _load(file: str | None) -> None:
    if file is not None:
        from tunesmith.features import features_from

        features_from(file)


def _opened(path: Path, names: str | None, file: str | None) -> tuple[RuleTable, FeatureSet]:
    """Return the table of a model or the table itself, and the templates asked for, or those of the model."""
    from tunesmith.config import SYSTEM, read_system
    from tunesmith.features import split_features
    from tunesmith.features.word_classes import open_rules
    from tunesmith.grammar import RuleTable
    from tunesmith.io.inside import inside
    from tunesmith.training.start import feature_parts

    _load(file)
    path = inside(path)
    system = read_system(path) if (path / SYSTEM).is_file() else None
    table = RuleTable.open(path) if system is None else open_rules(path, system)
    if names is None and system is not None:
        parts = system.features
    else:
        parts = feature_parts(names or "default", table.kind if system is None else system.kind)
    chosen, across = split_features(parts)
    if across:
        note(f"not shown, since they are features of the search and not of rules: {', '.join(across)}")
    return table, chosen


def _setting(value: object) -> str:
    if isinstance(value, list):
        return "/".join(map(str, value))
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)

"""`tunesmith rules`: look at a rule table, make it smaller, bring it to Moses and back."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tunesmith.cli.check import refuse_damaged
from tunesmith.cli.console import note
from tunesmith.cli.declaring import argument, option
from tunesmith.cli.group import Verb, verb_group
from tunesmith.cli.models.extraction_options import Kind
from tunesmith.cli.models.training_rules import force_rules, leave_one_out
from tunesmith.cli.options import Format, OutputFile, OutputFormat, Quiet
from tunesmith.cli.printing import put, put_json, say
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.grammar import Rule, RuleTable

rules = verb_group("rules", "Look at a rule table, filter it, import and export Moses tables.")

TableFolder = Annotated[Path, argument("TABLE", "Folder of a rule table, or a model directory.")]
NewTable = Annotated[Path, option("-o --output FOLDER", "The rule table to write.")]


def open_table(folder: Path) -> RuleTable:
    """Return the rule table in a folder, or the one of a model directory."""
    from tunesmith.config import SYSTEM, read_system
    from tunesmith.grammar import RuleTable

    if (folder / SYSTEM).is_file():
        folder = folder / read_system(folder).rules
    return RuleTable.open(folder)


@rules.command(cls=Verb)
def show(
    table: TableFolder,
    source: Annotated[str | None, option(
        "--source", "Only rules with this source side; gaps are [X,1] and [X,2].", show_default="all"
    )] = None,
    limit: Annotated[int, option("--limit", "Rules to print; 0 for all.", min=0)] = 20,
    output_format: OutputFormat = Format.text,
) -> None:  # fmt: skip
    """Print rules with scores, alignment and counts (target side, source side, both).

    [bold]Examples[/bold]
      tunesmith rules show model/
      tunesmith rules show rules/ --source '在 [X,1] 里' --limit 0
    """
    opened = open_table(table)
    if source is None:
        chosen = iter(opened)
    else:
        chosen = iter(sorted(opened.lookup(source), key=lambda rule: (-rule.joint, rule.target)))
    for rule in islice(chosen, limit or None):
        if output_format is Format.json:
            put_json(as_dict(rule, opened))
        else:
            say(str(rule))


@rules.command(cls=Verb)
def stats(
    table: TableFolder,
    check: Annotated[bool, option("--check", "Read every file and compare its checksum.")] = False,
    output_format: OutputFormat = Format.text,
) -> None:
    """Print how many rules a table has, of which shapes, and what it was made with.

    [bold]Examples[/bold]
      tunesmith rules stats rules/
      tunesmith rules stats rules/ --check -f json
    """
    from tunesmith.cli.table import print_table
    from tunesmith.grammar.statistics import table_statistics

    opened = open_table(table)
    if check:
        refuse_damaged(opened.folder)
    found = table_statistics(opened)
    if output_format is Format.json:
        put_json(found)
        return
    rows = [[key.replace("_", " "), _number(value)] for key, value in found.items() if not isinstance(value, dict)]
    for title, group in found.items():
        if isinstance(group, dict):
            name = "made with" if title == "signature" else title.replace("_", " ")
            rows += [[f"{name}: {key}", _number(value)] for key, value in _flat(group)]
    print_table(["", opened.kind], rows)


@rules.command("filter", cls=Verb)
def filter_rules(
    table: TableFolder,
    output: NewTable,
    text: Annotated[
        str | None, option("--input FILE", "Keep rules whose source side can match in this text.")
    ] = None,
    top: Annotated[int, option("--top", "Rules per source side, by count; 0 for all.", min=0)] = 0,
    min_count: Annotated[float, option("--min-count", "Least joint count.", min=0)] = 0.0,
    significance: Annotated[
        float | None, option("--significance", "Least -log p, where the table has it.", show_default="off")
    ] = None,
    normal_form: Annotated[
        bool, option("--normal-form", "Keep rules whose target sides are words, then gaps (left-to-right search).")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Write a smaller table; scores and counts stay, and so does the number of all rules.

    [bold]Examples[/bold]
      tunesmith rules filter rules/ --input test.zh -o rules.test/
      tunesmith rules filter rules/ --top 20 -o rules.top/
    """
    from tunesmith.grammar import select_rules
    from tunesmith.io import read_lines

    opened = open_table(table)
    lines = None if text is None else read_lines(text)
    new = select_rules(
        opened,
        output,
        only_for=lines,
        top=top,
        min_joint=min_count,
        significance=significance,
        normal_form=normal_form,
    )
    note(f"wrote {output}: {len(new)} of {len(opened)} rules", quiet=quiet)


@rules.command("export", cls=Verb)
def export_rules(
    table: TableFolder,
    output: OutputFile = "-",
    escape: Annotated[
        bool, option("--escape", "Write & | < > ' \" [ ] in words as Moses' tokeniser does.")
    ] = False,
    glue: Annotated[str | None, option("--glue FILE", "Write the glue grammar there too.")] = None,
    reordering: Annotated[str | None, option("--reordering FILE", "Write the reordering table there too.")] = None,
) -> None:
    """Print a table in the text format of Moses.

    [bold]Examples[/bold]
      tunesmith rules export rules/ --glue glue-grammar -o rule-table.gz
      tunesmith rules export phrases/ --reordering reordering-table.gz -o phrase-table.gz
      tunesmith rules export phrases/ | head
    """
    from tunesmith.grammar.moses import moses_blocks, write_glue, write_moses
    from tunesmith.grammar.moses_reordering import write_reordering

    opened = open_table(table)
    if reordering is not None:
        if output != "-" and Path(reordering).resolve() == Path(output).resolve():
            raise ConfigError(f"--reordering and --output are both {output}; name two files")
        write_reordering(opened, reordering, escape=escape)
    if glue is not None:
        if opened.kind == "phrase":
            raise ConfigError("--glue is for hierarchical rules; phrase pairs need no glue grammar")
        if opened.manifest.get("moses", {}).get("label", "X") != "X":
            raise ConfigError(
                f"--glue: rules of {table} do not have the label [X], so the glue grammar would not fit"
            )
        if output != "-" and Path(glue).resolve() == Path(output).resolve():
            raise ConfigError(f"--glue and --output are both {output}; name two files")
    if output == "-":
        for block in moses_blocks(opened, escape=escape):
            put(block, end="")
    else:
        write_moses(opened, output, escape=escape)
    if glue is not None:
        write_glue(glue)


@rules.command("import", cls=Verb)
def import_rules(
    file: Annotated[str, argument("FILE", "Phrase or rule table, plain or gzip; - is stdin.")],
    output: NewTable,
    kind: Annotated[Kind | None, option("--kind", "What the file is.", show_default="as its lines look")] = None,
    reordering: Annotated[
        str | None, option("--reordering FILE", "A reordering table of the same phrase pairs.")
    ] = None,
    reordering_model: Annotated[
        str, option("--reordering-model MODEL", "What its columns are, as Moses says it.")
    ] = "wbe-msd-bidirectional-fe",
    quiet: Quiet = False,
) -> None:
    """Read a phrase table or rule table of Moses.

    [bold]Examples[/bold]
      tunesmith rules import phrase-table.gz -o phrases/
      tunesmith rules import phrase-table.gz --reordering reordering-table.gz -o phrases/
      tunesmith rules import rule-table.gz -o rules/
    """
    from tunesmith.grammar import ReorderingOptions
    from tunesmith.grammar.moses import read_moses
    from tunesmith.grammar.moses_reordering import read_with_reordering
    from tunesmith.grammar.storage import refuse_other_data

    refuse_other_data(output)
    if reordering is None:
        table = read_moses(file, output, None if kind is None else kind.value)
    else:
        if kind is Kind.hiero:
            raise ConfigError("--reordering is for phrase pairs, not for --kind hiero")
        read = read_with_reordering(file, reordering, output, ReorderingOptions.parse(reordering_model))
        table = read.table
        for text in read.notes(reordering):
            note(text, quiet=quiet)
    dropped = table.manifest["moses"]["dropped_fields"]
    if dropped:
        note(f"{file}: sparse features or properties of {dropped} lines were left out", quiet=quiet)
    note(f"wrote {output}: {len(table)} {table.kind} rules", quiet=quiet)


@rules.command("join", cls=Verb)
def join(
    tables: Annotated[list[Path], argument("TABLE…", "Folders of two or more rule tables.")],
    output: NewTable,
    floor: Annotated[float, option("--floor", "Score of a rule in a table that lacks it.")] = 1e-7,
    indicator: Annotated[bool, option("--indicator", "Also scores that say which tables lack a rule.")] = False,
    first_counts: Annotated[
        bool, option("--first-counts", "Keep the counts of the first table: both were made of the same text.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Join tables to one: a rule has the scores of all of them.

    [bold]Examples[/bold]
      tunesmith rules join in-domain/ general/ -o both/
      tunesmith rules join in-domain/ general/ --floor 1e-5 --indicator -o both/
    """
    from tunesmith.grammar.join import join_tables

    opened = [open_table(table) for table in tables]
    new = join_tables(opened, output, floor=floor, indicator=indicator, first_counts=first_counts)
    note(f"wrote {output}: {len(new)} rules of {', '.join(str(len(table)) for table in opened)}", quiet=quiet)


rules.command("leave-one-out", cls=Verb)(leave_one_out)
rules.command("force", cls=Verb)(force_rules)


def as_dict(rule: Rule, table: RuleTable) -> dict[str, Any]:
    return {
        "source": list(rule.source),
        "target": list(rule.target),
        "links": [list(link) for link in rule.links],
        "scores": dict(zip(table.score_names, rule.scores, strict=True)),
        "joint": rule.joint,
        "source_count": rule.source_count,
        "target_count": rule.target_count,
        "occurrences": rule.occurrences,
        "pairs": rule.pairs,
        "labels": list(rule.labels),
        **({} if rule.significance is None else {"significance": rule.significance}),
        **(
            {}
            if not rule.reordering
            else {"reordering": dict(zip(table.reordering_columns, rule.reordering, strict=True))}
        ),
    }


def _flat(group: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Yield nested settings one by one, `limits.max_length`."""
    for key, value in group.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        elif isinstance(value, list):
            yield from _flat({str(at): item for at, item in enumerate(value, 1)}, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _number(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)

"""`tunesmith groups`: the groups of features that a run has learnt, compared and drawn."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tunesmith.cli.console import note, progress
from tunesmith.cli.declaring import argument, option
from tunesmith.cli.group import Verb, verb_group
from tunesmith.cli.models.raw_text import Tokenized
from tunesmith.cli.options import THREADS, Format, OutputFormat, Quiet, Threads
from tunesmith.cli.printing import put_json, say
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tunesmith.tuning.runs.group_files import GroupTable

groups = verb_group("groups", "Look at the groups of features that tuning has learnt (--recipe shares, oscar).")

Run = Annotated[Path, argument("RUN", "A run directory, or the folder of one of its rounds.")]
RoundNumber = Annotated[int | None, option("--round", "The groups of this round.", show_default="the best", min=1)]


class Order(str, Enum):
    """What groups are sorted by."""

    weight = "weight"
    size = "size"
    train = "train"


@groups.command(cls=Verb)
def show(
    run: Run,
    number: RoundNumber = None,
    limit: Annotated[int, option("--limit", "Groups to print; 0 for all.", min=0)] = 20,
    members: Annotated[int, option("--members", "Features to print of each.", min=0)] = 3,
    order: Annotated[Order, option("--sort", "By weight (without sign), size or use in train.")] = Order.weight,
    model: Annotated[Path | None, option("-m --model FOLDER", "The model, for --test.")] = None,
    test: Annotated[str | None, option("--test FILE", "Source text: count in whose lists groups fire.")] = None,
    tokenized: Tokenized = False,
    kbest: Annotated[int, option("--kbest", "Length of these lists.", min=1)] = 1000,
    output_format: OutputFormat = Format.text,
    threads: Threads = THREADS,
    quiet: Quiet = False,
) -> None:
    """Print groups with weight, size, where they fire, and their most used rules.

    Groups of several features come first, then groups of one, then features that stand alone.

    [bold]Examples[/bold]
      tunesmith groups show run/
      tunesmith groups show run/ --sort size --limit 5 --members 10
      tunesmith groups show run/ -m model/ --test test.zh -f json
    """
    from tunesmith.tuning.runs.group_files import read_groups, round_folder

    if (model is None) != (test is None):
        raise ConfigError("-m and --test belong together: the model decodes the text")
    if tokenized and test is None:
        raise ConfigError("--tokenized belongs to --test FILE")
    folder = round_folder(run, number)
    table = read_groups(folder)
    support = None
    if model is not None and test is not None:
        support = _test_support(
            table, model, folder, test, kbest, tokenized=tokenized, threads=threads, quiet=quiet
        )
    found = [_entry(table, group, members, support) for group in _sorted(table, order, limit)]
    if output_format is Format.json:
        put_json({"round": folder.name, **_summary(table), "groups": found}, indent=1)
        return
    _print(table, found, tested=support is not None)


@groups.command(cls=Verb)
def compare(
    one: Run,
    other: Run,
    output_format: OutputFormat = Format.text,
    digits: Annotated[int, option("-w --digits", "Digits after the point.", min=0, max=15)] = 3,
) -> None:
    """Print how much the groups of two runs agree: the adjusted Rand index.

    1 for the same groups, about 0 for groups that have nothing to do with each other.

    [bold]Examples[/bold]
      tunesmith groups compare seed1/ seed2/
      tunesmith groups compare run/rounds/01 run/rounds/15 -f json
    """
    from tunesmith.cli.table import print_table
    from tunesmith.evaluation.group_overlap import group_overlap
    from tunesmith.tuning.runs.group_files import read_groups

    found = group_overlap(read_groups(one), read_groups(other))
    if output_format is Format.json:
        put_json(found.as_dict())
        return
    rows = [[str(path), str(count), str(size)]
            for path, count, size in zip((one, other), found.groups, found.features, strict=True)]  # fmt: skip
    print_table(["run", "groups", "features"], rows)
    say(f"features grouped in both: {found.common}, with weights of the same sign: {found.same_sign:.1%}")
    say(f"adjusted Rand index of these: {found.rand_index:.{digits}f}")
    say(f"of all that one of them groups: {found.rand_index_of_all:.{digits}f}")


@groups.command(cls=Verb)
def plot(
    run: Run,
    output: Annotated[str, option("-o --output PICTURE", "A .png, .svg or .pdf file.")],
    number: RoundNumber = None,
    quiet: Quiet = False,
) -> None:
    """Draw the weights and sizes of groups, and their number and the score round by round.

    [bold]Examples[/bold]
      tunesmith groups plot run/ -o groups.svg
    """
    from tunesmith.evaluation.pages.group_plot import save_group_plot
    from tunesmith.evaluation.pages.pictures import check_picture_path
    from tunesmith.io.inside import inside
    from tunesmith.tuning.loop.history import read_history
    from tunesmith.tuning.runs.directory import HISTORY, is_run
    from tunesmith.tuning.runs.group_files import read_groups, round_folder
    from tunesmith.tuning.runs.status import status

    check_picture_path(output)
    folder = round_folder(run, number).resolve()
    home = inside(folder.parent.parent)
    if not is_run(home):
        raise ConfigError(f"{run}: is not a folder of a tuning run; the picture needs the run's history, too")
    rounds, metric = read_history(home / HISTORY), status(home).metric
    save_group_plot(output, read_groups(folder), rounds, metric=metric, number=int(folder.name))
    note(f"the picture is in {output}", quiet=quiet)


def _sorted(table: GroupTable, order: Order, limit: int) -> list[int]:
    import numpy as np

    keys = {Order.weight: np.abs(table.weights), Order.size: table.sizes, Order.train: table.train}
    found = table.ordered(keys[order])
    return found[:limit] if limit else found


def _summary(table: GroupTable) -> dict[str, int]:
    import numpy as np

    grouped = ~table.alone
    return {
        "count": int(np.count_nonzero(grouped)),
        "alone": int(np.count_nonzero(table.alone)),
        "features": int(table.sizes[grouped].sum()),
        "active": int(np.count_nonzero(table.weights[grouped])),
        "silent": int(np.count_nonzero(table.dev[grouped] == 0)),
    }


def _entry(table: GroupTable, group: int, members: int, support: NDArray[np.int64] | None) -> dict[str, Any]:
    entry = {
        "group": group,
        "kind": "alone" if table.alone[group] else "group",
        "weight": float(table.weights[group]),
        "learnt": float(table.learnt[group]),
        "size": int(table.sizes[group]),
        "train": int(table.train[group]),
        "dev": int(table.dev[group]),
    }
    if support is not None:
        entry["test"] = int(support[group])
    named = []
    for at in table.members(group)[:members]:
        shares = {} if table.shares is None else {"share": float(table.shares[at])}
        counts = {"train": int(table.train_of[at]), "dev": int(table.dev_of[at])}
        named.append({"feature": table.names[at], **shares, **counts})
    return {**entry, "members": named}


def _print(table: GroupTable, found: list[dict[str, Any]], *, tested: bool) -> None:
    from tunesmith.cli.table import print_table

    told = _summary(table)
    say(
        f"{told['count']} group{'' if told['count'] == 1 else 's'} of {told['features']} features, "
        f"{told['active']} with a weight, {told['silent']} "
        f"that never fire on dev; {told['alone']} features stand alone"
    )
    counts = ("size", "train", "dev", *(["test"] if tested else []))
    rows = []
    for entry in found:
        names = [_member(member, alone=entry["kind"] == "alone") for member in entry["members"]]
        more = ", …" if entry["size"] > len(names) else ""
        cells = [f"{entry['weight']:.4g}", f"{entry['learnt']:.4g}", *(str(entry[key]) for key in counts)]
        rows.append([str(entry["group"]), *cells, ", ".join(names) + more])
    header = ["group", "weight", "learnt", *counts, "most used" if table.shares is None else "largest shares"]
    print_table(header, rows, texts=(0, len(header) - 1))


def _member(member: dict[str, Any], *, alone: bool) -> str:
    """Return a feature as people read it, with its share of the group."""
    from tunesmith.features.names import readable

    name = readable(member["feature"])
    return name if alone or "share" not in member else f"{name} ({member['share']:+.2g})"


def _test_support(
    table: GroupTable,
    model: Path,
    folder: Path,
    test: str,
    k: int,
    *,
    tokenized: bool,
    threads: int,
    quiet: bool,
) -> NDArray[np.int64]:
    """Return in how many lists of test sentences each group fires, decoded with the weights of the round."""
    from tunesmith.decoding import ListDecoder, TranslationModel
    from tunesmith.evaluation.reused import lists_support, projection_of
    from tunesmith.io import read_lines
    from tunesmith.tuning.runs.directory import WEIGHTS
    from tunesmith.weights import Weights

    opened = TranslationModel.open(model, threads=threads)
    lines: Sequence[str] = read_lines(test)
    lines = lines if tokenized else opened.text.sources(lines)
    decoder = ListDecoder(opened.decoder(Weights.read(folder / WEIGHTS)))
    projection, missing = projection_of(table, decoder.features)
    if missing:
        raise ConfigError(f"{model}: has no feature {missing[0]!r}; these are the groups of another model")
    with progress("decode test", quiet=quiet) as advance:
        _, support = lists_support(decoder, lines, k, projection, threads=threads, progress=advance)
    assert support is not None
    return support

"""`tunesmith rules leave-one-out` and `force`: what training data gives to rules, and which it needs."""

from __future__ import annotations

from contextlib import ExitStack
from enum import Enum
from pathlib import Path
from typing import Annotated

from tunesmith.cli.console import note, progress
from tunesmith.cli.declaring import option
from tunesmith.cli.models.raw_text import Tokenized
from tunesmith.cli.options import DETAILS, THREADS, Model, Quiet, Threads, WeightsFile


class Unreached(str, Enum):
    """What a sentence pair without a derivation counts."""

    extracted = "extracted"
    dropped = "dropped"


def leave_one_out(
    model: Model,
    source: Annotated[str, option("--source FILE", "Source text the model was made from.")],
    target: Annotated[str, option("--target FILE", "Its translation, line by line.")],
    output: Annotated[Path, option("-o --output FOLDER", "Folder to write.")],
    align: Annotated[str | None, option("--align FILE", "Its word alignment.", show_default="the model's")] = None,
    tokenized: Tokenized = False,
    threads: Threads = THREADS,
    quiet: Quiet = False,
) -> None:
    """Find what each sentence pair of the training data gave to the rules, for translate --leave-one-out.

    [bold]Examples[/bold]
      tunesmith rules leave-one-out -m model/ --source train.zh --target train.en -o counts/
      head -1000 train.zh | tunesmith translate -m model/ --leave-one-out counts/ > train.out
    """
    from tunesmith.grammar.leave_one_out import refuse_other_folder
    from tunesmith.training.leave_one_out import leave_one_out_counts_of

    refuse_other_folder(output)
    with progress("finding leave-one-out counts", quiet=quiet) as show_progress:
        found = leave_one_out_counts_of(
            model, source, target, align, output, tokenized=tokenized, threads=threads,
            progress=lambda what, done, total: show_progress(done, total),
        )  # fmt: skip
    number = len(found.arrays["rules"]) / max(1, len(found))
    note(f"{output}: {len(found)} sentence pairs with {number:.1f} different rules each", quiet=quiet)


def force_rules(
    model: Model,
    source: Annotated[str, option("--source FILE", "Source text the model was made from.")],
    target: Annotated[str, option("--target FILE", "Its translation, line by line.")],
    output: Annotated[Path, option("-o --output FOLDER", "The rule table to write.")],
    weights: WeightsFile = None,
    own: Annotated[Path | None, option(
        "--leave-one-out FOLDER", "Counts by: tunesmith rules leave-one-out.", show_default="found now"
    )] = None,
    align: Annotated[str | None, option("--align FILE", "Its word alignment.", show_default="the model's")] = None,
    unreached: Annotated[Unreached, option(
        "--unreached", "Pairs without a derivation: their extracted phrase pairs, or nothing."
    )] = Unreached.extracted,
    own_score: Annotated[float, option(
        "--own-score", "ln p, per word, of a phrase pair that only its own sentence pair has.", DETAILS
    )] = -5.0,
    no_own: Annotated[bool, option("--no-own", "Do not use such phrase pairs.", DETAILS)] = False,
    beam: Annotated[int, option("--beam", "Hypotheses for each target word.", DETAILS, min=1)] = 1000,
    tokenized: Tokenized = False,
    threads: Threads = THREADS,
    quiet: Quiet = False,
) -> None:  # fmt: skip
    """Decode training data towards their translations, and write a table of the phrase pairs used.

    Each sentence pair is decoded with leave-one-out (Wuebker et al. 2010). Join the new table with that of the
    model: a translation then has the scores of both.

    [bold]Examples[/bold]
      tunesmith rules force -m model/ --source train.fr --target train.en -o forced/
      tunesmith rules join model/rules forced/ -o both/
    """
    from tunesmith.decoding import TranslationModel
    from tunesmith.decoding.forced import ForcedOptions
    from tunesmith.decoding.forced_table import force_rules as write_table
    from tunesmith.grammar import LeaveOneOutCounts
    from tunesmith.grammar.storage import refuse_other_data
    from tunesmith.io.folders import scratch_folder
    from tunesmith.training.leave_one_out import leave_one_out_counts_of, training_text
    from tunesmith.weights import Weights

    options = ForcedOptions(beam, None if no_own else own_score)
    given = None if weights is None else Weights.read(weights)
    refuse_other_data(output)
    opened = TranslationModel.open(model, threads=threads)
    bitext = training_text(opened.folder, source, target, tokenized=tokenized)
    with ExitStack() as stack:
        if own is None:
            folder = stack.enter_context(scratch_folder(Path(f"{output}.own"))) / "own"
            known = leave_one_out_counts_of(
                model, source, target, align, folder, tokenized=tokenized, threads=threads
            )
        else:
            known = LeaveOneOutCounts.open(own, opened.table)
        show_progress = stack.enter_context(progress("forced decoding", quiet=quiet))
        made = write_table(opened, bitext, known, output, given, options=options, unreached=unreached.value,
                           threads=threads, progress=show_progress)  # fmt: skip
    note(
        f"wrote {output}: {len(made.table)} phrase pairs; {made.reached} of {made.pairs} sentence pairs have a "
        "derivation",
        quiet=quiet,
    )

"""`tunesmith extract`: rules of an aligned corpus, scored, as a table."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

from tunesmith.cli.console import note, progress
from tunesmith.cli.declaring import grouped, option
from tunesmith.cli.models.extraction_options import RULES, Extraction
from tunesmith.cli.options import THREADS, Quiet, Threads
from tunesmith.errors import ConfigError, FormatError


@grouped
def extract(
    extraction: Extraction,
    align: Annotated[str, option("--align FILE", "Word alignment in Pharaoh format.")],
    output: Annotated[Path, option("-o --output FOLDER", "The rule table to write.")],
    max_gaps: Annotated[int, option("--max-gaps", "hiero: gaps of a rule, 0 to 2.", RULES)] = 2,
    min_gap: Annotated[int | None, option(
        "--min-gap", "hiero: source words a gap stands for.", RULES, show_default="2, left-to-right: 1"
    )] = None,
    adjacent: Annotated[bool | None, option(
        "--adjacent/--no-adjacent", "hiero: gaps may be neighbours.", RULES, show_default="for left-to-right"
    )] = None,
    unaligned_rules: Annotated[bool | None, option(
        "--unaligned-rules/--no-unaligned-rules", "hiero: rules without a link between words too.", RULES,
        show_default="for left-to-right",
    )] = None,
    normal_form: Annotated[bool | None, option(
        "--normal-form/--no-normal-form", "hiero: target sides are words, then gaps.", RULES,
        show_default="for left-to-right",
    )] = None,
    single_words: Annotated[bool | None, option(
        "--single-words/--no-single-words",
        "A rule for words that only longer rules hold.", RULES,
        show_default="--single-words, not with --moses",
    )] = None,
    filter_file: Annotated[str | None, option("--filter FILE", "Keep rules that can match here.")] = None,
    moses: Annotated[bool, option("--moses", "Limits and scores as Moses has them.")] = False,
    memory: Annotated[str, option("--memory SIZE", "Beyond this, work goes to disk.")] = "4G",
    threads: Threads = THREADS,
    quiet: Quiet = False,
) -> None:  # fmt: skip
    """Extract translation rules from an aligned corpus, score them, write a table.

    [bold]Examples[/bold]
      tunesmith extract --source train.zh --target train.en --align train.align -o rules/
      tunesmith extract --kind phrase --source train.zh --target train.en --align train.align -o phrases/
      tunesmith extract --kind phrase --reordering msd --source a.zh --target a.en --align a.align -o phrases/
      tunesmith rules show rules/ --source 茶
    """
    from tunesmith.alignment import read_alignments
    from tunesmith.corpus.bitext import read_bitext
    from tunesmith.grammar import extract_rules
    from tunesmith.grammar.storage import refuse_other_data
    from tunesmith.io import read_lines
    from tunesmith.lm.options import parse_size

    limit = parse_size(memory)
    if limit < 1 << 20:
        raise ConfigError(f"--memory must be at least 1M, got {memory}")
    options = extraction.options(
        moses=moses,
        single_words=single_words,
        max_gaps=max_gaps,
        min_gap=min_gap,
        adjacent=adjacent,
        aligned=None if unaligned_rules is None else not unaligned_rules,
        normal_form=normal_form,
    )
    refuse_other_data(output)
    bitext = read_bitext(extraction.source, extraction.target)
    for text in bitext.notes:
        note(text, quiet=quiet)
    alignments = read_alignments(align, bitext)
    labels = extraction.labels
    names = None if labels is None else [line.strip() for line in read_lines(labels)]
    if names is not None and len(names) != len(bitext):
        raise FormatError(f"has {len(names)} lines for {len(bitext)} sentence pairs", path=labels)
    start = time.perf_counter()
    with progress("extracting", quiet=quiet) as report:
        table = extract_rules(
            bitext,
            alignments,
            output,
            options,
            labels=names,
            only_for=None if filter_file is None else read_lines(filter_file),
            threads=threads,
            memory=limit,
            progress=lambda what, done, total: report(done, total),
        )
    kept = "" if len(table) == table.unfiltered_rules else f" of {table.unfiltered_rules}"
    note(
        f"wrote {output}: {len(table)}{kept} rules from {len(bitext)} sentence pairs "
        f"({time.perf_counter() - start:.1f} s)",
        quiet=quiet,
    )

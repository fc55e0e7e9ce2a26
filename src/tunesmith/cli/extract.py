"""`tunesmith extract`: rules of an aligned corpus, scored, as a table."""

from __future__ import annotations

import re
import time
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tunesmith.cli.console import note, progress
from tunesmith.cli.declaring import option
from tunesmith.cli.options import Quiet, Threads
from tunesmith.errors import ConfigError, FormatError

if TYPE_CHECKING:
    from tunesmith.grammar import HieroOptions, PhraseOptions, ReorderingOptions

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


class Kind(str, Enum):
    """What is extracted."""

    hiero = "hiero"
    phrase = "phrase"


class SmoothingName(str, Enum):
    """Smoothing of relative frequencies."""

    none = "none"
    good_turing = "good-turing"
    kneser_ney = "kneser-ney"


# Options that `train` has too.
MaxSpan = Annotated[int, option("--max-span", "hiero: words of an initial phrase.")]
MaxSymbols = Annotated[int, option("--max-symbols", "hiero: symbols of a source side.")]
RawCounts = Annotated[bool, option("--raw-counts", "hiero: every rule counts 1.")]
MaxLength = Annotated[int, option("--max-length", "phrase: words of either side.")]
Loose = Annotated[bool | None, option(
    "--loose/--tight", "Unaligned words at the ends of phrases are taken in too. [default: --loose for phrase]"
)]  # fmt: skip
Smoothing = Annotated[SmoothingName, option("--smoothing", "Of the probabilities.")]
Top = Annotated[int, option("--top", "Rules per source side; 0 keeps all.", min=0)]
Significance = Annotated[float | None, option(
    "--significance", "Least -log p of Fisher's test; 0 only stores it. Counts sentence pairs that contain the "
    "sides (phrase), or that rules with them were extracted from (hiero).", show_default="off"
)]  # fmt: skip
Reordering = Annotated[str | None, option(
    "--reordering MODEL",
    "phrase: count orientations, such as msd-bidirectional-fe, hier-mslr-bidirectional-fe, or none."
)]  # fmt: skip
Labels = Annotated[str | None, option("--labels FILE", "A label, such as a domain, per pair.")]


def extract(
    source: Annotated[str, option("--source FILE", "Source text, tokenised.")],
    target: Annotated[str, option("--target FILE", "Its translation, line by line.")],
    align: Annotated[str, option("--align FILE", "Word alignment in Pharaoh format.")],
    output: Annotated[Path, option("-o --output FOLDER", "The rule table to write.")],
    kind: Annotated[Kind, option("--kind", "Hierarchical rules or phrase pairs.")] = Kind.hiero,
    max_span: MaxSpan = 10,
    max_symbols: MaxSymbols = 5,
    max_gaps: Annotated[int, option("--max-gaps", "hiero: gaps of a rule, 0 to 2.")] = 2,
    min_gap: Annotated[int, option("--min-gap", "hiero: source words a gap stands for.")] = 2,
    adjacent: Annotated[bool, option("--adjacent", "hiero: gaps may be neighbours.")] = False,
    unaligned_rules: Annotated[
        bool, option("--unaligned-rules", "hiero: rules without a link between words too.")
    ] = False,
    normal_form: Annotated[bool, option("--normal-form", "hiero: target sides are words, then gaps.")] = False,
    raw_counts: RawCounts = False,
    max_length: MaxLength = 7,
    reordering: Reordering = None,
    loose: Loose = None,
    smoothing: Smoothing = SmoothingName.none,
    top: Top = 0,
    significance: Significance = None,
    single_words: Annotated[bool | None, option(
        "--single-words/--no-single-words",
        "A rule for words that only longer rules hold. [default: --single-words, not with --moses]"
    )] = None,
    filter_file: Annotated[str | None, option("--filter FILE", "Keep rules that can match here.")] = None,
    labels: Labels = None,
    moses: Annotated[bool, option("--moses", "Limits and scores as Moses has them.")] = False,
    memory: Annotated[str, option("--memory", "Beyond this, work goes to disk.")] = "4G",
    threads: Threads = 2,
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
    from tunesmith.grammar import ExtractOptions, HieroOptions, PhraseOptions, ScoreOptions, extract_rules
    from tunesmith.grammar.storage import refuse_other_data
    from tunesmith.io import read_lines

    limit = parse_memory(memory)
    tight = (kind is Kind.hiero and not moses) if loose is None else not loose
    limits = choose_limits(
        kind,
        HieroOptions(
            max_span,
            max_symbols,
            max_gaps,
            min_gap,
            adjacent,
            not unaligned_rules,
            tight,
            normal_form,
            not raw_counts,
        ),
        PhraseOptions(max_length, tight),
    )
    make_words = not moses if single_words is None else single_words
    scores = ScoreOptions(smoothing.value, 7 if moses else None, make_words, top, significance)
    options = ExtractOptions(limits, scores, parse_reordering(reordering))
    refuse_other_data(output)
    bitext = read_bitext(source, target)
    for text in bitext.notes:
        note(text, quiet=quiet)
    alignments = read_alignments(align, bitext)
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


def choose_limits(kind: Kind, hiero: HieroOptions, phrase: PhraseOptions) -> HieroOptions | PhraseOptions:
    """The options of this kind; ConfigError if one of the other kind was given."""
    if kind is Kind.phrase and hiero != type(hiero)(tight=hiero.tight):
        raise ConfigError("an option for hierarchical rules was given; phrase pairs take --max-length and --tight")
    if kind is Kind.hiero and phrase != type(phrase)(tight=phrase.tight):
        raise ConfigError("--max-length is for phrase pairs; hierarchical rules take --max-span and --max-symbols")
    return hiero if kind is Kind.hiero else phrase


def parse_reordering(text: str | None) -> ReorderingOptions | None:
    """The reordering model that was asked for, as Moses calls it; None for none."""
    from tunesmith.grammar import ReorderingOptions

    return None if text is None or text == "none" else ReorderingOptions.parse(text)


def parse_memory(text: str) -> int:
    """`16G`, `512M` or a number of bytes."""
    found = re.fullmatch(r"(\d{1,15}(?:\.\d{1,3})?)\s*([KMG]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if not found:
        raise ConfigError(f"--memory {text!r} is not an amount of memory such as 16G or 512M")
    size = int(float(found[1]) * _UNITS[found[2].upper()])
    if size < 1 << 20:
        raise ConfigError(f"--memory {text}: at least 1M is needed")
    if size >= 1 << 62:
        raise ConfigError(f"--memory {text}: no machine has that much")
    return size

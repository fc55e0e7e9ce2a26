"""`tunesmith align`: word alignment of a corpus, its drawing, and its error rate."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

from tunesmith.cli.console import note, progress, remark
from tunesmith.cli.declaring import argument, option
from tunesmith.cli.options import THREADS, Digits, Format, OutputFile, OutputFormat, Quiet, Seed, Threads
from tunesmith.cli.printing import put_json, say
from tunesmith.errors import ConfigError
from tunesmith.io import check_output

Aligner = Annotated[str | None, option(
    "--aligner NAME",
    "hmm, ibm1; with sil-thot: eflomal, fast_align, ibm2, ibm3, ibm4, thot_hmm.",
    show_default="eflomal, without sil-thot hmm",
)]  # fmt: skip

if TYPE_CHECKING:
    from tunesmith.alignment import WordAlignments
    from tunesmith.corpus.bitext import Bitext


def align(
    source: Annotated[str, argument("SOURCE", "Source text, tokenised, one sentence a line.")],
    target: Annotated[str, argument("TARGET", "Its translation, line by line.")],
    aligner: Aligner = None,
    iterations: Annotated[int | None, option("--iterations", "Default: 10 or 5.", min=1, max=10_000)] = None,
    symmetrize: Annotated[
        str,
        option(
            "--symmetrize NAME",
            "grow-diag-final-and, grow-diag-final, grow-diag, diag-and, intersection, union; forward "
            "or backward for one direction alone.",
        ),
    ] = "grow-diag-final-and",
    seed: Seed = 1,
    existing: Annotated[str | None, option("--align FILE", "Take this alignment, compute none.")] = None,
    forward: Annotated[str | None, option("--forward FILE", "With --backward: join these two directions.")] = None,
    backward: Annotated[
        str | None, option("--backward FILE", "The other direction; links are source-target too.")
    ] = None,
    show: Annotated[int | None, option("--show N", "Draw the matrix of sentence pair N (from 1).", min=1)] = None,
    gold: Annotated[str | None, option("--gold FILE", "Print the error rate against this alignment.")] = None,
    lexicon: Annotated[
        str | None, option("--lexicon PREFIX", "Write translation tables PREFIX.s2t, PREFIX.t2s.")
    ] = None,
    output: OutputFile = "-",
    output_format: OutputFormat = Format.text,
    digits: Digits = 2,
    threads: Threads = THREADS,
    quiet: Quiet = False,
) -> None:
    """Align the words of a parallel corpus in both directions and join them.

    Links are printed in Pharaoh format: source-target, counted from 0.

    [bold]Examples[/bold]
      tunesmith align train.zh train.en > train.align
      tunesmith align train.zh train.en --show 12
      tunesmith align test.de test.en --align test.align --gold test.gold
      tunesmith align s t --forward s2t.align --backward t2s.align > s.align
    """
    from tunesmith.alignment import alignment_error_rate, read_alignments, read_gold, write_alignments
    from tunesmith.alignment import symmetrize as join
    from tunesmith.corpus.bitext import read_bitext

    inputs = [path for path in (source, target, existing, forward, backward, gold) if path is not None]
    results = [output] if lexicon is None else [output, f"{lexicon}.s2t", f"{lexicon}.t2s"]
    for path in results:
        check_output(path, inputs)
    if (forward is None) != (backward is None) or (existing is not None and forward is not None):
        raise ConfigError("give either --align FILE, or --forward FILE with --backward FILE, or none of them")
    bitext = read_bitext(source, target)
    for text in bitext.notes:
        remark(text, quiet=quiet)
    if show is not None and show > len(bitext):
        raise ConfigError(f"--show {show}: there are only {len(bitext)} sentence pairs")
    judge = None if gold is None else read_gold(gold, bitext)
    if existing is not None:
        links = read_alignments(existing, bitext)
    elif forward is not None and backward is not None:
        links = join(
            read_alignments(forward, bitext), read_alignments(backward, bitext), symmetrize, threads=threads
        )
    else:
        links = compute(bitext, aligner, iterations, symmetrize, seed, threads=threads, quiet=quiet)
    if lexicon is not None:
        write_lexicon(lexicon, bitext, links, threads=threads, quiet=quiet)
    if judge is not None:
        score = alignment_error_rate(links, judge)
        if output_format is Format.json:
            put_json(score.as_dict())
        else:
            say(f"AER = {100 * score.aer:.{digits}f} (precision = {100 * score.precision:.{digits}f} "
                  f"recall = {100 * score.recall:.{digits}f} links = {score.links} sure = {score.sure} "
                  f"possible = {score.possible})")  # fmt: skip
    if show is not None:
        draw_pair(bitext, links, show - 1)
    if (show is None and judge is None) or output != "-":
        write_alignments(output, links)


def compute(
    bitext: Bitext, model: str | None, iterations: int | None, how: str, seed: int, *, threads: int, quiet: bool
) -> WordAlignments:
    """Train the aligner with progress on stderr; the chosen alignment."""
    from tunesmith.alignment import AlignerOptions
    from tunesmith.alignment import align as align_text
    from tunesmith.alignment.aligner import default_model

    model = model or default_model()
    single = how in ("forward", "backward")
    options = AlignerOptions(model, iterations, "intersection" if single else how, seed)
    start = time.perf_counter()
    with progress(f"aligning with {model}", quiet=quiet) as report:
        result = align_text(bitext, options, threads=threads, progress=report)
    for text in result.notes:
        remark(text, quiet=quiet)
    links = {"forward": result.forward, "backward": result.backward}.get(how, result.joined)
    note(
        f"aligned {len(bitext)} sentence pairs with {model}, {how}: {len(links.source) / len(bitext):.2f} links a "
        f"pair ({time.perf_counter() - start:.1f} s)",
        quiet=quiet,
    )
    return links


def write_lexicon(prefix: str, bitext: Bitext, links: WordAlignments, *, threads: int, quiet: bool) -> None:
    """Write both translation tables, and print how sharp they are."""
    from tunesmith.alignment import count_translations
    from tunesmith.io import write_lines

    tables = count_translations(bitext, links, threads=threads)
    for name, table in (("s2t", tables.target_given_source), ("t2s", tables.source_given_target)):
        write_lines(f"{prefix}.{name}", table.lines())
        note(f"wrote {prefix}.{name}: {len(table)} word pairs, entropy {table.entropy():.2f} bits", quiet=quiet)


def draw_pair(bitext: Bitext, links: WordAlignments, pair: int) -> None:
    from tunesmith.alignment.drawing import draw

    for line in draw(bitext.source[pair].split(), bitext.target[pair].split(), links[pair]):
        say(line)

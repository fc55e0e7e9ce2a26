"""`tunesmith references`: how much the scores of sentences depend on the choice of the reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tunesmith.cli import options
from tunesmith.cli.declaring import option
from tunesmith.cli.evaluation import evaluation_input as given
from tunesmith.cli.evaluation import metric_options as choose
from tunesmith.cli.evaluation.evaluation_input import OutputToScore
from tunesmith.cli.evaluation.joined_words import joined_texts
from tunesmith.cli.printing import put, put_json, say
from tunesmith.cli.streams import expect_input

if TYPE_CHECKING:
    from tunesmith.evaluation.variance import ReferenceVariance


def references(
    ctx: typer.Context,
    references: options.References,
    path: OutputToScore = None,
    picture: Annotated[
        str | None, option("-o --output PICTURE", "Write both scatter plots to this .png, .svg or .pdf file.")
    ] = None,
    lowercase: options.Lowercase = False,
    tokenize: choose.Tokenize = None,
    subwords: options.Subwords = None,
    sentence_level: options.SentenceLevel = False,
    output_format: options.OutputFormat = options.Format.text,
    digits: options.Digits = 2,
    threads: options.Threads = options.THREADS,
    quiet: options.Quiet = False,
) -> None:
    """Show how far the score of a sentence depends on the choice of reference.

    BLEU+1 of each sentence against each reference alone (lowest, highest)
    and against all, without and with the extensions of Nakov et al. (2012);
    mean and standard deviation of highest less lowest, as in Green et al.
    (2014, section 6.2). Sentences with one reference are left out.

    [bold]Examples[/bold]
      tunesmith references --refs dev.en.* < dev.out
      tunesmith references dev.out --refs dev.en.* -o variance.png
      tunesmith references dev.out --refs dev.en.* --sentence-level > out.tsv
    """
    from tunesmith.evaluation.mistakes import text_notes
    from tunesmith.evaluation.pages.pictures import check_picture_path
    from tunesmith.evaluation.pages.variance_plot import save_variance_plot
    from tunesmith.evaluation.variance import reference_variance
    from tunesmith.io import display_name

    expect_input([] if path is None else [path], "an output", "tunesmith references --refs test.en.* < test.out")
    path = path or "-"
    if picture is not None:
        check_picture_path(picture)
    refs = given.read_reference_files(ctx, references, [path], quiet=quiet)
    name = display_name(path)
    joined = joined_texts({name: given.read_output(path, refs, quiet=quiet)}, refs, subwords, quiet=quiet)
    lines, refs = joined.outputs[name], joined.references
    tokenizer = tokenize or "none"
    given.say(text_notes(name, lines, refs, tokenize=tokenizer), quiet=quiet)
    plain, extended = (
        reference_variance(
            lines, refs.sentences, extensions=extensions, lowercase=lowercase, tokenize=tokenizer, threads=threads
        )
        for extensions in (False, True)
    )
    if picture is not None:
        save_variance_plot(picture, plain)
    if output_format is options.Format.json:
        put_json(document(plain, extended, sentence_level=sentence_level), indent=1)
    elif sentence_level:
        print_sentences(plain, extended, digits)
    else:
        for variance in (plain, extended):
            say(describe(variance, digits))


def describe(variance: ReferenceVariance, digits: int) -> str:
    """Format two lines: mean and standard deviation of the spread, then the means it comes from."""
    summary = variance.as_dict()
    numbers = {key: f"{summary[f'mean_{key}']:.{digits}f}" for key in ("minimum", "maximum", "multiple")}
    used = len(variance.spread)
    left_out = f", {summary['left_out']} with one reference left out" if summary["left_out"] else ""
    return (
        f"{variance.signature} = spread M {variance.mean:.{digits}f} SD {variance.deviation:.{digits}f}\n"
        f"  lowest {numbers['minimum']}, highest {numbers['maximum']}, all references {numbers['multiple']} "
        f"(means over {used} sentences{left_out})"
    )


def document(plain: ReferenceVariance, extended: ReferenceVariance, *, sentence_level: bool) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, variance in (("plain", plain), ("extended", extended)):
        found[name] = variance.as_dict()
        if sentence_level:
            found[name + "_sentences"] = {
                "references": variance.counts.tolist(),
                "minimum": variance.minimum.tolist(),
                "maximum": variance.maximum.tolist(),
                "multiple": variance.multiple.tolist(),
            }
    return found


def print_sentences(plain: ReferenceVariance, extended: ReferenceVariance, digits: int) -> None:
    """Print a header and one line per sentence, sentences with one reference included."""
    names = ("minimum", "maximum", "multiple")
    put("\t".join(["sentence", "references", *names, *(f"extended_{name}" for name in names)]))
    columns = [getattr(variance, name) for variance in (plain, extended) for name in names]
    for number, (count, *row) in enumerate(zip(plain.counts, *columns, strict=True), start=1):
        put("\t".join([str(number), str(count), *(f"{value:.{digits}f}" for value in row)]))

"""`tunesmith evaluate`: scores of one output, with confidence intervals and signatures."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from typing import TYPE_CHECKING, Annotated

import typer

from tunesmith.cli import options
from tunesmith.cli.declaring import grouped, option
from tunesmith.cli.evaluation import evaluation_input as given
from tunesmith.cli.evaluation.evaluation_input import OutputToScore
from tunesmith.cli.evaluation.joined_words import joined_texts
from tunesmith.cli.evaluation.metric_options import Metrics
from tunesmith.cli.printing import put, put_json
from tunesmith.cli.streams import expect_input
from tunesmith.errors import ConfigError
from tunesmith.evaluation.settings import Resampling

if TYPE_CHECKING:
    from tunesmith.evaluation.evaluate import Evaluation
    from tunesmith.metrics.base import Floats

DEFAULT = Resampling()


@grouped
def evaluate(
    ctx: typer.Context,
    references: options.References,
    path: OutputToScore = None,
    wanted: Metrics = Metrics(),
    bootstrap: options.Bootstrap = DEFAULT.samples,
    confidence: options.Confidence = DEFAULT.level,
    seed: options.Seed = DEFAULT.seed,
    sentence_level: options.SentenceLevel = False,
    labels: options.Labels = None,
    output_format: options.OutputFormat = options.Format.text,
    digits: options.Digits = 2,
    bare: Annotated[bool, option("-b --bare", "Only the score, nothing else.")] = False,
    threads: options.Threads = options.THREADS,
    quiet: options.Quiet = False,
) -> None:
    """Score an output against its references, with confidence intervals.

    Text is compared as it is; see --tokenize and --lowercase. The interval
    holds the middle 95 % of the scores on resampled sentences.

    [bold]Examples[/bold]
      tunesmith evaluate --refs test.en.* < test.out
      tunesmith evaluate out.gz --refs 'test.en.*' --metric bleu --metric ter
      tunesmith evaluate -b -w 1 --refs test.en < test.out
      tunesmith evaluate out --refs test.en --scores comet.txt -f json
      tunesmith evaluate out --refs test.en --labels test.domains
    """
    from tunesmith.evaluation.evaluate import evaluate as score
    from tunesmith.evaluation.mistakes import text_notes
    from tunesmith.io import display_name

    expect_input([] if path is None else [path], "an output", "tunesmith evaluate --refs test.en.* < test.out")
    path = path or "-"
    if bare and output_format is options.Format.json:
        raise ConfigError("-b prints the bare score and -f json a document: choose one")
    if len(wanted.scores) > 1:
        raise ConfigError(f"{len(wanted.scores)} files of --scores for one output; give one")
    # An interval is not printed with -b, so it need not be computed.
    resampling = Resampling(samples=0 if bare else bootstrap, level=confidence, seed=seed)
    metrics = wanted.chosen()
    refs = given.read_reference_files(ctx, references, [path], quiet=quiet)
    name = display_name(path)
    read = {name: given.read_output(path, refs, quiet=quiet)}
    joined = joined_texts(read, refs, wanted.subwords, quiet=quiet)
    lines, refs = joined.outputs[name], joined.references
    given.say(text_notes(name, lines, refs, tokenize=wanted.tokenize or "none"), quiet=quiet)

    domains = given.read_domains(labels, len(lines))
    if domains and (bare or sentence_level):
        raise ConfigError("--labels prints results of domains, -b and --sentence-level do not: choose one")
    results: dict[str, Evaluation] = {}
    of_domains: dict[str, dict[str, Evaluation]] = {}
    by_sentence: dict[str, Floats] = {}
    for name, each in metrics.items():
        if name == "precomputed":
            prepared, rows = None, given.given_rows(each, wanted.scores[0], len(lines))
        else:
            prepared = wanted.prepared(each, refs.sentences)
            rows = prepared.statistics(lines, threads=threads)
        if sentence_level:
            by_sentence[name] = each.sentence_scores(rows)
        signature = joined.signed(given.metric_signature(each, prepared))
        results[name] = score(each, rows, signature, resampling)
        given.warn_of_low_score(each, results[name].score, "", lines, refs)
        of_domains[name] = {
            domain: score(each, rows[chosen], signature.extended(domain=domain), resampling)
            for domain, chosen in domains.items()
        }

    if output_format is options.Format.json:
        found = [
            {
                "metric": name,
                **result.as_dict(),
                **({"sentences": by_sentence[name].tolist()} if sentence_level else {}),
                **({"domains": _documents(of_domains[name], domains)} if domains else {}),
            }
            for name, result in results.items()
        ]
        document = {
            "file": display_name(path),
            "references": list(refs.paths),
            "sentences": len(lines),
            "metrics": found,
        }
        put_json(document, indent=1)
    elif sentence_level:
        print_sentences(by_sentence, digits, header=not bare)
    else:
        for name, result in results.items():
            put(f"{result.score:.{digits}f}" if bare else describe(result, digits))
            for each_domain in of_domains[name].values():
                put(describe(each_domain, digits))


def _documents(found: dict[str, Evaluation], domains: Mapping[str, Sized]) -> list[dict[str, object]]:
    return [{"domain": name, "sentences": len(domains[name]), **each.as_dict()} for name, each in found.items()]


def describe(result: Evaluation, digits: int) -> str:
    """Format signature, score and half width of the interval; below, what the score is made of."""
    width = "" if result.interval is None else f" ± {result.interval.half_width:.{digits}f}"
    line = f"{result.signature} = {result.score:.{digits}f}{width}"
    if "brevity_penalty" not in result.details:
        return line
    parts = result.details
    precisions = "/".join(f"{value:.1f}" for key, value in parts.items() if key.startswith("precision_"))
    return (
        f"{line}\n  {precisions} (BP = {parts['brevity_penalty']:.3f} ratio = {parts['length_ratio']:.3f} "
        f"hyp_len = {parts['hypothesis_length']:g} ref_len = {parts['reference_length']:g})"
    )


def print_sentences(columns: dict[str, Floats], digits: int, *, header: bool) -> None:
    """Print one line per sentence: its number, then its score by each metric."""
    if header:
        put("\t".join(["sentence", *columns]))
    for number, row in enumerate(zip(*columns.values(), strict=True), start=1):
        put("\t".join([str(number), *(f"{value:.{digits}f}" for value in row)]))

"""`tunesmith compare`: systems against a base, with p-values of two paired tests."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from typing import TYPE_CHECKING, Annotated

import typer

from tunesmith.cli import options
from tunesmith.cli.declaring import argument, grouped, option
from tunesmith.cli.evaluation import evaluation_input as given
from tunesmith.cli.evaluation.joined_words import joined_texts
from tunesmith.cli.evaluation.metric_options import Metrics
from tunesmith.cli.printing import put_json, say
from tunesmith.cli.table import print_table
from tunesmith.errors import ConfigError
from tunesmith.evaluation.settings import Resampling

if TYPE_CHECKING:
    from tunesmith.evaluation.compare import Comparison, SystemResult

DEFAULT = Resampling()


@grouped
def compare(
    ctx: typer.Context,
    references: options.References,
    systems: Annotated[
        list[str] | None, argument("BASE SYSTEM…", "Outputs; each is compared with the first.")
    ] = None,
    wanted: Metrics = Metrics(),
    bootstrap: options.Bootstrap = DEFAULT.samples,
    trials: Annotated[
        int,
        option(
            "--trials N",
            "Trials of approximate randomisation; 0 for no such test.",
            options.DETAILS,
            min=0,
            max=1_000_000,
        ),
    ] = DEFAULT.trials,
    correction: Annotated[
        options.CorrectionName,
        option("--correction NAME", "Correction of p-values when several systems are compared."),
    ] = options.CorrectionName(DEFAULT.correction),
    confidence: options.Confidence = DEFAULT.level,
    seed: options.Seed = DEFAULT.seed,
    allow_copies: Annotated[
        bool, option("--allow-copies", "Accept a system whose text equals a reference.", options.DETAILS)
    ] = False,
    labels: options.Labels = None,
    output_format: options.OutputTable = options.TableFormat.text,
    digits: options.Digits = 2,
    threads: options.Threads = options.THREADS,
    quiet: options.Quiet = False,
) -> None:
    r"""Compare systems with a base: differences and whether they are significant.

    p boot  paired bootstrap (Koehn 2004), computed as Moses and sacrebleu do
    wins    share of resampled test sets on which the system beats the base
    p rand  approximate randomisation (Riezler and Maxwell 2005); where the
            two p-values disagree, trust this one
    *       p is below 1 - confidence

    [bold]Examples[/bold]
      tunesmith compare base.out a.out b.out --refs test.en.*
      tunesmith compare base.out a.out --refs test.en.* --metric ter
      tunesmith compare base.out a.out b.out --refs test.en.* \
        --correction holm -f markdown
      tunesmith compare base.out a.out --refs test.en \
        --scores base.comet --scores a.comet
    """
    from tunesmith.evaluation.compare import compare as test
    from tunesmith.evaluation.mistakes import check_not_copied, text_notes
    from tunesmith.io import display_name

    paths = systems or []
    if len(paths) < 2:
        raise ConfigError(
            f"{len(paths) or 'no'} system{'' if len(paths) == 1 else 's'} given; a base and at least one more are "
            "needed. --refs takes all words up to the next option, so put the systems before it: "
            "tunesmith compare base.out a.out --refs test.en.*"
        )
    if wanted.scores and len(wanted.scores) != len(paths):
        raise ConfigError(
            f"{len(wanted.scores)} files of --scores for {len(paths)} systems; give one for each, in their order"
        )
    resampling = Resampling(bootstrap, confidence, trials, correction.value, seed)
    metrics = wanted.chosen()
    refs = given.read_reference_files(ctx, references, paths, quiet=quiet)
    names = [display_name(path) for path in paths]
    read = {name: given.read_output(path, refs, quiet=quiet) for name, path in zip(names, paths, strict=True)}
    joined = joined_texts(read, refs, wanted.subwords, quiet=quiet)
    outputs, refs = joined.outputs, joined.references
    if not allow_copies:
        for name, lines in outputs.items():
            check_not_copied(name, lines, refs)
    for at, (name, lines) in enumerate(outputs.items()):
        given.say(text_notes(name, lines, refs, tokenize=wanted.tokenize or "none"), quiet=quiet)
        same = [other for other in names[:at] if outputs[other] == lines]
        given.say((f"{name}: the same text as {other}" for other in same[:1]), quiet=quiet)

    domains = given.read_domains(labels, len(refs.sentences))
    tables: dict[str, Comparison] = {}
    of_domains: dict[str, dict[str, Comparison]] = {}
    for name, each in metrics.items():
        if name == "precomputed":
            prepared = None
            rows = {
                system: given.given_rows(each, path, len(refs.sentences))
                for system, path in zip(names, wanted.scores, strict=True)
            }
        else:
            prepared = wanted.prepared(each, refs.sentences)
            rows = {system: prepared.statistics(lines, threads=threads) for system, lines in outputs.items()}
        signature = joined.signed(given.metric_signature(each, prepared))
        tables[name] = test(each, rows, signature, resampling)
        for row in tables[name].systems:
            given.warn_of_low_score(each, row.score, f" for {row.name}", outputs[row.name], refs)
        of_domains[name] = {
            domain: test(
                each,
                {system: row[chosen] for system, row in rows.items()},
                signature.extended(domain=domain),
                resampling,
            )
            for domain, chosen in domains.items()
        }

    if output_format is options.TableFormat.json:
        document = {
            "references": list(refs.paths),
            "sentences": len(refs.sentences),
            "metrics": [
                {
                    "metric": name,
                    **table.as_dict(),
                    **({"domains": _documents(of_domains[name], domains)} if domains else {}),
                }
                for name, table in tables.items()
            ],
        }
        put_json(document, indent=1)
        return
    markdown = output_format is options.TableFormat.markdown
    for at, (name, table) in enumerate(tables.items()):
        if at:
            say()
        print_comparison(table, digits, markdown=markdown)
        for domain, each_domain in of_domains[name].items():
            say(f"\n{domain}, {len(domains[domain])} sentences")
            print_comparison(each_domain, digits, markdown=markdown)


def _documents(found: dict[str, Comparison], domains: Mapping[str, Sized]) -> list[dict[str, object]]:
    return [{"domain": name, "sentences": len(domains[name]), **each.as_dict()} for name, each in found.items()]


def print_comparison(table: Comparison, digits: int, *, markdown: bool) -> None:
    """Print the table of one metric, and below it what the star means and the signature."""
    settings = table.resampling
    arrow = "" if table.higher_is_better else " (lower is better)"
    header = [table.signature.name + arrow, "score", "Δ"]
    header += ["p boot", "wins"] if settings.samples else []
    header += ["p rand"] if settings.trials else []
    rows = [cells(system, digits) for system in table.systems]
    print_table(header, [row + [""] * (len(header) - len(row)) for row in rows], markdown=markdown)
    others = len(table.systems) - 1
    corrected = (
        ""
        if settings.correction == "none"
        else f", {settings.correction} over {others} comparison{'s' * (others > 1)}"
    )
    star = f"* p < {settings.alpha:g}{corrected}" if settings.samples or settings.trials else ""
    if markdown:
        say(f"\n{star.replace('*', chr(92) + '*')}  \n`{table.signature}`")
    else:
        say(f"{star}\n{table.signature}" if star else str(table.signature))


def cells(system: SystemResult, digits: int) -> list[str]:
    """Return a row of the table; the base has no tests."""
    width = "" if system.interval is None else f" ± {system.interval.half_width:.{digits}f}"
    row = [system.name, f"{system.score:.{digits}f}{width}"]
    tests = system.tests
    if tests is None:
        return row
    row.append(f"{tests.difference:+.{digits}f}")
    if tests.bootstrap is not None and tests.p_bootstrap is not None:
        row.append(_p(tests.p_bootstrap, tests.significant_bootstrap))
        row.append(f"{100 * tests.bootstrap.wins:.1f} %")
    if tests.p_randomization is not None:
        row.append(_p(tests.p_randomization, tests.significant_randomization))
    return row


def _p(value: float, significant: bool) -> str:
    """Format four digits, because a p-value of 10000 trials has no more, and a star or a blank after them."""
    return f"{value:.4f}{' *' if significant else '  '}"

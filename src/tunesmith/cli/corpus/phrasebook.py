"""`tunesmith phrasebook`: write the built-in Chinese-English corpus, or print its numbers."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tunesmith.cli.console import note, progress
from tunesmith.cli.declaring import option
from tunesmith.cli.options import Format, OutputFormat, Quiet, Seed
from tunesmith.cli.printing import put_json, say
from tunesmith.corpus.phrasebook import PhrasebookOptions
from tunesmith.errors import ConfigError
from tunesmith.io import make_folder

if TYPE_CHECKING:
    from tunesmith.corpus.phrasebook import PhrasebookStatistics

DEFAULT = PhrasebookOptions()


def phrasebook(
    output: Annotated[Path | None, option("-o --output FOLDER", "Folder to write to; made if missing.")] = None,
    pairs: Annotated[int, option("--pairs", "Training pairs.")] = DEFAULT.pairs,
    seed: Seed = DEFAULT.seed,
    noise: Annotated[float, option("--noise", "Share of wrongly paired training sentences.")] = DEFAULT.noise,
    eval_sentences: Annotated[
        int, option("--eval-sentences", "Sentences in each of dev, devtest and test.")
    ] = DEFAULT.eval_sentences,
    references: Annotated[int, option("--references", "Most references of a sentence.")] = DEFAULT.references,
    stats: Annotated[bool, option("--stats", "Print the numbers of grammar and corpus.")] = False,
    output_format: OutputFormat = Format.text,
    quiet: Quiet = False,
) -> None:
    """Write the built-in corpus: everyday Chinese with up to 16 English references.

    Sentences are drawn from a hand-written grammar; the same options give the
    same bytes. No evaluation sentence occurs in the training data.

    [bold]Examples[/bold]
      tunesmith phrasebook -o corpus
      tunesmith phrasebook --pairs 5000 --seed 7 --noise 0.1 -o small
      tunesmith phrasebook --stats
    """
    from tunesmith.corpus.phrasebook import Phrasebook, generate, statistics

    if output is None and not stats:
        raise ConfigError("nothing to do: give a folder with -o DIR, or --stats to see the numbers")
    options = PhrasebookOptions(pairs, seed, noise, eval_sentences, references)
    if output is not None:
        make_folder(output)
    start = time.perf_counter()
    grammar = Phrasebook.load()
    with progress("writing the phrasebook", quiet=quiet) as show:
        corpus = generate(options, grammar, progress=show)
    if output is not None:
        files = corpus.write(output)
        seconds = time.perf_counter() - start
        note(f"wrote {pairs} training pairs and 3 × {eval_sentences} evaluation sentences to {output} "
             f"({len(files)} files, {seconds:.1f} s)", quiet=quiet)  # fmt: skip
    if stats:
        numbers = statistics(grammar, corpus)
        if output_format is Format.json:
            put_json({**numbers.as_dict(), "options": vars(options)})
        else:
            print_statistics(numbers, references)


def print_statistics(numbers: PhrasebookStatistics, references: int) -> None:
    """Print the statistics: name and value, one a line, then the evaluation sets as a table."""
    rows = {
        "lexical entries": f"{numbers.lexical_entries} ({numbers.held_out_entries} kept for evaluation sets)",
        "phrase rules": numbers.phrase_rules,
        "sentence patterns": numbers.patterns,
        "  reordering over ≥ 4 words": numbers.long_reordering_patterns,
        "words with ≥ 3 translations": len(numbers.ambiguous_words),
        "training pairs": f"{numbers.pairs} ({numbers.noisy_pairs} wrongly paired, "
        f"{numbers.duplicate_share:.1%} repeated)",
        "Chinese": f"{numbers.source_tokens} tokens, {numbers.source_types} types, "
        f"{numbers.mean_source_length:.1f} a sentence",
        "English": f"{numbers.target_tokens} tokens, {numbers.target_types} types, "
        f"{numbers.mean_target_length:.1f} a sentence",
        "Zipf exponent": f"{numbers.zipf_exponent:.2f}",
    }
    for name, value in rows.items():
        say(f"{name:<30}{value}")
    say(f"\n{'set':<10}{'sentences':>10}{'tokens':>8}{'unseen':>8}{'references':>12}{f'with {references}':>9}")
    for name, row in numbers.evaluation.items():
        most = row.histogram.get(references, 0)
        say(
            f"{name:<10}{row.sentences:>10}{row.tokens:>8}{row.unseen_share:>8.1%}"
            f"{row.mean_references:>12.1f}{most:>9}"
        )
    examples = list(numbers.ambiguous_words.items())[:8]
    say("\nsome words with several translations:")
    for word, translations in examples:
        say(f"  {word}  {', '.join(translations)}")

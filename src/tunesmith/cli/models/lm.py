"""`tunesmith lm`: estimate a language model, score text with it, convert its file."""

from __future__ import annotations

import math
import sys
import time
from enum import Enum
from itertools import islice
from typing import TYPE_CHECKING, Annotated

from tunesmith.cli.console import note, progress, remark
from tunesmith.cli.declaring import argument, option
from tunesmith.cli.group import Verb, verb_group
from tunesmith.cli.options import THREADS, Digits, Format, OutputFile, OutputFormat, Quiet, Threads
from tunesmith.cli.printing import put, put_json, say, watched
from tunesmith.errors import ConfigError
from tunesmith.io import check_output
from tunesmith.io.texts import Texts
from tunesmith.lm.options import LEAST_MEMORY, LmOptions, parse_size

if TYPE_CHECKING:
    from tunesmith.lm import LanguageModel, SentenceScores, TrainingReport

DEFAULT = LmOptions()
_BATCH = 10_000  # lines scored at once
_SPECIAL = frozenset({"<s>", "</s>"})

lm = verb_group("lm", "Estimate, query and convert n-gram language models.")


class Special(str, Enum):
    """What a special word in the text is."""

    error = "error"
    skip = "skip"
    unknown = "unknown"


TextFiles = Annotated[list[str] | None, argument("[FILE]…", "Text, one sentence a line; - is standard input.")]
Model = Annotated[str, option("-m --model FILE", "ARPA file (plain or gzip) or binary file.")]


@lm.command(cls=Verb)
def train(
    paths: TextFiles = None,
    output: OutputFile = "-",
    order: Annotated[int, option("--order", "Length of the longest n-grams, 1 to 9.")] = DEFAULT.order,
    prune: Annotated[
        str,
        option(
            "--prune NUMBERS",
            "Leave out n-grams that occur at most this often; one number for each order: '0 0 1'.",
        ),
    ] = "0",
    vocab_limit: Annotated[
        int | None, option("--vocab-limit", "Words to keep, most frequent first.", show_default="all")
    ] = None,
    fallback: Annotated[
        str, option("--fallback NUMBERS", "Discounts where they cannot be estimated; none makes that an error.")
    ] = "0.5,1,1.5",
    special: Annotated[Special, option("--special", "What <s>, </s> or <unk> in the text is.")] = Special.error,
    memory: Annotated[
        str, option("--memory SIZE", "Memory to use, such as 500M; beyond it work goes to disk.")
    ] = "4G",
    temporary: Annotated[
        str | None,
        option("--temporary FOLDER", "Folder for what does not fit in memory.", show_default="the system's"),
    ] = None,
    binary: Annotated[bool, option("--binary", "Write our binary file, not ARPA text.")] = False,
    classes: Annotated[
        str | None,
        option(
            "--classes MAP", "Map of words to classes: write a model of classes, of which each word is a part."
        ),
    ] = None,
    threads: Threads = THREADS,
    quiet: Quiet = False,
) -> None:
    """Estimate a model with interpolated modified Kneser-Ney smoothing.

    [bold]Examples[/bold]
      tunesmith lm train --order 5 < train.en > lm.arpa
      tunesmith lm train train.en.gz more.en -o lm.arpa.gz --prune '0 0 1'
      tunesmith lm train --binary -o lm.bin < train.en
      tunesmith lm train --classes classes.tsv --order 5 train.en -o classes.lm
    """
    from tunesmith.lm import estimate

    options = LmOptions(
        order=order,
        prune=_numbers(prune, "--prune"),
        vocab_limit=vocab_limit,
        fallback=_discounts(fallback),
        special=special.value,
        memory=parse_size(memory),
        temporary=temporary,
    )
    check_output(output, [*(paths or []), *([classes] if classes else [])])
    texts = Texts(paths or ["-"])
    if options.memory < LEAST_MEMORY:
        remark(
            f"--memory {memory} cannot be kept: the program itself needs up to {LEAST_MEMORY >> 20}M",
            quiet=quiet,
        )
    if binary or classes is not None:
        _refuse_terminal(output)
    start = time.perf_counter()
    if classes is not None:
        _train_classes(texts, classes, options, output, quiet)
        return
    with progress("estimating", quiet=quiet) as show, texts.located():
        estimated = estimate(texts, options, progress=show, threads=threads)
    for announcement in estimated.report.announcements():
        remark(announcement, quiet=quiet)
    if binary:
        estimated.model().save(output)
    else:
        estimated.write_arpa(output)
    note(_trained(estimated.report, time.perf_counter() - start), quiet=quiet)


@lm.command(cls=Verb)
def query(
    language_model: Model,
    paths: TextFiles = None,
    sentence_level: Annotated[
        bool, option("--sentence-level", "One line per sentence: log10 probability, unknown words.")
    ] = False,
    word_level: Annotated[
        bool, option("--word-level", "One line per word: word, length of the n-gram, log10 probability.")
    ] = False,
    output_format: OutputFormat = Format.text,
    digits: Digits = 4,
    threads: Threads = THREADS,
    check_all: Annotated[bool, option("--check", "Verify all of a binary file before it is used.")] = False,
    quiet: Quiet = False,
) -> None:
    """Score text: log10 probability, unknown words, perplexity with and without them.

    [bold]Examples[/bold]
      tunesmith lm query -m lm.arpa < test.en
      tunesmith lm query -m lm.bin --sentence-level test.en | cut -f 1
    """
    from tunesmith.lm import load_model

    if sentence_level and word_level:
        raise ConfigError("--sentence-level and --word-level cannot be given together")
    texts = paths or ["-"]
    if language_model == "-" and "-" in texts:
        raise ConfigError("model and text cannot both come from standard input; name a file for one of them")
    loaded = load_model(language_model, check_all=check_all)
    for each in loaded.notes:
        remark(f"{language_model}: {each}", quiet=quiet)
    totals, special = _Totals(), 0
    lines = iter(Texts(texts))
    while batch := list(islice(lines, _BATCH)):
        scores = loaded.score(batch, threads=threads)
        totals.add(scores)
        special += _lines_with_special(batch)
        if sentence_level:
            _print_sentences(scores, output_format, digits)
        elif word_level:
            _print_words(loaded, batch, output_format, digits)
    if special > 0:
        remark(f"{special} lines hold <s> or </s>, which were scored as words of the text", quiet=quiet)
    if sentence_level or word_level:
        return
    if output_format is Format.json:
        put_json({name: _finite(value) for name, value in totals.as_dict().items()})
    else:
        for name, value in totals.as_dict().items():
            shown = f"{value:.{digits}f}" if isinstance(value, float) else f"{value}"
            say(f"{name.replace('_', ' '):<20}{shown if value is not None else '-'}")


@lm.command(cls=Verb)
def convert(
    language_model: Annotated[str, argument("FILE", "ARPA file (plain or gzip); - is standard input.")],
    output: Annotated[str, option("-o --output FILE", "Binary file to write.")],
    quiet: Quiet = False,
) -> None:
    """Write the binary file of a model, which loads in milliseconds.

    [bold]Examples[/bold]
      tunesmith lm convert lm.arpa.gz -o lm.bin
    """
    from tunesmith.lm import load_model

    check_output(output, [language_model])
    _refuse_terminal(output)
    loaded = load_model(language_model, check_all=True)
    for each in loaded.notes:
        remark(f"{language_model}: {each}", quiet=quiet)
    loaded.save(output)
    note(f"wrote {output}: order {loaded.order}, {sum(loaded.ngrams)} n-grams", quiet=quiet)


def _train_classes(texts: Texts, path: str, options: LmOptions, output: str, quiet: bool) -> None:
    from tunesmith.clustering import WordClasses
    from tunesmith.lm import ClassModel

    classes = WordClasses.load(path)
    with progress("estimating", quiet=quiet) as show, texts.located():
        model = ClassModel.train(texts, dict(classes.items()), options, progress=show)
    model.save(output)
    note(f"{len(classes)} words in {len(classes.names)} classes, {sum(model.ngrams)} n-grams", quiet=quiet)


class _Totals:
    """Sums over batches."""

    def __init__(self) -> None:
        self.sentences = self.tokens = self.unknown = 0
        self.log10 = self.log10_known = 0.0

    def add(self, scores: SentenceScores) -> None:
        self.sentences += len(scores)
        self.tokens += scores.tokens
        self.unknown += int(scores.unknown.sum())
        self.log10 += float(scores.log10.sum())
        self.log10_known += float(scores.log10_known.sum())

    def as_dict(self) -> dict[str, int | float | None]:
        from tunesmith.lm.scores import perplexity

        return {
            "sentences": self.sentences,
            "tokens": self.tokens,
            "unknown_words": self.unknown,
            "log10": self.log10,
            "perplexity": perplexity(self.log10, self.tokens),
            "without_unknown": perplexity(self.log10_known, self.tokens - self.unknown),
        }


def _lines_with_special(lines: list[str]) -> int:
    return sum("s>" in line and not _SPECIAL.isdisjoint(line.split()) for line in lines)


def _finite(value: float | None) -> float | None:
    """Return the value, or None for infinity, which JSON does not have."""
    return None if value is None or math.isinf(value) else value


def _print_sentences(scores: SentenceScores, output_format: Format, digits: int) -> None:
    for log10, unknown in zip(scores.log10.tolist(), scores.unknown.tolist(), strict=True):
        if output_format is Format.json:
            put_json({"log10": log10, "unknown_words": unknown})
        else:
            put(f"{log10:.{digits}f}\t{unknown}")


def _print_words(model: LanguageModel, lines: list[str], output_format: Format, digits: int) -> None:
    scores = model.score_words(lines)
    log10, length = scores.log10.tolist(), scores.length.tolist()
    for line, begin in zip(lines, scores.offsets.tolist(), strict=False):
        for at, word in enumerate([*line.split(), "</s>"], begin):
            if output_format is Format.json:
                put_json({"word": word, "length": length[at], "log10": log10[at]})
            else:
                put(f"{word}\t{length[at]}\t{log10[at]:.{digits}f}")


def _numbers(text: str, option: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.replace(",", " ").split())
    except ValueError:
        raise ConfigError(f"{option} takes whole numbers such as '0 0 1', got {text!r}") from None


def _discounts(text: str) -> tuple[float, float, float] | None:
    if text == "none":
        return None
    try:
        one, two, three = (float(part) for part in text.replace(",", " ").split())
    except ValueError:
        raise ConfigError(f"--fallback takes three numbers such as 0.5,1,1.5, or none, got {text!r}") from None
    return one, two, three


def _refuse_terminal(output: str) -> None:
    if output == "-" and watched(sys.stdout):
        raise ConfigError("a binary model would be written to the terminal; name a file with -o")


def _trained(report: TrainingReport, seconds: float) -> str:
    ngrams = " ".join(str(each.kept) for each in report.orders)
    return (
        f"{report.sentences} sentences, {report.tokens} tokens, {report.types} types; "
        f"n-grams of order 1 to {len(report.orders)}: {ngrams} ({seconds:.1f} s)"
    )

"""`tunesmith translate`: source lines to translations, n-best lists or explained derivations."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tunesmith.cli import options
from tunesmith.cli.console import counting, note, remark
from tunesmith.cli.declaring import option
from tunesmith.cli.decoding_profile import report_profile
from tunesmith.cli.streams import InputFile, expect_input
from tunesmith.cli.tokenize import Language
from tunesmith.cli.translated_lines import best_lines, decoded, explained_lines, is_typed, kbest_lines
from tunesmith.cli.weights_file import read_weights
from tunesmith.config import WEIGHTS
from tunesmith.errors import ConfigError, FormatError
from tunesmith.io import check_output, display_name, iter_lines
from tunesmith.io.inside import inside

if TYPE_CHECKING:
    from tunesmith.decoding import Decoder, TranslationModel

SEARCH = "Search"
OUTPUT = "Output"
_SHOWN = 10


def translate(
    file: InputFile = None,
    model: options.Model = Path(),
    weights: options.WeightsFile = None,
    output: options.OutputFile = "-",
    k: Annotated[int | None, option(
        "--kbest N", "Print n-best lists of Moses' format with features and scores.", OUTPUT, min=1
    )] = None,
    distinct: Annotated[bool, option("--distinct", "With --kbest: different translations only.", OUTPUT)] = False,
    explain: Annotated[
        bool, option("--explain", "Print the derivation: rules, spans, score of every feature.", OUTPUT)
    ] = False,
    alignment: Annotated[bool, option(
        "--alignment", "Print ' ||| ' and the word alignment (0-0 1-2) behind each translation.", OUTPUT
    )] = False,
    detokenize: Annotated[bool, option("--detokenize", "Write text as people do.", OUTPUT)] = False,
    language: Language = "en",
    pop_limit: Annotated[int | None, option(
        "--pop-limit", "Hypotheses of a span or stack: more is better and slower.",
        SEARCH, show_default="the model's", min=1,
    )] = None,
    table_limit: Annotated[int | None, option(
        "--table-limit", "Target sides of a source side; 0 takes all.", SEARCH, show_default="the model's", min=0
    )] = None,
    max_span: Annotated[int | None, option(
        "--max-span", "Hierarchical: source words a rule may cover.", SEARCH, show_default="the model's", min=1
    )] = None,
    stack_limit: Annotated[int | None, option(
        "--stack-limit", "Phrase-based: hypotheses of a stack that are extended.",
        SEARCH, show_default="the model's", min=1,
    )] = None,
    distortion_limit: Annotated[int | None, option(
        "--distortion-limit", "Phrase-based: words that may be jumped over; -1 is no limit.",
        SEARCH, show_default="the model's", min=-1,
    )] = None,
    max_length: Annotated[int | None, option(
        "--max-length", "Phrase-based: source words of a phrase.", SEARCH, show_default="the model's", min=1
    )] = None,
    punctuation_walls: Annotated[bool, option(
        "--punctuation-walls", "Phrase-based: nothing behind a punctuation mark before all in front of it.", SEARCH
    )] = False,
    force: Annotated[list[str] | None, option(
        "--force 'SOURCE ||| TARGET'", "Phrase-based: always translate these words so; may be repeated.", SEARCH
    )] = None,
    max_words: Annotated[int | None, option(
        "--max-words", "Words of a line that are searched; those after them are translated one by one. 0 is no "
        "limit.", SEARCH, show_default="the model's, or 2000", min=0
    )] = None,
    max_pops: Annotated[int | None, option(
        "--max-pops", "Hypotheses scored for one line; 0 is no limit.", SEARCH, show_default="the model's", min=0
    )] = None,
    max_edges: Annotated[int | None, option(
        "--max-edges", "Edges kept for one line; 0 is no limit.", SEARCH, show_default="the model's", min=0
    )] = None,
    max_bytes: Annotated[int | None, option(
        "--max-bytes", "Memory of the search for one line; 0 is no limit.",
        SEARCH, show_default="the model's", min=0,
    )] = None,
    timeout: Annotated[float | None, option(
        "--timeout SECONDS", "For one line; results then depend on the machine.", SEARCH, show_default="off"
    )] = None,
    leave_one_out: Annotated[Path | None, option(
        "--leave-one-out FOLDER", "The lines are the first ones of the training data, and are translated as if "
        "they were not in it; FOLDER was made by tunesmith rules own.", SEARCH
    )] = None,
    features_from: options.FeaturesFrom = None,
    strict: Annotated[
        bool, option("--strict", "Weights of features that the model does not have are an error.")
    ] = False,
    profile: Annotated[bool, option("--profile", "Say where time and memory went.")] = False,
    threads: options.Threads = 1,
    quiet: options.Quiet = False,
) -> None:  # fmt: skip
    """Translate tokenised text, line for line, as it comes.

    [bold]Examples[/bold]
      tunesmith translate -m model/ < test.zh > test.out
      tunesmith translate -m model/ -W run/weights.tsv --kbest 100 -j 2 test.zh -o test.nbest.gz
      head -3 test.zh | tunesmith translate -m model/ --explain
      tunesmith translate -m phrase-model/ --distortion-limit 6 --force 'Haus ||| house' < test.de
    """
    from tunesmith.features import features_from as load_templates
    from tunesmith.grammar import OwnRules

    _check(model, k, timeout, explain=explain, alignment=alignment, detokenize=detokenize, distinct=distinct)
    given = [] if file is None else [file]
    expect_input(given, "text to translate", "tunesmith translate -m model/ < test.zh > test.out")
    check_output(output, given)
    if features_from is not None:
        load_templates(features_from)
    clock = _Clock()
    opened, decoder = _open(model, weights, threads, strict=strict, quiet=quiet, limits={
        "pop_limit": pop_limit, "table_limit": table_limit, "max_span": max_span,
        "max_words": max_words, "max_pops": max_pops, "max_edges": max_edges, "max_bytes": max_bytes,
        "timeout": timeout, "stack_limit": stack_limit,
        "distortion_limit": distortion_limit, "max_length": max_length,
        "punctuation_walls": punctuation_walls or None})  # fmt: skip
    if force:
        _force(decoder, force)
    own = None if leave_one_out is None else OwnRules.open(leave_one_out, decoder.table)
    clock.loaded()
    if profile:
        decoder.start_profile()
    path = "-" if file is None else file
    lines = clock.counted(path, quiet)
    if k is not None:
        at_once = 1 if is_typed(path) else 32 * threads
        texts = kbest_lines(decoder, lines, k, distinct, threads, at_once, own, quiet=quiet)
    elif explain:
        lines, shown = itertools.tee(lines)
        texts = explained_lines(decoder, shown, decoded(decoder, lines, threads, is_typed(path), quiet, own))
    else:
        found = decoded(decoder, lines, threads, is_typed(path), quiet, own)
        texts = best_lines(found, alignment, _detokenizer(detokenize, language))
    _write(output, texts)
    clock.report(quiet=quiet)
    if profile:
        report_profile(decoder, clock.words, opened.signature(decoder.options))
    elif decoder.options.timeout is not None:
        note(str(opened.signature(decoder.options)), quiet=quiet)


def _check(
    model: Path,
    k: int | None,
    timeout: float | None,
    *,
    explain: bool,
    alignment: bool,
    detokenize: bool,
    distinct: bool,
) -> None:
    if model == Path():
        raise ConfigError("which model? Name its directory with -m, as tunesmith train made it")
    chosen = [name for name, on in (("--kbest", k is not None), ("--explain", explain)) if on]
    chosen += [name for name, on in (("--alignment", alignment), ("--detokenize", detokenize)) if on and chosen]
    if len(chosen) > 1:
        raise ConfigError(f"{' and '.join(chosen)} cannot be used together")
    if alignment and detokenize:
        raise ConfigError("--alignment counts the words of tokenised text, so it takes no --detokenize")
    if timeout is not None and k is not None:
        raise ConfigError(
            "n-best lists are the same on every machine, so --kbest takes no --timeout; use --pop-limit"
        )
    if distinct and k is None:
        raise ConfigError("--distinct belongs to --kbest N")


def _open(
    folder: Path,
    weights: str | None,
    threads: int,
    *,
    strict: bool,
    quiet: bool,
    limits: dict[str, float | bool | None],
) -> tuple[TranslationModel, Decoder]:
    from tunesmith.decoding import TranslationModel

    model = TranslationModel.open(folder, threads=threads)
    chosen = read_weights(inside(folder) / WEIGHTS if weights is None else weights, quiet=quiet)
    decoder = model.decoder(chosen, model.options(**limits))
    if unknown := decoder.unknown_weights:
        name = weights or str(folder / "weights.tsv")
        shown = ", ".join(unknown[:_SHOWN]) + (", …" if len(unknown) > _SHOWN else "")
        message = f"{name}: {len(unknown)} of the weights are for features that {folder} does not have: {shown}"
        if strict:
            raise ConfigError(message)
        remark(message, quiet=quiet)
    for doubt in model.doubts():
        remark(doubt, quiet=quiet)
    if not decoder.weights.any():
        name = weights or str(folder / "weights.tsv")
        remark(f"{name}: all weights of the model are 0, so all translations score alike", quiet=quiet)
    return model, decoder


def _force(decoder: Decoder, phrases: Sequence[str]) -> None:
    from tunesmith.decoding import PhraseDecoder

    if not isinstance(decoder, PhraseDecoder):
        raise ConfigError("--force is for phrase-based models; this one is hierarchical")
    pairs = []
    for phrase in phrases:
        sides = phrase.split("|||")
        if len(sides) != 2 or not sides[0].split():
            raise ConfigError(f"--force {phrase!r}: 'source ||| target' was expected, such as 'haus ||| house'")
        pairs.append((sides[0], sides[1]))
    decoder.force(pairs)


def _detokenizer(wanted: bool, language: str) -> Callable[[str], str]:
    if not wanted:
        return lambda text: text
    from tunesmith.corpus.tokenizers import make_tokenizer

    return make_tokenizer("moses", language).detokenize


def _write(output: str, texts: Iterable[str]) -> None:
    """Standard output line by line, as it comes; a file whole or not at all."""
    from tunesmith.io.writing import output_bytes

    with output_bytes(output) as out:
        for text in texts:
            out.write(text.encode("utf-8"))
            if output == "-":
                out.flush()


class _Clock:
    """Counts lines and seconds; progress for people in between."""

    def __init__(self) -> None:
        self._begin = time.perf_counter()
        self._loaded = self._begin
        self.lines = self.words = 0

    def loaded(self) -> None:
        """The model is there."""
        self._loaded = time.perf_counter()

    def counted(self, path: str, quiet: bool) -> Iterator[str]:
        """The lines of a text, counted as they are taken; one too long to be translated is an error."""
        from tunesmith.decoding.options import LONGEST_SENTENCE

        with counting("translating", "lines", quiet=quiet) as advance:
            for line in iter_lines(path):
                self.lines += 1
                words = len(line.split())
                if words > LONGEST_SENTENCE:
                    raise FormatError(
                        f"a line of {words} words; at most {LONGEST_SENTENCE} can be translated. Break it up",
                        path=display_name(path),
                        line=self.lines,
                    )
                self.words += words
                advance(self.lines)
                yield line

    def report(self, *, quiet: bool) -> None:
        """What was done, on stderr."""
        seconds = time.perf_counter() - self._loaded
        loading = self._loaded - self._begin
        rate = self.lines / seconds if seconds > 0 else 0.0
        note(
            f"{self.lines} lines in {seconds:.1f} s ({rate:.1f} lines a second), after {loading:.1f} s of loading",
            quiet=quiet,
        )

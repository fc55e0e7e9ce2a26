"""`tunesmith translate`: source lines to translations, n-best lists or explained derivations."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tunesmith.cli import options
from tunesmith.cli.console import counting, note, remark
from tunesmith.cli.declaring import grouped, option
from tunesmith.cli.streams import InputFile, expect_input
from tunesmith.cli.translation.decoding_profile import report_profile
from tunesmith.cli.translation.translate_options import SEARCH, SearchLimits, Shown
from tunesmith.cli.translation.translated_lines import best_lines, decoded, explained_lines, is_typed, kbest_lines
from tunesmith.cli.weights_file import read_weights
from tunesmith.config import WEIGHTS
from tunesmith.errors import ConfigError, FormatError
from tunesmith.io import check_output, display_name, iter_lines
from tunesmith.io.inside import inside

if TYPE_CHECKING:
    from tunesmith.decoding import Decoder, TranslationModel

_SHOWN = 10


@grouped
def translate(
    file: InputFile = None,
    model: options.Model = Path(),
    weights: options.WeightsFile = None,
    output: options.OutputFile = "-",
    shown: Shown = Shown(),
    search: SearchLimits = SearchLimits(),
    force: Annotated[list[str] | None, option(
        "--force 'SOURCE ||| TARGET'", "Phrase-based: always translate these words so; may be repeated.", SEARCH
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

    if model == Path():
        raise ConfigError("which model? Name its directory with -m, as tunesmith train made it")
    shown.check()
    if search.timeout is not None and shown.kbest is not None:
        raise ConfigError(
            "n-best lists are the same on every machine, so --kbest takes no --timeout; use --pop-limit"
        )
    given = [] if file is None else [file]
    expect_input(given, "text to translate", "tunesmith translate -m model/ < test.zh > test.out")
    check_output(output, given)
    if features_from is not None:
        load_templates(features_from)
    clock = _Clock()
    opened, decoder = _open(model, weights, search, threads, strict=strict, quiet=quiet)
    if force:
        _force(decoder, force)
    own = None if leave_one_out is None else OwnRules.open(leave_one_out, decoder.table)
    clock.loaded()
    if profile:
        decoder.start_profile()
    path = "-" if file is None else file
    lines = clock.counted(path, quiet)
    if shown.kbest is not None:
        at_once = 1 if is_typed(path) else 32 * threads
        texts = kbest_lines(decoder, lines, shown.kbest, shown.distinct, threads, at_once, own, quiet=quiet)
    elif shown.explain:
        lines, sources = itertools.tee(lines)
        texts = explained_lines(decoder, sources, decoded(decoder, lines, threads, is_typed(path), quiet, own))
    else:
        found = decoded(decoder, lines, threads, is_typed(path), quiet, own)
        texts = best_lines(found, shown.alignment, shown.detokenizer())
    _write(output, texts)
    clock.report(quiet=quiet)
    if profile:
        report_profile(decoder, clock.words, opened.signature(decoder.options))
    elif decoder.options.timeout is not None:
        note(str(opened.signature(decoder.options)), quiet=quiet)


def _open(
    folder: Path,
    weights: str | None,
    search: SearchLimits,
    threads: int,
    *,
    strict: bool,
    quiet: bool,
) -> tuple[TranslationModel, Decoder]:
    from tunesmith.decoding import TranslationModel

    model = TranslationModel.open(folder, threads=threads)
    chosen = read_weights(inside(folder) / WEIGHTS if weights is None else weights, quiet=quiet)
    decoder = model.decoder(chosen, model.options(**search.changes()))
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
            raise ConfigError(f"--force: expected 'source ||| target', such as 'haus ||| house', got {phrase!r}")
        pairs.append((sides[0], sides[1]))
    decoder.force(pairs)


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
        seconds = time.perf_counter() - self._loaded
        loading = self._loaded - self._begin
        rate = self.lines / seconds if seconds > 0 else 0.0
        note(
            f"{self.lines} lines in {seconds:.1f} s ({rate:.1f} lines a second), after {loading:.1f} s of loading",
            quiet=quiet,
        )

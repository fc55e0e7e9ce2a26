"""`tunesmith translate`: source lines to translations, n-best lists or explained derivations."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tunesmith.cli import options
from tunesmith.cli.cluster.cluster_options import ClusterOptions
from tunesmith.cli.console import counting, note, remark
from tunesmith.cli.declaring import grouped, option
from tunesmith.cli.models.raw_text import Tokenized
from tunesmith.cli.printing import tell, watched
from tunesmith.cli.search_limits import SEARCH, TimedSearchLimits
from tunesmith.cli.signals import Ended
from tunesmith.cli.streams import InputFile
from tunesmith.cli.translation.decoding_profile import report_profile
from tunesmith.cli.translation.labelled_lines import Labels
from tunesmith.cli.translation.mbr_options import MBR, MbrSettings
from tunesmith.cli.translation.prompt import converse
from tunesmith.cli.translation.searching import OnCluster, OnThreads
from tunesmith.cli.translation.translate_options import Shown
from tunesmith.cli.translation.translated_lines import Translated
from tunesmith.cli.weights_file import read_weights
from tunesmith.config import WEIGHTS
from tunesmith.errors import ConfigError, FormatError
from tunesmith.io import check_output, display_name
from tunesmith.io.inside import inside

if TYPE_CHECKING:
    from tunesmith.decoding.work.spec import DecoderSpec, OpenDecoder

_SHOWN = 10
_AT_ONCE = 32  # lines for each thread, where enough lines wait
_AT_ONCE_ELSEWHERE = 8192  # lines that are given to a cluster, in blocks


@grouped
def translate(
    file: InputFile = None,
    model: options.Model = Path(),
    weights: options.WeightsFile = None,
    output: options.OutputFile = "-",
    shown: Shown = Shown(),
    search: TimedSearchLimits = TimedSearchLimits(),
    mbr: Annotated[bool, option(
        "--mbr", "Print the translation that agrees best with all others that the search found.", MBR
    )] = False,
    settings: MbrSettings = MbrSettings(),
    force: Annotated[list[str] | None, option(
        "--force 'SOURCE ||| TARGET'", "Phrase-based: always translate these words so; may be repeated.", SEARCH
    )] = None,
    leave_one_out: Annotated[Path | None, option(
        "--leave-one-out FOLDER", "The lines are the first ones of the training data, and are translated as if "
        "they were not in it; FOLDER was made by tunesmith rules leave-one-out.", SEARCH
    )] = None,
    tokenized: Tokenized = False,
    labels: Annotated[str | None, option(
        "--labels FILE", "Domain of each line, for a model with domains.", options.DETAILS,
        show_default="lines are label<TAB>text",
    )] = None,
    features_from: options.FeaturesFrom = None,
    clustered: ClusterOptions = ClusterOptions(),
    strict: Annotated[
        bool, option("--strict", "Weights of features that the model does not have are an error.", options.DETAILS)
    ] = False,
    profile: Annotated[bool, option("--profile", "Say where time and memory went.", options.DETAILS)] = False,
    threads: options.Threads = options.THREADS,
    quiet: options.Quiet = False,
) -> None:  # fmt: skip
    """Translate text, line for line, as it comes.

    A line of a pipe is translated as soon as it is complete; in a terminal, without a file, lines are typed at a
    prompt. A model of tokenised text takes tokens; one that was trained on raw text (train --tokenize …) takes and
    prints raw text.

    [bold]Examples[/bold]
      tunesmith translate -m model/ < test.zh > test.out
      tunesmith translate -m model/
      tunesmith translate -m model/ -W run/weights.tsv --kbest 100 -j 2 test.zh -o test.nbest.gz
      head -3 test.zh | tunesmith translate -m model/ --explain
      tunesmith translate -m model/ --mbr --mbr-scale 0.5 < test.zh
      tunesmith translate -m model/ --cluster local:workers=4 test.zh -o test.out
      tunesmith translate -m phrase-model/ --distortion-limit 6 --force 'Haus ||| house' < test.de
    """
    from tunesmith.decoding.work.left_out import LeftOut
    from tunesmith.decoding.work.spec import DecoderSpec
    from tunesmith.features import features_from as load_templates

    if model == Path():
        raise ConfigError("which model? Name its directory with -m, as tunesmith train made it")
    shown.check()
    if mbr and shown.kbest is not None:
        raise ConfigError("--mbr prints one translation of each line, so it takes no --kbest")
    if not mbr and settings != MbrSettings():
        raise ConfigError("--mbr-scale and the like belong to --mbr")
    risk = settings.risk() if mbr else None
    if search.timeout is not None and shown.kbest is not None:
        raise ConfigError(
            "n-best lists are the same on every machine, so --kbest takes no --timeout; use --pop-limit"
        )
    _check_cluster(clustered, profile=profile, timeout=search.timeout is not None)
    check_output(output, [] if file is None else [file])
    if features_from is not None:
        load_templates(features_from)
    clock = _Clock()
    spec = DecoderSpec(
        str(model),
        options=search.changes(),
        forced=_forced(force or []),
        left_out=None if leave_one_out is None else LeftOut(str(leave_one_out)),
    )
    opened = _open(spec, weights, threads, strict=strict, quiet=quiet)
    decoder = opened.decoder
    clock.loaded()
    if profile:
        decoder.start_profile()
    raw = opened.model.text if opened.model.text and not tokenized else None
    subwords = shown.pieces_of(decoder, opened.model.text, raw)
    domains = Labels.of(decoder, labels)
    if clustered:
        opened.described_decoding()  # a model that cannot be described is refused before workers are started
    with clustered.opened(quiet=quiet) as executor:
        searching = (
            OnThreads(opened, shown, risk, threads)
            if executor is None
            else OnCluster(opened, shown, risk, executor)
        )
        translated = Translated(opened, shown, raw, searching, subwords=subwords, labels=domains, quiet=quiet)
        prompted = file is None and output == "-" and labels is None and watched(sys.stdin)
        if prompted:
            converse(lambda lines: translated([clock.counted(line, "-") for line in lines]), quiet=quiet)
        else:
            path = "-" if file is None else file
            to_file = output != "-"
            at_once = _AT_ONCE * threads if executor is None else _AT_ONCE_ELSEWHERE
            texts = clock.translated(path, translated, at_once, quiet=quiet or not to_file)
            _write(output, texts, lambda: translated.done)
    if domains is not None:
        domains.finish()
    translated.finish()
    clock.report(quiet=quiet or prompted)
    if profile:
        report_profile(decoder, clock.words, opened.model.signature(decoder.options))
    elif decoder.options.timeout is not None:
        note(str(opened.model.signature(decoder.options)), quiet=quiet)


def _open(spec: DecoderSpec, weights: str | None, threads: int, *, strict: bool, quiet: bool) -> OpenDecoder:
    from tunesmith.decoding.work.open_models import Models
    from tunesmith.decoding.work.spec import OpenDecoder

    folder = Path(spec.model)
    model = Models().of(spec, threads=threads)
    chosen = read_weights(inside(folder) / WEIGHTS if weights is None else weights, quiet=quiet)
    opened = OpenDecoder(spec, model, chosen)
    decoder = opened.decoder
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
        raise ConfigError(
            f"{name}: has no weight other than 0 for a feature of {folder}, so all translations score alike. "
            "Name the weights of this model with -W, or tune it"
        )
    return opened


def _check_cluster(clustered: ClusterOptions, *, profile: bool, timeout: bool) -> None:
    if clustered and profile:
        raise ConfigError(
            "--profile takes the times of this process, and with --cluster others decode; leave one of them out"
        )
    if clustered and timeout:
        raise ConfigError(
            "--timeout makes translations depend on the machine, and those of --cluster must not depend on which "
            "worker does a block; use --pop-limit"
        )


def _forced(phrases: Sequence[str]) -> tuple[tuple[str, str], ...]:
    pairs = []
    for phrase in phrases:
        sides = phrase.split("|||")
        if len(sides) != 2 or not sides[0].split():
            raise ConfigError(f"--force: expected 'source ||| target', such as 'haus ||| house', got {phrase!r}")
        pairs.append((sides[0], sides[1]))
    return tuple(pairs)


def _write(output: str, texts: Iterable[str], done: Callable[[], int]) -> None:
    """Write standard output line by line, as it comes; a file whole, or up to the line where Ctrl-C came."""
    from tunesmith.io.writing import output_bytes

    written, interrupted = 0, False
    with output_bytes(output) as out:
        try:
            for text in texts:
                out.write(text.encode("utf-8"))
                written = done()
                out.flush()  # only now can anybody see it, so that the number is right whenever Ctrl-C comes
        except Ended:
            raise
        except KeyboardInterrupt:
            if output == "-" or not written:
                raise
            interrupted = True
    if interrupted:
        count = f"{written} {'line was' if written == 1 else 'lines were'}"
        tell(f"tunesmith: interrupted; {count} translated; see {output}")
        raise SystemExit(130)


class _Clock:
    """Counts lines and seconds; progress for users in between."""

    def __init__(self) -> None:
        self._begin = time.perf_counter()
        self._loaded = self._begin
        self.lines = self.words = 0

    def loaded(self) -> None:
        self._loaded = time.perf_counter()

    def translated(
        self, path: str, translate_lines: Callable[[Sequence[str]], Iterable[str]], at_once: int, *, quiet: bool
    ) -> Iterator[str]:
        """Yield the translations of a text: of all lines that wait, up to `at_once` together."""
        from tunesmith.io.reading import iter_line_blocks

        with counting("translating", "lines", quiet=quiet) as advance:
            for block in iter_line_blocks(path):
                lines = iter(block)
                while batch := [self.counted(line, path) for line in islice(lines, at_once)]:
                    yield from translate_lines(batch)
                    advance(self.lines)

    def counted(self, line: str, path: str) -> str:
        """Return the line, counted; one too long to be translated is an error."""
        from tunesmith.decoding.options import LONGEST_SENTENCE

        self.lines += 1
        words = len(line.split())
        if words > LONGEST_SENTENCE:
            raise FormatError(
                f"a line of {words} words; at most {LONGEST_SENTENCE} can be translated. Break it up",
                path=display_name(path),
                line=self.lines,
            )
        self.words += words
        return line

    def report(self, *, quiet: bool) -> None:
        seconds = time.perf_counter() - self._loaded
        loading = self._loaded - self._begin
        rate = self.lines / seconds if seconds > 0 else 0.0
        note(
            f"{self.lines} lines in {seconds:.1f} s ({rate:.1f} lines a second), after {loading:.1f} s of loading",
            quiet=quiet,
        )

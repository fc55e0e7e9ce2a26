"""`tunesmith demo`: every step on the built-in corpus, with commands to try next.

It runs the very commands a user would type, so that every line it shows can be copied.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tunesmith.cli.console import note
from tunesmith.cli.options import OutputFolder
from tunesmith.errors import TunesmithError
from tunesmith.execution import children
from tunesmith.io import make_folder


@dataclass(frozen=True)
class Show:
    """A command of tunesmith with the reason to run it; `stdin` is a file it reads."""

    why: str
    words: Sequence[str]
    stdin: str | None = None

    def command(self) -> str:
        line = shlex.join(["tunesmith", *self.words])
        return f"{line} < {shlex.quote(self.stdin)}" if self.stdin else line


def steps(folder: str) -> list[Show]:
    """Return what the demo does, in order."""
    corpus = f"{folder}/corpus"
    # Reference 1 is judged by the others. (Reference 0 would find itself there: it pads the files of the others.)
    others = [f"{corpus}/test.en.{part}" for part in ("0", "[2-9]", "1?")]
    model, refs = f"{folder}/model", f"{corpus}/test.en.*"
    train = ["--train", f"{corpus}/train.zh", "--train-refs", f"{corpus}/train.en"]
    dev = ["--dev", f"{corpus}/dev.zh", "--refs", f"{corpus}/dev.en.*"]
    return [
        Show("Write the built-in corpus: Chinese sentences with English references.",
             ["phrasebook", "-o", corpus, "--stats"]),
        Show("Train: word alignment, language model, rules and their features, in one model directory.",
             ["train", "--source", f"{corpus}/train.zh", "--target", f"{corpus}/train.en", "-o", model]),
        Show("Which rules were learnt for tea?",
             ["rules", "show", f"{model}/rules", "--source", "茶", "--limit", "3"]),
        Show("Translate the test set with the weights that training starts with.",
             ["translate", "-m", model, f"{corpus}/test.zh", "-o", f"{folder}/untuned.en"]),
        Show("How good is that?",
             ["evaluate", "--refs", refs], stdin=f"{folder}/untuned.en"),
        Show("Tune the weights on dev with MIRA: decode, merge the lists, optimise, measure, again.",
             ["tune", "-m", model, *dev, "--recipe", "mira", "--rounds", "5", "-j", "2", "-o", f"{folder}/run"]),
        Show("Translate again with the tuned weights.",
             ["translate", "-m", model, "-W", f"{folder}/run/weights.tsv", f"{corpus}/test.zh", "-o",
              f"{folder}/tuned.en"]),
        Show("The gain, and whether it is more than chance.",
             ["compare", f"{folder}/untuned.en", f"{folder}/tuned.en", "--refs", refs]),
        Show("How well does one human reference do against the others?",
             ["evaluate", "--metric", "bleu", "--metric", "nist", "--metric", "chrf", "--metric", "ter",
              "--refs", *others], stdin=f"{corpus}/test.en.1"),
        Show("How much does a score depend on which reference one happens to have?",
             ["references", "-o", f"{folder}/reference-variance.png", "--refs", *others],
             stdin=f"{corpus}/test.en.1"),
        Show("A feature for every rule: only the features of the model are made again.",
             ["train", "--source", f"{corpus}/train.zh", "--target", f"{corpus}/train.en", "--features",
              "default,id", "-o", model]),
        Show("Too many weights for dev alone: learn groups of rules on training data, tune a weight for each, "
             "as Liu et al. (2013) do.",
             ["tune", "-m", model, "--recipe", "oscar", "--start", f"{folder}/run/weights.tsv",
              *train, "--train-sample", "500", *dev, "--rounds", "3", "--inner-rounds", "2", "--k", "50",
              "-j", "2", "-o", f"{folder}/grouped"]),
        Show("Which rules have found together?",
             ["groups", "show", f"{folder}/grouped", "--sort", "size", "--limit", "8"]),
        Show("Weights and sizes of the groups as a picture.",
             ["groups", "plot", f"{folder}/grouped", "-o", f"{folder}/groups.png"]),
        Show("How many of these weights are of use on the test set?",
             ["features", "reused", "-m", model, "-W", f"{folder}/grouped/weights.tsv", "--groups",
              f"{folder}/grouped", "--test", f"{corpus}/test.zh", "--kbest", "100", "-j", "2"]),
        Show("What does that lack? Features of words, and of neighbouring words; and training data that is new.",
             ["train", "--source", f"{corpus}/train.zh", "--target", f"{corpus}/train.en", "--features",
              "default,shares", "-o", model]),
        Show("What helps: learn weights on training data that is decoded as if it were new, tune on dev how much "
             "they count.",
             ["tune", "-m", model, "--recipe", "shares", "--start", f"{folder}/run/weights.tsv", *train,
              "--train-sample", "2500", *dev, "--rounds", "2", "--inner-rounds", "2", "--k", "50",
              "-j", "2", "-o", f"{folder}/shares"]),
        Show("The three runs side by side: a page to look at.",
             ["report", f"{folder}/run", f"{folder}/shares", f"{folder}/grouped", "-o", f"{folder}/compare.html"]),
        Show("Translate with them.",
             ["translate", "-m", model, "-W", f"{folder}/shares/weights.tsv", f"{corpus}/test.zh", "-o",
              f"{folder}/shares.en"]),
        Show("The gain over the nine default features: learnt on training data, it helps on new text.",
             ["compare", f"{folder}/tuned.en", f"{folder}/shares.en", "--refs", refs]),
    ]  # fmt: skip


def demo(output: OutputFolder = Path("demo")) -> None:
    """Run every step on the built-in corpus, and suggest what to try next.

    Every command it runs is shown, to be copied.

    [bold]Examples[/bold]
      tunesmith demo
      tunesmith demo -o /tmp/demo
    """
    make_folder(output)
    started = time.perf_counter()
    todo = steps(str(output))
    for number, step in enumerate(todo, start=1):
        note(f"\n[{number}/{len(todo)}] {step.why}\n$ {step.command()}")
        since = time.perf_counter()
        run(step)
        note(f"({time.perf_counter() - since:.1f} s)")
    seconds = time.perf_counter() - started
    note(f"\nDone in {seconds:.1f} s. Look at {output}/compare.html, then try:")
    corpus = f"{output}/corpus"
    for line in (
        f"head -1 {corpus}/test.zh | tunesmith translate -m {output}/model -W {output}/run/weights.tsv --explain",
        f"tunesmith features describe {output}/model",
        f"tunesmith align {corpus}/train.zh {corpus}/train.en --align {output}/model/train.align --show 12",
        f"tunesmith compare {corpus}/test.en.1 {corpus}/test.en.2 --refs '{corpus}/test.en.[03-9]'",
        f"tunesmith evaluate --sentence-level --refs '{corpus}/test.en.[02-9]' < {corpus}/test.en.1 | head",
        "tunesmith --help",
    ):
        note(f"  {line}")
    note(
        "From parallel text to the last system, with its gain over MIRA and the p-value, is one command:\n"
        f"  tunesmith pipeline --example shares > {output}/shares.toml && tunesmith pipeline {output}/shares.toml"
    )
    note(
        "The table of Liu et al. (2013), every row tuned and scored, is one command (hours; minutes with --tiny, "
        f"too small to mean anything):\n  tunesmith experiment liu2013 --data phrasebook -j 2 -o {output}/table1"
    )


def run(step: Show) -> None:
    """Run a command of tunesmith in a new process, as the shell would.

    A demo of an earlier build is made again; `tune` leaves runs of another build alone.
    """
    from tunesmith.tuning.runs.directory import is_of_another_build

    command = [sys.executable, "-m", "tunesmith", *step.words]
    if step.words[0] == "tune" and is_of_another_build(Path(step.words[step.words.index("-o") + 1])):
        command.append("--restart")
    stdin = Path(step.stdin).open("rb") if step.stdin else subprocess.DEVNULL  # noqa: SIM115
    try:
        child = children.start(command, stdin=stdin)
        try:
            code = child.wait()
        finally:
            child.end()
    finally:
        if not isinstance(stdin, int):
            stdin.close()
    if code != 0:
        raise TunesmithError(f"the step ended with code {code}: {step.command()}")

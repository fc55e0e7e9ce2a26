"""Digests of what the program computes, to show that a change of structure changes no result.

    python benchmarks/digests.py before/ -o before.json        # before the change
    python benchmarks/digests.py after/ --compare before.json  # after it: names every file that differs

It uses commands and modules that older versions have too, so the Python of an older worktree can run it. `--lists`
ends after the lists.

Makes a small hierarchical and a small phrase-based model and translates with them, also with sentence pairs left
out, one by one or in folds that language models have not read either; runs every recipe on them for three rounds,
MERT, MIRA and PRO on the recorded lists of ../shared/reference/tune (skipped where it is missing), and two tiny
experiments. Digested are rules, k-best lists,
weights, histories without times, chosen translations, candidate arrays, translations of test, and tables without
times.
Lines that begin with # (signatures, checksums) and manifests do not count.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

LISTS = Path(__file__).resolve().parents[2] / "shared" / "reference" / "tune"
RECIPES = (
    *("mert", "mira", "pro", "pro --plain", "risk", "risk --plain", "svm", "ramp"),
    *("l1", "oscar", "shares", "grouped", "grouped-mira"),
)
ON_TRAIN = ("oscar", "shares", "grouped", "l1")  # recipes whose name begins so learn on training data
SPARSE = {"hiero": ("id", "lexical_alignment", "source_triggers"), "phrase": ("id", "lexical_alignment")}
TABLES = {
    "liu2013": ("pro-dev-default", "mira-dev-default", "oscar", "l1-dev-id", "random"),
    "cherry2012": ("kb-mira-default", "pro-default"),
}
_TIMES = ("seconds", "processor_seconds", "time", "minutes", "saved", "begun", "memory")


def tunesmith(*words: object) -> None:
    """Run a command of tunesmith; its messages are shown only where it fails."""
    command = [sys.executable, "-m", "tunesmith", *map(str, words)]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {ended.returncode}:\n{ended.stderr}")


def make_corpus(folder: Path) -> None:
    """Write a part of the phrasebook, small enough for all recipes, and a smaller part of its training data."""
    tunesmith("phrasebook", "-q", "--pairs", 2000, "--eval-sentences", 60, "--references", 4, "-o", folder)
    for side in ("zh", "en"):
        lines = (folder / f"train.{side}").read_text(encoding="utf-8").splitlines(keepends=True)
        (folder / f"few.{side}").write_text("".join(lines[:300]), encoding="utf-8")


def tune(work: Path, kind: str, recipe: str) -> Path:
    """Tune for three rounds, translate test with the best weights; return the run directory."""
    corpus, model = work / "corpus", work / kind
    run = work / f"{kind}-{recipe.replace(' --', '-')}"
    name, *flags = recipe.split()
    data = ["--dev", corpus / "dev.zh", "--refs", *sorted(corpus.glob("dev.en.*"))]
    if recipe.startswith(ON_TRAIN):
        part = "train" if recipe == "shares" else "few"  # it knows the text that its model was made from
        data += ["--train", corpus / f"{part}.zh", "--train-refs", corpus / f"{part}.en"]
        if name == "grouped":
            data += ["--train-sample", 200]
        data += sparse_options(kind, recipe)
    common = ["--rounds", 3, "--k", 20, "-q", "-j", 2, "-o", run]
    tunesmith("tune", "-m", model, "--recipe", name, *flags, *common, *data)
    tunesmith(
        "translate", "-q", "-m", model, "-W", run / "weights.tsv", corpus / "test.zh", "-o", run / "test.out"
    )
    return run


def sparse_options(kind: str, recipe: str) -> list[str]:
    """Options that say what becomes of the sparse features of a model."""
    patterns = [f"{template}:*" for template in SPARSE[kind]]
    if recipe == "l1":
        return ["--set", f"penalised={' '.join(patterns)}"]
    if kind == "phrase" and recipe == "grouped":
        return ["--group-with", patterns[1]]
    grouped = [word for pattern in patterns for word in ("--group", pattern)]
    return [*grouped, "--set", "dimension=100000"] if recipe == "oscar" else grouped


def digest(path: Path) -> str:
    """Digest of a file, of text without comments and times."""
    data = path.read_bytes()
    if path.suffix == ".jsonl":
        data = b"\n".join(json.dumps(timeless(json.loads(line))).encode() for line in data.splitlines())
    elif path.suffix == ".json":
        data = json.dumps(timeless(json.loads(data)), sort_keys=True).encode()
    elif path.suffix in (".tsv", ".md"):
        data = b"\n".join(line for line in data.splitlines() if not line.startswith(b"#"))
    return hashlib.sha256(data).hexdigest()[:16]


def timeless(value: Any) -> Any:
    """The document without times and sizes of memory."""
    if isinstance(value, dict):
        return {key: timeless(each) for key, each in value.items() if not key.endswith(_TIMES)}
    return [timeless(each) for each in value] if isinstance(value, list) else value


def digests_of_model(work: Path, kind: str) -> dict[str, str]:
    """Digests of what was extracted, of k-best lists, and of lists with each sentence pair left out."""
    corpus, model, own = work / "corpus", work / kind, work / f"{kind}-own"
    few = ["--source", corpus / "train.zh", "--target", corpus / "train.en"]
    tunesmith("rules", "own", "-q", "-m", model, *few, "-o", own)
    lists = {"test": ["--kbest", 30], "few": ["--kbest", 30, "--leave-one-out", own]}
    for name, words in lists.items():
        tunesmith(
            "translate",
            "-q",
            "-j",
            2,
            "-m",
            model,
            *words,
            corpus / f"{name}.zh",
            "-o",
            work / f"{kind}-{name}.nbest",
        )
    write_folds(model, own, corpus, work / f"{kind}-folds.nbest")
    kept = [work / f"{kind}-{name}.nbest" for name in (*lists, "folds")]
    for folder in (model, own):
        kept += [path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".json"]
    return {str(path.relative_to(work)): digest(path) for path in kept}


def write_folds(model: Path, own: Path, corpus: Path, output: Path) -> None:
    """Write lists of training data by language models that have not read it, each pair's own rules left out."""
    from tunesmith.decoding import HeldOutDecoder, TranslationModel
    from tunesmith.grammar import LeaveOneOutCounts
    from tunesmith.search import write_kbest

    target = (corpus / "train.en").read_text(encoding="utf-8").splitlines()
    few = (corpus / "few.zh").read_text(encoding="utf-8").splitlines()
    opened = TranslationModel.open(model)
    decoder = HeldOutDecoder.train(opened, target, 5)
    write_kbest(
        decoder.k_best(few, 30, threads=2, leave_one_out=LeaveOneOutCounts.open(own, opened.table)), output
    )


def digests_of_run(run: Path) -> dict[str, str]:
    """Digests of the results in a run directory, by path."""
    kept = [run / "weights.tsv", run / "history.jsonl", run / "test.out"]
    kept += [
        path for path in sorted((run / "rounds").rglob("*")) if path.is_file() and path.name != "manifest.json"
    ]
    return {str(path.relative_to(run.parent)): digest(path) for path in kept if path.is_file()}


def record(work: Path, *, lists_only: bool) -> dict[str, str]:
    """Make everything below `work` and digest it."""
    found: dict[str, str] = {}
    make_corpus(work / "corpus")
    for kind, sparse in SPARSE.items():
        source, target = work / "corpus" / "train.zh", work / "corpus" / "train.en"
        words = ["--kind", kind, "--features", ",".join(("default", *sparse)), "-q", "-o", work / kind]
        tunesmith("train", "--source", source, "--target", target, *words)
        found |= digests_of_model(work, kind)
        for recipe in () if lists_only else RECIPES:
            print(f"{kind} {recipe}", file=sys.stderr)
            found |= digests_of_run(tune(work, kind, recipe))
    if lists_only:
        return found
    if LISTS.is_dir():
        lists = [sorted(LISTS.glob(f"run*.{what}.dat.gz")) for what in ("features", "scores")]
        for recipe in ("mert", "mira", "pro"):
            print(f"lists {recipe}", file=sys.stderr)
            run = work / f"lists-{recipe}"
            tunesmith(
                "tune", "--candidates", *lists[0], "--scores", *lists[1], "--recipe", recipe, "-q", "-o", run
            )
            found |= digests_of_run(run)
    for name, rows in TABLES.items():
        print(name, file=sys.stderr)
        folder = work / name
        words = ["--data", "phrasebook", "--tiny", "-q", "-j", 2, "-o", folder, "--rows", *rows]
        tunesmith("experiment", name, *words)
        tables = [folder / "table.json", *sorted(folder.rglob("weights.tsv"))]
        found |= {str(path.relative_to(work)): digest(path) for path in tables}
    return found


def main() -> int:
    """Record, write, compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("work", type=Path, help="a folder for models and runs; a run that was killed resumes")
    parser.add_argument("-o", "--output", type=Path, help="JSON file for the digests")
    parser.add_argument("--compare", type=Path, help="digests recorded before")
    parser.add_argument("--lists", action="store_true", help="models and their lists alone")
    chosen = parser.parse_args()
    chosen.work.mkdir(parents=True, exist_ok=True)
    found = record(chosen.work, lists_only=chosen.lists)
    if chosen.output:
        chosen.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    before = json.loads(chosen.compare.read_text(encoding="utf-8")) if chosen.compare else found
    differing = [name for name in sorted({*before, *found}) if before.get(name) != found.get(name)]
    print(json.dumps({"benchmark": "digests", "files": len(found), "differing": differing}))
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())

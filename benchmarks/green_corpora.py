"""Data for `tunesmith experiment green2014`: three domains as one corpus, and parts of a corpus for a curve.

    python benchmarks/green_corpora.py domains ../shared/data fr-en-domains
    python benchmarks/green_corpora.py part 20000 ../shared/data/fr-en fr-en-20k        or a TOML file
    python benchmarks/green_corpora.py larger 5000 multi30k-de-en.toml multi30k-de-en-5000
    python benchmarks/green_corpora.py curve fr-en-10k-run fr-en-20k-run fr-en-60k-run

`domains` joins the French-English corpora of that folder: everyday sentences are the default domain, captions and
software the others, each with its development sources as a sample. Captions have one development set, of which
each half serves. `part` takes training pairs drawn by a seed, and the same development and test sets; `larger`
moves some to the development set. Both take a folder or a TOML file. `curve`
prints DENSE and EXT+FILT of finished experiments by their number of training pairs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tunesmith.experiments.corpus import CorpusFiles
from tunesmith.experiments.named_corpus import NamedCorpus
from tunesmith.experiments.tables import pipe_table
from tunesmith.io import read_lines, write_lines

SETS = ("dev", "devtest", "test")
Pair = tuple[str, tuple[str, ...]]
Pairs = list[Pair]


def pairs_of(folder: Path, name: str) -> Pairs:
    """Lines of a set with the references of each."""
    found = CorpusFiles(folder, "fr", "en").evaluation(name)
    return list(zip(found.lines, found.references, strict=True))


def domain_sets(data: Path) -> dict[str, dict[str, Pairs]]:
    """Development and test sets of each domain, the default one first."""
    everyday = {name: pairs_of(data / "fr-en", name) for name in SETS}
    captions = pairs_of(data / "multi30k-fr-en", "val")
    half = len(captions) // 2
    captioned = {"dev": captions[:half], "devtest": captions[half:],
                 "test": pairs_of(data / "multi30k-fr-en", "test_2016_flickr")}  # fmt: skip
    software = {name: pairs_of(data / "software-fr-en", name) for name in SETS}
    return {"everyday": everyday, "captions": captioned, "software": software}


def write_set(folder: Path, name: str, labelled: list[tuple[str, str, tuple[str, ...]]]) -> None:
    """Sources, labels and as many files of references as the sentence with most has, padded with its first."""
    write_lines(folder / f"{name}.fr", [source for _, source, _ in labelled])
    write_lines(folder / f"{name}.labels", [label for label, _, _ in labelled])
    write_references(folder / f"{name}.en", [references for _, _, references in labelled])


def domains(data: Path, folder: Path) -> None:
    """One corpus of three domains, with true labels of the training pairs."""
    folder.mkdir(parents=True)
    corpora = {"everyday": "fr-en", "captions": "multi30k-fr-en", "software": "software-fr-en"}
    source, target, labels = [], [], []
    for label, name in corpora.items():
        pairs = CorpusFiles(data / name, "fr", "en").bitext()
        source += list(pairs.source)
        target += list(pairs.target)
        labels += [label] * len(pairs)
    for name, lines in (("train.fr", source), ("train.en", target), ("train.labels", labels)):
        write_lines(folder / name, lines)
    found = domain_sets(data)
    for name in SETS:
        write_set(folder, name, [(label, *pair) for label, sets in found.items() for pair in sets[name]])
    samples = {"captions": read_lines(data / "multi30k-fr-en" / "val.fr"),
               "software": [line for line, _ in found["software"]["dev"]]}  # fmt: skip
    for label, lines in samples.items():
        write_lines(folder / f"in-domain.{label}.fr", lines)


def opened(data: Path, folder: Path) -> CorpusFiles:
    """The corpus in a folder, or named by a TOML file."""
    return NamedCorpus.read(data).placed(folder) if data.suffix == ".toml" else CorpusFiles.find(data)


def part(pairs: int, data: Path, folder: Path) -> None:
    """Some of the training pairs; whoever has more of them has all of a smaller part."""
    folder.mkdir(parents=True)
    found = opened(data, folder)
    order = np.random.default_rng(1).permutation(len(found.bitext()))[:pairs]
    write_corpus(found, folder, sorted(order.tolist()))


def larger(pairs: int, data: Path, folder: Path) -> None:
    """Training pairs as further sentences of dev; pairs that share a side with one of them are left out."""
    folder.mkdir(parents=True)
    found = opened(data, folder)
    whole = found.bitext()
    order = np.random.default_rng(2).permutation(len(whole)).tolist()
    moved = sorted(order[:pairs])
    sources, targets = {whole.source[at] for at in moved}, {whole.target[at] for at in moved}
    kept = [
        at for at in sorted(order[pairs:]) if whole.source[at] not in sources and whole.target[at] not in targets
    ]
    write_corpus(found, folder, kept, [(whole.source[at], (whole.target[at],)) for at in moved])


def write_corpus(found: CorpusFiles, folder: Path, kept: list[int], further: Sequence[Pair] = ()) -> None:
    """These pairs as training data, and the development and test sets.   further: sentences of dev."""
    whole, sets = found.bitext(), {name: found.evaluation(name) for name in SETS}
    for language, lines in ((found.source, whole.source), (found.target, whole.target)):
        write_lines(folder / f"train.{language}", [lines[at] for at in kept])
    for name, given in sets.items():
        pairs = [*zip(given.lines, given.references, strict=True), *(further if name == "dev" else ())]
        write_lines(folder / f"{name}.{found.source}", [source for source, _ in pairs])
        write_references(folder / f"{name}.{found.target}", [tuple(references) for _, references in pairs])


def write_references(path: Path, references: list[tuple[str, ...]]) -> None:
    """As many files as the sentence with most has references, padded with its first."""
    for at in range(max(map(len, references))):
        write_lines(Path(f"{path}.{at}"), [each[at] if at < len(each) else each[0] for each in references])


def curve(runs: list[Path]) -> list[str]:
    """Rows of a table: training pairs, test scores of DENSE and EXT+FILT, difference and p."""
    rows = []
    for run in runs:
        table = json.loads((run / "table.json").read_text(encoding="utf-8"))
        by_name = {row["name"]: row for row in table["rows"]}
        dense, filtered = by_name["dense"], by_name["ext-filt"]
        against = filtered["against"]["dense"]["difference"]
        rows.append([
            str(table["facts"]["training pairs"]), *(f"{row['scores']['test']:.2f}" for row in (dense, filtered)),
            f"{against['score']:+.2f}", f"{against['p_randomization']:.3f}", str(filtered["active"]),
        ])  # fmt: skip
    header = ("training pairs", "DENSE", "EXT+FILT", "Δ", "p", "features")
    return pipe_table(header, sorted(rows, key=lambda row: int(row[0])), texts=0)


def main(arguments: list[str]) -> None:
    """What the first word says."""
    match arguments:
        case ["domains", data, folder]:
            domains(Path(data), Path(folder))
        case ["part", pairs, data, folder]:
            part(int(pairs), Path(data), Path(folder))
        case ["larger", pairs, data, folder]:
            larger(int(pairs), Path(data), Path(folder))
        case ["curve", *runs] if runs:
            print("\n".join(curve([Path(run) for run in runs])))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])

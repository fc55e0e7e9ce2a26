r"""Pairwise ranking on lists that are tuned on once: what its sample of pairs costs against MIRA.

Half of the sentences is tuned on, the other half judged, and the reverse, from several seeds. One JSON line for
each tuner: BLEU on the half that was tuned on and on the other (mean, and standard deviation over seeds), and the
length ratio.

python benchmarks/quality_pro_lists.py FOLDER    (with run1.features.dat.gz, run1.scores.dat.gz, …)
python benchmarks/quality_pro_lists.py TEXT      (lists made from its first 800 lines, made_neural_lists.py)
python benchmarks/quality_pro_lists.py LISTS --refs TEXT    (n-best lists of any dialect, pieces joined to words)
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from made_neural_lists import made_lists

from tunesmith.io import read_lines
from tunesmith.metrics import Bleu
from tunesmith.search import CandidateSet, merge, read_kbest, read_moses_run
from tunesmith.search.lists.pieces import join_candidates
from tunesmith.tuning import FileSource, recipes
from tunesmith.tuning.pools.lists import ListPool
from tunesmith.tuning.recipe import Recipe

MORE = "keep=500,min_gain=0.01"
SETTINGS = ("", "keep=500", MORE, f"{MORE},brevity=0", f"{MORE},l2=0.0001", f"{MORE},brevity=0,l2=0.0001")
TUNERS = ("mira", *(f"pro {settings}".strip() for settings in SETTINGS))


def halves(lists: CandidateSet, recipe: Recipe, seed: int) -> list[float]:
    """BLEU on what was tuned on, BLEU and length ratio on the other half: means of both directions."""
    middle, rows = lists.sentences // 2, []
    one, other = lists.select(0, middle), lists.select(middle, lists.sentences)
    for tuned, judged in ((one, other), (other, one)):
        weights = recipe.fit(FileSource(tuned), seed=seed).weights_
        own, best = (ListPool(each).best(each.features.vector(weights)[0]) for each in (tuned, judged))
        rows.append([own.score(Bleu()), best.score(Bleu()), best.totals[0] / best.totals[1]])
    means: list[float] = np.mean(rows, axis=0).tolist()
    return means


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("--refs", type=Path)
    parser.add_argument(
        "--tuners", nargs="+", default=TUNERS, help='recipes with settings, as "pro keep=500,l2=1e-4"'
    )
    parser.add_argument("--seeds", type=int, default=4)
    given = parser.parse_args()
    if given.path.is_dir():
        runs = sorted(given.path.glob("run*.features.dat.gz"))
        lists = merge([read_moses_run(path, str(path).replace("features", "scores")) for path in runs])
    elif given.refs is not None:
        references = [[line] for line in read_lines(given.refs)]
        lists = join_candidates(read_kbest(given.path)).with_statistics(Bleu().prepare(references))
    else:
        lists = made_lists(read_lines(given.path)[:800])
    named = {text: text.partition(" ") for text in given.tuners}
    tuners = {text: recipes.get(name).with_settings(settings) for text, (name, _, settings) in named.items()}
    for name, recipe in tuners.items():
        found = np.array([halves(lists, recipe, seed) for seed in range(1, given.seeds + 1)])
        means, deviations = found.mean(axis=0).tolist(), found.std(axis=0, ddof=min(1, given.seeds - 1)).tolist()
        line = {"tuned": means[0], "tuned_sd": deviations[0], "held_out": means[1], "held_out_sd": deviations[1]}
        print(json.dumps({"tuner": name, **line, "length_ratio": means[2]}), flush=True)


if __name__ == "__main__":
    main()

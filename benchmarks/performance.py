"""The figures of docs/research/performance.md: measures them and makes its tables and pictures.

    python benchmarks/performance.py                  everything, then the page: some 20 minutes of CPU time
    python benchmarks/performance.py speed_threads    these benchmarks alone; the lines of the others stay
    python benchmarks/performance.py --page           the page from the lines that there are

Lines are kept in docs/research/tables/performance.jsonl: what a benchmark printed, with the calibration and the
load of the machine before it. `MOSES2=PROGRAM` and `LMPLZ=PROGRAM` measure Moses2 and lmplz in the same run,
`TUNE_MODEL=FOLDER` takes a trained model of multi30k-de-en for `speed_hiero_tuning`. KenLM's queries and skglm's
proximity operator are those of the packages `kenlm` and `skglm`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from datetime import date
from pathlib import Path

from performance_page import LINES, make_page
from recorded_peers import calibration

from tunesmith.io import atomic_writer, read_lines

BENCHMARKS = (
    *("speed_decode", "speed_phrase_decoding", "speed_hiero_tuning", "speed_threads", "speed_growth"),
    *("speed_lm_train", "speed_tuning", "speed_chrf_ter", "speed_start", "speed_lm_query", "speed_prox"),
)
ARGUMENTS = {"speed_prox": ["500", "5000", "50000"]}


def measured(name: str) -> list[str]:
    """The lines of a benchmark, with its name, the day and what the machine was like."""
    about = {
        "script": name,
        "date": date.today().isoformat(),
        "calibration_before": round(calibration(), 3),
        "load": round(os.getloadavg()[0], 1),
    }
    command = [sys.executable, str(Path(__file__).with_name(f"{name}.py")), *ARGUMENTS.get(name, ())]
    printed = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
    return [json.dumps({**about, **json.loads(line)}, ensure_ascii=False) for line in printed.splitlines()]


def main() -> None:
    """Run benchmarks and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[[], *BENCHMARKS], default=[])
    parser.add_argument("--page", action="store_true", help="measure nothing")
    options = parser.parse_args()
    for name in () if options.page else options.names or BENCHMARKS:
        new = measured(name)
        if not new:  # a peer is missing, or the data
            print(f"{name} measured nothing; its lines of before stay", file=sys.stderr)
            continue
        kept = [line for line in read_lines(LINES) if line] if LINES.exists() else []
        others = [line for line in kept if json.loads(line)["script"] != name]
        with atomic_writer(LINES) as file:
            file.write("\n".join([*others, *new]) + "\n")
    make_page()


if __name__ == "__main__":
    main()

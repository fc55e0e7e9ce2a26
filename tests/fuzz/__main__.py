"""`python -m fuzz`: damaged input for every reader. See CONTRIBUTING.md for the variables."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from fuzz import findings
from fuzz.case import make_case
from fuzz.judge import Place
from fuzz.kinds import all_kinds
from fuzz.memory import scratch
from fuzz.options import cases, seconds, session_seed
from fuzz.run import Session
from fuzz.worker import Limits, sanitized


def main() -> int:
    """Exit code 0 without a finding, 1 with findings."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--kind", action="append", help="a kind, or the beginning of several; all by default")
    parser.add_argument("--case", type=int, help="run one case here, in this process, with its traceback")
    parser.add_argument("--list", action="store_true", help="print the kinds")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    kinds = {kind.name: kind for kind in all_kinds() if not asked.kind or kind.name.startswith(tuple(asked.kind))}
    if asked.list:
        print("\n".join(kinds))
        return 0
    seed = session_seed()
    if asked.case is not None:
        kind = kinds[asked.kind[0]] if asked.kind and asked.kind[0] in kinds else next(iter(kinds.values()))
        seeds = kind.seeds()
        with scratch("tunesmith-fuzz-") as folder:
            wrong = Place(Path(folder)).run(kind, seeds, make_case(kind, seeds, seed, asked.case))
        print(wrong or "nothing is wrong")
        return wrong is not None
    session = Session(
        kinds,
        {name: kind.seeds() for name, kind in kinds.items()},
        seed=seed,
        seconds=seconds() if cases() is None or "FUZZ_SECONDS" in os.environ else None,
        cases=cases(),
        workers=asked.workers,
        limits=Limits(seconds=60.0 if sanitized() else 20.0),
        save_to=Path(findings.FOLDER),
    )
    good = session.run()
    session.report(sys.stdout)
    if not good:
        print(f"findings are in {findings.FOLDER}/KIND/SEED-CASE/: the input, wrong.txt, case.json")
    return not good


if __name__ == "__main__":
    sys.exit(main())

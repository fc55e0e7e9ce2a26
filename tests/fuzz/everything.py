"""`python -m fuzz.everything`: all harnesses one after the other, each for its share of FUZZ_SECONDS."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys

from fuzz.options import seconds

# Harness → its share of the time.
SHARES = {"fuzz.properties": 0.4, "fuzz": 0.4, "fuzz.kill": 0.1, "fuzz.faults": 0.1}


def main() -> int:
    """Run them all, whatever one of them finds; 1 if there is a finding."""
    codes = {}
    seed = os.environ.get("FUZZ_SEED") or str(secrets.randbelow(2**31))
    print(f"FUZZ_SEED={seed}", flush=True)
    for module, share in SHARES.items():
        limit = f"{seconds() * share:.0f}"
        print(f"== python -m {module}, {limit} s", flush=True)
        environment = {**os.environ, "FUZZ_SECONDS": limit, "FUZZ_SEED": seed}
        codes[module] = subprocess.run([sys.executable, "-m", module], env=environment, check=False).returncode
    print("".join(f"{module}: {'nothing found' if not code else 'FINDINGS'}\n" for module, code in codes.items()))
    return 1 if any(codes.values()) else 0


if __name__ == "__main__":
    sys.exit(main())

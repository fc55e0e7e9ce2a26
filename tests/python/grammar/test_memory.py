"""Extraction keeps to the memory it is given."""

import subprocess
import sys

# Prints by how many bytes the process grew at most while it extracted.
GROWTH = """
import random, resource, sys, tempfile
from tunesmith.alignment import WordAlignments
from tunesmith.corpus.bitext import Bitext
from tunesmith.grammar import extract_rules

def corpus(pairs):
    random.seed(1)
    lines = [" ".join(f"w{random.randrange(3000)}" for _ in range(16)) for _ in range(pairs)]
    return Bitext(lines, lines), WordAlignments.from_links([[(i, i) for i in range(16)]] * pairs)

def peak():
    if sys.platform == "linux":  # where the peak of getrusage may be that of the process that started this one
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

small, large = corpus(10), corpus(1500)
with tempfile.TemporaryDirectory() as folder:
    extract_rules(*small, folder + "/small")
    before = peak()
    extract_rules(*large, folder + "/large", memory=int(sys.argv[1]))
    print(peak() - before)
"""


def growth(memory: int) -> int:
    ran = subprocess.run([sys.executable, "-c", GROWTH, str(memory)], capture_output=True, text=True, check=True)
    return int(ran.stdout)


def test_what_does_not_fit_goes_to_disk():
    """A million rules: about 230 MB where there is room, a fraction of it where there is not."""
    assert growth(8 << 20) < 0.6 * growth(1 << 30)

"""An external decoder that stays, for tests: python stub_server.py MODE CONFIG K FOLDER

It answers each line with a list, lines of Moses and an empty one, and reads its weights again after SIGHUP. MODE
says what goes wrong; FOLDER keeps count of starts, signals and sentences.
"""

import os
import signal
import sys
from pathlib import Path

from stub_decoder import candidates_of, weights_of


def main():
    mode, config, k, folder = sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4])
    again = []

    def note(what):
        with (folder / what).open("a") as file:
            file.write("x")
        return (folder / what).stat().st_size

    def reload(*_):
        again.append(True)
        note("signals")

    signal.signal(signal.SIGHUP, reload)
    starts = note("starts")
    weights = weights_of(config)
    for line in sys.stdin:
        if again:
            again.clear()
            weights = weights_of(config)
        asked = note("asked")
        if mode == "dies" and asked % 5 == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        if mode == "always dies":
            sys.exit(f"out of memory at start {starts}")
        if mode == "hangs" and asked == 3:
            signal.pause()
        scored = []
        for words, f in candidates_of(line):
            score = sum(weights.get(name, 0.0) * value for name, value in f.items())
            sparse = " doubled= 1" if f["doubled"] else ""
            label = f"Length0= {f['Length0']} TM0= {f['TM0_0']} {f['TM0_1']}{sparse}"
            scored.append((score, f"{asked} ||| {' '.join(words)} ||| {label} ||| {score}\n"))
        scored.sort(key=lambda each: -each[0])
        lines = [text for _, text in scored[:k]]
        if mode == "empty" and asked % 4 == 2:
            lines = []
        if mode == "value" and asked == 3:
            lines[1] = "7 ||| some words ||| Length0= many ||| 0\n"
        if mode == "talks" and asked == 3:
            lines.insert(1, "loaded 3 rules\n")
        sys.stdout.write("".join([*lines, "\n"]))
        sys.stdout.flush()


if __name__ == "__main__":
    main()

"""An external decoder, for tests: python stub_decoder.py MODE -f CONFIG -n-best-list NBEST K < SOURCE

It knows a few translations of every line: the line itself with words left out or doubled, two features each, and a
sparse one. Weights come from a moses.ini, with its file of sparse weights. MODE says what goes wrong.
"""

import signal
import sys
from pathlib import Path


def weights_of(path):
    """[weight] and [weight-file] of a moses.ini."""
    found, section = {}, None
    for line in Path(path).read_text().splitlines():
        if line.startswith("["):
            section = line
        elif line.strip() and section == "[weight]":
            label, *values = line.split()
            for at, value in enumerate(values):
                found[label[:-1] if len(values) == 1 else f"{label[:-1]}_{at}"] = float(value)
        elif line.strip() and section == "[weight-file]":
            for pair in Path(line.strip()).read_text().splitlines():
                name, value = pair.split()
                found[name] = float(value)
    return found


def candidates_of(line):
    words = line.split()
    for cut in range(len(words)):
        for doubled in range(3):
            kept = words[cut:] + words[-1:] * doubled
            features = {"Length0": -len(kept), "TM0_0": -float(cut), "TM0_1": -float(doubled)}
            yield kept, {**features, "doubled": min(doubled, 1)}


def main():
    mode, config, nbest, k = sys.argv[1], sys.argv[3], sys.argv[5], int(sys.argv[6])
    if mode == "hang":
        signal.pause()
    if mode == "fail":
        sys.exit("cannot load the phrase table")
    weights = weights_of(config)
    lines = []
    source = sys.stdin.read().splitlines()
    for number, line in enumerate(source):
        scored = []
        for words, features in candidates_of(line):
            score = sum(weights.get(name, 0.0) * value for name, value in features.items())
            scored.append((score, " ".join(words), features))
        scored.sort(key=lambda each: -each[0])
        for score, words, f in scored[:k]:
            sparse = " doubled= 1" if f["doubled"] else ""
            label = f"Length0= {f['Length0']} TM0= {f['TM0_0']} {f['TM0_1']}{sparse}"
            lines.append(f"{number} ||| {words} ||| {label} ||| {score}\n")
    text = "".join(lines)
    if mode == "empty":
        text = ""
    if mode == "line":
        text = text[:-7]
    if mode == "garbage":
        text = lines[0] + "0 ||| a ||| Length0= many ||| 0\n"
    if mode == "short":
        text = "".join(line for line in lines if int(line.split()[0]) < len(source) // 2)
    if mode == "more":
        text += f"{len(source)} ||| x ||| Length0= 1 ||| 0\n"
    if mode == "nothing":
        return
    if nbest == "-":
        sys.stdout.write(text)
    else:
        Path(nbest).write_text(text)


if __name__ == "__main__":
    main()

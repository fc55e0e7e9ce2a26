"""Damaged tables: every wrong file, bit, offset or manifest is an error, never a crash."""

import json
import random
import shutil

import numpy as np
import pytest
from support.damage.resealed import reseal, unsealed

from tunesmith.errors import FormatError, MissingFileError
from tunesmith.grammar import RuleTable, select_rules


def names(folder):
    return sorted(file.name for file in folder.iterdir() if file.name != "manifest.json")


def test_every_file_missing_or_cut_off_or_too_long_is_noticed_when_opening(whole, tmp_path):
    for name in names(whole):
        for number, damage in enumerate(("missing", "cut", "long", "empty")):
            folder = tmp_path / f"{name}{number}"
            shutil.copytree(whole, folder)
            data = (folder / name).read_bytes()
            if damage == "missing":
                (folder / name).unlink()
            else:
                (folder / name).write_bytes({"cut": data[:-1], "long": data + b"\0", "empty": b""}[damage])
            with pytest.raises(FormatError, match=name):
                RuleTable.open(folder)


def test_every_flipped_bit_is_found_by_verify(whole, copy):
    RuleTable.open(copy).verify()
    rng = random.Random(3)
    for name in names(whole):
        data = bytearray((whole / name).read_bytes())
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        (copy / name).write_bytes(bytes(data))
        with pytest.raises(FormatError, match=name):
            RuleTable.open(copy).verify()
        (copy / name).write_bytes((whole / name).read_bytes())


@pytest.mark.parametrize("name", ["source_offsets", "source_rules", "target_offsets", "link_offsets"])
@pytest.mark.parametrize("value", [2**40, 2**63 + 5, 2**64 - 1])
def test_impossible_offsets_are_errors_not_crashes(copy, name, value):
    from tunesmith.grammar.moses import moses_blocks
    from tunesmith.grammar.statistics import table_statistics

    data = np.frombuffer((copy / name).read_bytes(), dtype="<u8").copy()
    data[3] = value
    (copy / name).write_bytes(data.tobytes())
    table = RuleTable.open(copy)
    uses = [
        lambda: list(table),
        lambda: [table[at] for at in range(len(table))],
        lambda: list(moses_blocks(table)),
        lambda: select_rules(table, copy.parent / "out"),
    ]
    if name.startswith("source"):
        uses.append(lambda: table_statistics(table))
        uses.append(lambda: select_rules(table, copy.parent / "out", only_for=["f1 f2 f3"], top=1))
    for use in uses:
        with pytest.raises(FormatError, match="rules"):
            use()


def test_impossible_symbols_are_errors_not_crashes(whole, copy):
    from tunesmith.grammar.moses import moses_blocks

    for name in ("source_symbols", "target_symbols"):
        symbols = np.frombuffer((whole / name).read_bytes(), dtype="<i4").copy()
        symbols[0] = -7
        (copy / name).write_bytes(symbols.tobytes())
        reseal(copy)
        for use in (list, lambda table: list(moses_blocks(table))):
            with pytest.raises(FormatError):
                use(RuleTable.open(copy))
        (copy / name).write_bytes((whole / name).read_bytes())
    symbols = np.frombuffer((whole / "target_symbols").read_bytes(), dtype="<i4").copy()
    symbols[0] = 10**6
    (copy / "target_symbols").write_bytes(symbols.tobytes())
    reseal(copy)
    with pytest.raises(FormatError, match="not in the vocabulary"):
        list(RuleTable.open(copy))
    with pytest.raises(FormatError):
        list(moses_blocks(RuleTable.open(copy)))


MANIFESTS = {
    "not JSON": lambda m: "{",
    "a list": lambda m: "[]",
    "empty": lambda m: "",
    "deep": lambda m: "[" * 100000,
    "another format": lambda m: json.dumps({**m, "format": "other"}),
    "newer": lambda m: json.dumps({**m, "format_version": 2}),
    "version text": lambda m: json.dumps({**m, "format_version": "1"}),
    "version 0": lambda m: json.dumps({**m, "format_version": 0}),
    "no kind": lambda m: json.dumps({key: value for key, value in m.items() if key != "kind"}),
    "another kind": lambda m: json.dumps({**m, "kind": "tree"}),
    "no numbers": lambda m: json.dumps({**m, "numbers": {}}),
    "negative": lambda m: json.dumps({**m, "numbers": {**m["numbers"], "rules": -1}}),
    "huge": lambda m: json.dumps({**m, "numbers": {**m["numbers"], "rules": 10**30}}),
    "one rule more": lambda m: json.dumps({**m, "numbers": {**m["numbers"], "rules": m["numbers"]["rules"] + 1}}),
    "one side less": lambda m: json.dumps(
        {**m, "numbers": {**m["numbers"], "sources": m["numbers"]["sources"] - 1}}
    ),
    "scores without names": lambda m: json.dumps({**m, "score_names": []}),
    "no files": lambda m: json.dumps({**m, "files": {}}),
    "a file elsewhere": lambda m: json.dumps({**m, "files": {**m["files"], "../x": {"bytes": 0, "crc32": "0"}}}),
    "files without sizes": lambda m: json.dumps({**m, "files": dict.fromkeys(m["files"], 3)}),
    "labels are numbers": lambda m: json.dumps({**m, "labels": [1]}),
    "totals are a list": lambda m: json.dumps({**m, "totals": []}),
    "totals are texts": lambda m: json.dumps({**m, "totals": {"rules": "x"}}),
    "a signature is a text": lambda m: json.dumps({**m, "signature": "x"}),
    "settings are a number": lambda m: json.dumps({**m, "settings": 1}),
    "selections are a number": lambda m: json.dumps({**m, "settings": {"selections": 1}}),
    "moses is a number": lambda m: json.dumps({**m, "moses": 5}),
    "counts are a text": lambda m: json.dumps({**m, "moses": {"counts": "x"}}),
    "counts are negative": lambda m: json.dumps({**m, "moses": {"counts": -1}}),
    "a label with a blank": lambda m: json.dumps({**m, "moses": {"label": "a b"}}),
}


@pytest.mark.parametrize("damage", MANIFESTS)
def test_damaged_manifests_are_recognised(copy, damage):
    (copy / "manifest.json").write_text(MANIFESTS[damage](unsealed(copy)))
    with pytest.raises(FormatError) as error:
        RuleTable.open(copy)
    assert "rules/" in str(error.value)
    if damage == "newer":
        assert "update" in str(error.value)


def test_a_table_without_manifest_was_not_finished(copy):
    (copy / "manifest.json").unlink()
    with pytest.raises(FormatError, match="not written to its end"):
        RuleTable.open(copy)
    with pytest.raises(MissingFileError):
        RuleTable.open(copy / "nowhere")

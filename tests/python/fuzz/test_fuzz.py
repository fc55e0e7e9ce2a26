"""The harness of damaged input: a short round over every kind, and whether it finds what it should find."""

import ctypes
import json
import time
import zlib
from random import Random

import pytest
from fuzz.case import make_case
from fuzz.judge import Place, judge, put
from fuzz.kind import Kind, one_file
from fuzz.kinds import all_kinds
from fuzz.kinds.candidates import kinds as candidate_kinds
from fuzz.kinds.graphs import kinds as graph_kinds
from fuzz.kinds.language_models import image
from fuzz.kinds.tables import seeds as tables
from fuzz.reseal import checksum64, reseal_graph_files, reseal_image, reseal_manifests
from fuzz.run import Session
from fuzz.seals import reseal_inside, seal_json, seal_line
from fuzz.worker import Limits

from tunesmith.errors import FormatError, TunesmithError
from tunesmith.grammar import RuleTable
from tunesmith.io.arrays import verify_files
from tunesmith.lm import NgramModel
from tunesmith.search import CandidateSet, GraphSet

KINDS = {kind.name: kind for kind in all_kinds()}


def session(kinds, **settings):
    return Session(kinds, {name: kind.seeds() for name, kind in kinds.items()}, **settings)


@pytest.mark.parametrize("name", KINDS)
def test_seeds_are_read_without_an_error(tmp_path, name):
    for number, files in enumerate(KINDS[name].seeds()):
        put(tmp_path / str(number), files)
        KINDS[name].read(tmp_path / str(number))


def test_seeds_are_the_same_every_time():
    again = {kind.name: kind for kind in all_kinds()}
    assert all(KINDS[name].seeds() == again[name].seeds() for name in KINDS)


def test_a_short_round_over_every_kind_has_no_finding():
    assert len(KINDS) > 55
    short = session(KINDS, per_kind=50, workers=1, limits=Limits(seconds=120))
    short.run()
    found = {name: count.findings for name, count in short.counts.items() if count.findings}
    assert found == {}
    assert {count.cases for count in short.counts.values()} == {50}


def test_a_case_depends_on_seed_kind_and_number_alone():
    kind = KINDS["rule-table"]
    seeds = kind.seeds()
    cases = [make_case(kind, seeds, 7, number) for number in range(40)]
    assert cases == [make_case(kind, seeds, 7, number) for number in range(40)]
    assert make_case(kind, seeds, 8, 0) != cases[0]
    assert len({str(case) for case in cases}) > 35


def planted(when):
    """A reader that does something bad with some inputs."""

    def read(folder):
        text = (folder / "input").read_bytes()
        if len(text) % 5 == 1:
            when()
        raise FormatError("is refused", path="input")

    return Kind("planted", one_file("some text\n"), read)


def raise_key_error():
    {}["planted"]


def hang():
    time.sleep(1000)


def crash():
    ctypes.string_at(0)


def allocate():
    _ = bytearray(200 << 20)


class TwoLinesError(TunesmithError):
    def __str__(self):
        return "one\ntwo"


def say_two_lines():
    raise TwoLinesError


@pytest.mark.parametrize(
    ("defect", "says"),
    [
        (raise_key_error, "KeyError: 'planted'"),
        (hang, "hangs"),
        (crash, "crashed: SIGSEGV"),
        (allocate, "too much memory"),
        (say_two_lines, "holds '\\n'"),
    ],
)
def test_planted_defects_are_found_and_named(tmp_path, defect, says):
    kind = planted(defect)
    limits = Limits(seconds=1.0 if defect is hang else 100.0, bytes=100 << 20)
    found = session({"planted": kind}, per_kind=12, workers=1, limits=limits, save_to=tmp_path)
    assert not found.run()
    wrong = found.counts["planted"].findings
    assert says in next(iter(wrong.values()))
    for number in wrong:
        saved = tmp_path / "planted" / f"1-{number}"
        case = make_case(kind, kind.seeds(), 1, number)
        assert (saved / "input/input").read_bytes() == case.changed["input"]
        assert says in (saved / "wrong.txt").read_text()
    if defect is raise_key_error:
        good = {
            number
            for number in range(12)
            if len(make_case(kind, kind.seeds(), 1, number).changed["input"]) % 5 != 1
        }
        assert good == set(range(12)) - set(wrong)


def test_files_that_are_left_are_found(tmp_path):
    def read(folder):
        (folder / "more.partial").write_text("x")

    found = session({"x": Kind("x", one_file("x"), read)}, per_kind=2, workers=1)
    assert not found.run()
    assert "left over: ['more.partial']" in found.counts["x"].findings[0]


def test_resealed_folders_have_the_checksums_of_their_damage(tmp_path):
    """What was damaged is read: nothing but the content is wrong with it."""
    seeds = tables()
    for number, name in enumerate(["rules/scores", "rules/links", "rules/target.vocab", "rules/joint_counts"]):
        damage = bytearray(seeds[0][name])
        damage[-2] ^= 1
        changed = reseal_inside(seeds[0], reseal_manifests(seeds[0], {name: bytes(damage)}, Random(1)))
        assert set(changed) == {name, "rules/manifest.json"}
        folder = tmp_path / str(number)
        put(folder, {**seeds[0], **changed})
        verify_files(folder / "rules", RuleTable.open(folder / "rules").manifest)
    kind = candidate_kinds()[0]
    files = kind.seeds()[0]
    zeros = {"lists/dense": bytes(len(files["lists/dense"]))}
    changed = reseal_inside(files, reseal_manifests(files, zeros, Random(1)))
    put(tmp_path / "c", {**files, **changed})
    assert CandidateSet.load(tmp_path / "c/lists").rows().toarray()[:, :2].tolist() == [[0, 0]] * 7


def test_resealed_models_and_graphs_are_read(tmp_path):
    damage = bytearray(image(2))
    damage[-70] ^= 1
    (tmp_path / "lm").write_bytes(damage)
    with pytest.raises(FormatError, match="checksum"):
        NgramModel.load(tmp_path / "lm")
    (tmp_path / "lm").write_bytes(reseal_image(bytes(damage), Random(1)))
    NgramModel.load(tmp_path / "lm", check_all=True)
    whole = graph_kinds()[0].seeds()[0]["input"]
    at = whole.index((2).to_bytes(4, "little") + (1).to_bytes(4, "little"))  # a word
    damage = bytearray(whole)
    damage[at] ^= 1
    put(tmp_path / "g", reseal_graph_files({"input": whole}, {"input": bytes(damage)}, Random(1)))
    with GraphSet(tmp_path / "g/input") as graphs:
        assert len([graph.arrays for graph in graphs]) == 2
    assert checksum64(b"") != checksum64(b"\0")
    assert zlib.crc32(whole) != zlib.crc32(bytes(damage))


def test_checksums_inside_of_files_are_made_to_fit():
    text = seal_line(b"# a\n# crc32 00000000\nlm\t1\n")
    crc = zlib.crc32(b"# a\nlm\t1\n")
    assert text == f"# a\n# crc32 {crc:08x}\nlm\t1\n".encode()
    sealed = seal_json(b'{"crc32": "x", "a": "\\ud800"}')
    digits = sealed[-12:-4] if sealed.endswith(b'"\n}\n') else b""
    assert json.loads(sealed) == {"sealed": "crc32", "a": "\ud800", "crc32": digits.decode()}
    assert int(digits, 16) == zlib.crc32(sealed.replace(digits, b"00000000"))
    assert seal_json(b"[") == b"["


def test_a_message_is_judged_as_it_is_printed():
    bad = Kind("x", one_file("x"), lambda folder: (_ for _ in ()).throw(FormatError("a\x1b[31mb")))
    assert judge(bad, None) is None


@pytest.mark.parametrize(("kind", "number"), [("list-marian-parts", 65), ("rule-table-features", 1045)])
def test_what_was_found_stays_mended(tmp_path, kind, number):
    """Cases of seed 21 that a run of a million found."""
    seeds = KINDS[kind].seeds()
    assert Place(tmp_path).run(KINDS[kind], seeds, make_case(KINDS[kind], seeds, 21, number)) is None

"""`translate --cluster`: every form of output has the bytes that threads here give."""

import numpy as np
import pytest
from support.processes.clusters import same_folders, scaled, tuned
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.decoding import TranslationModel
from tunesmith.decoding.work.listing import received
from tunesmith.decoding.work.spec import DecoderSpec
from tunesmith.errors import FormatError
from tunesmith.execution import Packet
from tunesmith.weights import Weights

pytest.importorskip("distributed", reason="needs the extra cluster")

pytestmark = pytest.mark.filterwarnings("default")  # of Dask and its event loops

SHOWN = [
    ["--kbest", "4"],
    ["--kbest", "4", "--distinct", "--alignment"],
    ["--mbr", "--mbr-scale", "0.5"],
    ["--explain"],
    ["--alignment"],
]


def run(*words):
    found = CliRunner().invoke(app, ["translate", "-q", *map(str, words)])
    assert (found.exit_code, found.stderr) == (0, "")
    return found.stdout


@pytest.fixture(scope="module", params=["model", "sparse_model", "domain_model"])
def words(request, home):
    """What `translate` is given: a model, weights, and three blocks of lines."""
    model = request.getfixturevalue(request.param)
    labels = ["--labels", home / "dev.labels"] if request.param == "domain_model" else []
    weights = [] if request.param == "model" else ["-W", weights_of(model, home)]
    lines = (home / "dev.f").read_text(encoding="utf-8").splitlines(keepends=True)
    (home / "three").write_text("".join(lines[:300]), encoding="utf-8")
    if labels:
        (home / "three.labels").write_text("".join(["news\n", "web\n"] * 150))
        labels = ["--labels", home / "three.labels"]
    return ["-m", model, *weights, *labels, home / "three"]


def weights_of(model, home):
    """Start weights, and random ones for half of the features that get their numbers when they are met."""
    decoder = TranslationModel.open(model).decoder()
    lines = (home / "f").read_text(encoding="utf-8").splitlines()
    labels = ["news", "web"] if decoder.domains else [None]
    decoder.candidate_arrays([f"{label}\t{line}" if label else line for label in labels for line in lines], 10)
    random = np.random.default_rng(1)
    met = list(decoder.index)[decoder.features.columns + len(decoder.language_models) :: 2]
    weights = dict(Weights.read(model / "weights.tsv").items())
    for name in sorted(name for name in met if name.startswith("target_bigrams")):
        weights[name] = 0.3 * random.standard_normal()
    path = home / f"{model.name}.weights.tsv"
    Weights.from_mapping(weights).write(path)
    return path


@pytest.mark.parametrize("shown", SHOWN, ids=" ".join)
def test_every_form_of_output_has_the_same_bytes(address, words, shown):
    expected = run(*words, *shown)
    assert run(*words, *shown, "--cluster", address) == expected
    assert len(expected.splitlines()) >= 300


def test_lists_do_not_depend_on_threads_or_on_how_lines_come(words):
    expected = run(*words, "--kbest", "3")
    assert run(*words, "--kbest", "3", "-j", "3") == expected


def test_lists_are_the_same_from_one_and_from_three_workers(cluster, address, domain_model, home):
    words = ["-m", domain_model, "--labels", home / "dev.labels", home / "dev.f", "--kbest", 3]
    expected = run(*words)
    try:
        for workers in (1, 3):
            scaled(cluster, workers)
            assert run(*words, "--cluster", address) == expected
    finally:
        scaled(cluster, 2)


def test_tuning_with_domains_has_the_same_bytes(cluster, domain_model, home):
    """Copies of features get their numbers in the driver, in the order of the candidates."""
    folders = [
        tuned(home, domain_model, f"domains-{number}", executor, labels=home / "dev.labels")
        for number, executor in enumerate((None, cluster))
    ]
    assert "target_bigrams@web:" in (folders[0] / "weights.tsv").read_text(encoding="utf-8")
    same_folders(*folders)


@pytest.mark.parametrize(
    ("option", "why"),
    [
        (["--profile"], "--profile takes the times of this process"),
        (["--timeout", "5"], "--timeout makes translations depend on the machine"),
        (["--cluster-fit"], "--cluster-fit is for tune"),
    ],
)
def test_what_cannot_be_is_said_with_its_reason(model, home, option, why):
    words = ["translate", "-m", str(model), str(home / "f"), "--cluster", "local:workers=1", *option]
    found = CliRunner().invoke(app, words)
    assert found.exit_code == 2
    assert why in " ".join(found.stderr.split())


@pytest.mark.parametrize("kind", ["values", "names", "links", "places", "domains", "limited"])
def test_lists_of_a_worker_that_cannot_be_used(domain_model, kind):
    opened = DecoderSpec.of(domain_model).open()
    packet = opened.lists.packed(opened.lists.searched(["web\ti"], 2))
    arrays = dict(packet.arrays)
    values = {"lists": packet.values, "links": None}
    assert len(received(opened.lists, Packet(values, arrays)).found.candidates)
    if kind == "values":
        values = [1]
    if kind == "names":
        values = {"lists": {}, "links": None}
    if kind == "links":
        values["links"] = [[]] * 99
    if kind == "places":
        values["links"] = [[1]] * len(received(opened.lists, Packet(values, arrays)).found.candidates)
    if kind == "domains":
        arrays["line_domains"] = arrays["line_domains"] + 7
    if kind == "limited":
        arrays["line_limited"] = arrays["line_limited"][[0, 0]]
    with pytest.raises(FormatError):
        received(opened.lists, Packet(values, arrays))

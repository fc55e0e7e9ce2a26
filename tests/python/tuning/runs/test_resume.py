"""Killed at any moment, the same call continues and ends with the same bytes."""

import contextlib
import json
import os
import random
import signal

import pytest
from support.lists.toy_parts import MeanDifference, SeededStep
from support.models.toy_decoder import ToyDecoder, toy_data
from support.processes.killing import die, in_child, killed_at

from tunesmith.errors import ConfigError, TunesmithError
from tunesmith.tuning import BatchRounds, KBestSource, Tuner
from tunesmith.tuning.runs.status import status

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")

LINES, REFERENCES = toy_data(sentences=4)
# What a process asks the system for when it changes files; audit hooks hear of each before it happens.
CHANGES = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.chmod", "shutil.rmtree"}


def tune(folder, *, threads=1, rounds=3, on_decode=lambda: None, seed=1, k=4, restart=False):
    tuner = Tuner(MeanDifference(), SeededStep(), plan=BatchRounds(rounds), seed=seed)
    source = KBestSource(ToyDecoder(on_decode=on_decode), LINES, REFERENCES, k=k)
    return tuner.fit(source, output=folder, threads=threads, restart=restart)


def weights_of(folder):
    """Every file of weights a user may read, and the history without its seconds."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.tsv")}


def killed_at_change(folder, number):
    """Tune in a child that is killed right before its change of files with this number; whether it was."""
    return killed_at(number, lambda: tune(folder), CHANGES, below=folder)


def kill(folder, number=250):
    """The same, where a run that ends before it is killed would show nothing."""
    assert killed_at_change(folder, number), f"the run has fewer than {number} changes"


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory, no_waiting_for_the_disk):
    folder = tmp_path_factory.mktemp("whole") / "run"
    tune(folder)
    return weights_of(folder)


def test_the_run_is_long_enough_to_be_worth_killing(uninterrupted):
    assert {"weights.tsv", *(f"rounds/{number:02d}/weights.tsv" for number in range(4))} <= set(uninterrupted)


def test_killed_before_any_change_of_a_file(tmp_path, uninterrupted):
    """One folder for each change; where a run is killed is the number of the change, until it is not killed."""
    number, kills = 1, 0
    while True:
        folder = tmp_path / f"{number}" / "run"
        ended = killed_at_change(folder, number)
        tune(folder)
        assert weights_of(folder) == uninterrupted, f"killed at change {number}"
        if not ended:
            break
        kills += 1
        number += 1 + number // 12  # densely at first, where a run is made, then thinner
    assert kills > 20


def test_killed_again_and_again(tmp_path, uninterrupted):
    """The same folder, killed at another change each time it continues."""
    folder = tmp_path / "run"
    choose = random.Random(5)
    kills = sum(killed_at_change(folder, choose.randint(30, 120)) for _ in range(10))
    tune(folder)
    assert kills > 3
    assert weights_of(folder) == uninterrupted


def test_killed_with_half_a_file_written(tmp_path, uninterrupted):
    for number in range(1, 40, 3):
        folder = tmp_path / f"{number}" / "run"

        def work(folder=folder, number=number):
            seen = 0

            def half(descriptor):
                nonlocal seen
                seen += 1
                if seen == number:
                    os.ftruncate(descriptor, os.fstat(descriptor).st_size // 2)
                    die()

            os.fsync = half
            tune(folder)

        assert in_child(work) == signal.SIGKILL
        tune(folder)
        assert weights_of(folder) == uninterrupted, f"killed in file {number}"


def test_nothing_of_a_killed_process_stays(tmp_path):
    folder = tmp_path / "run"
    for number in (150, 100, 100):
        kill(folder, number)
    tune(folder)
    assert not [path for path in folder.rglob("*") if "partial" in path.name]
    assert len(list(folder.rglob("manifest.json"))) <= 2  # what was decoded last, and all so far


def test_the_number_of_threads_is_no_setting(tmp_path, uninterrupted):
    folder = tmp_path / "run"
    kill(folder)
    tune(folder, threads=2)
    assert weights_of(folder) == uninterrupted


def test_a_finished_run_is_not_run_again(tmp_path):
    folder = tmp_path / "run"
    first = tune(folder)
    again = tune(folder, on_decode=lambda: pytest.fail("decoded again"))
    assert again.weights_.array.tolist() == first.weights_.array.tolist()
    assert [row.score for row in again.history_] == [row.score for row in first.history_]


def test_another_command_is_refused_with_what_differs(tmp_path):
    folder = tmp_path / "run"
    tune(folder)
    with pytest.raises(ConfigError, match=r"seed: 1 there, 2 now.*dev\.k: 4 there, 5 now.*--restart"):
        tune(folder, seed=2, k=5)


@pytest.mark.parametrize("finished", [True, False])
def test_a_run_of_another_build_is_refused_until_it_is_started_again(
    tmp_path, uninterrupted, another_build, finished
):
    """Neither is its result taken for that of this program, nor is it resumed with another one in the middle."""
    folder = tmp_path / "run"
    if finished:
        tune(folder)
    else:
        kill(folder, 100)
    there = json.loads((folder / "settings.json").read_text(encoding="utf-8"))["settings"]["build"]
    before = weights_of(folder)
    another_build()
    told = rf"holds a run made by another build of tunesmith \(build: {there} there, 0123456789abcdef now\)"
    with pytest.raises(ConfigError, match=rf"{told}.*--restart, choose another -o, or use the build"):
        tune(folder, on_decode=lambda: pytest.fail("decoded"))
    assert weights_of(folder) == before
    tune(folder, restart=True)
    assert weights_of(folder) == uninterrupted


def test_a_run_of_another_build_and_with_other_settings_is_refused_for_both(tmp_path, another_build):
    tune(tmp_path / "run")
    another_build()
    with pytest.raises(
        ConfigError, match=r"with other settings \(build: .* there, .* now; seed: 1 there, 2 now\)"
    ):
        tune(tmp_path / "run", seed=2)


def test_names_of_settings_stay_in_their_line(tmp_path):
    tune(tmp_path / "run")
    path = tmp_path / "run/settings.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["settings"]["a\nb"] = "x\ny"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ConfigError, match="a b: x y there, nothing now") as error:
        tune(tmp_path / "run")
    assert "\n" not in str(error.value)


def test_restart_begins_anew(tmp_path, uninterrupted):
    folder = tmp_path / "run"
    tune(folder, seed=9, rounds=2)
    tuner = Tuner(MeanDifference(), SeededStep(), plan=BatchRounds(3))
    tuner.fit(KBestSource(ToyDecoder(), LINES, REFERENCES, k=4), output=folder, restart=True)
    assert weights_of(folder) == uninterrupted


def test_a_folder_with_other_data_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    for restart in (False, True):
        with pytest.raises(ConfigError, match="other data"):
            Tuner(MeanDifference(), SeededStep()).fit(
                KBestSource(ToyDecoder(), LINES, REFERENCES), output=tmp_path, restart=restart
            )
    assert (tmp_path / "thesis.tex").read_text() == "years of work"


def test_two_processes_do_not_share_a_run(tmp_path):
    folder = tmp_path / "run"

    def second():
        with pytest.raises(ConfigError, match="another process"):
            tune(folder)
        assert status(folder).state == "running"

    tune(folder, rounds=1, on_decode=second)
    assert status(folder).state == "finished"


def test_a_killed_run_is_told_from_a_failed_and_a_finished_one(tmp_path):
    kill(tmp_path / "killed")
    assert status(tmp_path / "killed").state == "interrupted"

    def fail():
        raise ConfigError("no more")

    with pytest.raises(ConfigError):
        tune(tmp_path / "failed", on_decode=fail)
    found = status(tmp_path / "failed")
    assert (found.state, found.reason) == ("failed", "no more")
    tune(tmp_path / "failed")  # continues as if nothing had happened
    assert status(tmp_path / "failed").state == "finished"


def test_a_damaged_state_is_an_error_for_people(tmp_path):
    folder = tmp_path / "run"
    kill(folder)
    whole = json.loads((folder / "state.json").read_text())
    del whole["sealed"], whole["crc32"]  # so that what is wrong is not the checksum alone
    texts = ["", "[]", "{", "[" * 100_000, *(json.dumps({**whole, "format": wrong}) for wrong in (0, 3, "1"))]
    for key in set(whole) - {"saved", "best", "finished"}:
        texts += [json.dumps({name: value for name, value in whole.items() if name != key})]
        texts += [json.dumps({**whole, key: wrong}) for wrong in (-1, 99, "../../secret", [1], {"a": "../b"})]
    for text in texts:
        (folder / "state.json").write_text(text)
        with contextlib.suppress(TunesmithError):  # never another error; some damage does no harm
            tune(folder, rounds=3)
            assert text not in texts[:7]


@pytest.mark.parametrize("damage", ["cut", "missing", "other"])
@pytest.mark.parametrize("name", ["weights.npy", "manifest.json", "history.jsonl"])
def test_damaged_files_are_errors_for_people(tmp_path, name, damage):
    folder = tmp_path / "run"
    kill(folder)
    lists = json.loads((folder / "state.json").read_text())["pools"]
    below = folder / next(iter(lists.values())) if "manifest" in name else folder
    path = sorted(below.rglob(name))[-1]  # of the last round
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:40] if damage == "cut" else b"else")
    with pytest.raises(TunesmithError):
        tune(folder)


def test_an_interrupted_fit_leaves_the_best_so_far(tmp_path):
    calls = 0

    def interrupt():
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt

    tuner = Tuner(MeanDifference(), SeededStep(), plan=BatchRounds(3))
    with pytest.raises(KeyboardInterrupt):
        tuner.fit(KBestSource(ToyDecoder(on_decode=interrupt), LINES, REFERENCES, k=4))
    assert len(tuner.history_) == 2
    assert tuner.weights_.array.any()
    assert tuner.reason_ is None

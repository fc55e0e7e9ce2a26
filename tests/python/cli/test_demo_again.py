"""The demo in the folder of an earlier one."""

from types import SimpleNamespace

from support.lists.toy_parts import MeanDifference, SeededStep
from support.models.toy_decoder import ToyDecoder, toy_data

from tunesmith.cli import demo
from tunesmith.tuning import BatchRounds, KBestSource, Tuner


def test_a_run_of_another_build_is_made_again(tmp_path, monkeypatch, another_build):
    commands = []

    def start(command, stdin):
        commands.append(command[3:])
        return SimpleNamespace(wait=lambda: 0, end=lambda: None)

    monkeypatch.setattr(demo.children, "start", start)
    step = demo.Show("Tune.", ["tune", "--recipe", "mira", "-o", str(tmp_path / "run")])
    demo.run(step)
    Tuner(MeanDifference(), SeededStep(), plan=BatchRounds(1)).fit(
        KBestSource(ToyDecoder(), *toy_data(), k=5), output=tmp_path / "run"
    )
    demo.run(step)
    another_build()
    demo.run(step)
    assert commands == [step.words, step.words, [*step.words, "--restart"]]

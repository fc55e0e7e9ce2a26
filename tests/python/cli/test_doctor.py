"""`tunesmith doctor`: facts about this machine, and advice that fits them."""

import json
import os
import subprocess
import sys
from importlib import metadata

import tunesmith
from tunesmith import environment


def test_it_says_what_is_here(tmp_path):
    ran = subprocess.run(
        [sys.executable, "-m", "tunesmith", "doctor", "-f", "json"], capture_output=True, check=True, cwd=tmp_path
    )
    found = {each["subject"]: each for each in json.loads(ran.stdout)}
    assert found["tunesmith"]["value"].startswith(f"{tunesmith.__version__}, build ")
    assert str(tmp_path) in found["disk here"]["value"]
    assert found["extra plots"]["value"] == f"matplotlib {metadata.version('matplotlib')}"


def test_an_extra_that_is_missing_is_named_with_the_way_to_it(monkeypatch):
    monkeypatch.setattr(environment.metadata, "requires", lambda name: ['no-such-library>=1; extra == "align"'])
    [found] = [each for each in environment.findings() if each.subject == "extra align"]
    assert (found.state, found.value) == ("note", "not installed: no-such-library")
    assert "pip install 'tunesmith[align]'" in found.advice


def test_fonts_with_chinese_letters_are_looked_for(tmp_path):
    assert environment._fonts([tmp_path / "none"]).value == "none"
    (tmp_path / "truetype").mkdir()
    (tmp_path / "truetype" / "DejaVuSans.ttf").touch()
    lacking = environment._fonts([tmp_path])
    assert (lacking.value, lacking.state) == ("1, none of them with Chinese letters", "note")
    assert "fonts-noto-cjk" in lacking.advice
    (tmp_path / "NotoSansCJK-Regular.ttc").touch()
    assert environment._fonts([tmp_path]).value == "2, with Chinese letters: NotoSansCJK-Regular.ttc"


def test_every_extra_has_a_use():
    assert environment._extras().keys() <= environment._USES.keys()


def test_a_folder_that_is_gone_is_a_problem_and_little_memory_a_note(monkeypatch, tmp_path):
    gone = tmp_path / "gone"
    assert environment._disk("disk here", gone).state == "problem"
    monkeypatch.setattr(environment, "_LITTLE_MEMORY", 1 << 60)
    assert environment._memory().state == "note"
    monkeypatch.setattr(environment, "_LITTLE_DISK", 1 << 60)
    assert environment._disk("disk here", tmp_path).state == "note"
    assert str(len(os.sched_getaffinity(0))) in environment._processors().value

"""What the README promises after its install line: its lines run in a fresh environment with the wheel alone.

`make install-test`, or python tests/fresh_install.py WHEEL. Of a folder of wheels pip chooses the one for the
Python that runs this file (`make wheels-test`). The environment has this Python and no extras, and is outside
of the repository. Every block of the README runs there.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from support.console import difference

README = Path(__file__).parent.parent / "README.md"
_TYPED = """
from importlib import metadata, resources

files = resources.files("tunesmith")
missing = [name for name in ("py.typed", "_core.pyi") if not (files / name).is_file()]
assert not missing, f"the wheel lacks {missing}"
assert [each.name for each in metadata.distribution("tunesmith").entry_points] == ["tunesmith"]
"""
_BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def main(wheel: Path) -> str | None:
    """What is not as the README says; None if all is."""
    with tempfile.TemporaryDirectory(prefix="tunesmith-fresh-") as name:
        home, work = Path(name) / "environment", Path(name) / "work"
        work.mkdir()
        venv.create(home, with_pip=True)
        programs = home / "bin"
        python = str(programs / "python")
        pip = [python, "-m", "pip", "--disable-pip-version-check", "-q"]
        if wheel.is_dir():
            chosen = ["--no-deps", "--no-index", "--only-binary=:all:", "--find-links", str(wheel.resolve())]
            subprocess.run([*pip, "download", *chosen, "--dest", name, "tunesmith"], check=True, cwd=work)
            [wheel] = Path(name).glob("*.whl")
            sys.stdout.write(f"{wheel.name}\n")
        subprocess.run([*pip, "install", str(wheel.resolve())], check=True, cwd=work)
        subprocess.run([python, "-I", "-c", _TYPED], check=True, cwd=work)
        for language, block in _BLOCK.findall(README.read_text()):
            if language == "python":
                command = [python, "-I", "-c", block]
                ran = subprocess.run(command, capture_output=True, text=True, cwd=work, check=False)
                wrong = ran.stderr if ran.returncode else None
            else:
                wrong = difference(block, programs, work)
            if wrong is not None:
                return wrong
    return None


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

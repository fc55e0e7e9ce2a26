"""Model directories for `tunesmith check`."""

from __future__ import annotations

from pathlib import Path

from tunesmith.config import SYSTEM, WEIGHTS, read_system
from tunesmith.io.arrays import MANIFEST
from tunesmith.io.checks import OLD, Report, formats
from tunesmith.io.digest import file_digest
from tunesmith.io.documents import is_sealed
from tunesmith.io.seals import check_line
from tunesmith.training.steps import STAMPS, read_stamps


@formats.register("model directory")
class ModelDirectoryCheck:
    """Everything that translates, and what `tunesmith train` notes of its steps."""

    noun = "a model directory"

    def recognises(self, path: Path) -> bool:
        return (path / SYSTEM).is_file() or (path / STAMPS).is_file()

    def verify(self, path: Path, report: Report) -> None:
        if (path / SYSTEM).is_file():
            with report.reading(path / SYSTEM):
                if check_line((path / SYSTEM).read_bytes(), str(path / SYSTEM)):
                    report.is_whole(path / SYSTEM)
                else:
                    report.has_no_checksum(path / SYSTEM, "it was edited by hand, or an earlier version wrote it")
                system = read_system(path)
                files = (*system.source_text.files().values(), *system.target_text.files().values())
                for part in (system.rules, *(lm.path for lm in system.lms), *files, *system.classes.values()):
                    report.part(path / part)
        if (path / STAMPS).is_file():
            with report.reading(path / STAMPS):
                self._stamps(path, report)
        report.rest(path)

    def _stamps(self, path: Path, report: Report) -> None:
        stamps = read_stamps(path / STAMPS)
        if is_sealed(path / STAMPS):
            report.is_whole(path / STAMPS)
        else:
            report.has_no_checksum(path / STAMPS, OLD)
        for stamp in stamps.values():
            for name, wanted in stamp.get("outputs", {}).items():
                file = path / name / MANIFEST if (path / name).is_dir() else path / name
                if not file.exists():
                    report.is_damaged(path / name, "is missing")
                elif name in (SYSTEM, WEIGHTS):  # may be edited
                    continue
                elif file_digest(file) == wanted:
                    report.is_whole(file)
                else:
                    report.is_damaged(file, f"is not what {STAMPS} says that training made")

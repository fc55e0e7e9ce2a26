"""Verification of experiments and studies for `tunesmith check`."""

from __future__ import annotations

from pathlib import Path

from tunesmith.experiments import foundations
from tunesmith.experiments.stages import MARKER, read_marker
from tunesmith.experiments.study import study
from tunesmith.io.checks import OLD, Report, formats
from tunesmith.io.documents import is_sealed


@formats.register("experiment")
class ExperimentCheck:
    """Format of experiments and studies of tuning: stages and their contents."""

    noun = "the folder of an experiment"

    def recognises(self, path: Path) -> bool:
        return any((path / name).is_file() for name in (foundations.ABOUT, study.ABOUT))

    def verify(self, path: Path, report: Report) -> None:
        """Verify models, runs and weights of all stages, each in the same way as alone."""
        report.rest(path)


@formats.register("stage")
class StageCheck:
    """Format of stages: marker and contents."""

    noun = "a stage of an experiment"

    def recognises(self, path: Path) -> bool:
        return (path / MARKER).is_file()

    def verify(self, path: Path, report: Report) -> None:
        with report.reading(path / MARKER):
            read_marker(path)
            if is_sealed(path / MARKER):
                report.is_whole(path / MARKER)
            else:
                report.has_no_checksum(path / MARKER, OLD)
        for form in ("model directory", "tuning run"):  # if a stage is itself one of these
            found = formats.make(form)
            if found.recognises(path):
                found.verify(path, report)
        report.rest(path)

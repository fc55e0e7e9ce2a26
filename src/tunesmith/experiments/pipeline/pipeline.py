"""A pipeline: opened from its file, checked, run, and its results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from tunesmith.build import OTHER_BUILD, build_digest
from tunesmith.errors import ConfigError, FormatError
from tunesmith.experiments.foundations import ABOUT, KIND, refuse_other_data
from tunesmith.experiments.parallel import raise_failures, run_at_once
from tunesmith.experiments.pipeline.commands import Commands
from tunesmith.experiments.pipeline.document import PipelineDocument, shown, unknown
from tunesmith.experiments.pipeline.plan import Plan
from tunesmith.experiments.stages import Place, Stage, StageObserver, in_order, is_done, read_marker, run_stages
from tunesmith.io import make_folder
from tunesmith.io.documents import plain, write_document
from tunesmith.io.inside import inside

RESULTS = "results.json"
_EXAMPLES = resources.files("tunesmith.experiments.pipeline") / "examples"


class PlannedStage(NamedTuple):
    """state: done, new or changed.   why: what makes it run, None where it does not."""

    name: str
    state: str
    why: str | None


def examples() -> list[str]:
    """Return names of the files that are shipped."""
    return sorted(each.name.removesuffix(".toml") for each in _EXAMPLES.iterdir() if each.name.endswith(".toml"))


def example(name: str) -> str:
    """Return the text of a file that is shipped."""
    if name not in (known := examples()):
        raise ConfigError(unknown(name, known, "an example of a pipeline"))
    return (_EXAMPLES / f"{name}.toml").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Pipeline:
    """A file that was read, and the folder of its stages."""

    root: Path
    plan: Plan
    stages: list[Stage]

    @classmethod
    def open(
        cls,
        file: str,
        commands: Commands,
        *,
        folder: Path | None = None,
        overrides: Sequence[str] = (),
        allow_code: bool = False,
    ) -> Pipeline:
        """Read a file and check all of it: keys, values, files, stages that are referred to. Nothing is written.

        folder: of the stages, instead of the one that the file names (its own name where it names none).
        allow_code: options such as features-from may name code, which stages run.
        """
        document = PipelineDocument.read(file, overrides)
        base = Path() if file == "-" else Path(file).parent
        if folder is None:
            named = document.tables.get("folder", "pipeline" if file == "-" else Path(file).stem)
            if not isinstance(named, str) or not named:
                raise document.error(f"folder must be the name of a folder, got {shown(named)}", ("folder",))
            folder = base / named
        plan = Plan(document, commands, base, folder, allow_code=allow_code)
        if not plan.stages:
            raise document.error("there is no stage; tunesmith pipeline --example readme shows some", ())
        refuse_other_data(folder, "pipeline")
        return cls(folder, plan, plan.stages)

    def chosen(self, only: Sequence[str] = (), since: Sequence[str] = ()) -> list[Stage]:
        """Return the stages of these names (`tune`, `tune.mira`), or also all that need them; all without names.

        ConfigError where they need others that are not done.
        """
        if not only and not since:
            return self.stages
        wanted = {stage.name for name in (*only, *since) for stage in self._named(name)}
        later = {stage.name for name in since for stage in self._named(name)}
        for stage in in_order(self.stages):
            if later & {need.name for need in stage.needs}:
                later.add(stage.name)
        chosen = [stage for stage in self.stages if stage.name in wanted | later]
        for stage in chosen:
            for need in in_order([stage]):
                if need not in chosen and not is_done(self.root, need):
                    raise ConfigError(
                        f"{dotted(stage)} needs {dotted(need)}, which is not done; choose that too, or all stages"
                    )
        return chosen

    def planned(self, stages: Iterable[Stage]) -> list[PlannedStage]:
        """Return what running these stages would do, and why; nothing is written."""
        return [PlannedStage(dotted(stage), *self._state(stage)) for stage in in_order(stages)]

    def run(
        self, stages: Iterable[Stage], observer: StageObserver | None = None, *, at_once: int = 1
    ) -> dict[str, Any]:
        """Run what is not done, write `results.json`, and return the results.

        at_once: stages at the same time, where they do not need each other. If one fails, the others are done.
        """
        make_folder(self.root)
        write_document(inside(self.root) / ABOUT, {"kind": KIND, "name": "pipeline"})
        if at_once == 1:
            run_stages(self.root, stages, observer)
        else:
            raise_failures(run_at_once(self.root, stages, observer, workers=at_once))
        found = self.results()
        write_document(inside(self.root) / RESULTS, found)
        return found

    def results(self) -> dict[str, Any]:
        """Return what stages that are done have found: of tunings, and of systems on each test set."""
        tunings: dict[str, Any] = {}
        tests: dict[str, Any] = {name: {"systems": {}, "comparison": None} for name in self.plan.tests}
        for stage in self.stages:
            kind, *names = stage.name.split("/")
            if kind not in ("tune", "evaluate", "compare") or not is_done(self.root, stage):
                continue
            result = Place(self.root, self.root).result(stage)
            if kind == "tune":
                tunings[names[0]] = {key: value for key, value in result.items() if key != "rounds"}  # has seconds
            elif kind == "evaluate":
                tests[names[1]]["systems"][names[0]] = result
            else:
                tests[names[0]]["comparison"] = {"systems": stage.settings["systems"], **result}
        return {"folder": str(self.root), "tunings": tunings, "tests": tests}

    def _named(self, name: str) -> list[Stage]:
        found = [stage for stage in self.stages if f"{dotted(stage)}.".startswith(f"{name}.")]
        if not found:
            raise ConfigError(unknown(name, [dotted(stage) for stage in self.stages], "a stage"))
        return found

    def _state(self, stage: Stage) -> tuple[str, str | None]:
        try:
            marker = read_marker(inside(self.root) / stage.name)
        except FormatError:
            return "new", "not run before"
        if marker.key == stage.key:
            return ("done", None) if marker.state == "done" else ("begun", "interrupted before")
        if marker.build != build_digest():
            return "changed", OTHER_BUILD
        here, there = plain(dict(stage.settings)), marker.settings
        names = [name for name in {**here, **there} if here.get(name) != there.get(name)]
        return "changed", ", ".join(names) if names else "a stage that it needs"


def dotted(stage: Stage) -> str:
    """Return the name of a stage as the file writes it."""
    return stage.name.replace("/", ".")

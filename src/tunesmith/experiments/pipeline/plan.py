"""The stages of a pipeline, made from its file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tunesmith.build import build_digest
from tunesmith.errors import TunesmithError
from tunesmith.experiments.pipeline import document as documents
from tunesmith.experiments.pipeline.commands import Commands
from tunesmith.experiments.pipeline.document import PipelineDocument, unknown
from tunesmith.experiments.pipeline.kinds import KINDS, PRODUCTS, SYSTEMS, TEST
from tunesmith.experiments.pipeline.words import Command, Writer
from tunesmith.experiments.stages import AGAIN, Place, Result, Stage
from tunesmith.io import write_lines
from tunesmith.io.digest import Digest
from tunesmith.io.documents import Document, read_document
from tunesmith.io.inside import inside
from tunesmith.io.leftovers import remove_tree

PRINTED = "printed.json"
_TEST_KEYS = ("refs", *SYSTEMS.values())
_COSTS = {"phrasebook": 500.0, "train": 1000.0, "tune": 3000.0, "translate": 300.0}


@dataclass(frozen=True)
class System:
    """A system of translation: [translate.NAME] or [rerank.NAME], and the test sets it is run on."""

    kind: str
    name: str
    settings: Mapping[str, Any]
    tests: tuple[str, ...]


class Plan:
    """All stages of a file.   root: the folder they are in.   base: what paths in the file are relative to."""

    def __init__(
        self,
        document: PipelineDocument,
        commands: Commands,
        base: Path,
        root: Path,
        *,
        allow_code: bool = False,
    ) -> None:
        self._document, self._commands, self._root = document, commands, root
        self._writer = Writer(document, commands, base, self._refer, allow_code=allow_code)
        self._made: dict[tuple[str, ...], Stage] = {}
        self._open: list[tuple[str, ...]] = []
        document.refuse_unknown(
            document.tables, ["folder", *KINDS, TEST, "evaluate", "compare"], (), "a part of a pipeline"
        )

    @cached_property
    def tests(self) -> dict[str, dict[str, Any]]:
        """The test sets [test.NAME]."""
        found = dict(self._document.named(TEST))
        for name, table in found.items():
            self._document.refuse_unknown(table, _TEST_KEYS, (TEST, name), "a key of a test set")
        return found

    @cached_property
    def systems(self) -> dict[str, System]:
        """The systems by name, in the order of the file."""
        found: dict[str, System] = {}
        for kind, key in SYSTEMS.items():
            for name, table in self._document.named(kind):
                at = (kind, name)
                if name in found:
                    raise self._document.error(f"two systems are called {name}", at)
                settings = {each: value for each, value in table.items() if each != "tests"}
                tests = self._names(table["tests"], list(self.tests), (*at, "tests")) if "tests" in table else [
                    test for test, values in self.tests.items() if key in values
                ]  # fmt: skip
                if not tests:
                    raise self._document.error(f"{name} has nothing to do: add [test.NAME] with {key} = FILE", at)
                found[name] = System(kind, name, settings, tuple(tests))
        return found

    @cached_property
    def stages(self) -> list[Stage]:
        """All stages, in the order of the kinds."""
        return list(self._stages())

    def _stages(self) -> Iterator[Stage]:
        for kind in KINDS:
            if kind not in SYSTEMS:
                yield from [self._stage((kind, name)) for name, _ in self._document.named(kind)]
        for system in self.systems.values():
            yield from [self._stage((system.kind, system.name, test)) for test in system.tests]
        judged = {
            test: [each for each in self.systems.values() if test in each.tests]
            for test, table in self.tests.items()
            if "refs" in table
        }
        for test, systems in judged.items():
            yield from [self._evaluation(each, test) for each in systems]
        for test, systems in judged.items():
            yield from self._comparison(test, systems)

    def _stage(self, path: tuple[str, ...]) -> Stage:
        """Return the stage of a table, made once; an error where it needs itself."""
        if path not in self._made:
            if path in self._open:
                circle = [*self._open[self._open.index(path) :], path]
                names = " needs ".join(".".join(each) for each in circle)
                raise self._document.error(f"a stage cannot need itself: {names}", path[:2])
            self._open.append(path)
            self._made[path] = self._translation(path) if path[0] in SYSTEMS else self._plain(path)
            self._open.pop()
        return self._made[path]

    def _plain(self, path: tuple[str, ...]) -> Stage:
        kind, name = path
        table = dict(self._document.tables[kind][name])
        verb = table.pop("verb", KINDS[kind][0])
        if verb not in KINDS[kind]:
            message = unknown(str(verb), KINDS[kind], f"a verb of {kind}")
            raise self._document.error(message, (*path, "verb"))
        return self._finished(self._writer.command(verb, table, path), path, path)

    def _translation(self, path: tuple[str, ...]) -> Stage:
        kind, name, test = path
        system, at = self.systems[name], (TEST, test, SYSTEMS[kind])
        if at[2] not in self.tests[test]:
            raise self._document.error(f"{kind}.{name} needs {at[2]} = FILE here", at[:2])
        command = self._writer.command(kind, system.settings, path[:2])
        file = self._commands.forms(kind)["file"]
        if file.key in command.settings:
            raise self._document.error(f"what is translated is in [test.NAME]; leave {file.key} out", path[:2])
        self._writer.add(command, file, self.tests[test][at[2]], at)
        return self._finished(command, path, path[:2])

    def _evaluation(self, system: System, test: str) -> Stage:
        table = self._document.table(("evaluate",), self._document.tables.get("evaluate", {}))
        command = self._writer.command("evaluate", table, ("evaluate",))
        return self._judged(command, [system], test, ("evaluate", system.name, test))

    def _comparison(self, test: str, systems: list[System]) -> Iterator[Stage]:
        """Yield the comparison of the systems on a test set, where there are two at least."""
        at = ("compare",)
        table = dict(self._document.table(at, self._document.tables.get("compare", {})))
        chosen = [each.name for each in systems]
        if "systems" in table:
            wanted = self._names(table.pop("systems"), list(self.systems), (*at, "systems"))
            chosen = [name for name in wanted if name in chosen]
        if (base := table.pop("base", None)) is not None:
            self._names([base], list(self.systems), (*at, "base"))
            chosen = sorted(chosen, key=lambda name: name != base)
        command = self._writer.command("compare", table, at)
        if len(chosen) > 1:
            yield self._judged(command, [self.systems[name] for name in chosen], test, ("compare", test))

    def _judged(self, command: Command, systems: list[System], test: str, path: tuple[str, ...]) -> Stage:
        """Return a stage that reads translations of a test set and its references."""
        for system in systems:
            stage = self._stage((system.kind, system.name, test))
            command.needs[stage.name] = stage
            command.arguments.append(str(self._product(stage.name, system.kind)))
        command.settings["systems"] = [system.name for system in systems]
        refs = self._commands.forms(command.verb)["refs"]
        self._writer.add(command, refs, self.tests[test]["refs"], (TEST, test, "refs"))
        return self._finished(command, path, path[:1])

    def _finished(self, command: Command, path: tuple[str, ...], at: documents.Path) -> Stage:
        name, product = "/".join(path), PRODUCTS[command.verb]
        made = self._product(name, command.verb)
        output = [f"--output={made}{'/' * product.name.endswith('/')}"] if product.name else []
        words = command.words(*output, *(["--format=json"] if product.printed else []))
        self._writer.check(command, words, at)
        needs = tuple(command.needs.values())

        def run(place: Place) -> Result:
            if product.keeps:
                _remove_of_other_data(place, name, command, needs)
            place.observer.note(f"$ {self._commands.shown(words)}")
            try:
                self._commands.run(words, place.folder / PRINTED if product.printed else None)
            except TunesmithError as error:
                raise self._document.error(f"{'.'.join(path)} failed: {error}", at) from None
            return read_document(place.folder / PRINTED, Document, AGAIN) if product.printed else {}

        return Stage(
            name,
            {**command.settings, **command.files},
            run,
            needs,
            resumable=product.resumes,
            cost=_COSTS.get(command.verb, 200.0),
        )

    def _product(self, stage: str, verb: str) -> Path:
        """Return what a stage leaves for others; next to its folder where the verb keeps it up to date itself."""
        product = PRODUCTS[verb]
        return self._root / (f"{stage}.{product.name}" if product.keeps else f"{stage}/{product.name}")

    def _refer(self, text: str, at: documents.Path) -> tuple[Stage, Path]:
        """Return the stage that stands in braces, and what it makes."""
        path = tuple(text.split("."))
        kind = path[0]
        known = [f"{kind}.{name}" for name, _ in self._document.named(kind)]
        if kind in SYSTEMS:
            known = [
                f"{kind}.{name}.{test}"
                for name, system in self.systems.items()
                if system.kind == kind
                for test in system.tests
            ]
        if text not in known:
            raise self._document.error(f"{at[-1]}: {unknown(text, known or ['nothing'], 'a stage')}", at)
        stage = self._stage(path)
        return stage, self._product(stage.name, str(stage.settings["verb"]))

    def _names(self, value: Any, known: list[str], at: documents.Path) -> list[str]:
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise self._document.error(f"{at[-1]} must be a list of names, got {documents.shown(value)}", at)
        for each in value:
            if each not in known:
                raise self._document.error(unknown(each, known or ["nothing"], f"a name for {at[-1]}"), at)
        return value


def _remove_of_other_data(place: Place, name: str, command: Command, needs: tuple[Stage, ...]) -> None:
    """Remove what was made from other data or by another build; other settings the verb sees by itself."""
    digest = Digest()
    digest.add(
        json.dumps([build_digest(), command.files, {stage.name: stage.key for stage in needs}], sort_keys=True)
    )
    noted = inside(place.root) / f"{name}.inputs"
    if not noted.is_file() or noted.read_text(encoding="utf-8").strip() != digest.hex():
        remove_tree(inside(place.root) / f"{name}.{PRODUCTS[command.verb].name}")
        write_lines(noted, [digest.hex()])

"""The steps from parallel text to a model directory."""

from __future__ import annotations

import itertools
import time
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from tunesmith.alignment import align, read_alignments, write_alignments
from tunesmith.clustering import WordClasses
from tunesmith.config import SYSTEM, WEIGHTS, System, write_system
from tunesmith.corpus.bitext import Bitext, read_bitext
from tunesmith.corpus.text_processing import SideProcessing
from tunesmith.errors import ConfigError, core_errors
from tunesmith.features import split_features
from tunesmith.features.word_classes import open_rules
from tunesmith.grammar import extract_rules
from tunesmith.grammar.by_label import extract_by_label
from tunesmith.io import StrPath, make_folder, read_lines
from tunesmith.io.folders import alone
from tunesmith.io.inside import inside
from tunesmith.io.texts import Texts
from tunesmith.lm import estimate, load_model
from tunesmith.resuming import refuse_other_data
from tunesmith.text_part import TextPart
from tunesmith.training.observer import TrainingObserver
from tunesmith.training.options import DEFAULT_MEMORY, TrainingData, TrainOptions
from tunesmith.training.start import start_weights
from tunesmith.training.steps import STAMPS, Stamps, TrainingStep
from tunesmith.training.text_step import TOKENS, ProcessedText, text_step

ALIGNMENT, LM, RULES, LOG = "train.align", "lm.bin", "rules", "train.log"
_ASIDE = "system.toml.before"  # while steps run again


@dataclass(frozen=True)
class PlannedStep:
    """A step and its state.   why: the reason to run it, None if it is done."""

    name: str
    why: str | None


def plan_training(data: TrainingData, folder: StrPath, options: TrainOptions) -> list[PlannedStep]:
    """Plan what `train_model` would do, without writing.

    A step whose inputs will be made again is listed, but is skipped in training if they turn out unchanged.
    """
    path = inside(folder)
    _refuse_other_folder(path)
    data.check(path)
    options.check(data)
    stamps = Stamps(path)
    stamps.refuse_other_text(data.files())
    planned: list[PlannedStep] = []
    remade: set[Path] = set()
    for step in _Training(data, path, options, 1, DEFAULT_MEMORY, TrainingObserver()).steps():
        why = "its input will be made again" if remade & set(step.inputs.values()) else stamps.why(step)
        remade |= set() if why is None else {path / name for name in step.outputs}
        planned.append(PlannedStep(step.name, why))
    return planned


def train_model(
    data: TrainingData,
    folder: StrPath,
    options: TrainOptions | None = None,
    *,
    threads: int = 1,
    memory: int = DEFAULT_MEMORY,
    restart: bool = False,
    observer: TrainingObserver | None = None,
) -> System:
    """Train a model into `folder`; completed steps with unchanged inputs and settings are kept.

    After a kill at any time, repeating the call resumes and gives the same files as an uninterrupted run. memory:
    approximate limit of each step in bytes.

    restart: run all steps again; without it a folder whose model was made from other text is refused.
    """
    options, observer = options or TrainOptions(), observer or TrainingObserver()
    path = inside(folder)
    _refuse_other_folder(path)
    data.check(path)
    options.check(data)
    make_folder(path)
    with alone(path):
        stamps = Stamps(path)
        if restart:
            stamps.clear()
        stamps.refuse_other_text(data.files())
        stamps.save()
        training = _Training(data, path, options, threads, memory, observer)
        for step in training.steps():
            if SYSTEM in step.outputs and (path / _ASIDE).exists():
                (path / _ASIDE).replace(path / SYSTEM)
            why = stamps.why(step)
            if why is None:
                observer.skipped(step.name)
                continue
            observer.started(step.name, why)
            # Without system.toml this is not a model, so that an incomplete model is never used.
            if (path / SYSTEM).exists():
                (path / SYSTEM).replace(path / _ASIDE)
            stamps.forget(step)
            since = time.perf_counter()
            summary = step.run()
            if SYSTEM in step.outputs:
                (path / _ASIDE).unlink(missing_ok=True)
            seconds = time.perf_counter() - since
            stamps.set(step)
            _log(path / LOG, f"{step.name}: {summary} ({seconds:.1f} s)")
            observer.finished(step.name, summary, seconds)
    return training.system


class _Training:
    """All steps and their shared data: the corpus is read once, and only if a step needs it."""

    def __init__(
        self,
        data: TrainingData,
        folder: Path,
        options: TrainOptions,
        threads: int,
        memory: int,
        observer: TrainingObserver,
    ) -> None:
        self._data, self._folder, self._options = data, folder, options
        self._threads, self._memory, self._observer = threads, memory, observer
        texts = {name: side.part(name) for name, side in options.texts.items()}
        self.system = System(
            options.kind,
            RULES,
            data.lm_parts(),
            options.features,
            options.decoder,
            texts.get("source", TextPart()),
            texts.get("target", TextPart()),
            data.class_maps(),
        )
        split_features(options.features)  # reports wrong names and settings before any work

    def steps(self) -> list[TrainingStep]:
        files, options, made = self._data.files(), self._options, self._folder
        before = []
        if options.texts:
            before = [text_step(files, options.texts, made, self._observer.progress)]
            files = files | {side: made / name for side, name in TOKENS.items()}
        text = {name: files[name] for name in ("source", "target")}
        own = {"alignment": files["alignment"]} if "alignment" in files else {}
        labels = {"labels": files["labels"]} if "labels" in files else {}
        lm_texts = {name: path for name, path in files.items() if name.startswith("lm_text")}
        aligner = {"given": True} if own else asdict(options.aligner)
        lm = {"lm": files["lm"]} if "lm" in files else {"target": files["target"], **lm_texts}
        lm_settings = {"given": True} if "lm" in files else options.lm_settings()
        rules = {**text, **labels, "alignment": made / ALIGNMENT}
        system = {
            "kind": options.kind,
            "features": [asdict(part) for part in options.features],
            "start": options.start,
            **({"decoder": options.decoder} if options.decoder else {}),
            **({"text": [side.settings() for side in options.texts.values()]} if options.texts else {}),
        }
        models = [
            TrainingStep(part.name, {part.name: files[part.name]}, {"given": True}, [part.path],
                 partial(self._copy_lm, file, part.path))
            for file, part in zip(self._data.more_lms, self.system.lms[1:], strict=True)
        ]  # fmt: skip
        given_lm = self._data.lm
        make_lm = self._estimate if given_lm is None else partial(self._copy_lm, given_lm, LM)
        made_lms = {part.name: made / part.path for part in self.system.lms}
        maps = {f"{side}_classes": name for side, name in self.system.classes.items()}
        models += [
            TrainingStep(name.replace("_", " "), {name: files[name]}, {"given": True}, [path],
                 partial(self._copy_classes, files[name], path))
            for name, path in maps.items()
        ]  # fmt: skip
        made_maps = {name: made / path for name, path in maps.items()}
        if lm_texts and options.texts:  # processed like the target side
            lm_settings = {**lm_settings, "text": options.target_text.settings()}
        return [
            *before,
            TrainingStep("align", {**text, **own}, aligner, [ALIGNMENT], self._align),
            TrainingStep("lm", lm, lm_settings, [LM], make_lm),
            *models,
            TrainingStep("extract", rules, options.extract_settings(), [RULES], self._extract),
            TrainingStep("features", {"rules": made / RULES, **made_lms, **made_maps}, system, [SYSTEM, WEIGHTS],
                 self._describe, editable=True),
        ]  # fmt: skip

    @cached_property
    def _bitext(self) -> Bitext:
        texts = [
            self._folder / TOKENS[side] if self._options.texts else getattr(self._data, side) for side in TOKENS
        ]
        bitext = read_bitext(*texts)
        for note in bitext.notes:
            self._observer.remark(note)
        if not len(bitext):
            raise ConfigError(f"{self._data.source}: there is no sentence pair to train from")
        return bitext

    def _align(self) -> str:
        if self._data.alignment is not None:
            links = read_alignments(self._data.alignment, self._bitext)
        else:
            result = align(
                self._bitext, self._options.aligner, threads=self._threads, progress=self._observer.progress
            )
            for note in result.notes:
                self._observer.remark(note)
            links = result.joined
        write_alignments(self._folder / ALIGNMENT, links)
        return f"{len(self._bitext)} sentence pairs, {len(links.source) / len(self._bitext):.2f} links a pair"

    def _copy_lm(self, file: str, name: str) -> str:
        model = load_model(file, check_all=True)
        for note in model.notes:
            self._observer.remark(note)
        model.save(self._folder / name)
        return f"order {model.order}, {sum(model.ngrams)} n-grams"

    def _copy_classes(self, file: Path, name: str) -> str:
        classes = WordClasses.load(file)
        classes.save(self._folder / name)
        return f"{len(classes)} words in {len(classes.names)} classes"

    def _estimate(self) -> str:
        raw = self._options.texts
        target = self._folder / TOKENS["target"] if raw else self._data.target
        texts = Texts([target, *([] if raw else self._data.lm_texts)])
        side = SideProcessing(self.system.target_text, self._folder)
        more = [ProcessedText(side, path) for path in self._data.lm_texts] if raw else []
        with texts.located(), core_errors(None):
            estimated = estimate(
                itertools.chain(texts, *more),
                replace(self._options.lm, memory=self._memory),
                progress=self._observer.progress,
                threads=self._threads,
            )
        for announcement in estimated.report.announcements():
            self._observer.remark(announcement)
        estimated.model().save(self._folder / LM)
        report = estimated.report
        return f"order {self._options.lm.order}, {report.tokens} words of text, {report.types} different ones"

    def _extract(self) -> str:
        labels = None if self._data.labels is None else [each.strip() for each in read_lines(self._data.labels)]
        options, output = self._options, self._folder / RULES
        alignments = read_alignments(self._folder / ALIGNMENT, self._bitext)
        work: dict[str, Any] = {
            "threads": self._threads,
            "memory": self._memory,
            "progress": lambda what, done, total: self._observer.progress(done, total),
        }
        if options.by_label:
            table = extract_by_label(
                self._bitext,
                alignments,
                labels or [],
                output,
                options.extract,
                floor=options.floor,
                indicator=options.indicator,
                **work,
            )
        else:
            table = extract_rules(self._bitext, alignments, output, options.extract, labels=labels, **work)
        return f"{len(table)} {table.kind} rules with {table.source_sides} source sides"

    def _describe(self) -> str:
        table = open_rules(self._folder, self.system)
        weights = start_weights(self.system, table, self._options.start)
        weights.write(self._folder / WEIGHTS)
        write_system(self._folder, self.system)
        return f"{len(self.system.features)} templates, {len(weights)} start weights"


def _refuse_other_folder(folder: Path) -> None:
    refuse_other_data(folder, lambda names: STAMPS in names, "the model")


def _log(path: Path, message: str) -> None:
    with path.open("a", encoding="utf-8") as out:
        out.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {message}\n")

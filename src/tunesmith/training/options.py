"""What a model is trained from, and how."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from tunesmith import _core
from tunesmith.alignment import AlignerOptions
from tunesmith.checks import above, one_of, within
from tunesmith.config import FeaturePart, LanguageModelPart
from tunesmith.corpus.text_processing import SideOptions
from tunesmith.errors import ConfigError, MissingFileError
from tunesmith.features import START
from tunesmith.features.search.search_features import check_served
from tunesmith.features.specs import TemplateSpec
from tunesmith.grammar import ExtractOptions, ReorderingOptions
from tunesmith.grammar.join import FLOOR
from tunesmith.io import StrPath, check_output
from tunesmith.io.paths import as_path
from tunesmith.lm import LmOptions
from tunesmith.training.start import DEFAULT_START, feature_parts

DEFAULT_MEMORY = 4 << 30
DISTORTION_LIMIT = 5


@dataclass(frozen=True)
class TrainingData:
    """Files: two sides of parallel text; optionally a word alignment, more text of the target language, labels.

    lm: a language model (ARPA or binary) that is taken instead of one estimated from the target side and lm_texts.
    more_lms: further language models, features `lm2`, `lm3` and so on.
    source_classes, target_classes: maps of words to classes, for features that see classes.

    They are read more than once, again when training resumes, so they must be files.
    """

    source: StrPath
    target: StrPath
    alignment: str | None = None
    lm_texts: tuple[str, ...] = ()
    labels: str | None = None
    lm: str | None = None
    more_lms: tuple[str, ...] = ()
    source_classes: str | None = None
    target_classes: str | None = None

    def files(self) -> dict[str, Path]:
        """Return the files that are read, by their names in stamps."""
        named = {"source": self.source, "target": self.target, "alignment": self.alignment, "labels": self.labels,
                 "lm": self.lm, "source_classes": self.source_classes,
                 "target_classes": self.target_classes}  # fmt: skip
        texts = {f"lm_text{at}": text for at, text in enumerate(self.lm_texts, 1)}
        lms = {f"lm{at}": lm for at, lm in enumerate(self.more_lms, 2)}
        return {name: as_path(path) for name, path in {**named, **texts, **lms}.items() if path is not None}

    def lm_parts(self) -> tuple[LanguageModelPart, ...]:
        names = ["lm", *(f"lm{at}" for at in range(2, len(self.more_lms) + 2))]
        return tuple(LanguageModelPart(name, f"{name}.bin") for name in names)

    def class_maps(self) -> dict[str, str]:
        """Return names in the model directory of the maps that are given, by side."""
        given = {"source": self.source_classes, "target": self.target_classes}
        return {side: f"classes.{side}.tsv" for side, path in given.items() if path is not None}

    def check(self, folder: Path) -> None:
        """Refuse what cannot be read again, or would be overwritten by a file of the model."""
        if self.lm is not None and self.lm_texts:
            raise ConfigError(f"{self.lm_texts[0]}: with a language model, {self.lm}, no text for one is read")
        for path in self.files().values():
            if str(path) == "-":
                raise ConfigError("-: training reads its files more than once; name a file, not standard input")
            if not path.is_file():
                raise MissingFileError(
                    f"{path}: " + ("is not a regular file" if path.exists() else "no such file")
                )
        # Refused before a folder is made: with other text that folder would be refused.
        if not as_path(self.source).stat().st_size:
            raise ConfigError(f"{self.source}: there is no sentence pair to train from")
        for name in ("train.align", *(lm.path for lm in self.lm_parts()), *self.class_maps().values()):
            if (folder / name).exists():
                check_output(folder / name, list(self.files().values()))


@dataclass(frozen=True)
class TrainOptions:
    """The options of every part.

    features: templates of the model, language models aside. The default ones are those of the kind of model; for
        phrase-based models they need reordering, which is then extracted.
    start: preset of the start weights.
    by_label: a translation table for the sentence pairs of each label, joined (floor, indicator: see join_tables).
    source_text, target_text: what is done to raw text; by default it is tokenised already.
    search: that the model is for; by default that of the kind of rules.
    """

    aligner: AlignerOptions = field(default_factory=AlignerOptions)
    lm: LmOptions = field(default_factory=LmOptions)
    extract: ExtractOptions = field(default_factory=ExtractOptions)
    features: tuple[FeaturePart, ...] = field(default_factory=lambda: feature_parts("default"))
    start: str = DEFAULT_START
    by_label: bool = False
    floor: float = FLOOR
    indicator: bool = False
    source_text: SideOptions = field(default_factory=SideOptions)
    target_text: SideOptions = field(default_factory=SideOptions)
    search: str | None = None

    def __post_init__(self) -> None:
        one_of(_core.search_kinds(), search=self.kind)
        rules = self.extract.rules
        if _core.search_rules(self.kind) != rules.kind:
            raise ConfigError(f"search {self.kind!r} does not take {rules.kind} rules")
        if self.kind == "left-to-right" and not getattr(rules, "normal_form", False):
            raise ConfigError("left-to-right search takes rules in target normalised form: set normal_form")
        if rules.kind != "hiero" and self.features == feature_parts("default"):
            object.__setattr__(self, "features", feature_parts("default", self.kind))
            if self.extract.reordering is None:
                object.__setattr__(self, "extract", replace(self.extract, reordering=ReorderingOptions()))
        check_served((part.template for part in self.features), self.kind)
        above(0, floor=self.floor)
        within(0, 1, floor=self.floor)
        one_of(START, start=self.start)

    @property
    def decoder(self) -> dict[str, int]:
        """Limits of the search for system.toml: those of Green et al. (2014, footnote 7)."""
        return {"distortion_limit": DISTORTION_LIMIT} if self.kind == "phrase" else {}

    @property
    def texts(self) -> dict[str, SideOptions]:
        """What is done to each side; nothing where all text is tokenised already."""
        sides = {"source": self.source_text, "target": self.target_text}
        return sides if any(side.part(name) for name, side in sides.items()) else {}

    @property
    def kind(self) -> str:
        """The kind of the model: its search."""
        return self.search or self.extract.rules.kind

    def check(self, data: TrainingData) -> None:
        """Refuse data that lack what these options need."""
        if self.by_label and data.labels is None:
            raise ConfigError("translation tables by label need labels; name their file with --labels")
        for part in self.features:
            built = TemplateSpec.from_dict({"template": part.template, **part.settings}).build()
            if getattr(built, "needs_labels", False) and data.labels is None:
                raise ConfigError(
                    f"the feature template {part.template!r} needs the domains of training pairs; name a file of "
                    "labels with --labels"
                )
            for side in getattr(built, "needs_classes", ()):
                if side not in data.class_maps():
                    raise ConfigError(
                        f"the feature template {part.template!r} needs classes of {side} words; name a map, as "
                        f"tunesmith classes train makes it, with --{side}-classes"
                    )

    def extract_settings(self) -> dict[str, Any]:
        """Return settings that the rule table depends on."""
        joined = {"floor": self.floor, "indicator": self.indicator}
        return self.extract.settings() | ({"by_label": joined} if self.by_label else {})

    def lm_settings(self) -> dict[str, Any]:
        """Return settings that the language model depends on: not memory, nor where temporary files are."""
        return {key: value for key, value in asdict(self.lm).items() if key not in ("memory", "temporary")}

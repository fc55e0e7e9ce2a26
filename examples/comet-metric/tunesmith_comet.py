"""COMET (Rei et al. 2020) as a metric of TuneSMiTh: an example of a model that runs on a GPU and needs the source.

Installed (`pip install examples/comet-metric`), its name is known wherever a metric is: `--metric comet`. As a
file it is used by `--metric-from tunesmith_comet.py --metric comet`; settings as in `comet:gpus=1,cache=FILE`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from tunesmith.errors import ConfigError
from tunesmith.metrics import Segment, SentenceMetric, metrics


@dataclass(frozen=True)
class Comet(SentenceMetric):
    """The mean COMET score of sentences.

    model: a name that `comet.download_model` knows, or the path of a checkpoint.   gpus: 0 for the processor.
    """

    name: ClassVar[str] = "comet"
    label: ClassVar[str] = "COMET"

    model: str = "Unbabel/wmt22-comet-da"
    gpus: int = 0

    @cached_property
    def loaded(self) -> Any:
        """The model, loaded when the first score is needed."""
        try:
            import comet
        except ImportError:
            raise ConfigError("COMET needs its library: pip install unbabel-comet") from None
        path = self.model if self.model.endswith(".ckpt") else comet.download_model(self.model)
        return comet.load_from_checkpoint(path)

    def score_batch(self, segments: Sequence[Segment]) -> Sequence[float]:
        data = [{"src": each.source, "mt": each.hypothesis, "ref": each.reference} for each in segments]
        found = self.loaded.predict(data, batch_size=self.batch_size, gpus=self.gpus, progress_bar=False)
        return list(found.scores)

    def settings(self) -> dict[str, str | int | float | bool]:
        return {"model": self.model}

    def __getstate__(self) -> dict[str, Any]:
        """Copies and other processes load the model themselves."""
        return {name: value for name, value in vars(self).items() if name != "loaded"}


if "comet" not in metrics:  # a file of --metric-from; an installed package is known by its entry point
    metrics.register("comet")(Comet)

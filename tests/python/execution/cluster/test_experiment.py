"""An experiment on a cluster: its tables are those of a run here."""

import pytest
from support.processes.clusters import same_folders
from support.processes.killed_experiments import published

from tunesmith.corpus.phrasebook import PhrasebookOptions
from tunesmith.experiments.cherry2012.experiment import BatchTuning
from tunesmith.experiments.cherry2012.rows import chosen_rows
from tunesmith.experiments.settings import ExperimentSettings, Scale

pytest.importorskip("distributed", reason="needs the extra cluster")

pytestmark = pytest.mark.filterwarnings("default")  # of Dask and its event loops

SETTINGS = ExperimentSettings(
    Scale(dev_rounds=1, k=5), order=2, phrasebook=PhrasebookOptions(pairs=300, eval_sentences=12)
)


def test_rows_of_an_experiment_are_the_same(cluster, tmp_path):
    tables = []
    for name, executor in (("here", None), ("there", cluster)):
        found = BatchTuning(tmp_path / name, None, SETTINGS, samples=0, executor=executor)
        found.run(chosen_rows(["kb-mira-default", "pro-big"]))
        tables.append(published(tmp_path / name)["rows"])
    assert tables[0] == tables[1]
    for row in ("kb-mira-default", "pro-big"):
        same_folders(*(tmp_path / name / row / "full" / "run" for name in ("here", "there")))

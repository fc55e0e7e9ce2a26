"""A scheduler with real workers on loopback, and small models, for all tests of this folder."""

import pytest
from support.corpora.tea_corpus import write_pairs
from support.processes.dask_preload import KILLS, preload

from tunesmith.execution.cluster import open_cluster, read_place
from tunesmith.grammar import ExtractOptions, PhraseOptions, ReorderingOptions
from tunesmith.training.leave_one_out import leave_one_out_counts_of
from tunesmith.training.options import TrainingData, TrainOptions
from tunesmith.training.start import feature_parts
from tunesmith.training.train import train_model


@pytest.fixture(scope="package")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("cluster")


@pytest.fixture(scope="package")
def cluster(home):
    """Two workers, started again by their nannies when they are killed."""
    with pytest.MonkeyPatch.context() as patch:
        preload(patch)
        patch.setenv(KILLS, str(home / "kills"))
        with open_cluster(read_place("local:workers=2,tls=no,wait=40")) as opened:
            yield opened


@pytest.fixture(scope="package")
def address(cluster):
    return cluster.client.scheduler_info()["address"]


@pytest.fixture(scope="package")
def model(home):
    """A hierarchical model of a few sentences; leave-one-out counts of them."""
    write_pairs(home)
    for name in ("f", "e"):  # three blocks, in which different features are met first
        lines = (home / name).read_text(encoding="utf-8").splitlines(keepends=True)
        text = "".join(line * (600 // len(lines)) for line in lines)
        (home / f"dev.{name}").write_text(text, encoding="utf-8")
    train_model(TrainingData(home / "f", home / "e", home / "a"), home / "model")
    leave_one_out_counts_of(home / "model", home / "f", home / "e", None, home / "own")
    return home / "model"


@pytest.fixture(scope="package")
def sparse_model(home, model):
    """A phrase-based model with features across rules that get their numbers when they are met."""
    return phrase_model(home, "sparse", "default,id,target_bigrams")


@pytest.fixture(scope="package")
def domain_model(home, model):
    """The same with copies of features for two domains; the labels of the lines are in a file."""
    lines = len((home / "dev.f").read_text(encoding="utf-8").splitlines())
    (home / "dev.labels").write_text("".join(f"{('news', 'web')[at // 7 % 2]}\n" for at in range(lines)))
    copies = "domains:names=news/web,templates=id/target_bigrams/word_penalty"
    return phrase_model(home, "domains", "default,id,target_bigrams," + copies)


def phrase_model(home, name, features):
    options = TrainOptions(
        extract=ExtractOptions(PhraseOptions(), reordering=ReorderingOptions()),
        features=feature_parts(features, "phrase"),
    )
    train_model(TrainingData(home / "f", home / "e", home / "a"), home / name, options)
    return home / name

"""A small model, and a server of it as people start it."""

import contextlib
import re
import subprocess
import sys

import pytest
from support.processes.processes import default_signals

from tunesmith.decoding import TranslationModel

STARTED = re.compile(r"at (http://\S+?)/;")


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    corpus, model = folder / "corpus", folder / "model"
    _run("phrasebook", "--pairs", "400", "-q", "-o", str(corpus))
    _run("train", "--source", str(corpus / "train.zh"), "--target", str(corpus / "train.en"), "--aligner", "hmm",
         "-q", "-o", str(model))  # fmt: skip
    return model


@pytest.fixture(scope="session")
def lines(model_folder):
    return (model_folder.parent / "corpus" / "test.zh").read_text(encoding="utf-8").splitlines()[:40]


@pytest.fixture(scope="session")
def opened(model_folder):
    return TranslationModel.open(model_folder)


@pytest.fixture(scope="module")
def serving(model_folder):
    """Start a server of a model with options; its process and its address. Servers end with the module."""
    with contextlib.ExitStack() as servers:

        def start(*options, model=model_folder):
            process = servers.enter_context(
                subprocess.Popen(
                    [sys.executable, "-m", "tunesmith", "serve", "-m", str(model), "--port", "0", "-j", "2",
                     *map(str, options)],
                    stderr=subprocess.PIPE, text=True, preexec_fn=default_signals,
                )
            )  # fmt: skip
            servers.callback(process.kill)
            said = process.stderr.readline()
            assert STARTED.search(said), said
            return process, STARTED.search(said)[1]

        yield start


@pytest.fixture(scope="module")
def server(serving):
    return serving()[1]


def _run(*words):
    subprocess.run([sys.executable, "-m", "tunesmith", *words], check=True)

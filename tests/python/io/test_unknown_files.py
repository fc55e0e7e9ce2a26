"""A file that is not of the format that was asked for: the message says so and shows nothing of what is in it."""

import pytest

from tunesmith.alignment import read_alignments
from tunesmith.alignment.aer import read_gold
from tunesmith.config import SYSTEM, read_system
from tunesmith.corpus.vocab import Vocabulary
from tunesmith.errors import FormatError
from tunesmith.experiments.stages import MARKER, read_marker
from tunesmith.grammar import RuleTable
from tunesmith.grammar.moses import read_moses
from tunesmith.grammar.moses_ini import read_moses_ini
from tunesmith.lm import NgramModel
from tunesmith.metrics.precomputed import read_scores
from tunesmith.search import CandidateSet, read_kbest, read_moses_run
from tunesmith.search.dialects import dialects
from tunesmith.training.steps import STAMPS, Stamps
from tunesmith.tuning.loop.history import read_history
from tunesmith.tuning.runs.chosen import read_chosen, read_sentences
from tunesmith.tuning.runs.directory import read_json
from tunesmith.tuning.runs.group_files import GROUPS, read_groups
from tunesmith.weights import Weights

SECRETS = {
    "passwords": "root:x:0:0:hidden:/root:/bin/sh\ndaemon:x:1:1:hidden:/:/bin/false\n",
    "key": "-----BEGIN hidden KEY-----\nhidden1aGlkZGVu\n",
    "words": "hidden word hidden\n",
    "setting": "hidden=hidden\n",
    "table": "hidden\thidden\n",
    "list": '["hidden", "hidden"]\n',
}


def named(name):
    """Where the file has its own name in a folder."""
    return lambda read: lambda path: (path.rename(path.with_name(name)), read(path.parent))


READERS = {
    "weights": Weights.read,
    "language model": NgramModel.load,
    "lists": read_kbest,
    **{
        name: lambda path, name=name: read_kbest(path, name)
        for name in dialects
        if name not in ("flat", "fairseq")
    },
    "flat scores": lambda path: read_kbest(path, f"flat:n=1,scores={path}"),
    "features.dat": read_moses_run,
    "rules": lambda path: read_moses(path, path.parent / "table"),
    "moses.ini": read_moses_ini,
    "alignment": read_alignments,
    "gold": read_gold,
    "vocabulary": Vocabulary.load,
    "scores": read_scores,
    "JSON": read_json,
    "history": read_history,
    "chosen": read_chosen,
    "sentences": read_sentences,
    "groups": named(GROUPS)(read_groups),
    "system": named(SYSTEM)(read_system),
    "candidates": named("manifest.json")(CandidateSet.load),
    "table": named("manifest.json")(RuleTable.open),
    "marker": named(MARKER)(read_marker),
    "stamps": named(STAMPS)(Stamps),
}


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("reader", READERS)
def test_nothing_of_it_is_shown(tmp_path, reader, secret):
    path = tmp_path / "file"
    path.write_text(SECRETS[secret])
    with pytest.raises(FormatError) as caught:
        READERS[reader](path)
    assert "hidden" not in str(caught.value).replace(str(tmp_path), "")
    assert str(tmp_path) in str(caught.value)

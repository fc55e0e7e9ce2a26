"""What a run keeps of the choices of each round: the scores of the history, once more."""

import numpy as np
import pytest
from support.lists.toy_parts import MeanDifference, SeededStep
from support.models.toy_decoder import ToyDecoder, toy_data

from tunesmith.errors import FormatError
from tunesmith.metrics import Bleu, Precomputed, Ter
from tunesmith.search import CandidateSet
from tunesmith.tuning import BatchRounds, FileSource, KBestSource, ListPool, Tuner, recipes
from tunesmith.tuning.runs.chosen import chosen_of, read_chosen, read_sentences

LINES, REFERENCES = toy_data(sentences=5)


@pytest.mark.parametrize("metric", [Bleu(), Ter()])
def test_what_is_kept_has_the_scores_of_the_history(tmp_path, metric):
    source = KBestSource(ToyDecoder(), LINES, REFERENCES, k=4)
    tuner = Tuner(MeanDifference(), SeededStep(), metric=metric, plan=BatchRounds(3)).fit(
        source, output=tmp_path / "run"
    )
    assert len(tuner.history_) >= 3
    for row in tuner.history_:
        chosen = read_chosen(tmp_path / f"run/rounds/{row.round:02d}/chosen.tsv")
        assert float(metric.score(chosen.statistics.sum(axis=0))) == row.score
        assert metric.corpus_score(chosen.texts, REFERENCES) == pytest.approx(row.score)
        single = metric.sentence_scores(metric.prepare(REFERENCES).statistics(chosen.texts))
        assert chosen.scores == pytest.approx(single)
    sentences = read_sentences(tmp_path / "run/dev.jsonl")
    assert [each.source for each in sentences] == LINES
    assert [list(each.references) for each in sentences] == REFERENCES


def test_lists_without_words_keep_statistics(tmp_path):
    matrix = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 3.0], [1.0, 0.0]])
    rows = [[4, 4, 1, 0, 0, 0, 4, 3, 2, 1], [4, 4, 4, 3, 2, 1, 4, 3, 2, 1]] * 2
    source = FileSource(CandidateSet.from_matrix(matrix, [0, 2, 2, 4], statistics=rows))
    tuner = recipes.mert().fit(source, output=tmp_path / "run")
    chosen = read_chosen(tmp_path / "run/rounds/01/chosen.tsv")
    assert list(chosen.texts) == [None] * 3
    assert not chosen.statistics[1].any()  # no candidates, no share in the score
    assert float(Bleu().score(chosen.statistics.sum(axis=0))) == tuner.history_[-1].score
    assert not (tmp_path / "run/dev.jsonl").exists()


def test_the_first_of_equals_is_chosen_as_in_measuring():
    candidates = CandidateSet.from_matrix(
        np.ones((3, 1)), [0, 3], statistics=[[1, 1], [2, 1], [3, 1]], texts=["a", "b", "c"]
    )
    assert chosen_of(ListPool(candidates), np.ones(1), Precomputed()).texts == ["a"]


@pytest.mark.parametrize(
    "text",
    ["", "# chosen by x\n", "# chosen by x\nscore\tstatistics\twords\n1\t2 3\n",
     "# chosen by x\nscore\tstatistics\twords\n1\t2 x\t\"a\"\n",
     "# chosen by x\nscore\tstatistics\twords\n1\t2 nan\t\"a\"\n",
     "# chosen by x\nscore\tstatistics\twords\n1\t2 3\ta\n",
     "# chosen by x\nscore\tstatistics\twords\n1\t2 3\t[]\n",
     "# chosen by x\nscore\tstatistics\twords\n1\t2 3\t\"a\"\n1\t2\t\"a\"\n"],
)  # fmt: skip
def test_another_file_is_refused_with_its_line(tmp_path, text):
    (tmp_path / "chosen.tsv").write_text(text)
    with pytest.raises(FormatError, match=r"chosen\.tsv:\d"):
        read_chosen(tmp_path / "chosen.tsv")


@pytest.mark.parametrize("text", ["{}", "[]", "3", "{", '{"source": 3, "references": []}',
                                  '{"source": null, "references": [3]}'])  # fmt: skip
def test_other_sentences_are_refused_with_their_line(tmp_path, text):
    (tmp_path / "dev.jsonl").write_text(f'{{"source": null, "references": ["a"]}}\n{text}\n')
    with pytest.raises(FormatError, match=r"dev\.jsonl:2"):
        read_sentences(tmp_path / "dev.jsonl")

"""Source sentences for metrics that look at them: in a file or carried by lists, as words or in pieces."""

import json

import pytest
from support.lists.noisy_lists import made_lists
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.metrics import metrics

# Half of a score is the share of hypothesis words that the source has, so pieces of source words change it.
METRIC = """
from dataclasses import dataclass
from tunesmith.metrics import SentenceMetric, metrics

def common(one, other):
    return len(set(one.split()) & set(other.split())) / max(len(set(one.split())), 1)

@metrics.register("copied")
@dataclass(frozen=True)
class Copied(SentenceMetric):
    name = label = "copied"
    def score_batch(self, segments):
        return [(common(each.hypothesis, each.source) + common(each.hypothesis, each.reference)) / 2
                for each in segments]
"""
LISTS, REFERENCES = made_lists(1)
SOURCES = [LISTS.text(LISTS.candidates_of(at)[-1]) for at in range(LISTS.sentences)]
IN_PIECES = {
    "words": lambda word: word,
    "bpe": lambda word: f"{word[:1]}@@ {word[1:]}" if word[1:] else word,
    "sentencepiece": lambda word: f"▁{word[:1]} {word[1:]}".strip(),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Lists of words, with and without sources, and the sources in all forms."""
    folder = tmp_path_factory.mktemp("sources")
    (folder / "copied.py").write_text(METRIC)
    (folder / "refs").write_text("".join(f"{line}\n" for line in REFERENCES))
    rows = LISTS.rows().toarray().tolist()
    for kind, cut in IN_PIECES.items():
        lines = [" ".join(map(cut, line.split())) for line in SOURCES]
        (folder / kind).write_text("".join(f"{line}\n" for line in lines))
        for name, more in (("plain", lambda at: {}), (kind, lambda at, lines=lines: {"source": lines[at]})):
            records = [
                {"id": at, "hypothesis": LISTS.text(number), "score": LISTS.model_scores[number],
                 "features": {"good": rows[number][0], "noise": rows[number][1]}, **more(at)}
                for number, at in enumerate(LISTS.sentence_of.tolist())
            ]  # fmt: skip
            (folder / f"{name}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in records))
    return folder


def run(folder, *words, given=None):
    words = [*words, "--metric-from", folder / "copied.py", "-q"]
    with pytest.MonkeyPatch.context() as patch:  # every command runs the file
        patch.setattr(metrics, "_factories", dict(metrics._factories))
        return CliRunner().invoke(app, [str(word) for word in words], input=given)


def printed(folder, *words, given=None):
    ended = run(folder, *words, given=given)
    assert ended.exit_code == 0, ended.output
    return ended.stdout


VERBS = {
    "mbr": ("rerank", "--mbr", "copied"),
    "oracle": ("candidates", "oracle", "--refs", "{}/refs", "--metric", "copied"),
    "stats": ("candidates", "stats", "--refs", "{}/refs", "--metric", "copied"),
    "agreement": ("candidates", "features", "--add", "agreement:metric=copied", "--to", "cdec"),
}


@pytest.mark.parametrize("verb", VERBS)
def test_verbs_of_lists_see_words_wherever_sources_come_from(files, verb):
    words = [word.format(files) for word in VERBS[verb]]
    expected = printed(files, *words, files / "plain.jsonl", "--source", files / "words")
    for kind in IN_PIECES:
        assert printed(files, *words, files / "plain.jsonl", "--source", files / kind) == expected
        assert printed(files, *words, given=(files / f"{kind}.jsonl").read_text()) == expected
    missing = run(files, *words, files / "plain.jsonl")
    assert (missing.exit_code, "copied looks at the source sentences" in missing.stderr) == (2, True)
    if verb in ("mbr", "oracle"):
        as_is = printed(files, *words, files / "plain.jsonl", "--source", files / "bpe", "--subwords", "none")
        assert as_is != expected


@pytest.mark.parametrize("verb", ["mbr", "agreement"])
@pytest.mark.parametrize(("lines", "seen"), [(3, "more"), (31, "30")])
def test_sources_of_other_sentences_are_refused(files, tmp_path, verb, lines, seen):
    (tmp_path / "other").write_text("a b\n" * lines)
    ended = run(files, *VERBS[verb], files / "plain.jsonl", "--source", tmp_path / "other", "-o", tmp_path / "out")
    assert f"other: has {lines} source sentences, the lists have {seen}" in ended.stderr
    assert (ended.exit_code, (tmp_path / "out").exists()) == (2, False)


def test_mixed_marks_in_sources_are_refused_with_their_place(files, tmp_path):
    (tmp_path / "mixed").write_text("fa@@ st\n" + "▁a\n" * 29)
    words = ("rerank", "--mbr", "copied", files / "plain.jsonl", "--source", tmp_path / "mixed")
    ended = run(files, *words)
    assert (ended.exit_code, "mixed: mixed subword marks: line 1 has" in ended.stderr) == (1, True), ended.output
    assert run(files, *words, "--subwords", "none").exit_code == 0


def test_outputs_are_judged_with_words_of_the_source(files, tmp_path):
    (tmp_path / "one").write_text("".join(f"{line}\n" for line in SOURCES))
    (tmp_path / "other").write_text("".join(f"a {line}\n" for line in REFERENCES))
    given = ["--refs", files / "refs", "--metric", "copied", "-f", "json", "--source"]
    for words in (("evaluate", tmp_path / "one"), ("compare", tmp_path / "one", tmp_path / "other")):
        found = {kind: printed(files, *words, *given, files / kind) for kind in IN_PIECES}
        assert len(set(found.values())) == 1
        assert printed(files, *words, *given, files / "bpe", "--subwords", "none") != found["words"]


@pytest.mark.parametrize("kind", IN_PIECES)
def test_training_and_held_out_lists_have_sources_of_their_own(files, tmp_path, kind):
    """Lists without sources and a file of them give what lists with sources give."""

    def tuned(lists, name, *sources):
        words = ["tune", "--metric", "copied", "--recipe", "mira", "-f", "json", "-o", tmp_path / name, *sources]
        for option in ("", "train-", "heldout-"):
            lines = "--heldout" if option == "heldout-" else f"--{option}candidates"
            words += [lines, files / f"{lists}.jsonl", f"--{option}refs", files / "refs"]
        return run(files, *words)

    named = {f"--{option}source": files / kind for option in ("", "train-", "heldout-")}
    given = [word for pair in named.items() for word in pair]
    found = [tuned(kind, "carried"), tuned("plain", "named", *given)]
    assert [each.exit_code for each in found] == [0, 0], [each.output for each in found]
    carried, other = (json.loads(each.stdout) for each in found)
    assert (carried["score"], carried["judged"]) == (other["score"], other["judged"])
    for missing, message in (
        ("--train-source", "training data do not have"),
        ("--heldout-source", "held-out lists"),
    ):
        rest = [word for pair in named.items() if pair[0] != missing for word in pair]
        ended = tuned("plain", "missing", *rest)
        assert (ended.exit_code, message in ended.stderr, missing in ended.stderr) == (2, True, True), ended.output
    (tmp_path / "short").write_text("a\n")
    for option in ("--train-source", "--heldout-source"):
        ended = tuned(kind, "missing", option, tmp_path / "short")
        assert (ended.exit_code, "1 source sentences" in ended.stderr) == (2, True), ended.output
    assert not (tmp_path / "missing").exists()

"""Phrases that a user forces: used wherever they fit, in lists and graphs too."""

import pytest
from support.models.phrase_models import phrases_of, small_model
from support.models.small_models import sentences

from tunesmith.errors import ConfigError


def test_forced_phrases_are_used_wherever_they_fit(tmp_path):
    model = small_model(tmp_path, 73, count=30)
    known = next(rule for rule in model.table if len(rule.source) == 2)
    pairs = [("a", "never"), ("a b", "Foo bar A"), ("z", ""), (" ".join(known.source), " ".join(known.target))]
    pairs = pairs if known.source != ("a", "b") else pairs[2:]
    model.decoder.force(pairs)
    given = {tuple(source.split()): tuple(target.split()) for source, target in pairs}
    used = 0
    for words in sentences(73, 40, 7):
        found = model.decoder.k_best([" ".join(words)], 5)[0]
        for one in found:
            target = one.text.split()
            at, wanted = 0, {}
            while at < len(words):  # the longest from left to right
                fits = [n for n in (2, 1) if tuple(words[at : at + n]) in given and at + n <= len(words)]
                if fits:
                    wanted[at, at + fits[0]] = given[tuple(words[at : at + fits[0]])]
                at += fits[0] if fits else 1
            covered, position = {}, 0
            for rule, begin, end in phrases_of(one):
                if (begin, end) in wanted:
                    size = len(wanted[begin, end])
                    in_table = (tuple(words[begin:end]), wanted[begin, end]) in model.grammar().rules
                    assert (rule == len(model.table)) != in_table
                    if not in_table:
                        links = {(s, t) for s in range(begin, end) for t in range(position, position + size)}
                        assert links <= set(one.alignment)
                else:
                    size = 1 if rule == len(model.table) else len(model.table[rule].target)
                covered[begin, end] = tuple(target[position : position + size])
                position += size
            assert position == len(target)
            assert {span: covered.get(span) for span in wanted} == wanted
            used += len(wanted)
    assert used > 20
    model.decoder.force([])
    assert "never" not in model.decoder.translate(["a c a"])[0].text
    for wrong in ([("", "x")], [("a", "x"), (" a ", "y")]):
        with pytest.raises(ConfigError):
            model.decoder.force(wrong)


def test_words_of_forced_phrases_are_in_lists_and_graphs(tmp_path):
    model = small_model(tmp_path, 79, count=30)
    model.decoder.force([("b", "Foo bar")])
    (found,) = model.decoder.stream(["b q b"], 3, graph=True)
    assert found.source == ["b", "q", "b", "Foo", "bar"]
    assert sorted(found.best.text.split()) == sorted(["Foo", "bar", "q", "Foo", "bar"])
    arrays = model.decoder.candidate_arrays(["b q b"], 3)
    assert [arrays.text(at) for at in range(3)] == [one.text for one in found]


def test_a_new_word_is_the_same_word_wherever_it_comes_from(tmp_path):
    model = small_model(tmp_path, 79, count=30)
    model.decoder.force([("b", "new"), ("c", "new"), ("new b", "old")])
    for line in ("b q c new", "new b c new b", "b c b"):
        texts = [one.text for one in model.decoder.k_best([line], 1000, distinct=True)[0]]
        assert len(texts) == len(set(texts))
        assert sorted(texts) == sorted({one.text for one in model.decoder.k_best([line], 1000)[0]})

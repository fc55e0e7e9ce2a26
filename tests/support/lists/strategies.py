"""Random text with many repeated words, odd white space and characters outside ASCII."""

from hypothesis import strategies as st

words = st.sampled_from(
    [
        "a",
        "b",
        "c",
        "the",
        "cat",
        "我",
        "想",
        "喝",
        "internationalisation",
        "überlebensgroß",
        "12345678",
        "123456789",
        ".",
    ]
)
spaces = st.sampled_from([" ", "  ", "\t", " \u3000", "\u00a0", "\u2009 ", "\x1c", "\u0085"])


@st.composite
def lines(draw: st.DrawFn, max_words: int = 12) -> str:
    text = draw(st.sampled_from(["", " "]))
    for word in draw(st.lists(words, max_size=max_words)):
        text += word + draw(spaces)
    return text


@st.composite
def corpora(draw: st.DrawFn, max_references: int = 4) -> tuple[list[str], list[list[str]]]:
    """Hypotheses and, for each, one to four references, some of them repeated."""
    size = draw(st.integers(1, 6))
    hypotheses = [draw(lines()) for _ in range(size)]
    references = [draw(st.lists(lines(), min_size=1, max_size=max_references)) for _ in range(size)]
    references = [sentence + [sentence[0]] * draw(st.integers(0, 2)) for sentence in references]
    return hypotheses, references

"""`13a`: the tokenisation of mteval-v13a.pl, the standard of BLEU."""

from __future__ import annotations

from functools import cached_property

from tunesmith.corpus.tokenizers.base import Tokenizer
from tunesmith.corpus.tokenizers.moses import MosesTokenizer


class V13aTokenizer(Tokenizer):
    """NIST's mteval-v13a rules as in sacrebleu: made for scoring, the same for every language.

    It also turns `&quot; &amp; &lt; &gt;` into characters and drops `<skipped>`, as mteval does.
    """

    signature = "13a"

    def __init__(self, language: str = "en") -> None:
        super().__init__(language)
        from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

        self._rules = Tokenizer13a()  # type: ignore[no-untyped-call]

    def split(self, line: str) -> list[str]:
        text: str = self._rules(line)
        return text.split()

    def detokenize(self, line: str) -> str:
        """Detokenise approximately, by the Moses rules of the language: 13a was not designed to be reversible."""
        return self._moses.detokenize(line)

    @cached_property
    def _moses(self) -> MosesTokenizer:
        return MosesTokenizer(self.language)

"""`moses`: the tokeniser and detokeniser of the Moses scripts, by sacremoses."""

from __future__ import annotations

from importlib.metadata import version

from tunesmith.corpus.tokenizers.base import Tokenizer


class MosesTokenizer(Tokenizer):
    """The rules of tokenizer.perl, without its escapes (`&apos;` …) and without splitting at hyphens.

    normalize: first unify quotes, dashes and spaces as normalize-punctuation.perl does.
    As in the original script, control characters are removed, and a language without a list of abbreviations
    of its own uses the English one.
    """

    def __init__(self, language: str = "en", normalize: bool = False) -> None:
        super().__init__(language)
        import sacremoses

        self.normalize = normalize
        self._normalizer = sacremoses.MosesPunctNormalizer(lang=language) if normalize else None
        self._tokenizer = sacremoses.MosesTokenizer(lang=language)
        self._detokenizer = sacremoses.MosesDetokenizer(lang=language)

    @property
    def signature(self) -> str:
        normalized = "normalize=yes," if self.normalize else ""
        return f"moses[lang={self.language},{normalized}sacremoses={version('sacremoses')}]"

    def split(self, line: str) -> list[str]:
        if self._normalizer is not None:
            line = self._normalizer.normalize(line)
        text: str = self._tokenizer.tokenize(line, aggressive_dash_splits=False, escape=False, return_str=True)
        return text.split()

    def detokenize(self, line: str) -> str:
        """Detokenise by sacremoses; escapes in the tokens do not change."""
        text: str = self._detokenizer.detokenize(line.split(), unescape=False)
        return text

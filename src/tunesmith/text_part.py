"""Text processing of one side of a model, as `system.toml` describes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tunesmith.io.toml import Setting

CASES = ("keep", "lower", "true")


@dataclass(frozen=True)
class TextPart:
    """Tokeniser and case of one side. Paths are relative to the model directory, empty if there is no file.

    tokenizer: its name.   language: a code such as en.
    settings: further settings of the tokeniser. case: `keep`, `lower`, or `true` for the most frequent form of a
        word at the beginning of a sentence. truecase: table of these forms.
    model: file of a trained tokeniser.
    """

    tokenizer: str = "none"
    language: str = "en"
    case: str = "keep"
    truecase: str = ""
    model: str = ""
    settings: Mapping[str, Setting] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Return whether the part changes text at all."""
        return self.tokenizer != "none" or self.case != "keep"

    def problem(self) -> tuple[str, str] | None:
        """Return the wrong key and the reason; None if all keys are valid."""
        if self.case not in CASES:
            return "case", f"case must be {', '.join(CASES)}, got {self.case!r}"
        if (self.case == "true") != bool(self.truecase):
            return "truecase", 'case = "true" and truecase, the table of it, belong together'
        return None

    def files(self) -> dict[str, str]:
        """Return paths by key."""
        return {key: path for key in ("truecase", "model") if (path := getattr(self, key))}

    def entries(self) -> dict[str, Setting]:
        """Return the keys of the table in system.toml."""
        return {"tokenizer": self.tokenizer, "language": self.language, "case": self.case, **self.files(),
                **self.settings}  # fmt: skip

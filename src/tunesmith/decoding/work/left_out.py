"""What is left out of a model while it decodes its own training data, as a description that can travel."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from tunesmith.corpus.bitext import Bitext
from tunesmith.corpus.folds import unrelated_folds
from tunesmith.corpus.text_files import Text, TextFiles
from tunesmith.decoding.held_out import HeldOutDecoder
from tunesmith.decoding.model import TranslationModel
from tunesmith.decoding.options import SearchOptions
from tunesmith.errors import ConfigError
from tunesmith.grammar import LeaveOneOutCounts
from tunesmith.io.arrays import MANIFEST
from tunesmith.io.digest import file_digest


class OpenLeftOut(NamedTuple):
    """Leave-one-out counts of all pairs, and the decoder of folds, where language models are estimated again."""

    leave_one_out: LeaveOneOutCounts
    decoder: HeldOutDecoder | None


class LeftOut(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Training data decoded as if the model had not read it.

    leave_one_out: the folder of counts; every line is decoded without what its pair gave to the rules.
    folds: number of language models that are estimated, each without a fold.   text: all the training data, whose
    other folds they read.   whole_folds: the rules lose what all pairs of the fold gave, and pairs with a common
    sentence are in one fold, by the seed; otherwise only the line's own pair, and folds are consecutive.
    digest: of the folder; without one, whatever it holds is taken.
    pop_limit: of the search for folds, None for that of the decoder.
    """

    leave_one_out: str
    folds: int | None = None
    text: TextFiles | None = None
    whole_folds: bool = True
    seed: int = 1
    digest: str = ""
    pop_limit: int | None = None

    def open(
        self,
        model: TranslationModel,
        options: SearchOptions | None = None,
        text: Text | None = None,
        note: Callable[[str], None] = lambda text: None,
    ) -> OpenLeftOut:
        """Open the leave-one-out counts and estimate the language models.

        text: the training data, if it is read already.

        ConfigError where leave-one-out counts, text and model do not belong together.
        """
        if self.digest and self.digest != file_digest(Path(self.leave_one_out) / MANIFEST, 16):
            raise ConfigError(f"{self.leave_one_out}: changed since this work was described; describe it again")
        leave_one_out = LeaveOneOutCounts.open(self.leave_one_out, model.table)
        if self.pop_limit is not None:
            options = dataclasses.replace(options or model.options(), pop_limit=self.pop_limit)
        if self.folds is None:
            return OpenLeftOut(leave_one_out, None)
        if text is None:
            if self.text is None:
                raise ConfigError("held-out folds need the text that language models are estimated from")
            text = self.text.read()
            if self.text.raw:
                text = model.text.text(text)
        lines, references = text[:2]
        if len(lines) != len(leave_one_out) or any(len(each) != 1 for each in references):
            raise ConfigError(
                f"--folds divides all the training data, {len(leave_one_out)} sentence pairs with one reference "
                f"each; given are {len(lines)} sentences with up to {max(map(len, references), default=0)} "
                "references (to decode fewer of them in a round: --train-sample)"
            )
        bitext = Bitext(list(lines), [each[0] for each in references])
        leave_one_out.check_lines(bitext.source)
        leave_one_out.check_target(bitext.target)
        if not self.whole_folds:
            return OpenLeftOut(leave_one_out, HeldOutDecoder.train(model, bitext.target, self.folds, options))
        fold = unrelated_folds(bitext, self.folds, self.seed)
        sizes = np.bincount(fold)
        least, most = sizes.min(), sizes.max()
        note(f"{self.folds} folds of {most if least == most else f'{least} to {most}'} sentence pairs")
        return OpenLeftOut(leave_one_out.in_folds(fold), HeldOutDecoder.train(model, bitext.target, fold, options))

    def files(self) -> tuple[str, ...]:
        """Return the folder of counts, and the text that folds are estimated from, by the names that are used."""
        text = () if self.text is None or self.folds is None else (self.text.source, *self.text.references)
        return (self.leave_one_out, *text)

    def placed(self, places: Callable[[str], str]) -> LeftOut:
        """Return the description with each of `files` in another place."""
        text = self.text
        if text is not None and self.folds is not None:
            references = tuple(map(places, text.references))
            text = msgspec.structs.replace(text, source=places(text.source), references=references)
        return msgspec.structs.replace(self, leave_one_out=places(self.leave_one_out), text=text)

    def sealed(self) -> LeftOut:
        """Return the description with absolute names and digests of its files."""
        leave_one_out = Path(self.leave_one_out).resolve()
        return msgspec.structs.replace(
            self,
            leave_one_out=str(leave_one_out),
            digest=file_digest(leave_one_out / MANIFEST, 16),
            text=None if self.text is None else self.text.sealed(),
        )

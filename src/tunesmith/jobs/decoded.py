"""Texts that a model decodes, as a description that can travel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from tunesmith.corpus.bitext import expand_paths
from tunesmith.corpus.text_files import Text, TextFiles
from tunesmith.decoding.domain_copies import check_labels
from tunesmith.decoding.graph_decoder import GraphDecoder
from tunesmith.decoding.work.left_out import LeftOut
from tunesmith.decoding.work.spec import DecoderSpec, OpenDecoder
from tunesmith.errors import ConfigError, FormatError, MissingFileError
from tunesmith.execution import Executor
from tunesmith.execution.temporary import temporary_folder
from tunesmith.jobs.opening import MakeSources, Opening, Sources, absolute
from tunesmith.jobs.texts import read_text
from tunesmith.training.leave_one_out import leave_one_out_counts_of
from tunesmith.tuning import FileSource, KBestSource
from tunesmith.tuning.sources.density import Density
from tunesmith.tuning.sources.graphs import GraphSource


class DecodedText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text that a model decodes.   sentences: only these lines of it, all without."""

    decoder: DecoderSpec
    text: TextFiles
    sentences: tuple[int, ...] | None = None


class Decoded(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="decoded"):
    """The k best translations of a model.

    train: training data, decoded by the same model. Where its decoder leaves out what pairs gave to rules and
    names no folder of leave-one-out counts, they are found by the word alignment in the model directory.
    train_lists: lists of training data that an earlier run of this model saved, in place of decoding.
    subwords: pieces of words that the model has, None for what its vocabulary shows.
    """

    dev: DecodedText
    train: DecodedText | None = None
    train_lists: str | None = None
    subwords: str | None = None

    gives = ("lists", "graphs")
    missing_train = "--train FILE"

    def has_train(self) -> bool:
        return self.train is not None or self.train_lists is not None

    def sealed(self) -> Decoded:
        """Return the same with absolute names, and digests of what is there now."""
        dev = msgspec.structs.replace(self.dev, decoder=self.dev.decoder.sealed(), text=self.dev.text.sealed())
        train = self.train
        if train is not None:
            left_out = train.decoder.left_out
            if left_out is not None:
                text = None if left_out.text is None else left_out.text.sealed()
                left_out = (
                    left_out.sealed() if left_out.leave_one_out else msgspec.structs.replace(left_out, text=text)
                )
            decoder = msgspec.structs.replace(dev.decoder, left_out=left_out)
            train = msgspec.structs.replace(train, decoder=decoder, text=train.text.sealed())
        return msgspec.structs.replace(self, dev=dev, train=train, train_lists=absolute(self.train_lists))

    def open(self, given: Opening) -> MakeSources:
        """Read texts, find leave-one-out counts and open the model; every call of the result makes a decoder."""
        dev = read_text(self.dev.text, given.observer.remark, given.models.placed)
        train, text = self.train, None
        if train is not None:
            if msgspec.structs.replace(train.decoder, left_out=self.dev.decoder.left_out) != self.dev.decoder:
                raise ConfigError("development and training data must be decoded by the same model")
            if (left_out := train.decoder.left_out) is not None:
                left_out = msgspec.structs.replace(left_out, text=left_out.text or train.text)
                if not left_out.leave_one_out:
                    left_out = _with_counts(left_out, train, given)
                train = msgspec.structs.replace(
                    train, decoder=msgspec.structs.replace(train.decoder, left_out=left_out)
                )
            text = read_text(train.text, given.observer.remark, given.models.placed)
        opened = given.models.of(self.dev.decoder, threads=given.threads)
        processed = self.dev.text.raw and bool(opened.text)
        if processed:
            dev = opened.text.text(dev)
        if train is not None and text is not None and train.text.raw:
            text = opened.text.text(text)

        told = False

        def make(k: int) -> Sources:
            nonlocal told
            model = opened.with_own_names(threads=given.threads)
            decoder = OpenDecoder(self.dev.decoder, model)
            if given.graphs is not None:
                return Sources(self._graphs(decoder, dev, given.graphs))
            source = decoded_source(decoder, dev, self.dev.sentences, k, given.executor, self.subwords)
            if processed and not told:
                told = True
                counted = "its tokens" if source.subwords == "none" else "words, joined from its pieces"
                given.observer.note(
                    f"dev and references are raw text, processed as the model says; the metric counts {counted}"
                )
            if self.train_lists is not None:
                lists = decoder.lists.load(Path(given.models.placed(self.train_lists)))
                return Sources(source, FileSource(lists, subwords="none"))
            if train is None or text is None:
                return Sources(source)
            if train.decoder.left_out is not None:
                decoder = decoder.leaving_out(train.decoder.left_out, text, given.observer.note)
            return Sources(
                source, decoded_source(decoder, text, train.sentences, k, given.executor, self.subwords)
            )

        return make

    def _graphs(self, decoder: OpenDecoder, dev: Text, density: Density) -> GraphSource:
        """Return the search graphs of the development data."""
        if self.has_train():
            raise ConfigError("search graphs are tuned on without training data: leave out --train")
        if (self.subwords or decoder.decoder.subwords) != "none":
            raise ConfigError("search graphs of pieces of words cannot be tuned on yet; take mira or mert")
        if decoder.decoder.domains is not None:
            raise ConfigError("search graphs of models with domains cannot be tuned on yet; take mira or mert")
        chosen = range(len(dev.lines)) if self.dev.sentences is None else self.dev.sentences
        graphs = GraphDecoder(decoder.decoder, decoder.lists.signature)
        check_labels(decoder.decoder, dev)
        lines = dev.labelled()
        return GraphSource(graphs, [lines[at] for at in chosen], [dev.references[at] for at in chosen], density)


def decoded_source(
    decoder: OpenDecoder,
    text: Text,
    sentences: Sequence[int] | None,
    k: int,
    executor: Executor | None = None,
    subwords: str | None = None,
) -> KBestSource:
    """Return the k best of some lines of a text."""
    chosen = range(len(text.lines)) if sentences is None else sentences
    own = decoder.leave_one_out
    if own is not None:
        if len(text.lines) > len(own):
            raise ConfigError(
                f"{own.folder}: has the rules of {len(own)} sentence pairs, {len(text.lines)} are to be decoded"
            )
        own = own.select(chosen)
    check_labels(decoder.decoder, text)
    lines, references, labels = text
    if sentences is not None:
        lines, references = [lines[at] for at in chosen], [references[at] for at in chosen]
        labels = None if labels is None else [labels[at] for at in chosen]
    if own is not None:
        own.check_lines(lines)
    return KBestSource(
        decoder.lists, lines, references, k,
        leave_one_out=own, executor=executor, subwords=subwords, labels=labels,
    )  # fmt: skip


def _with_counts(left_out: LeftOut, train: DecodedText, given: Opening) -> LeftOut:
    """Find the leave-one-out counts of all the training data, in a folder that goes with the opened job."""
    files, references = train.text, expand_paths(train.text.references)
    if files.source == "-" or len(references) != 1:
        raise ConfigError(
            "training data that is decoded as if the model had not read it takes two files, --train FILE and one "
            f"of --train-refs FILE. {_WITHOUT_FOLDS}"
        )
    # Below the temporary folder: counts replace the folder they are written to, and its lock would go with it.
    folder = given.stack.enter_context(temporary_folder("own")) / "rules"
    try:
        leave_one_out_counts_of(
            train.decoder.model, files.source, references[0], None, folder,
            tokenized=not files.raw, threads=given.threads,
            progress=lambda what, *done: given.observer.progress("finding leave-one-out counts", *done),
        )  # fmt: skip
    except MissingFileError:
        raise
    except (ConfigError, FormatError) as error:  # other text does not fit the alignment
        raise ConfigError(f"{error}. {_WITHOUT_FOLDS}") from None
    return msgspec.structs.replace(left_out, leave_one_out=str(folder))


_WITHOUT_FOLDS = (
    "What a model has read is found by its word alignment (of one that has none: tunesmith rules leave-one-out "
    "--align FILE -o COUNTS, then --leave-one-out COUNTS); text that it has not read needs nothing of that: "
    "--set cross_fit=false; nor does the method of Liu et al. (2013): --recipe oscar"
)

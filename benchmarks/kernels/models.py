"""Decoders: models opened, sentences translated, lists of training data."""

from __future__ import annotations

import shutil
from pathlib import Path

from kernels.common import Measured, bench, cpu, digest, kernel, prepares, shared, text


@prepares
def models(folder: Path) -> None:
    """The recorded models of Moses, and one of the phrasebook with its data."""
    from tunesmith.training.import_moses import import_moses

    import_moses(shared() / "reference/moses-hiero/moses.ini", folder / "hiero")
    import_moses(shared() / "reference/moses-phrase/moses.ini", folder / "phrase")
    bench("speed_leave_one_out").phrasebook(folder)


@prepares
def open_table_model(folder: Path) -> None:
    """The smaller model of speed_open_table.py."""
    open_table = bench("speed_open_table")
    from tunesmith.grammar import ExtractOptions, PhraseOptions, ReorderingOptions
    from tunesmith.lm import LmOptions
    from tunesmith.training.options import TrainOptions
    from tunesmith.training.train import train_model

    (folder / "random").mkdir()
    data = open_table.write_corpus(folder / "random", open_table.SENTENCES["0.5 million"])
    extract = ExtractOptions(PhraseOptions(), reordering=ReorderingOptions())
    train_model(data, folder / "random" / "model", TrainOptions(lm=LmOptions(order=2), extract=extract))


@kernel
def open_table(folder: Path) -> Measured:
    from tunesmith.decoding import TranslationModel

    model = folder / "random" / "model"
    lines = (folder / "random" / "source").read_text().splitlines()[:100]
    opening = cpu(lambda: TranslationModel.open(model), 51)[0]
    seconds, found = cpu(lambda: TranslationModel.open(model).decoder().translate(lines))
    return {"opening": opening, "translating": seconds, "digest": digest([(x.text, x.score) for x in found])}


def decode(model: Path, name: str, lines: list[str], listed: int) -> Measured:
    from tunesmith.decoding import load_decoder

    loading, decoder = cpu(lambda: load_decoder(model))
    seconds, best = cpu(lambda: decoder.translate(lines))
    again = cpu(lambda: decoder.translate(lines), 2)[0]
    listing, found = cpu(lambda: decoder.candidate_arrays(lines[:listed], 100))
    texts = [found.text(at) for at in range(len(found))]
    return {
        f"{name}, loading": loading, f"{name}, first": seconds, f"{name}, again": again, f"{name}, lists": listing,
        "digest": digest([(x.text, x.score) for x in best], texts, found.scores),
    }  # fmt: skip


@kernel
def decode_hiero(folder: Path) -> Measured:
    return decode(folder / "hiero", "hierarchical", text("multi30k-de-en/test_2016_flickr.de", 100), 40)


@kernel
def decode_phrase(folder: Path) -> Measured:
    return decode(folder / "phrase", "phrase-based", text("multi30k-de-en/test_2016_flickr.de", 300), 100)


@kernel
def decode_memory(folder: Path) -> Measured:
    """What a process that translates 100 lines holds."""
    from tunesmith.decoding import load_decoder

    decoder = load_decoder(folder / "hiero")
    found = decoder.translate(text("multi30k-de-en/test_2016_flickr.de", 100))
    return {"digest": digest([x.text for x in found])}


@kernel
def decode_features(folder: Path) -> Measured:
    found = bench("speed_decode").feature_costs(folder / "hiero")
    names = {
        "few_cpu_seconds": "few weights", "many_cpu_seconds": "a million weights",
        "weights_file_to_first_translation_seconds": "a million weights, file to translation",
    }  # fmt: skip
    return {**{name: found[key] for key, name in names.items()}, "digest": digest(found["many_features"])}


@kernel
def leave_one_out(folder: Path) -> Measured:
    from tunesmith.decoding import load_decoder

    try:
        counts_of = bench("tunesmith.training.leave_one_out").leave_one_out_counts_of
        name = "leave_one_out"
    except ImportError:  # before 0.3
        counts_of, name = bench("tunesmith.training.own_rules").own_rules_of, "own"
    from tunesmith.corpus.bitext import read_bitext

    source, target = folder / "corpus/train.zh", folder / "corpus/train.en"
    shutil.rmtree(folder / "own", ignore_errors=True)
    finding, own = cpu(lambda: counts_of(folder / "model", source, target, None, folder / "own"))
    bitext = read_bitext(source, target)
    chosen = range(0, len(bitext), 6)
    lines, left_out = [bitext.source[at] for at in chosen], own.select(chosen)
    decoder = load_decoder(folder / "model")
    without, found = cpu(lambda: decoder.candidate_arrays(lines, 100))
    with_it, other = cpu(lambda: decoder.candidate_arrays(lines, 100, **{name: left_out}))
    return {"finding counts": finding, "lists without": without, "lists with": with_it,
            "digest": digest(found.scores, other.scores)}  # fmt: skip

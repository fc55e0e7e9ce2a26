"""Translation tables for the sentence pairs of each label, joined to one rule table."""

from __future__ import annotations

from collections.abc import Sequence

from tunesmith.alignment.pharaoh import WordAlignments
from tunesmith.corpus.bitext import Bitext
from tunesmith.corpus.text_files import label_set
from tunesmith.errors import ConfigError, FormatError
from tunesmith.grammar.extract import DEFAULT_MEMORY, Progress, extract_rules
from tunesmith.grammar.join import FLOOR, join_tables
from tunesmith.grammar.options import ExtractOptions
from tunesmith.grammar.storage import refuse_other_data
from tunesmith.grammar.table import RuleTable
from tunesmith.io import StrPath
from tunesmith.io.folders import scratch_folder
from tunesmith.io.paths import as_path


def extract_by_label(
    bitext: Bitext,
    alignments: WordAlignments,
    labels: Sequence[str],
    path: StrPath,
    options: ExtractOptions | None = None,
    *,
    floor: float = FLOOR,
    indicator: bool = False,
    threads: int = 1,
    memory: int = DEFAULT_MEMORY,
    progress: Progress | None = None,
) -> RuleTable:
    """Extract a table for each label, in the order of label names, and join the tables at `path`.

    As in the Medium system of Cherry and Foster (2012, section 4.2), a rule has the scores of every sub-corpus.
    floor, indicator: see `join_tables`.
    """
    if len(labels) != len(bitext):
        raise FormatError(f"{len(labels)} labels for {len(bitext)} sentence pairs; there must be one for each")
    sets = [label_set(label) for label in labels]
    names = sorted({name for each in sets for name in each})
    if len(names) < 2:
        raise ConfigError("all sentence pairs have the same label; tables by label need two or more")
    refuse_other_data(as_path(path))
    links = alignments.lines()
    with scratch_folder(path) as scratch:
        tables = []
        for number, name in enumerate(names, 1):
            chosen = [at for at, each in enumerate(sets) if name in each]
            part = Bitext([bitext.source[at] for at in chosen], [bitext.target[at] for at in chosen])
            own = WordAlignments.parse([links[at] for at in chosen])
            tables.append(
                extract_rules(
                    part, own, scratch / str(number), options, threads=threads, memory=memory, progress=progress
                )
            )
        return join_tables(tables, path, floor=floor, indicator=indicator)

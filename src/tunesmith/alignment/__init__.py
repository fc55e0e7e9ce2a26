"""Word alignment: models of both directions, symmetrisation, Pharaoh format, lexical tables, error rate."""

from tunesmith.alignment.aer import AlignmentScore, Gold, alignment_error_rate, read_gold
from tunesmith.alignment.aligner import AlignerOptions, AlignmentResult, align
from tunesmith.alignment.lexical import LexicalTable, LexicalTables, count_translations
from tunesmith.alignment.pharaoh import WordAlignments, read_alignments, write_alignments
from tunesmith.alignment.symmetrize import symmetrize

__all__ = [
    "AlignerOptions",
    "AlignmentResult",
    "AlignmentScore",
    "Gold",
    "LexicalTable",
    "LexicalTables",
    "WordAlignments",
    "align",
    "alignment_error_rate",
    "count_translations",
    "read_alignments",
    "read_gold",
    "symmetrize",
    "write_alignments",
]

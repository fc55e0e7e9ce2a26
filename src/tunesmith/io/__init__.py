"""Input and output of text and bytes: plain, gzip and `-`.

Checked reading, and files written completely or not at all.
"""

from tunesmith.io.paths import StrPath, display_name
from tunesmith.io.reading import iter_blocks, iter_lines, open_bytes, read_lines
from tunesmith.io.writing import (
    atomic_bytes,
    atomic_writer,
    check_folder,
    check_output,
    make_folder,
    output_bytes,
    put_lines,
    write_lines,
)

__all__ = [
    "StrPath",
    "atomic_bytes",
    "atomic_writer",
    "check_folder",
    "check_output",
    "display_name",
    "iter_blocks",
    "iter_lines",
    "make_folder",
    "open_bytes",
    "output_bytes",
    "put_lines",
    "read_lines",
    "write_lines",
]

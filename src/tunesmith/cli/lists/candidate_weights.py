"""`tunesmith candidates weights`: weights as other decoders read them."""

from __future__ import annotations

from typing import Annotated

from tunesmith.cli import options
from tunesmith.cli.declaring import argument, option
from tunesmith.cli.weights_file import read_weights


def weights(
    file: Annotated[str, argument("WEIGHTS", "Weights by name; - is standard input.")],
    to: Annotated[str, option("--to FORMAT", "moses or cdec.")] = "moses",
    template: Annotated[
        str | None, option("--template FILE", "A moses.ini whose weights are replaced; the rest of it stays.")
    ] = None,
    sparse: Annotated[
        str | None,
        option("--sparse FILE", "With --template: where weights go that its [weight] section does not have."),
    ] = None,
    output: options.OutputFile = "-",
) -> None:
    """Write weights as Moses or cdec read them.

    [bold]Examples[/bold]
      tunesmith candidates weights run/weights.tsv --to cdec -o weights.cdec
      tunesmith candidates weights run/weights.tsv --template moses.ini --sparse sparse.weights -o tuned.ini
    """
    from tunesmith.io import atomic_writer, check_output, read_lines
    from tunesmith.weight_formats import write_weights

    check_output(output, [file])
    text = None if template is None else "\n".join([*read_lines(template), ""])
    written = write_weights(dict(read_weights(file).items()), text, to, sparse)
    if written.sparse is not None:
        assert sparse is not None
        with atomic_writer(sparse) as out:
            out.write(written.sparse)
    with atomic_writer(output) as out:
        out.write(written.config)

"""`tunesmith serve`: a model behind HTTP, with a page to try it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tunesmith.cli import options
from tunesmith.cli.console import note
from tunesmith.cli.declaring import grouped, option
from tunesmith.cli.printing import tell
from tunesmith.cli.search_limits import TimedSearchLimits
from tunesmith.cli.signals import handled_elsewhere
from tunesmith.errors import ConfigError, MissingExtraError

LIMITS = "Limits of a request"
ACCESS = "Access"


@dataclass(frozen=True)
class RequestLimits:
    """Limits of requests as options."""

    request_words: Annotated[int, option("--request-words N", "Words of a sentence.", LIMITS, min=1)] = 500
    request_sentences: Annotated[
        int, option("--request-sentences N", "Sentences of a request.", LIMITS, min=1)
    ] = 1000
    request_bytes: Annotated[int, option("--request-bytes N", "Bytes of a request.", LIMITS, min=1)] = 4_000_000
    request_seconds: Annotated[
        float, option("--request-seconds S", "Time until a request is given up.", LIMITS)
    ] = 60.0
    waiting: Annotated[
        int, option("--waiting N", "Sentences that may wait; more are refused (429).", LIMITS, min=1)
    ] = 10_000
    connections: Annotated[int, option("--connections N", "Connections at once.", LIMITS, min=1)] = 1000


@grouped
def serve(
    model: options.Model = Path(),
    weights: Annotated[list[str] | None, option(
        "-W --weights FILE", "Weights by name; may be repeated, to compare them. The first is the default.",
        show_default="the model's",
    )] = None,
    port: Annotated[int, option("--port N", "Port; 0 takes a free one.", min=0, max=65535)] = 8080,
    runs: Annotated[Path | None, option(
        "--runs FOLDER", "Show tuning runs and experiments below this folder."
    )] = None,
    host: Annotated[
        str, option("--host ADDRESS", "Address; others than loopback need a token.", ACCESS)
    ] = "127.0.0.1",
    token_file: Annotated[Path | None, option(
        "--token-file FILE", "File with the token that requests must carry.", ACCESS
    )] = None,
    limits: RequestLimits = RequestLimits(),
    search: TimedSearchLimits = TimedSearchLimits(),
    threads: options.Threads = options.THREADS,
    quiet: options.Quiet = False,
) -> None:  # fmt: skip
    """Serve translations over HTTP, with a page in the browser.

    POST /translate {"sentences": ["…"]} answers {"translations": [{"text": "…"}]}; the page /docs lists all paths.
    Ctrl-C or SIGTERM ends the server after the requests that have begun are answered.

    [bold]Examples[/bold]
      tunesmith serve -m model/
      tunesmith serve -m model/ -W mira/weights.tsv -W mert/weights.tsv --runs experiments/ --port 9000
      curl -s localhost:8080/translate -H 'Content-Type: application/json' -d '{"sentences": ["我 要 茶 。"]}'
      tunesmith serve -m model/ --host 0.0.0.0 --token-file token.txt
    """
    if model == Path():
        raise ConfigError("which model? Name its directory with -m, as tunesmith train made it")
    try:
        from tunesmith.serving.access import Access
        from tunesmith.serving.app import make_app
        from tunesmith.serving.server import address, bound_socket, run
    except ModuleNotFoundError as error:
        raise MissingExtraError("tunesmith serve", str(error.name), "serve") from None
    from tunesmith.decoding import TranslationModel
    from tunesmith.serving.limits import Limits
    from tunesmith.serving.runs import Runs
    from tunesmith.serving.served_model import ServedModel
    from tunesmith.serving.service import Service

    access = Access.for_address(host, None if token_file is None else _token(token_file))
    if runs is not None and not runs.is_dir():
        raise ConfigError(f"--runs {runs}: no such folder")
    allowed = Limits(
        limits.request_words,
        limits.request_sentences,
        limits.request_bytes,
        limits.request_seconds,
        limits.waiting,
    )
    changes = {"timeout": limits.request_seconds, **search.changes()}
    with bound_socket(host, port) as bound:
        opened = TranslationModel.open(model, threads=threads)
        served = ServedModel(opened, _named(weights or []), threads=threads, **changes)
        app = make_app(Service(served, allowed, threads=threads), access, None if runs is None else Runs(runs))
        if not quiet:
            tell(f"tunesmith: serving {model} at {address(bound)}; Ctrl-C ends")
        with handled_elsewhere():
            run(app, bound, seconds=limits.request_seconds, connections=limits.connections)
    note("all requests that had begun were answered", quiet=quiet)


def _token(path: Path) -> str:
    from tunesmith.io import read_lines

    lines = read_lines(path)
    if len(lines) != 1:
        raise ConfigError(f"{path}: a token is one line, got {len(lines)}")
    return lines[0].strip()


def _named(files: Sequence[str]) -> dict[str, Path]:
    """Name files of weights: by the folder of a run (`mira/weights.tsv` is mira), or else by the file name."""
    named: dict[str, Path] = {}
    for each in files:
        path = Path(each)
        name = path.name.split(".")[0]
        if name == "weights" and path.resolve().parent.name:
            name = path.resolve().parent.name
        if name in named:
            raise ConfigError(f"-W {each}: {named[name]} would be called {name!r} too; rename one of them")
        named[name] = path
    return named

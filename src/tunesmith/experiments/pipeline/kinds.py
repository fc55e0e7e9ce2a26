"""Kinds of stages, and what the verb of each leaves."""

from __future__ import annotations

from dataclasses import dataclass

TEST = "test"


@dataclass(frozen=True)
class Product:
    """What a verb makes in the folder of its stage.

    name: the file or folder that others refer to.   printed: the verb prints JSON, which is the result.
    resumes: interrupted, the same command continues.   keeps: the verb itself sees what of an earlier result is
    still right, so that it stays where it is when a setting changes.
    """

    name: str
    printed: bool = False
    resumes: bool = False
    keeps: bool = False


# The verbs that a stage of each kind may run; the first is taken where none is named.
KINDS: dict[str, tuple[str, ...]] = {
    "data": ("phrasebook", "clean", "tokenize", "detokenize"),
    "train": ("train",),
    "tune": ("tune",),
    "translate": ("translate",),
    "rerank": ("rerank",),
}
SYSTEMS = {"translate": "source", "rerank": "lists"}
"""Kinds that make a translation of every test set, with the key of the test set that they read."""

PRODUCTS = {
    "phrasebook": Product("corpus"),
    "clean": Product("clean/"),
    "tokenize": Product("text"),
    "detokenize": Product("text"),
    "train": Product("model", resumes=True, keeps=True),
    "tune": Product("run", printed=True, resumes=True),
    "translate": Product("translation"),
    "rerank": Product("translation"),
    "evaluate": Product("", printed=True),
    "compare": Product("", printed=True),
}
CODE = ("decoder-command", "features-from", "metric-from")
"""Options that name code to run: a file that was received sets them only where its user allows it."""
RESERVED = ("output", "threads", "quiet", "format", "restart", "dry-run", "bare", "sentence-level", "help")
"""Options that the pipeline sets itself, or that would change what a stage leaves."""
_RUNS = "makes many runs, and a stage is one: write a [tune.NAME] for each or run tunesmith tune --{key} by itself"
_LISTS = "prints more than translations, which is what stages judge: run tunesmith {verb} --{key} by itself"
REFUSED = {
    "tune": dict.fromkeys(("cross-validate", "seeds", "stability", "sweep"), _RUNS),
    "translate": dict.fromkeys(("kbest", "explain", "alignment"), _LISTS),
    "rerank": dict.fromkeys(("to",), _LISTS),
}
"""Options of a verb whose output later stages cannot read, and why."""

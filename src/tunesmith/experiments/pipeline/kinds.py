"""Kinds of stages, and the products of their verbs."""

from __future__ import annotations

from dataclasses import dataclass

TEST = "test"


@dataclass(frozen=True)
class Product:
    """Product of a verb in the folder of its stage.

    name: the file or folder that others refer to.   printed: the verb prints JSON, which is the result.
    resumes: after an interruption, repeating the command resumes. keeps: the verb itself decides which parts of an
        earlier result are still valid, so that the folder stays when a setting changes.
    """

    name: str
    printed: bool = False
    resumes: bool = False
    keeps: bool = False


# Verbs that a stage of each kind may run; the first is the default.
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
"""Options that name code to run: they need the user's permission in a pipeline file."""
RESERVED = ("output", "threads", "quiet", "format", "restart", "dry-run", "bare", "sentence-level", "help")
"""Options that the pipeline sets itself, or that would change the product of a stage."""
_RUNS = "makes many runs, and a stage is one: write a [tune.NAME] for each or run tunesmith tune --{key} by itself"
_LISTS = "prints more than translations, which is what stages judge: run tunesmith {verb} --{key} by itself"
REFUSED = {
    "tune": dict.fromkeys(("cross-validate", "seeds", "stability", "sweep"), _RUNS),
    "translate": dict.fromkeys(("kbest", "explain", "alignment"), _LISTS),
    "rerank": dict.fromkeys(("to",), _LISTS),
}
"""Options of a verb whose output later stages cannot read, and why."""

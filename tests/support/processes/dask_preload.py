"""What workers of tests load first: kinds of work that fail in chosen ways."""

import json
import os
import signal
import zlib
from pathlib import Path
from typing import Any

from tunesmith.decoding.work.kinds import KBest
from tunesmith.execution import Work, kinds
from tunesmith.execution.verbs import Verb
from tunesmith.tuning.sums.parts import Sum

KILLS = "TUNESMITH_TEST_KILLS"
"""A folder: while it is there, the first worker that is sent new work is killed."""


def preload(patch):
    """Let workers that are started from now on know the kinds of work of these tests."""
    tests = str(Path(__file__).parents[2])
    patch.setenv("PYTHONPATH", os.pathsep.join([tests, *filter(None, [os.environ.get("PYTHONPATH")])]))
    patch.setenv("DASK_DISTRIBUTED__WORKER__PRELOAD", json.dumps([__name__]))


@kinds.register("test_squares")
class Squares(Work[Any, Any], frozen=True):
    """Squares of numbers; block -1 raises, block -2 kills the worker, block -3 says who does it."""

    plus: int = 0

    def open(self, threads):
        def do(number):
            if number == -1:
                raise RuntimeError("this block always fails")
            if number == -2:
                os.kill(os.getpid(), signal.SIGKILL)
            return os.getpid() if number == -3 else number**2 + self.plus

        return do


@kinds.register("test_reading")
class Reading(Work[Any, Any], frozen=True):
    """The file of a path, and where the worker found it."""

    path: str

    def open(self, threads):
        return lambda name: [self.path, (Path(self.path) / name).read_text(encoding="utf-8")]

    def files(self):
        return (self.path,)

    def placed(self, places):
        return Reading(places(self.path))


def dask_setup(worker):
    """Kill this process at the first block of new work, once for each work, while the folder is there."""
    kill_once(KBest, lambda work: str(zlib.crc32(work.decoder.numbered[0].values)))
    kill_once(Verb, lambda work: "verb")
    kill_once(Sum, lambda work: f"sum-{work.a_block}")


def kill_once(kind, name_of):
    serve = kind.serve

    def killed_once(self, threads, kept):
        folder = Path(os.environ.get(KILLS, "/nowhere"))
        if folder.is_dir():
            try:
                (folder / name_of(self)).touch(exist_ok=False)
            except FileExistsError:
                return serve(self, threads, kept)
            os.kill(os.getpid(), signal.SIGKILL)
        return serve(self, threads, kept)

    kind.serve = killed_once

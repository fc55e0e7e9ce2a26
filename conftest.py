"""Documentation pages are tests: README.md and every page below docs/ run top to bottom, each in an empty folder.

Python blocks share one namespace per page. In console blocks every `$ ` line is run by the shell (with the
environment of the tests first on the path) and what it prints must match the lines below it; `...` stands for
anything. A block that should not run is fenced as `text`. Corpora and models that several pages make by the same
command from the same files are made once (`tests/support/page_cache.py`).

Property tests draw the same examples in every run: profile `steady` of hypothesis, the default. Profile `fuzz`
(`--hypothesis-profile fuzz`, or HYPOTHESIS_PROFILE=fuzz) draws others each time, ten times as many, and keeps
those that fail in `.hypothesis`; `-m hypothesis` chooses the property tests.
"""

from __future__ import annotations

import gc
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from _pytest._code import Traceback
from hypothesis import HealthCheck, is_hypothesis_test, settings
from hypothesis.database import DirectoryBasedExampleDatabase
from hypothesis.internal.conjecture import providers
from support.console import difference
from support.page_cache import open_cache
from sybil import Example, Sybil
from sybil.integration.pytest import SybilItem, example_module_path
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser

from tunesmith.registry import Registry

# The clock decides nothing: no deadline for an example, and none for drawing it.
settings.register_profile(
    "steady", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "fuzz",
    derandomize=False,
    database=DirectoryBasedExampleDatabase(".hypothesis/examples"),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))
FUZZ_EXAMPLES = 10  # times as many as a test asks for


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Apply to every property test what its own `@settings` would hide from the profile."""
    fuzzing = settings.get_current_profile_name().startswith("fuzz")
    # Hypothesis draws constants that it finds in the modules loaded so far, hence others after other tests.
    if not fuzzing and hasattr(providers, "_get_local_constants"):
        providers._get_local_constants = lambda: providers._local_constants
    tests = {id(item.obj): item.obj for item in items if isinstance(item, pytest.Function)}.values()
    for test in filter(is_hypothesis_test, tests):
        own = getattr(test, "_hypothesis_internal_use_settings", None) or settings.default
        test._hypothesis_internal_use_settings = settings(
            own,
            max_examples=own.max_examples * (FUZZ_EXAMPLES if fuzzing else 1),
            suppress_health_check={*own.suppress_health_check, HealthCheck.too_slow},
        )


def pytest_configure(config: pytest.Config) -> None:
    """Let pages share what they make alike: workers of one session know its folder."""
    if not hasattr(config, "workerinput"):
        cache = open_cache()
        config.add_cleanup(lambda: shutil.rmtree(cache))


def run_console(example: Example) -> str | None:
    """Run each command of the block; the first difference is the failure."""
    return difference(example.parsed, Path(sys.executable).parent)


def enter_empty_folder(namespace: dict[str, object]) -> None:
    namespace["_folder"] = tempfile.TemporaryDirectory()
    namespace["_before"] = Path.cwd()
    os.chdir(namespace["_folder"].name)  # type: ignore[attr-defined]


def leave_folder(namespace: dict[str, object]) -> None:
    os.chdir(namespace["_before"])  # type: ignore[arg-type]
    namespace["_folder"].cleanup()  # type: ignore[attr-defined]
    forget_registered()
    namespace.clear()  # objects of the core must not live until the interpreter is gone


def forget_registered() -> None:
    """Parts that a page has registered are gone with it: other tests go through all that is registered."""
    for registry in (each for each in gc.get_objects() if isinstance(each, Registry)):
        for name, factory in [*registry._factories.items()]:
            if not isinstance(factory, str) and not factory.__module__.startswith("tunesmith."):
                del registry._factories[name]


def frames_of_page(item: SybilItem, failed: pytest.ExceptionInfo[BaseException]) -> Traceback:
    """The frames to show of an error, or of the cause of one, which did not come through the code of sybil.

    Sybil takes for granted that every error did, and pytest ends with an internal error where a cause did not.
    """
    frames = failed.traceback
    return filtered(item, failed) if len(frames.cut(path=example_module_path)) < len(frames) else frames


filtered = SybilItem._traceback_filter
SybilItem._traceback_filter = frames_of_page

pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(), CodeBlockParser(language="console", evaluator=run_console)],
    patterns=["README.md", *(f"docs/{'*/' * depth}*.md" for depth in range(4))],
    setup=enter_empty_folder,
    teardown=leave_folder,
).pytest()

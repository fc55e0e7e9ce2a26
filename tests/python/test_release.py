"""What a release consists of: one version everywhere, requirements alike, workflows that only call make."""

import re
from pathlib import Path

import tunesmith

try:
    import tomllib
except ModuleNotFoundError:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_one_version_everywhere():
    [cited] = re.findall(r"^version: (\S+)$", text("CITATION.cff"), re.MULTILINE)
    [packaged] = re.findall(r'set version = "(\S+)"', text("packaging/conda/meta.yaml"))
    released = re.findall(r"^## (\d+\.\d+\.\d+) ", text("CHANGELOG.md"), re.MULTILINE)
    assert {cited, packaged, released[0]} == {tunesmith.__version__}
    numbers = [tuple(map(int, each.split("."))) for each in released]
    assert numbers == sorted(numbers, reverse=True)


def test_the_recipe_requires_what_the_package_requires():
    recipe = text("packaging/conda/meta.yaml")
    names = {"xxhash": "python-xxhash"}
    for each in PROJECT["project"]["dependencies"]:
        name, version, marker = re.fullmatch(r"([\w-]+)([^;\s]*)(?:; (.*))?", each).groups()
        selector = "  # [py<311]" if marker else ""
        assert f"    - {names.get(name, name)} {version}{selector}\n" in recipe
    for each in PROJECT["build-system"]["requires"]:
        name, version = re.fullmatch(r"([\w-]+)(.*)", each).groups()
        assert f"    - {name} {version}\n" in recipe


def test_workflows_call_targets_of_make_and_nothing_else():
    [phony] = re.findall(r"^\.PHONY: (.*)$", text("Makefile"), re.MULTILINE)
    ran = {
        line.strip(): [word for word in line.split()[3:] if "=" not in word]
        for each in (ROOT / ".github" / "workflows").iterdir()
        for line in each.read_text().splitlines()
        if "run:" in line
    }
    assert all(line.startswith("- run: make ") for line in ran)
    targets = {target for line in ran.values() for target in line}
    assert targets <= set(phony.split())
    assert {"lint", "python-test", "wheels", "docs"} <= targets


def test_the_image_installs_extras_that_exist():
    [extras] = re.findall(r"\[([\w,]+)\]", text("packaging/Dockerfile"))
    assert set(extras.split(",")) <= PROJECT["project"]["optional-dependencies"].keys()

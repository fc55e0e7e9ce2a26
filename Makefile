# `make demo` and `make test` work on a machine that has Python ≥ 3.10, a C++ compiler and make; pip brings the rest.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check -q
export PATH := $(abspath $(BIN)):$(PATH)

sources := $(shell find src cpp -type f -not -name '*.pyc' -not -name '_core.pyi') CMakeLists.txt pyproject.toml
cpp_files := $(shell find cpp tests/cpp -name '*.hpp' -o -name '*.cpp')

.PHONY: help build demo test lint types format cpp-test python-test bench clean
help:
	@echo "make demo    corpus to report on the built-in phrasebook, in demo/"
	@echo "make test    build, ruff, mypy, clang-format, C++ tests (sanitized), pytest with the doc pages"
	@echo "make bench   every benchmark, one JSON line each"
	@echo "make format  rewrite the sources in the house style"
	@echo "make build   the environment in $(VENV) with tunesmith installed"
	@echo "make clean   remove what was built"

$(VENV)/.tools: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "tunesmith needs Python 3.10 or newer, $(PYTHON) is $$($(PYTHON) -V). Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
	  { echo "could not create $(VENV). On Debian and Ubuntu: apt-get install python3-venv"; rm -rf $(VENV); exit 1; }
	$(PIP) install --upgrade 'pip>=25.1'
	$(PIP) install --group build
	@touch $@

$(VENV)/.dev: $(VENV)/.tools
	$(PIP) install --group dev
	@touch $@

# The wheel is built from what is here (incrementally, with the tools above) and installed; tests run on the installed
# package, not on src/. The first install brings what the wheel depends on, the second one replaces an older build.
$(VENV)/.installed: $(sources) $(VENV)/.tools
	@rm -rf build/wheel
	$(PIP) wheel --no-build-isolation --no-deps --wheel-dir build/wheel .
	$(PIP) install "$$(ls build/wheel/*.whl)[all]"
	$(PIP) install --no-deps --force-reinstall build/wheel/*.whl
	@touch $@

build: $(VENV)/.installed

demo: build
	$(BIN)/tunesmith demo -o demo

# mypy reads the stub of the native module beside the sources.
src/tunesmith/_core.pyi: $(VENV)/.installed
	@cp $$($(BIN)/python -c 'import tunesmith._core as c, pathlib; print(pathlib.Path(c.__file__).parent / "_core.pyi")') $@

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(cpp_files)

types: $(VENV)/.dev src/tunesmith/_core.pyi
	$(BIN)/mypy --no-error-summary

# One build of the C++ tests, the one that sees most: sanitizers on, little optimisation so that it compiles fast.
build/cpp-sanitize/build.ninja: CMakeLists.txt | $(VENV)/.tools
	$(BIN)/cmake -S . -B $(@D) -G Ninja --log-level=WARNING -DTUNESMITH_PYTHON=OFF -DTUNESMITH_TESTS=ON -DTUNESMITH_WERROR=ON \
	  -DTUNESMITH_SANITIZE=ON -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS='-O1 -g1'

cpp-test: build/cpp-sanitize/build.ninja
	$(BIN)/cmake --build build/cpp-sanitize
	build/cpp-sanitize/core_tests

python-test: $(VENV)/.installed $(VENV)/.dev
	$(BIN)/python -m pytest -n auto --dist loadfile

test: build lint types cpp-test python-test

bench: $(VENV)/.installed $(VENV)/.dev
	@set -e; for bench in $(sort $(wildcard benchmarks/speed_*.py benchmarks/quality_*.py)); do $(BIN)/python $$bench; done

format: $(VENV)/.dev
	$(BIN)/ruff format -q .
	$(BIN)/ruff check -q --fix .
	$(BIN)/ruff format -q .
	$(BIN)/clang-format -i $(cpp_files)

clean:
	rm -rf build dist demo $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis src/tunesmith/_core.pyi

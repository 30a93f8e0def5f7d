# Everything runs from a fresh clone with Python 3.11 or newer and make; .venv is made on demand.
#   make demo     capture, export and check a digit classifier on real scans
#   make test     the tests            make check   ruff and mypy
#   make fuzz     the slow tests       make bench   the benchmarks
#   make docs     the documentation as a site, warnings are errors
#   make report   docs/benchmarks.md
#   make format   rewrite the sources  make notebooks   store fresh outputs   make clean
# Another interpreter: make PYTHON=python3.13 test

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed-with-$(notdir $(PYTHON))

.PHONY: demo test check docs docs-outputs format notebooks fuzz bench report clean venv
.DEFAULT_GOAL := test

venv: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'graph-capture needs Python 3.11 or newer; choose one with make PYTHON=...' >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

demo: $(STAMP)
	$(BIN)/python -m examples.digits

# The benchmarks compare times, so they run alone (`make bench`), never beside other tests.
test: $(STAMP)
	$(BIN)/python -m pytest -n auto --maxprocesses 8 --ignore=tests/benchmarks

fuzz: $(STAMP)
	$(BIN)/python -m pytest -n auto --maxprocesses 8 --ignore=tests/benchmarks -m slow \
	  --hypothesis-profile=fuzz

bench: $(STAMP)
	$(BIN)/python -m pytest tests/benchmarks

# Takes ten minutes and 20 GB of disk, for 3 GiB of weights.
report: $(STAMP)
	$(BIN)/python -m tests.benchmarks.report

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Stores fresh outputs in the notebooks; `make test` fails while they are stale.
notebooks: $(STAMP)
	$(BIN)/python -m tests.test_examples

docs: $(STAMP)
	$(BIN)/python -m sphinx -W --keep-going -q docs build/docs
	@echo "open build/docs/index.html"

# Stores what the code in the pages prints; `make test` fails while that is stale.
docs-outputs: $(STAMP)
	$(BIN)/python -m tests.doc_pages
	$(BIN)/python -m tests.test_error_docs

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks

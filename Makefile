# Every target makes what it needs on a machine that has python3 (3.11 or newer) and make;
# a second run reuses it. PYTHON=... chooses another interpreter, CHROMIUM=... another browser.
PYTHON ?= python3
CHROMIUM ?= /usr/bin/chromium
export CHROMIUM
WORKERS ?= 2
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

export PIP_DISABLE_PIP_VERSION_CHECK := 1
unexport PYTHONDONTWRITEBYTECODE # what is not compiled slows every start of every process
MAKEFLAGS += --jobs=2 # the browser comes while the packages do

.DEFAULT_GOAL := help
.PHONY: help demo test lint style types bench docs docs-check lock chromium clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(INSTALLED) ## predict a drifting, corrupted stream; write a table and an HTML report
	$(BIN)/driftlaw demo

test: lint chromium ## lint, then every test and every example of the docstrings
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

lint: style types ## style, types and the direction of imports

style: $(INSTALLED)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports

types: $(INSTALLED)
	$(BIN)/mypy --num-workers $(WORKERS)

bench: $(INSTALLED) ## time the kernels against references; table here, JSON in results/
	$(BIN)/python -m pytest benchmarks -q -o python_files='bench_*.py' --ratios-json results/bench.json

docs: $(INSTALLED) ## the static site in results/site; a broken link is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict --site-dir results/site

docs-check: $(INSTALLED) ## only the tests of documents: links, labels, examples
	$(BIN)/python -m pytest tests/test_docs.py

lock: ## resolve the dependencies of pyproject.toml anew into requirements.lock
	$(PYTHON) -m venv .cache/lock
	.cache/lock/bin/pip install --quiet uv
	.cache/lock/bin/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate \
	    --upgrade --python-version 3.11 --extra dev pyproject.toml --output-file requirements.lock

chromium: ## the browser of the report's tests (installed with apt-get when missing and root)
	@test -x "$(CHROMIUM)" || .ci/install-chromium

clean: ## remove everything that make and the tests have made
	rm -rf $(VENV) .cache .coverage .hypothesis .import_linter_cache .mypy_cache .pytest_cache \
	    .ruff_cache dist results driftlaw-demo*
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(INSTALLED): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo "driftlaw needs Python 3.11 or newer; try make PYTHON=python3.12" >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	awk '/^[a-z]/ { ours = /^uv==/ } ours' requirements.lock > $(VENV)/uv.lock
	$(BIN)/python -m pip install --quiet --no-deps --require-hashes --requirement $(VENV)/uv.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --require-hashes \
	    --requirement requirements.lock \
	    || $(BIN)/python -m pip install --quiet --no-deps --require-hashes --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

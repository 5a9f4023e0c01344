# `make run` and `make test` need Python 3.11 or newer and make, nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=

.DEFAULT_GOAL := help

.PHONY: help run test test-fast soak lint format types arrows docs wheel clean

help: ## Show what there is to make
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

run: $(VENV)/.run ## Play a whole league over MCP and show who won; ARGS="--players 6" and the like are passed on
	@$(BIN)/league run $(ARGS)

test: $(VENV)/.dev lint types arrows ## Check lint, formatting, types and import arrows, then run every test
	$(BIN)/pytest -n auto --dist loadgroup --cov --cov-report=term $(ARGS)

test-fast: $(VENV)/.dev ## Run the tests that start no processes
	$(BIN)/pytest -n auto -m "not end_to_end" $(ARGS)

soak: $(VENV)/.dev ## Kill leagues 200 times and send 10,000 malformed calls: nothing may be lost, doubled or misattributed
	$(BIN)/python -m tests.soak
	LEAGUE_SOAK=1 $(BIN)/pytest -q -n auto -k "fuzz or model" $(ARGS)

lint: $(VENV)/.dev ## Check style and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(VENV)/.dev ## Put the code into the one format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(VENV)/.dev ## Check types, strictly
	$(BIN)/pyright --pythonpath $(BIN)/python

arrows: $(VENV)/.dev ## Check who may import whom
	$(BIN)/lint-imports

docs: $(VENV)/.dev ## Write the generated pages anew
	$(BIN)/python -m docs.generate

wheel: $(VENV)/.dev ## Build the wheel and the source archive into dist/
	$(BIN)/python -m build --no-isolation

clean: ## Remove the environment and everything that was built
	rm -rf $(VENV) dist build .coverage .coverage.* .pytest_cache .ruff_cache .hypothesis .import_linter_cache

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or newer is needed; $(PYTHON) is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.run: $(VENV)/.python requirements/run.txt requirements/build.txt pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements/run.txt -r requirements/build.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements/dev.txt
	@touch $@

# `make run` and `make test` need Python 3.11 or newer and make, nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=
# Agents are processes: each of them would compile the whole of this anew.
unexport PYTHONDONTWRITEBYTECODE
# How many tests run at a time: more than there are cores, since many of them wait for something.
PYTEST_WORKERS ?= 4
PYTEST := $(BIN)/pytest -n $(PYTEST_WORKERS) --dist loadgroup
PYTEST_BENCH := $(BIN)/pytest -p pytest_benchmark.plugin

.DEFAULT_GOAL := help

.PHONY: help run test every-test slow-test test-fast coverage bench soak class screenshots lint format types arrows docs requirements site wheel sbom mcpb clean

help: ## Show what there is to make
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

run: $(VENV)/.run ## Play a whole league over MCP and show who won; ARGS="--players 6" and the like are passed on
	@$(BIN)/league run $(ARGS)

test: $(VENV)/.dev lint ## Check lint, formatting, types and import arrows, and run the tests but the slow ones
	@$(MAKE) --no-print-directory -j 3 types arrows every-test

every-test: $(VENV)/.dev
	$(PYTEST) -m "not slow" $(ARGS)

slow-test: $(VENV)/.slow ## Run the tests that take long: browser, MCP hosts, a short soak
	$(PYTEST) -m slow $(ARGS)

test-fast: $(VENV)/.dev ## Run the tests that start no processes
	$(PYTEST) -m "not end_to_end and not slow" $(ARGS)

coverage: $(VENV)/.dev ## Measure what those tests reach: 95 % of all branches, 100 % in domain and protocol
	$(PYTEST) -m "not end_to_end" --cov --cov-report=term $(ARGS)
	$(BIN)/coverage report --include="league_sdk/domain/*,league_sdk/protocol/*" --fail-under=100

bench: $(VENV)/.dev ## Measure hot paths and whole leagues, and write the tables of docs/performance.md; takes ten minutes
	$(PYTEST_BENCH) tests/benchmarks --benchmark-only --benchmark-json=.benchmark.json $(ARGS)
	$(BIN)/league bench --json > .bench.json
	$(BIN)/python -m docs.measurements.performance .bench.json .benchmark.json

soak: $(VENV)/.dev ## Kill leagues 200 times, play 100 with hostile players and referees, and 20 with a hosted one, send 10,000 malformed calls: nothing may be lost, doubled or misattributed
	$(BIN)/python -m tests.soak
	$(BIN)/python -m tests.soak.hostile
	$(BIN)/python -m tests.soak.hosted
	$(BIN)/python -m tests.soak.any_length
	LEAGUE_SOAK=1 $(PYTEST) -q -m hypothesis $(ARGS)
	LEAGUE_SOAK=1 $(PYTEST) -q -m slow tests/end_to_end/test_networks.py tests/end_to_end/test_ray_networks.py tests/end_to_end/test_two_managers.py $(ARGS)
	LEAGUE_SOAK=1 $(PYTEST) -q -m "not hypothesis" tests/faults/test_players.py tests/security/test_fuzz.py tests/league_sdk/audit $(ARGS)

class: $(VENV)/.dev ## Play leagues in which players crash, hang, are late and answer nonsense, a class of 24 among them; print their times and grades
	$(BIN)/pytest -q -s -m slow tests/end_to_end/test_gone_and_silent.py $(ARGS)

screenshots: $(VENV)/.dev ## Take pictures of the live page at every size into build/screenshots, and those of the README
	@$(BIN)/python -m docs.images.terminal_picture
	@$(BIN)/python -m tests.servers.ui.web.screenshots

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
	$(BIN)/python -m docs.generators

requirements: $(VENV)/.dev ## Write docs/requirements.md: each requirement, and the test that shows it
	$(BIN)/python -m docs.generators requirements

site: $(VENV)/.dev ## Build the documentation site into build/site; open build/site/index.html
	@$(BIN)/python -m docs.site.build build

wheel: $(VENV)/.dev ## Build the wheel and the source archive into dist/
	$(BIN)/python -m build --no-isolation

sbom: wheel ## Write what the image's environment holds into build/sbom.json, as CycloneDX, with licences
	$(PYTHON) -m venv --clear build/image
	build/image/bin/pip install --quiet --disable-pip-version-check --no-deps -r requirements/run.txt -r requirements/image.txt dist/*.whl
	build/image/bin/pip uninstall --quiet --yes setuptools pip
	$(PYTHON) -m venv --clear build/sbom
	build/sbom/bin/pip install --quiet --disable-pip-version-check --no-deps -r requirements/sbom.txt
	build/sbom/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible -o build/sbom.json build/image

mcpb: $(VENV)/.dev ## Build the bundle with which desktop hosts install a seat into dist/; needs Node.js
	@$(BIN)/python mcpb/build.py

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

$(VENV)/.slow: $(VENV)/.dev requirements/slow.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements/slow.txt
	@touch $@

# Two commands for a newcomer: `make demo` and `make test`. Both set everything up first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2

.PHONY: demo test test-all bench lint setup setup-dev clean

setup: $(VENV)/.core
setup-dev: $(VENV)/.dev

$(VENV)/bin/pip:
	$(PYTHON) -m venv $(VENV) || (apt-get update -qq && apt-get install -y -qq python3-venv && $(PYTHON) -m venv $(VENV))

$(VENV)/.core: $(VENV)/bin/pip pyproject.toml
	$(BIN)/pip install -q --disable-pip-version-check -e .
	@touch $@

$(VENV)/.dev: $(VENV)/bin/pip pyproject.toml
	$(BIN)/pip install -q --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/.core

demo: setup
	@PATH="$(CURDIR)/$(BIN):$$PATH" bash examples/demo.sh

test: setup-dev
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -n $(JOBS) --dist worksteal -m "not slow"

test-all: setup-dev
	$(BIN)/pytest -n $(JOBS) --dist worksteal

bench: setup-dev
	$(BIN)/python -m bench

lint: setup-dev
	$(BIN)/ruff check .
	$(BIN)/mypy

clean:
	rm -rf $(VENV) build dist src/*.egg-info

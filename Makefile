# make demo: trees for the text in examples/, and a page of them
# make test: everything that CI checks
# make fuzz MINUTES=60 INPUTS=100000: made-up inputs, for so long and so many of each kind at least
# make wheel: a wheel for this platform, with compiled kernels, and a check that it compiles nothing
# All make their own virtual environment and need nothing but Python 3.11 or later.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: help demo test lint fuzz wheel clean

help:
	@sed -n 's/^# //p' Makefile

.venv/core: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

.venv/installed: .venv/core
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

demo: .venv/core
	$(BIN)/python -m headway.cli.demo

wheel: .venv/installed
	rm -rf dist
	$(BIN)/python tools/build_wheel.py
	HEADWAY_WHEEL=$$(ls dist/headway-*.whl) $(BIN)/pytest -q -p no:xdist tests/kernel/test_wheel.py

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/check_imports.py
	$(BIN)/python tools/check_writes.py
	$(BIN)/python tools/check_words.py

# Kernels are compiled with bounds checks, into a folder of their own, and optimised lightly: that compiles faster.
test: lint
	HEADWAY_KERNELS=checked NUMBA_OPT=1 HEADWAY_CACHE=$(CURDIR)/.venv/kernels-checked $(BIN)/pytest -q -n 2 --dist loadscope

# What goes wrong is kept in fuzz/corpus, and so is tested from then on.
MINUTES ?= 5
INPUTS ?= 1000
fuzz: .venv/installed
	$(BIN)/python -m fuzz --minutes $(MINUTES) --inputs $(INPUTS) --output .venv/fuzz.json

clean:
	rm -rf .venv dist build

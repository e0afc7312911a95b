# make demo: trees for the text in examples/, and a page of them; make test: everything that CI checks.
# Both make their own virtual environment and need nothing but Python 3.11 or later.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: help demo test lint clean

help:
	@sed -n 's/^# //p' Makefile

.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

demo: .venv/installed
	$(BIN)/python -m headway.cli.demo

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/check_imports.py

# Kernels are compiled with bounds checks, into a folder of their own, and optimised lightly: that compiles faster.
test: lint
	HEADWAY_KERNELS=checked NUMBA_OPT=1 NUMBA_CACHE_DIR=$(CURDIR)/.venv/kernels-checked $(BIN)/pytest -q -n 2 --dist loadscope

clean:
	rm -rf .venv dist build

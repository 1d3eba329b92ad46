# Every target sets up what it needs; nothing but make and Python 3.11 or 3.12 has to be there.

VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help setup demo test nightly lint docs bench clean

help:
	@echo "make demo     split a real detector, run the parts, compare with the whole"
	@echo "make test     every check and test of a change"
	@echo "make nightly  the slow tests"
	@echo "make lint     ruff and the type checker only"
	@echo "make docs     write the generated pages of docs/"
	@echo "make bench    times against the budgets"
	@echo "make clean    remove what the other targets made"

$(READY): pyproject.toml constraints.txt .ci/setup
	@.ci/setup $(VENV)
	@touch $@

setup: $(READY)

demo: $(READY)
	@$(BIN)/python -m autosplit.testing.demo

test: $(READY)
	@$(BIN)/python .ci/check.py

nightly: $(READY)
	@$(BIN)/python .ci/check.py --nightly

lint: $(READY)
	@$(BIN)/python .ci/check.py --only lint --only format --only types

docs: $(READY)
	@$(BIN)/python -m autosplit.tools.docs

bench: $(READY)
	@set -e; for file in benchmarks/bench_*.py; do echo "== $$file"; $(BIN)/python $$file; done

clean:
	rm -rf $(VENV) build demo-out .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

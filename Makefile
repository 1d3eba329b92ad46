# Every target sets up what it needs; nothing but make and Python 3.11 or 3.12 has to be there.

VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# What the demo does without, and the tests run too.
ALL := $(VENV)/.all
FRAMEWORKS := mxnet,caffe,torch,cluster

.DEFAULT_GOAL := help
.PHONY: help setup demo test nightly lint docs bench probe clean

help:
	@echo "make demo     split a real detector, compile it, run it on the emulator, compare with the whole"
	@echo "make test     every check and test of a change"
	@echo "make nightly  the slow tests"
	@echo "make lint     ruff and the type checker only"
	@echo "make docs     write the generated pages of docs/"
	@echo "make bench    times against the budgets"
	@echo "make probe    try every op on every chip's emulator and record what came out (hours)"
	@echo "make clean    remove what the other targets made"

$(READY): pyproject.toml constraints.txt .ci/setup
	@.ci/setup $(VENV)
	@touch $@

$(ALL): $(READY)
	@.ci/setup $(VENV) $(FRAMEWORKS)
	@touch $@

setup: $(ALL)

demo: $(READY)
	@$(BIN)/python -m autosplit.testing.demo

test: $(ALL)
	@$(BIN)/python .ci/check.py

nightly: $(ALL)
	@$(BIN)/python .ci/check.py --nightly

lint: $(ALL)
	@$(BIN)/python .ci/check.py --only lint --only format --only types

docs: $(ALL)
	@$(BIN)/python -m autosplit.tools.generate.pages

bench: $(READY)
	@set -e; for file in benchmarks/bench_*.py; do echo "== $$file"; $(BIN)/python $$file; done

probe: $(READY)
	@set -e; for run in "bm1684 F32" "bm1684 INT8" "bm1684x F32" "bm1684x F16" "bm1684x BF16" "bm1684x INT8" \
		"bm1688 F32" "bm1688 F16" "bm1688 BF16" "bm1688 INT8"; do set -- $$run; \
		$(BIN)/autosplit probe --target $$1 --mode $$2 --write python/autosplit/devices/probes/$$1.json; done
	@set -e; for chip in bm1684 bm1684x bm1688; do \
		$(BIN)/autosplit probe --dynamic --target $$chip --write python/autosplit/devices/probes/$$chip.json; done
	@set -e; for run in "bm1684 F32" "bm1684 INT8" "bm1684x F32" "bm1684x F16" "bm1684x INT8" \
		"bm1688 F32" "bm1688 F16" "bm1688 BF16" "bm1688 INT8"; do set -- $$run; \
		$(BIN)/autosplit probe --large --target $$1 --mode $$2 --write python/autosplit/devices/probes/$$1.json; done
	@$(BIN)/python benchmarks/bench_forms.py --check

clean:
	rm -rf $(VENV) build demo-out .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

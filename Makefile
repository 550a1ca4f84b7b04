# The two commands of the README, and what else a working day needs.
# Everything installs what it needs: cargo fetches crates, Python packages go to .venv.

EXPERIMENT ?= experiments/latency-by-data-plane
VENV := .venv
PYTHON := $(VENV)/bin/python

.PHONY: run test lint unit experiments notebooks bench docs clean-output

run: ## simulate one experiment (EXPERIMENT=…) and draw its plots
	cargo run --release -- run $(EXPERIMENT)

test: lint unit experiments notebooks ## everything that must hold, as CI runs it

lint: ## format, lints as errors, documentation without warnings
	cargo fmt --check
	cargo clippy --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --document-private-items

unit: ## unit, integration and documentation tests
	cargo test

experiments: ## every experiment, shortened, with its expectations
	cargo run --release -- run --quick --output target/experiments experiments/*/

notebooks: $(VENV)/installed experiments ## execute every notebook on what the experiments wrote
	MESHSIM_OUTPUT=$(CURDIR)/target/experiments $(PYTHON) notebooks/execute.py

$(VENV)/installed: notebooks/requirements.txt
	python3 -m venv $(VENV)
	$(PYTHON) -m pip install --quiet --disable-pip-version-check -r $<
	touch $@

bench: ## events per second, as ratios to hand-written loops in the same run
	cargo bench

docs: ## API documentation in target/doc
	cargo doc --no-deps

clean-output: ## forget results
	git clean -fdxq output

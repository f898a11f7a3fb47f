# Needs python3 (3.11 or newer), pip and make; everything else is installed into .venv.
PYTHON  ?= python3
JOBS    ?= 2
LABARGS ?=
NB      ?=
SHIFTS  ?= 1 2 3
N       ?= 300
SEED    ?= 0

BIN       := .venv/bin
PIP       ?= $(BIN)/python -m pip
# What is imported is compiled then; compiling all of it here takes half a minute.
PIP_FLAGS := --disable-pip-version-check --quiet --no-compile --constraint constraints.txt
NBVAL     := --nbval --nbval-current-env --nbval-cell-timeout=600
NOTEBOOKS := $(wildcard notebooks/*.ipynb notebooks/*/*.ipynb)
BENCHES   := $(sort $(wildcard benchmarks/*.py))
CHROMIUM  := $(shell command -v chromium || command -v chromium-browser || command -v google-chrome)

.DEFAULT_GOAL := help
.PHONY: help lab test test-thorough test-seeds test-processors mutants lint lint-workflows notebooks slides site site-test drive bench test-oldest clean

help:
	@echo "make lab          open your own copies of the lessons in JupyterLab (LABARGS=--allow-root if you are root)"
	@echo "make test         lint, tests, and every notebook against its stored outputs (JOBS=4: four processes)"
	@echo "make test-thorough"
	@echo "                  all tests, also the slow ones that repeat what quicker tests say"
	@echo "make lint         ruff, mypy and codespell"
	@echo "make lint-workflows"
	@echo "                  actionlint on .github/workflows (its package downloads a program from GitHub)"
	@echo "make notebooks    execute the notebooks in place (NB=notebooks/02_….ipynb: this one)"
	@echo "make slides       a deck of slides per lesson, in build/slides (NB=notebooks/02_….ipynb: this one)"
	@echo "make site         the course as static pages, in site (JOBS=4: four processes)"
	@echo "make site-test    every page of the site in Chromium (minutes)"
	@echo "make drive        every panel and notebook in JupyterLab in Chromium (minutes)"
	@echo "make bench        the speed claims, as ratios"
	@echo "make test-seeds   tests and notebooks with every seed shifted, three times (SHIFTS='4 5 6')"
	@echo "make test-processors"
	@echo "                  tests and notebooks with the arithmetic of other processors (an hour)"
	@echo "make test-oldest  the tests on the oldest versions that pyproject.toml allows"
	@echo "make mutants      plant small faults, and list those that no test sees (N=300 SEED=0; hours)"
	@echo "make clean        remove environments and caches"

lab: .venv/.ok
	@$(BIN)/python tools/open_lab.py $(LABARGS)

# Tests and notebooks start many processes; where nothing compiled may be kept, each compiles everything again (seconds).
unexport PYTHONDONTWRITEBYTECODE

# The matrix products of the tests are small: two BLAS threads gain nothing, and stall when anything else runs.
test test-thorough test-seeds notebooks site site-test test-oldest mutants: export OPENBLAS_NUM_THREADS = 1

test: lint $(if $(CHROMIUM),.venv/.browser-ok)
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal
ifneq ($(NOTEBOOKS),)
	$(BIN)/python -m pytest -q -n $(JOBS) --dist loadscope $(NBVAL) $(NOTEBOOKS)
else
	@echo "There are no notebooks to test."
endif
ifeq ($(CHROMIUM),)
	@echo "Chromium is not installed: no notebook was driven in a browser."
endif

test-thorough: .venv/.ok
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal --thorough

test-seeds: .venv/.ok
	@$(foreach shift,$(SHIFTS),echo "== every seed s is [s, $(shift)]"; \
	  $(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal --thorough --seed-shift $(shift) --ignore tests/browser && \
	  $(BIN)/python -m pytest -q -n $(JOBS) --dist loadscope --seed-shift $(shift) $(NBVAL) $(NOTEBOOKS) || exit 1;)

test-processors: .venv/.ok
	$(BIN)/python tools/robustness/processors.py --jobs $(JOBS)

# Cosmic Ray changes files in place, so it works in a clone of the last commit.
mutants: export PATH := $(CURDIR)/$(BIN):$(PATH)
mutants: export PYTHONPATH := $(CURDIR)/build/mutants
mutants: .venv/.mutants-ok
	rm -rf build/mutants && git clone --quiet . build/mutants
	cd build/mutants && cosmic-ray init tools/cosmic-ray.toml session.sqlite
	cd build/mutants && cr-filter-operators session.sqlite tools/cosmic-ray.toml
	$(BIN)/python tools/sample_mutants.py build/mutants/session.sqlite $(N) $(SEED)
	cd build/mutants && cosmic-ray baseline tools/cosmic-ray.toml
	cd build/mutants && cosmic-ray exec tools/cosmic-ray.toml session.sqlite
	cr-report --surviving-only --show-diff build/mutants/session.sqlite

lint: .venv/.ok
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/codespell

lint-workflows: .venv/.workflows-ok
	$(BIN)/actionlint

notebooks: .venv/.ok
	$(BIN)/python tools/notebooks.py $(NB)

slides: .venv/.slides-ok
	$(BIN)/python tools/slides.py $(NB)

site: .venv/.site-ok
	$(BIN)/python tools/course_site.py --jobs $(JOBS)

site-test: .venv/.browser-ok site
	SITE=1 $(BIN)/python -m pytest -q tests/test_site_frames.py tests/browser/test_site.py

drive: .venv/.browser-ok
	DRIVE=1 $(BIN)/python -m pytest -q tests/browser tests/course/panels/test_lecture.py

bench: .venv/.ok
	@$(foreach script,$(BENCHES),echo "== $(script)"; $(BIN)/python $(script) || exit 1;)

test-oldest: .venv-oldest/.ok
	.venv-oldest/bin/python -m pytest -q --thorough --ignore tests/notebooks --ignore tests/browser

clean:
	rm -rf .venv .venv-oldest build site jupyter_execute dist *.egg-info .pytest_cache .ruff_cache .mypy_cache
	find . -name __pycache__ -prune -exec rm -rf {} +

define make_venv
	@test -w . || { echo "`pwd` cannot be written: copy the course to a folder of your own, and start there."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "anneal_edu needs Python 3.11 or newer; '$(PYTHON)' is" `$(PYTHON) --version 2>&1`; \
	  echo "If another one is installed, name it: make lab PYTHON=python3.12"; exit 1; }
	@test -x $(1)/bin/python || $(PYTHON) -m venv $(1) || { \
	  echo "$(PYTHON) cannot create a virtual environment."; \
	  echo "On Debian and Ubuntu, install the package python3-venv: apt-get install python3-venv"; \
	  rm -rf $(1); exit 1; }
endef

.venv/.ok: pyproject.toml constraints.txt tools/lab_settings/jupyter_config.json
	$(call make_venv,.venv)
	@echo "Installing into .venv (about a minute, only this once)"
	@$(PIP) install $(PIP_FLAGS) --editable ".[lab,test]"
	@mkdir -p .venv/etc/jupyter && cp tools/lab_settings/jupyter_config.json .venv/etc/jupyter/
	@touch $@

.venv/.browser-ok: .venv/.ok
	@$(PIP) install $(PIP_FLAGS) --editable ".[browser,slides,site]"
	@touch $@

.venv/.slides-ok: .venv/.ok
	@$(PIP) install $(PIP_FLAGS) --editable ".[slides]"
	@touch $@

.venv/.site-ok: .venv/.ok
	@$(PIP) install $(PIP_FLAGS) --editable ".[site]"
	@touch $@

.venv/.mutants-ok: .venv/.ok
	@$(PIP) install $(PIP_FLAGS) --editable ".[mutants]"
	@touch $@

.venv/.workflows-ok: .venv/.ok
	@$(PIP) install $(PIP_FLAGS) --editable ".[workflows]"
	@touch $@

# Exists for Python 3.11 and 3.12 only: the oldest numpy has no wheels for newer ones.
.venv-oldest/.ok: pyproject.toml tools/lower_bounds.py
	$(call make_venv,.venv-oldest)
	@$(PYTHON) tools/lower_bounds.py > .venv-oldest/lower-bounds.txt
	@.venv-oldest/bin/python -m pip install --quiet --constraint .venv-oldest/lower-bounds.txt --editable ".[lab,test]"
	@touch $@

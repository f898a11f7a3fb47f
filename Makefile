# Needs python3 (3.11 or newer), pip and make; everything else is installed into .venv.
PYTHON  ?= python3
LABARGS ?=
NB      ?=

BIN    := .venv/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet

.DEFAULT_GOAL := help
.PHONY: help lab test lint notebooks bench test-oldest clean

help:
	@echo "make lab          open the course in JupyterLab (LABARGS=--allow-root if you are root)"
	@echo "make test         lint, tests, and every notebook compared with its stored outputs"
	@echo "make lint         ruff only"
	@echo "make notebooks    execute the notebooks in place (NB=notebooks/02_….ipynb for one alone)"
	@echo "make bench        the speed claims, as ratios"
	@echo "make test-oldest  the tests again, on the oldest versions that pyproject.toml allows"
	@echo "make clean        remove the environments and caches"

define check_python
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "anneal_edu needs Python 3.11 or newer; '$(PYTHON)' is" `$(PYTHON) --version 2>&1`; \
	  echo "If another one is installed, name it: make lab PYTHON=python3.12"; exit 1; }
endef

define no_venv_message
{ echo "$(PYTHON) cannot create a virtual environment."; \
  echo "On Debian and Ubuntu: apt-get install python3-venv"; rm -rf $(1); exit 1; }
endef

.venv/.ok: pyproject.toml constraints.txt
	$(check_python)
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv || $(call no_venv_message,.venv)
	@echo "Installing into .venv (the first time takes about a minute)"
	@$(PIP) install --constraint constraints.txt --editable ".[lab,test]"
	@touch $@

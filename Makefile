# make run | test | install | check work on a fresh machine with Python and make.
# `make run ARGS="--port 9000"` passes options on to `bluestone up`, `make chaos ARGS="--times 50"` to tests.chaos,
# `make lab ARGS="abuse --seconds 10"` to lab.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	  $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
# uv installs in seconds what takes pip most of a minute; pip is the fallback.
UV := $(shell command -v uv || echo $(BIN)/uv)
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
RUNTIME := $(VENV)/.runtime-installed
DEV := $(VENV)/.dev-installed
# Many tests wait for other processes, so one worker more than processors keeps these busy.
WORKERS := $(shell n=$$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN) && echo $$((n + 1)))
SPREAD := -n $(WORKERS) --maxprocesses 4 --dist loadgroup
PATIENT := --timeout 600 -o faulthandler_timeout=540

export PIP_PROGRESS_BAR := off
# Without bytecode, each of the many programs that the tests start would compile all modules again.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help install run test nightly coverage chaos lab mutants older upgrade dist dist-check audit site pictures rooms api \
  hashes bundle check format warm clean
.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(RUNTIME) ## create .venv with the bluestone command

# A clone compiles the engine for browsers too, after what the server needs; until then the page asks the server.
run: $(RUNTIME) ## start the arena and ten bots, and print the address to play at
	@mkdir -p build
	@{ $(BIN)/bluestone warm && nice -n 19 $(BIN)/python -m tools.ahead --page; } > build/page-engine.log 2>&1 & \
	exec $(BIN)/bluestone up $(ARGS)

test: $(DEV) check ## install what the tests need, and run all checks and tests
	@sh tools/install_chromium.sh
	@$(BIN)/bluestone warm
	$(BIN)/python -m tests.second_try $(SPREAD) $(ARGS)

nightly: $(DEV) ## run the tests that take minutes: documented commands in a fresh Debian, faults, whole matrices
	@sh tools/install_chromium.sh
	@$(BIN)/bluestone warm
	$(BIN)/pytest -m nightly --ignore tests/nightly $(SPREAD) $(PATIENT) $(ARGS); status=$$?; \
	$(BIN)/pytest -m nightly tests/nightly -o faulthandler_timeout=2400 $(ARGS) && exit $$status

coverage: $(DEV) ## run the tests, and report covered lines and branches in build/coverage/html
	@sh tools/install_chromium.sh
	@$(BIN)/bluestone warm
	@rm -rf build/coverage && mkdir -p build/coverage
	$(BIN)/coverage run -m pytest $(PATIENT) $(SPREAD) $(ARGS)
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest $(PATIENT) $(SPREAD) -m "uncompiled and not nightly"
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage html --quiet
	$(BIN)/coverage report

chaos: $(DEV) ## inject faults into the real programs and report what is lost
	@$(BIN)/bluestone warm
	$(BIN)/python -m tests.chaos $(ARGS)

lab: $(DEV) ## list the measurements for developers, or run one
	@$(BIN)/bluestone warm
	@$(BIN)/python -m lab $(ARGS)

mutants: $(DEV) ## put bugs into copies of the sources and report which tests notice
	@$(BIN)/bluestone warm
	$(BIN)/python -m tests.mutants $(ARGS)

older: ## build the engine of an older COMMIT=..., and print the command that starts it
	@MAKE="$(MAKE)" sh tools/older_engine.sh "$(COMMIT)"

upgrade: $(DEV) ## let arena and bot of an older COMMIT=... be updated to these while games run
	@$(BIN)/bluestone warm
	@MAKE="$(MAKE)" $(BIN)/python -m tests.release.upgrade "$(COMMIT)"

dist: $(DEV) ## build the wheels, the source archive and a package for JavaScript in build/dist
	$(BIN)/python -m tools.dist $(ARGS)

dist-check: $(DEV) ## build them, and play outside the checkout on each Python of this machine
	$(BIN)/python -m tools.dist --check $(ARGS)

audit: $(DEV) ## compare the packages of constraints.txt with stored advisories
	$(BIN)/python -m tools.audit $(ARGS)

site: $(DEV) ## build the documentation site in build/site, and check its links
	@$(BIN)/python -m tools.site

pictures: $(DEV) ## retake the pictures of the page in docs/images
	@sh tools/install_chromium.sh
	@$(BIN)/bluestone warm
	$(BIN)/python -m tools.pictures $(ARGS)

rooms: $(DEV) ## draw the picture of the architecture page from the sources
	$(BIN)/python -m tools.rooms

api: $(DEV) ## write the reference of the engine's API from its docstrings
	$(BIN)/python -m tools.engine_api

hashes: $(DEV) ## write the hashes of uv, and of the packages that the container image installs
	@echo uv | $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-annotate --upgrade - -o requirements-uv-hashed.txt
	@$(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-annotate --upgrade --extra distributed -c constraints.txt pyproject.toml -o requirements-hashed.txt
	@printf 'hatchling\nnumba\n' | $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --no-header --no-annotate --upgrade -c constraints.txt - -o requirements-compile-hashed.txt
	@printf 'pyelftools\nziglang\n' | $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --no-header --no-annotate --upgrade -c constraints.txt - -o requirements-dist-hashed.txt
	@printf 'psycopg[binary]\nvalkey\n' | $(UV) pip compile --quiet --universal --python-version 3.11 \
	  --generate-hashes --no-header --no-annotate --upgrade -c constraints.txt - -o requirements-cluster-hashed.txt

bundle: $(DEV) ## bundle the scripts of the page into one
	$(BIN)/python -m tools.bundle

check: $(DEV) ## check format, lint, types, imports and the page's scripts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	sh tools/check_scripts.sh $(BIN)/deno

format: $(DEV) ## format the sources
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	@! $(BIN)/deno --version >/dev/null 2>&1 || DENO_NO_UPDATE_CHECK=1 $(BIN)/deno fmt --quiet

warm: $(RUNTIME) ## compile the engine's kernels
	$(BIN)/bluestone warm

clean: ## remove the environment and build files; games under var/ stay
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .deno_cache .hypothesis *.egg-info

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Bluestone needs Python 3.11 or newer; none was found on PATH." >&2; exit 1; }
	@echo "Making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv --without-pip $(VENV) && { \
	  test -x "$(UV)" || \
	  $(PYTHON) -m pip --disable-pip-version-check --python $@ install --quiet --require-hashes --only-binary :all: \
	    -r requirements-uv-hashed.txt 2>/dev/null || \
	  $(PYTHON) -m venv $(VENV) 2>/dev/null || \
	  $(PYTHON) -m pip --python $@ install --quiet pip; } || { \
	  rm -rf $(VENV); \
	  echo "$(PYTHON) cannot create a virtual environment; on Debian: apt-get install python3-venv" >&2; exit 1; }

# $(1): what to install. pip is included for users who install more by hand.
define install
	@{ test -x "$(UV)" && \
	  $(UV) pip install --quiet --python $(BIN)/python --compile-bytecode -c constraints.txt pip $(1); } || \
	{ $(PIP) --version >/dev/null 2>&1 || $(PYTHON) -m venv --upgrade-deps $(VENV); \
	  $(PIP) install -c constraints.txt $(1); }
endef

$(RUNTIME): pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing Bluestone and what it needs"
	$(call install,-e '.[compile]')
	@touch $@

$(DEV): $(RUNTIME)
	@echo "Installing what the tests need"
	$(call install,-e '.[dev]')
	@touch $@

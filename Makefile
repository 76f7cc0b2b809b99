# Every target installs what it lacks (tools/bootstrap, Debian packages) and does nothing twice.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo build python install package test docs docs-check extending bench lint format asan fuzz clean

export JOBS ?= $(shell nproc)
BENCH_ARGS ?=
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60

# $(call configure,preset): quiet unless something is wrong.
configure = cmake --preset $(1) >/dev/null
ctest = ctest --test-dir build/$(1) --output-on-failure --no-tests=error -j $(JOBS)

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## plan a training run on 16,384 H100 and write its report, then build the other verbs
	@tools/bootstrap build
	@$(call configure,release)
	@cmake --build build/release --target trainyard_plan
	@mkdir -p build/demo
	@build/release/trainyard-plan plan scenarios/llama3-405b.toml --report build/demo/report.html
	@echo "The report: $(CURDIR)/build/demo/report.html (open it in a browser). The other verbs are built now."
	@$(MAKE) --no-print-directory build
	@echo "All verbs: build/release/trainyard. The report: $(CURDIR)/build/demo/report.html"

build: ## the program: build/release/trainyard
	@tools/bootstrap build web
	@$(call configure,release)
	@cmake --build build/release --target trainyard

python: ## the module of Python: build/release/python/trainyard
	@tools/bootstrap build python
	@$(call configure,release)
	@cmake --build build/release --target python

install: ## program, library, headers and module of Python into PREFIX (/usr/local)
	@tools/bootstrap build web python
	@$(call configure,release)
	@cmake --build build/release --target trainyard trainyard_pages python
	@cmake --install build/release --prefix "$(PREFIX)" >/dev/null
	@echo "Installed into $(DESTDIR)$(PREFIX)"

package: ## a Debian package of what `make install` installs: build/release/package/*.deb
	@tools/bootstrap build web python package
	@$(call configure,release)
	@cmake --build build/release --target trainyard trainyard_pages python
	@cd build/release && cpack --config CPackConfig.cmake >/dev/null
	@rm -rf build/release/package/_CPack_Packages
	@ls build/release/package/*.deb

test: ## build and run all tests
	@tools/bootstrap web test
	@$(call configure,release)
	@cmake --build build/release
	@$(call ctest,release)

docs: build ## the documentation as a site: build/docs/html/index.html
	@tools/bootstrap docs
	@tools/site build/release/trainyard build/docs

docs-check: build ## run every command of README.md and docs/, those above 30 s too
	@tools/bootstrap test
	@tests/cli/docs_commands.py build/release/trainyard --slow --times

extending: build ## build the examples of docs/extending.md in a copy of the tree, and ask about them
	@tools/bootstrap test
	@tools/check_extending.py build/release/trainyard

asan: ## all tests under the address and undefined-behaviour sanitizers
	@tools/bootstrap test fuzz
	@$(call configure,asan)
	@cmake --build build/asan
	@$(call ctest,asan)

bench: ## build and run the benchmarks (BENCH_ARGS goes to each)
	@tools/bootstrap bench
	@$(call configure,release)
	@cmake --build build/release --target benches
	@for program in build/release/bench/bench_*; do \
	  [[ ! -x $$program ]] || "$$program" $(BENCH_ARGS); \
	done

lint: ## check layout, layers of includes, and clang-tidy
	@tools/bootstrap lint
	@$(call configure,lint)
	@tools/lint

format: ## repair the layout of all C++ files
	@tools/bootstrap lint
	@tools/lint --fix-format

fuzz: ## let every fuzzer search for FUZZ_SECONDS (60), growing build/fuzz/corpus
	@tools/bootstrap fuzz
	@$(call configure,fuzz)
	@cmake --build build/fuzz
	@build/fuzz/fuzz/scenario_words > build/fuzz/trainyard.dict
	@for program in build/fuzz/fuzz/fuzz_*; do \
	  [[ -x $$program && -f $$program ]] || continue; \
	  name="$${program##*/fuzz_}"; \
	  mkdir -p "build/fuzz/corpus/$$name"; \
	  "$$program" -max_total_time=$(FUZZ_SECONDS) -timeout=25 -dict=build/fuzz/trainyard.dict \
	    -artifact_prefix="build/fuzz/$$name-" \
	    "build/fuzz/corpus/$$name" "fuzz/corpus/$$name"; \
	done

clean: ## remove build/
	@rm -rf build

# Gub: every way to build, run and check it. `make help` lists them.
.DEFAULT_GOAL := build
# One goal after the other; Ninja, CTest and the scripts are parallel within.
.NOTPARALLEL:

JOBS ?= $(shell nproc)
ARGS ?=
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
export JOBS FUZZ_SECONDS

CTEST = ctest --output-on-failure --no-tests=error -j $(JOBS)

# What the sanitizers report ends the test. clang 14's fail at start where addresses are more random
# than they expect, so they run without that where the system allows it.
export ASAN_OPTIONS ?= detect_stack_use_after_return=1:check_initialization_order=1:strict_init_order=1
export UBSAN_OPTIONS ?= print_stacktrace=1:halt_on_error=1
export TSAN_OPTIONS ?= halt_on_error=1:second_deadlock_stack=1:suppressions=$(CURDIR)/tools/tsan.supp
STEADY = $(shell setarch -R true 2>/dev/null && echo setarch -R)

.PHONY: help deps deps-run deps-test build run cluster test test-clients test-clients-extra demo lint format asan tsan fuzz bench bench-micro bench-neighbours bench-http bench-store install clean

help: ## Show every target
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## Install every Debian package of tools/packages.txt that is missing
	@tools/deps.sh

deps-run:
	@tools/deps.sh build libraries client

deps-test:
	@tools/deps.sh build libraries client tests

# The first configuration leaves the tests out, so that building and running need no test packages;
# `make test` turns them on for good.
build/build.ninja: CMakePresets.json | deps-run
	cmake --preset release $(if $(wildcard build/CMakeCache.txt),,-DBUILD_TESTING=OFF)
	@touch $@

build/asan/build.ninja build/tsan/build.ninja: build/%/build.ninja: CMakePresets.json | deps
	cmake --preset $*
	@touch $@

build: build/build.ninja ## Build the release server, build/gub-server (the default)
	cmake --build build --target gub-server -j $(JOBS)

run: build ## Build and start the server with conf/gub.conf (ARGS="--port 7400" for more options)
	@exec tools/run.sh $(ARGS)

cluster: build ## Build and start three nodes as one limiter (ARGS="--port 7400" for other ports)
	@exec tools/cluster.sh $(ARGS)

test: deps-test build/build.ninja ## Build all and run every test
	@grep -q '^BUILD_TESTING:BOOL=ON' build/CMakeCache.txt || \
	  cmake --preset release -DBUILD_TESTING=ON
	cmake --build build -j $(JOBS)
	$(CTEST) --test-dir build

test-clients: deps-test build ## Try the Redis clients of Debian and print a table
	@tests/clients/run.py --set debian build/gub-server

test-clients-extra: deps-test build ## The same with the newest clients of other registries
	@tests/clients/run.py --set all build/gub-server

demo: build ## Play README.md's first session against a fresh server and compare
	@tools/demo.sh

lint: deps ## Check layers, file sizes, scripts, formatting and clang-tidy
	@tools/lint.sh

format: deps ## Format all C++ in place
	@tools/format.sh

asan: build/asan/build.ninja ## Run every test under AddressSanitizer and UBSan
	$(STEADY) cmake --build build/asan -j $(JOBS)
	$(STEADY) $(CTEST) --test-dir build/asan

tsan: build/tsan/build.ninja ## Run every test under ThreadSanitizer
	$(STEADY) cmake --build build/tsan -j $(JOBS)
	$(STEADY) $(CTEST) --test-dir build/tsan

fuzz: build/asan/build.ninja ## Run each fuzz target for FUZZ_SECONDS=60 (finds go to build/fuzz)
	$(STEADY) cmake --build build/asan -j $(JOBS)
	$(STEADY) tools/fuzz.sh

bench: deps-test build/build.ninja ## Measure the server beside redis-server, and a cluster (QUICK=1: shorter)
	@grep -q '^BUILD_TESTING:BOOL=ON' build/CMakeCache.txt || \
	  cmake --preset release -DBUILD_TESTING=ON
	cmake --build build --target gub-server load_client limiter_bench -j $(JOBS)
	@tools/bench/bench.py

bench-micro: deps-test build/build.ninja ## Measure each step of a request, and count its instructions
	@grep -q '^BUILD_TESTING:BOOL=ON' build/CMakeCache.txt || \
	  cmake --preset release -DBUILD_TESTING=ON
	cmake --build build --target micro_bench hit_count -j $(JOBS)
	@tools/bench/micro.py

bench-neighbours: deps-test build/build.ninja ## Measure one client's latency beside bad neighbours
	@grep -q '^BUILD_TESTING:BOOL=ON' build/CMakeCache.txt || \
	  cmake --preset release -DBUILD_TESTING=ON
	cmake --build build --target gub-server load_client -j $(JOBS)
	@tools/bench/neighbours.sh

bench-http: deps-test build/build.ninja ## Measure HTTP beside an nginx that answers 204, and beside GUB.HIT
	@grep -q '^BUILD_TESTING:BOOL=ON' build/CMakeCache.txt || \
	  cmake --preset release -DBUILD_TESTING=ON
	cmake --build build --target gub-server load_client -j $(JOBS)
	@tools/bench/http_front.py

bench-store: deps-test build/build.ninja ## Measure the store: bytes, stalls, freeing, threads
	@grep -q '^BUILD_TESTING:BOOL=ON' build/CMakeCache.txt || \
	  cmake --preset release -DBUILD_TESTING=ON
	cmake --build build --target limiter_bench store_report -j $(JOBS)
	@tools/bench/store.sh

install: build ## Install under PREFIX=/usr/local (DESTDIR is honoured)
	cmake --install build --prefix $(PREFIX)

clean: ## Remove everything that was built
	rm -rf build

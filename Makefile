# The few commands a newcomer needs. CMake does the building (CMakePresets.json); this file only chains its steps, and
# installs what is missing first. Everything works as root on a bare Debian 12.
.DEFAULT_GOAL := build
.PHONY: help demo test build bench examples clean install-dependencies build-release build-asan-ubsan

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
LAUNCHER := $(if $(shell command -v ccache 2>/dev/null),-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)

help:
	@echo 'make demo    install what is missing, build, survive every power cut with the digits network'
	@echo 'make test    install what is missing, build twice (release; address and undefined-behaviour sanitizers), test both'
	@echo 'make build   install what is missing, build build/release/bin/metamorph and its emulator (the default)'
	@echo 'make bench   build, run the benchmarks'
	@echo 'make examples build, weave examples/ anew (a test compares them with what weaving gives)'
	@echo 'make clean   remove build/'
	@echo 'JOBS=N limits how many compilers run at once (now: $(JOBS)). ccache is used where it is installed.'

demo: build
	@scripts/demo

test: build-release build-asan-ubsan
	@scripts/run-tests --jobs $(JOBS) release asan-ubsan

# The programs alone: less than half of what there is to compile, the rest being tests and benchmarks.
build: install-dependencies
	@cmake --preset release $(LAUNCHER) --log-level=WARNING
	@cmake --build --preset release -j $(JOBS) --target metamorph metamorph-emu

bench: build-release
	@scripts/run-benchmarks build/release

# Paths as a user types them: they show in nothing that is written.
examples: build
	@build/release/bin/metamorph weave models/digits/digits_int8.tflite -o examples/digits --tasks 3,3 --nvm bus

clean:
	rm -rf build

install-dependencies:
	@scripts/install-dependencies

# One after the other, never side by side: each takes all JOBS.
build-asan-ubsan: build-release
build-release build-asan-ubsan: build-%: install-dependencies
	@cmake --preset $* $(LAUNCHER) --log-level=WARNING
	@cmake --build --preset $* -j $(JOBS) $(if $(findstring asan,$*),--target sanitized_tests)

# A thin layer: CMake builds (CMakePresets.json), scripts/ check. `make help` lists the targets. SETUP=no installs
# nothing. PQP, OPCODE: folders of these two libraries, built, for bench-peers. REV: the revision that bench-against
# compares with.
JOBS         ?= $(shell nproc)
PREFIX       ?= /usr/local
FUZZ_SECONDS ?= 60
SOAK_SECONDS ?= 600
SETUP        ?= yes
ARGS         ?=
SINCE        ?=
PQP          ?=
OPCODE       ?=
REV          ?=

setup = @[ "$(SETUP)" = no ] || scripts/setup $(1)
configure = @cmake --preset $(1) --log-level=WARNING > /dev/null || cmake --preset $(1)
compile = @cmake --build --preset $(1) -j $(JOBS) $(if $(2),--target $(2))

.PHONY: all help demo check bench bench-against bench-peers bench-boxes bench-steps bench-hulls fuzz soak lint format docs \
	install sanitize determinism mutations clean

all:
	$(call setup,build)
	$(call configure,release)
	$(call compile,release,ship)

help:
	@sed -n 's/^| \(`make[^|]*\) | \(.*\) |$$/\1: \2/p' CONTRIBUTING.md | sed 's/\[\([^]]*\)\]([^)]*)/\1/g' | tr -d '`'

demo: all
	build/bin/carom demo

check:
	$(call setup,check)
	$(call configure,release)
	$(call compile,release)
	@ctest --preset release -j $(JOBS)

bench: all
	$(call compile,release,carom_bench)
	build/bin/carom_bench $(ARGS)

bench-against:
	$(call setup,bench-against)
	@scripts/bench_against "$(REV)" $(ARGS)

bench-peers:
	$(call setup,bench-peers)
	@cmake --preset release -DCAROM_BENCH_PEERS=ON -DCAROM_PQP_DIR="$(abspath $(PQP))" \
		-DCAROM_OPCODE_DIR="$(abspath $(OPCODE))" --log-level=WARNING
	$(call compile,release,carom_bench_peers)
	build/bin/carom_bench_peers $(ARGS)

bench-boxes:
	$(call setup,bench-peers)
	@cmake --preset release -DCAROM_BENCH_PEERS=ON --log-level=WARNING
	$(call compile,release,carom_bench_boxes)
	build/bin/carom_bench_boxes $(ARGS)

bench-steps:
	$(call setup,bench-peers)
	@cmake --preset release -DCAROM_BENCH_PEERS=ON --log-level=WARNING
	$(call compile,release,carom_bench_steps)
	build/bin/carom_bench_steps $(ARGS)

bench-hulls:
	$(call setup,bench-peers)
	@cmake --preset release -DCAROM_BENCH_PEERS=ON --log-level=WARNING
	$(call compile,release,carom_bench_hulls)
	build/bin/carom_bench_hulls $(ARGS)

fuzz:
	$(call setup,fuzz)
	$(call configure,fuzz)
	$(call compile,fuzz)
	@scripts/fuzz build-fuzz $(FUZZ_SECONDS)

soak: all
	$(call compile,release,carom_soak)
	build/bin/carom_soak $(SOAK_SECONDS)

sanitize:
	$(call setup,sanitize)
	@scripts/sanitize

determinism:
	$(call setup,determinism)
	@scripts/determinism

mutations:
	$(call setup,mutations)
	@scripts/mutations $(ARGS)

lint:
	$(call setup,lint)
	$(call configure,release)
	@scripts/lint build $(SINCE)

format:
	$(call setup,format)
	@scripts/sources | xargs clang-format -i

docs:
	$(call setup,docs)
	@mkdir -p build/docs
	@doxygen docs/Doxyfile
	@echo "build/docs/html/index.html"

install: all
	cmake --install build --prefix $(PREFIX)

clean:
	rm -rf build build-*/

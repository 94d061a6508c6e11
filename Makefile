# A short front door; meson.build is the build.
#
#   make          build build/thole
#   make check    everything quick            make asan tsan   under sanitizers
#   make bench    measure                     make catalog     regenerate from catalog/
#   make lint     format and layers           make tidy        clang-tidy, slow
#   make format   let clang-format write

.PHONY: all check asan tsan bench catalog lint format tidy clean
.NOTPARALLEL:

# What people wrote, not the generator.
SOURCES = $(shell find src include tests -name '*.[ch]' -not -path '*/gen/*' 2>/dev/null)

# Else UBSan reports and goes on, and the test passes.
export UBSAN_OPTIONS ?= halt_on_error=1:print_stacktrace=1

all:
	@./quickstart --no-run

check:
	@./test --quick

asan:
	@scripts/setup --test
	@scripts/build asan
	@meson test -C build/asan --no-rebuild --print-errorlogs

tsan:
	@scripts/setup --test
	@scripts/build tsan
	@meson test -C build/tsan --no-rebuild --print-errorlogs --suite threads

bench: all
	@meson test -C build --no-rebuild --benchmark --verbose

catalog:
	@python3 scripts/catalog.py
	@python3 scripts/sdk.py

lint:
	@clang-format --dry-run -Werror $(SOURCES)
	@python3 scripts/check_layers.py

format:
	@clang-format -i $(SOURCES)

tidy: all
	@clang-tidy --quiet -p build $(filter src/%.c,$(SOURCES))

# build/deps stays: it was fetched, not built.
clean:
	@find build -mindepth 1 -maxdepth 1 -not -name deps -exec rm -rf {} + 2>/dev/null || true

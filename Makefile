# A short front door; meson.build is the build.  `make help` lists the targets.

.PHONY: all help check asan tsan bench catalog lint format tidy clean
.NOTPARALLEL:

# Hand-written files, not generated ones.
SOURCES = $(shell find src include tests -name '*.[ch]' -not -path '*/gen/*' 2>/dev/null)

# Without this UBSan reports an error, continues, and the test passes.
export UBSAN_OPTIONS ?= halt_on_error=1:print_stacktrace=1

all: ## build build/thole and its supervisor (the default)
	@./quickstart --no-run

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

check: ## build and run the tests that gate a change, without sanitizers
	@./test --quick

asan: ## build and test with the address and undefined behaviour sanitizers
	@scripts/setup --test
	@scripts/build asan
	@meson test -C build/asan --no-rebuild --print-errorlogs

tsan: ## build and test with the thread sanitizer
	@scripts/setup --test
	@scripts/build tsan
	@meson test -C build/tsan --no-rebuild --print-errorlogs --suite threads

bench: all ## measure, each figure beside a floor from the same run
	@meson test -C build --no-rebuild --benchmark --verbose

catalog: ## regenerate schemas, reference pages and clients from catalog/
	@python3 scripts/catalog.py
	@python3 scripts/sdk.py
	@python3 scripts/conform_pack.py

lint: ## check format and layers
	@clang-format --dry-run -Werror $(SOURCES)
	@python3 scripts/check_layers.py

format: ## format all C files with clang-format
	@clang-format -i $(SOURCES)

tidy: all ## run clang-tidy (slow)
	@clang-tidy --quiet -p build $(filter src/%.c,$(SOURCES))

# build/deps stays: it was downloaded, not built.
clean: ## remove build/, except downloaded dependencies
	@find build -mindepth 1 -maxdepth 1 -not -name deps -exec rm -rf {} + 2>/dev/null || true

# Relay. `make demo` shows what it does, `make test` checks it.
GO      ?= go
FUZZTIME ?= 30s

.PHONY: build demo test race unit test-sdk test-agents browser vendor-ui lint fuzz bench run clean test-deps test-ollama

build:
	CGO_ENABLED=0 $(GO) build -mod=readonly -trimpath -buildvcs=auto -ldflags '-s -w' -o relay .

# Starts Relay in a temporary data dir with an upstream of its own and walks
# through a call, its usage and a refusal. ARGS=--once ends after it.
demo: build
	./relay demo $(ARGS)

run: build
	./relay serve

# What the tests need beyond Go, make and git: a C compiler for the race
# detector, Node and npm. The browser test installs Chromium itself.
test-deps:
	@command -v cc >/dev/null 2>&1 || command -v gcc >/dev/null 2>&1 || { \
	  echo "make test needs a C compiler for the race detector; installing one"; \
	  if command -v apt-get >/dev/null 2>&1; then \
	    apt-get update -qq && apt-get install -y -qq --no-install-recommends gcc libc6-dev; \
	  elif command -v brew >/dev/null 2>&1; then brew install gcc; \
	  else echo "install a C compiler and try again" >&2; exit 1; fi; }
	@command -v npm >/dev/null 2>&1 || { \
	  echo "make test runs JavaScript SDKs and compares JSON readings with Node's; installing it"; \
	  if command -v apt-get >/dev/null 2>&1; then \
	    apt-get update -qq && apt-get install -y -qq --no-install-recommends nodejs npm; \
	  elif command -v brew >/dev/null 2>&1; then brew install node; \
	  else echo "install Node with npm and try again" >&2; exit 1; fi; }

# Everything: the Go packages under the race detector, then official SDKs, coding
# agents and a real browser against a running relay serve.
test: test-deps race test-sdk test-agents browser

race:
	CGO_ENABLED=1 $(GO) test -mod=readonly -race -timeout 30m ./...

# Official SDKs in Go and JavaScript, in modules of their own; the last prints the
# table of every SDK on every shape of upstream.
test-sdk: build testdata/e2e/node/node_modules/.package-lock.json testdata/e2e/openapi/node_modules/.package-lock.json
	cd testdata/e2e && $(GO) vet ./... && $(GO) test -count=1 ./strict
	for m in node openapi sdk native; do \
	  (cd testdata/e2e/$$m && $(GO) vet . && RELAY="$(CURDIR)/relay" $(GO) test -count=1 -timeout 5m .) || exit 1; \
	done
	cd testdata/e2e/matrix && $(GO) vet . && RELAY="$(CURDIR)/relay" $(GO) test -count=1 -timeout 5m

# Claude Code and Codex, without network. It takes Linux and root.
test-agents: build testdata/e2e/agents/node_modules/.package-lock.json
	@command -v ip >/dev/null 2>&1 || { apt-get update -qq && apt-get install -y -qq --no-install-recommends iproute2; }
	cd testdata/e2e/agents && RELAY="$(CURDIR)/relay" $(GO) test -count=1 -timeout 10m .

# npm's packages, as the lock file has them. A download that hangs is tried again
# after half a minute, not after npm's five.
testdata/e2e/%/node_modules/.package-lock.json: testdata/e2e/%/package-lock.json testdata/e2e/%/package.json
	cd $(<D) && npm ci --ignore-scripts --no-audit --no-fund --prefer-offline --silent --fetch-timeout=30000 --fetch-retries=5
	@touch $@

# The admin UI in a real browser; screenshots go to ui/screens.
browser: build
	RELAY="$(CURDIR)/relay" sh testdata/e2e/browser/run.sh

# A real Ollama against a running relay serve. The first time Ollama is built,
# which takes five minutes of one processor.
test-ollama: build
	cd testdata/ollama && $(GO) vet ./... && RELAY="$(CURDIR)/relay" $(GO) test -count=1 -timeout 20m ./...

# What ui/vendor.lock lists, from npm.
vendor-ui:
	ui/vendor.sh

unit:
	$(GO) test -mod=readonly ./...

lint:
	$(GO) vet ./...
	@out=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$out" ] || { echo "not gofmt-ed:"; echo "$$out"; exit 1; }
	$(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 run ./...

# Every fuzz target for FUZZTIME.
fuzz:
	@for p in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz'); do \
	    echo "$$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s $$p || exit 1; \
	  done; done

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./limiter ./gateway/... ./store/...

clean:
	rm -rf relay bin dist

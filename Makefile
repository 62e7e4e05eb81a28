GO ?= go
# Fuzzing looks for new inputs this long a target in `make test` and in `make fuzz`.
SHORT ?= 2s
LONG ?= 10m
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: build test race lint bench fuzz golden parity

build:
	$(GO) build -o pdreplay ./cmd/pdreplay

# The whole suite: no network, no Python, no file outside the repository.
test:
	$(GO) test ./...

race:
	$(GO) test -race ./...

lint:
	@files="$$(gofmt -l .)"; [ -z "$$files" ] || { echo "gofmt: $$files"; exit 1; }
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

# Rewrites every generated and golden file; `git diff` then shows what changed.
golden:
	$(GO) test ./... -run Golden -update

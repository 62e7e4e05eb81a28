GO ?= go
# How long `make fuzz` looks for new inputs a reader.
LONG ?= 10m
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: build test race lint bench fuzz golden parity browser figures mutants

build:
	$(GO) build -o pdreplay ./cmd/pdreplay

# The whole suite: no network, no Python, no file outside the repository. The
# readers are fuzzed shortly by it: every seed and thousands of mutations of each.
test:
	$(GO) test ./...

# The suite under the race detector, but for the long loops that run in one goroutine.
race:
	$(GO) test -race -short ./...

lint:
	@files="$$(gofmt -l .)"; [ -z "$$files" ] || { echo "gofmt: $$files"; exit 1; }
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

# Coverage-guided fuzzing of the readers, one target at a time.
fuzz:
	for t in Export Records Aggregate Row Totals Env Scanner Integer; do \
		$(GO) test ./replay/aiperf -run '^$$' -fuzz "^Fuzz$$t$$" -fuzztime $(LONG) -fuzzminimizetime 10x || exit 1; \
	done
	$(GO) test ./replay/archive -run '^$$' -fuzz FuzzArchive -fuzztime $(LONG) -fuzzminimizetime 10x

# What the oracle's answers are worth, over synthesized runs: the README's table.
figures:
	$(GO) test -timeout 2h ./oracle -run 'TestFigures$$' -v -figures 7200 -count 1

# Bugs that a producer could have: which scenario and which run of a check catches each, and how small it comes back.
mutants:
	$(GO) test -timeout 1h ./replay/check -run 'TestMutantsAreCaught$$' -v -mutants -count 1

# The real producer (a clone of InferenceX, August tree) against ours, field by field.
parity:
	@[ -n "$(PRODUCER)" ] || { echo "make parity PRODUCER=DIR: DIR is a clone of InferenceX; nothing was compared"; exit 2; }
	PRODUCER="$(abspath $(PRODUCER))" $(GO) test -count=1 -timeout 1h -run Parity ./replay/adapter/external ./replay/aiperf

# Rewrites every generated and golden file; `git diff` then shows what changed.
# Only the packages that have one know the flag.
golden:
	$(GO) test $$(grep -rl --include='*_test.go' 'flag.Bool("update"' . | xargs -n 1 dirname | sort -u) -run Golden -count 1 -update

# The HTML report in a real browser; SHOTS=DIR keeps screenshots.
BROWSER ?= chromium
browser:
	$(GO) test ./replay/report -run 'TestBrowser$$' -v -count 1 -browser "$(BROWSER)" -shots "$(abspath $(SHOTS))"

# Two commands do everything: `make measure` and `make test`. They need Go, git and make.

STUDY   ?= soft-commit
N       ?=
VARIANT ?=
STRESS  ?=
ON      ?=
JOBS    ?=
SEED    ?=
PARAM   ?= $(if $(filter soft-commit,$(STUDY)),cut=fin)
ARGS    ?=

export CGO_ENABLED ?= 0
BIN   := bin/failrate
TOOLS := .github/tools/go.mod
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)

.PHONY: measure test build lint race bench cross studies faults fuzz golangci clean help

## measure: measure the built-in study; VARIANT= N= STRESS= ON= STUDY= JOBS= SEED= PARAM= ARGS= narrow it
measure: build
	@$(BIN) measure $(STUDY) $(if $(N),-n $(N)) $(if $(VARIANT),--variant $(VARIANT)) $(if $(STRESS),--stress $(STRESS)) \
		$(if $(ON),--on $(ON)) $(if $(JOBS),--jobs $(JOBS)) $(if $(SEED),--seed $(SEED)) $(if $(PARAM),--param $(PARAM)) $(ARGS)

## build: build bin/failrate
build:
	@go build -trimpath -ldflags "-X main.version=$(VERSION)" -o $(BIN) ./cmd/failrate

## test: every test; those that need an engine or Java say so when they are skipped (REQUIRE_DOCKER=1, REQUIRE_JAVA=1: fail)
test: lint
	go test -timeout 20m ./...

## race: the tests again under the race detector (needs a C compiler)
race:
	CGO_ENABLED=1 go test -race -timeout 20m ./...

## lint: formatting, vet, staticcheck, workflows, and that every platform compiles
lint: cross
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); echo 'gofmt: the files above are not formatted' >&2; exit 1; }
	go vet ./...
	go tool -modfile=$(TOOLS) staticcheck ./...
	go tool -modfile=$(TOOLS) actionlint

## cross: vet and build for the other platforms
cross:
	GOOS=darwin GOARCH=arm64 go vet ./...
	GOOS=darwin GOARCH=arm64 go build ./...
	GOOS=darwin GOARCH=amd64 go build ./...
	GOOS=linux GOARCH=arm64 go build ./...

## bench: the speed comparisons of the README, each pair in one run
bench:
	go test -run '^$$' -bench . -benchtime 1x ./...

## faults: the long form of the fault suite, which takes hours: prints the points survived of those tried; RUN= narrows it
faults: RUN ?= .
faults:
	@status=0; \
	FAULTS=long go test -count=1 -timeout 3h -v -run '$(RUN)' ./harness/faults || status=1; \
	FAULTS=long go test -count=1 -timeout 3h -v -run '^TestTheSameIsNotCalledDifferent$$' ./cmd/failrate || status=1; \
	exit $$status

## studies: a short form of every built-in study, saying which cannot run here and why
studies: build
	@$(BIN) measure soft-commit -n 5 --param cut=fin $(STUDIES_ARGS)
	@$(BIN) measure proxy-race -n 1 --param delay=0s,1ms $(STUDIES_ARGS)
	@$(BIN) measure quickwit-503 -n 2 --on native --param sleep=0s --param rest=0s --variant fix1 --jobs 2 $(STUDIES_ARGS)
	@$(BIN) measure quickwit-routing -n 5 --param live=200ms,6s --param gap=10s --param wait=0s $(STUDIES_ARGS)
	@if command -v java >/dev/null && command -v javac >/dev/null && command -v mvn >/dev/null; then \
		$(BIN) measure solr-send -n 1 --on native --stress none --param delay=0s --variant jetty-h2 $(STUDIES_ARGS) && \
		$(BIN) measure solr-recovery -n 1 --on native --stress none --param procs=2 --variant leaders-only $(STUDIES_ARGS) && \
		$(BIN) measure solr-alias-hotspot -n 1 --on native --param tenants=5 --param nodes=8 --variant anchor-first $(STUDIES_ARGS); \
	else echo 'skipped: solr-send, solr-recovery, solr-alias-hotspot: they need java, javac and mvn' >&2; fi
	@$(BIN) measure solr-checkout --dry-run --on native
	@echo 'solr-checkout was only planned: it clones apache/solr and builds it' >&2

## fuzz: every fuzz target for FUZZTIME (10m), one after the other, with a bound on memory; FUZZ= narrows it to one name
fuzz: FUZZTIME ?= 10m
fuzz:
	FUZZTIME=$(FUZZTIME) FUZZ=$(FUZZ) go test -count=1 -timeout 24h -v -run '^TestFuzz$$' ./harness

clean:
	rm -rf bin

help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)

## golangci: the linters of .golangci.yml (gosec among them); builds the linter first, which takes minutes
golangci:
	go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 run

# `make help` lists the targets. Node, npm and make are all that a machine needs.

SHELL := /bin/sh
.DEFAULT_GOAL := help

# When the machine's Node is older than 22.18, this one comes as an npm package into .node/: one version, so that a build does not
# change by itself.
NODE_VERSION := 24.22.3
PLATFORM := $(shell uname -s | tr '[:upper:]' '[:lower:]')-$(shell uname -m | sed -e 's/x86_64/x64/' -e 's/aarch64/arm64/')
OWN_NODE := $(CURDIR)/.node/node_modules/node-$(PLATFORM)/bin
SYSTEM_NODE_IS_NEW := $(shell node -e 'const [a, b] = process.versions.node.split("."); console.log(a > 22 || (a == 22 && b >= 18) ? "yes" : "")' 2>/dev/null)
ifeq ($(SYSTEM_NODE_IS_NEW),)
  export PATH := $(OWN_NODE):$(PATH)
  NODE_STAMP := .node/.installed-$(NODE_VERSION)
endif

LOCK_HASH := $(shell cksum package-lock.json 2>/dev/null | tr -d ' ' | sed 's/package-lock.json//')
INSTALL_STAMP := node_modules/.installed-$(LOCK_HASH)
THIRD_PARTY_HASH := $(shell cksum tests/interoperability/packages/package-lock.json 2>/dev/null | tr ' ' '-' | cut -d- -f1,2)
THIRD_PARTY_STAMP := tests/interoperability/packages/node_modules/.installed-$(THIRD_PARTY_HASH)
GENERATORS_HASH := $(shell cksum tests/clients/packages/package-lock.json 2>/dev/null | tr ' ' '-' | cut -d- -f1,2)
GENERATORS_STAMP := tests/clients/packages/node_modules/.installed-$(GENERATORS_HASH)

BIN := node_modules/.bin
VITEST := $(BIN)/vitest run --config tests/style/vitest.config.ts

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.node/.installed-$(NODE_VERSION):
	npm install --prefix .node --no-save --no-audit --no-fund --loglevel=error node-$(PLATFORM)@$(NODE_VERSION)
	@touch $@

# One install for each state of the lock file, so that a test run does not wipe a running server's modules.
$(INSTALL_STAMP): | $(NODE_STAMP)
	npm ci --no-audit --no-fund --loglevel=error
	@touch $@

$(THIRD_PARTY_STAMP): | $(NODE_STAMP)
	npm ci --prefix tests/interoperability/packages --no-audit --no-fund --loglevel=error
	@touch $@

$(GENERATORS_STAMP): | $(NODE_STAMP)
	npm ci --prefix tests/clients/packages --no-audit --no-fund --loglevel=error
	@touch $@

.PHONY: install
install: $(INSTALL_STAMP) ## Install what is missing

.PHONY: run
run: install ## Install what is missing and run the service with an embedded database
	@exec ./bin/partner serve

.PHONY: demo
demo: install ## Do the main job step by step against a service of its own
	@node --disable-warning=ExperimentalWarning tools/demo/main.ts

# Tests that touch no database and no network, and those of the operations that differ from the last commit or from main.
FAST_TESTS = tests/domain tests/simulation \
  $(shell { git diff --name-only HEAD; git diff --name-only main...HEAD; git ls-files --others --exclude-standard; } 2>/dev/null | \
    sed -nE 's,^(src|tests)/operations/([a-z-]+)(/[a-z-]+)*(\.test)?\.ts$$,tests/operations/\2,p' | sort -u)

.PHONY: test-fast
test-fast: install ## Run the tests of the pure rooms and of the operations that were changed: the inner loop, 30 s
	$(VITEST) $(FAST_TESTS)

.PHONY: test
test: install $(THIRD_PARTY_STAMP) ## Run every test that needs no browser, or those of ARGS=tests/webhooks: 10 minutes
	WHOLE_TEST_RUN=$(if $(ARGS),,yes) $(VITEST) $(ARGS)

.PHONY: faults
faults: install ## Kill workers and PostgreSQL, misbehave as endpoints, name servers and database; ARGS=database or ARGS=restarts: that alone
	node tests/faults/$(if $(filter restarts,$(ARGS)),restarts-main.ts,main.ts $(ARGS))

.PHONY: cluster-test
cluster-test: install ## Break a Patroni cluster under the service at work, and count what is lost: 3 minutes (ARGS=switchover: that fault; ARGS=rolling: restarts of the service; ARGS=upgrade: the same from the last release; ARGS=proxy: a stranger before HAProxy)
	node tests/cluster/main.ts $(ARGS)

.PHONY: citus-test
citus-test: install $(THIRD_PARTY_STAMP) ## Run the tests on a cluster of Citus (CITUS=FOLDER: its sources; ARGS=tests/portal: those files; ARGS=operations: what operators do, under load; ARGS=moves: shards move for 5 minutes; ARGS=kills: workers and nodes are killed; ARGS=functions: what the functions of deploy/citus promise; ARGS=restore: backup of all nodes, and restore; ARGS=patroni: primaries of Patroni below the nodes die; ARGS=events: none is missed)
	CITUS=$(CITUS) node tests/citus/main.ts $(ARGS)

.PHONY: fuzz
fuzz: install ## Send random requests of every operation, and hold each answer against the document (ARGS=--help)
	node tests/fuzz/main.ts $(ARGS)

.PHONY: validators
validators: install $(THIRD_PARTY_STAMP) ## Pass every exchange of the tests through Prism and express-openapi-validator, and see them find spoilt answers: 5 minutes
	node tests/validators/main.ts $(ARGS)

.PHONY: clients
clients: install $(GENERATORS_STAMP) ## Generate a client with each of eight generators, compile it strictly, take the main journey with it (ARGS=orval: that one)
	node tests/clients/main.ts $(ARGS)

.PHONY: bounds
bounds: install ## Take each bound out of a copy of the source and see its tests fail (ARGS=--help)
	node tests/bounds/main.ts $(ARGS)

.PHONY: test-browser
test-browser: install ## Run the tests in headless Chromium (needs Debian's chromium); EVERY_PAGE=yes: of all pages of the reference; SCREENSHOTS=yes: keep pictures
	$(BIN)/vitest run --config tests/style/vitest.browser.config.ts

.PHONY: generate
generate: install ## Write everything in generated/ and migrations/schema.sql anew
	node tools/generate/contract.ts
	node tools/generate/countries.ts
	node tools/generate/climate.ts
	node tools/generate/norm-profile.ts
	node tools/generate/schema.ts

.PHONY: validate
validate: install ## Measure the simulator against the world: 1 to 3 minutes; writes generated/validation (ARGS=cars: that part, writes nothing)
	node tools/validate/main.ts $(ARGS)

.PHONY: trips
trips: install ## Print the source files that one request of each kind runs through, by V8's coverage
	node tools/trips/main.ts --files

.PHONY: compat
compat: install ## Compare the document with the last release: fails when a change breaks clients (ARGS="OLD NEW": two files)
	node tools/compat/main.ts $(ARGS)

.PHONY: compat-mutations
compat-mutations: install ## Change the document at random until 500 changes (ARGS=N) are proven to break, see each found: 10 minutes
	node tests/tools/compat/mutations/main.ts $(ARGS)

.PHONY: release
release: install ## Keep document, schema and commit of this tree in released/ as VERSION=2.1
	node tools/compat/release.ts $(VERSION)

.PHONY: rooms
rooms: install ## Draw the rooms and their imports into docs/architecture.md
	node tools/rooms/main.ts

# As many side by side as the machine has processors; those that take longest begin first.
CHECKS := check-lint check-generated check-format check-types check-dead-code check-document check-rooms
PROCESSORS := $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)

.PHONY: check $(CHECKS)
check: install ## Check generated files, compatibility with the last release, types, lint, format, rooms, dead code
	@$(MAKE) --no-print-directory --jobs=$(PROCESSORS) --keep-going $(CHECKS)

check-generated:
	node tools/generate/contract.ts --check
	node tools/generate/countries.ts --check
	node tools/generate/climate.ts --check
	node tools/generate/norm-profile.ts --check
	node tools/generate/schema.ts --check
	node tools/validate/main.ts --check

check-document:
	node tools/compat/main.ts
	$(BIN)/redocly lint openapi/openapi.yaml openapi/workflows/*.arazzo.yaml --config tests/style/redocly.yaml --format=stylish

check-types:
	$(BIN)/tsc

check-lint:
	$(BIN)/eslint --config tests/style/eslint.config.js src tools tests bench

check-format:
	$(BIN)/prettier --check --log-level warn .

check-rooms:
	$(BIN)/depcruise --config tests/style/rooms.config.cjs src tools

check-dead-code:
	$(BIN)/knip --config tests/style/knip.jsonc

.PHONY: format
format: install ## Format every file
	$(BIN)/prettier --write --log-level warn .
	$(BIN)/eslint --config tests/style/eslint.config.js --fix src tools tests bench

.PHONY: bench
bench: install ## Measure beside limits in the same run, tell which goals are met (ARGS=--help); COMPARE=COMMIT: what moved since
	node bench/main.ts $(ARGS) $(if $(COMPARE),--compare $(COMPARE))

.PHONY: compare
compare: install ## Send 10,000 random requests to COMMIT=COMMIT and to this tree, compare the answers to the byte (ARGS=--help)
	node bench/equivalence/main.ts $(COMMIT) $(ARGS)

.PHONY: clean
clean: ## Remove what was installed; data in .data/ stays
	rm -rf node_modules .node tests/interoperability/packages/node_modules tests/clients/packages/node_modules tests/clients/packages/built

import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './longest-first.ts';

/** Where the counts of a run are written as JSON; .ci/run sums them. */
const report = process.env['TEST_REPORT'];

/** Not a promise: beside eight busy loops a test takes up to fifteen times as long. */
const END_OF_PATIENCE_MS = 400_000;

export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include: ['tests/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'tests/*/packages/**', 'tests/browser/**'],
    globalSetup: 'tests/support/global-setup.ts',
    setupFiles: 'tests/support/property-runs.ts',
    // What a failing test shows is cut: a whole response of a socket would take minutes to print.
    diff: { maxDepth: 8, truncateThreshold: 200 },
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
    // Processes in which a module is loaded once for all files: nothing keeps state between tests.
    pool: 'forks',
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Node strips the types itself: code that the runner rewrites computes up to eight times as slowly.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // A sixth of the time of the tests on two cores was waiting, for timers and processes.
    maxWorkers: availableParallelism() + 1,
    testTimeout: END_OF_PATIENCE_MS,
    hookTimeout: END_OF_PATIENCE_MS,
    expect: { poll: { timeout: END_OF_PATIENCE_MS, interval: 10 } },
  },
});

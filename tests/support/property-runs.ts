// How often each property is tried, and from which seed. Loaded before every test file.
import fc from 'fast-check';

const DEFAULT_RUNS = 100;
/** One seed for all runs: a change that is red is red again. Another one tries other cases. */
const DEFAULT_SEED = 20_260_101;

fc.configureGlobal({
  numRuns: Number(process.env['PROPERTY_RUNS'] ?? DEFAULT_RUNS),
  seed: Number(process.env['PROPERTY_SEED'] ?? DEFAULT_SEED),
});

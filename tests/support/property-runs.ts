// How often each property is tried: PROPERTY_RUNS, which .ci/run raises. Loaded before every test file.
import fc from 'fast-check';

const DEFAULT_RUNS = 100;

fc.configureGlobal({ numRuns: Number(process.env['PROPERTY_RUNS'] ?? DEFAULT_RUNS) });

// Fleets: previews, households built, hostile definitions refused.
import type { Group } from '../group.ts';
import { median } from '../statistics.ts';
import { largestRaster, measurePreview, PREVIEW, PREVIEW_MEMORY } from './previews.ts';
import { measureProvisioning, PROVISIONED, PROVISIONED_WITH_FAULTS } from './provisioning.ts';
import { KEPT_BY_REFUSALS, measureRefusals, MEDIAN_REFUSAL, SLOWEST_REFUSAL } from './refusals.ts';
import {
  FIRST_BYTES,
  FIRST_BYTES_COLD,
  measureViews,
  OTHERS,
  OTHERS_COLD,
  WHOLE,
  WHOLE_COLD,
} from './view.ts';

const FILE = 'fleets/groups.ts';
const ROUNDS = 5;
const inMs = { unit: 'ms', better: 'less' } as const;
const inMb = { unit: 'MB', better: 'less' } as const;

export const FLEET_GROUPS: readonly Group[] = [
  {
    name: 'fleets/previews',
    file: FILE,
    rows: [
      { name: PREVIEW, ...inMs, goals: { measured: 1000 } },
      { name: PREVIEW_MEMORY, ...inMb, goals: { measured: 300 } },
    ],
    rounds: ROUNDS,
    about: 'nothing: the largest raster',
    measure: async function* () {
      const raster = largestRaster();
      const before = process.memoryUsage.rss();
      yield {};
      for (;;) {
        const { ms, mb } = measurePreview(raster, before);
        yield { [PREVIEW]: { measured: ms }, [PREVIEW_MEMORY]: { measured: mb } };
      }
    },
  },
  {
    name: 'fleets/provisioning',
    file: FILE,
    rows: [PROVISIONED, PROVISIONED_WITH_FAULTS].map((name) => ({ name, ...inMs, goals: { toLimit: 3 } })),
    rounds: ROUNDS,
    about: 'COPY of the same rows out of files, by the server itself, in one transaction',
    measure: async function* () {
      const [without, beside] = [measureProvisioning(false), measureProvisioning(true)];
      const next = async () => ({
        [PROVISIONED]: (await without.next()).value,
        [PROVISIONED_WITH_FAULTS]: (await beside.next()).value,
      });
      try {
        // What compiles the code and plans the statements.
        await next();
        yield {};
        for (;;) yield await next();
      } finally {
        await without.return(undefined as never);
        await beside.return(undefined as never);
      }
    },
  },
  {
    name: 'fleets/refusals',
    file: FILE,
    rows: [
      { name: SLOWEST_REFUSAL, ...inMs, goals: { measured: 200 } },
      { name: MEDIAN_REFUSAL, ...inMs, goals: {} },
      { name: KEPT_BY_REFUSALS, ...inMb, goals: { measured: 5 } },
    ],
    rounds: ROUNDS,
    about:
      'nothing: each sent to one service in each round; the memory kept is that of a round after the first',
    measure: async function* () {
      const refusals = measureRefusals();
      try {
        await refusals.next();
        yield {};
        for (;;) {
          const { times, keptMb } = (await refusals.next()).value;
          yield {
            [SLOWEST_REFUSAL]: { measured: times.reduce((a, b) => Math.max(a, b), 0) },
            [MEDIAN_REFUSAL]: { measured: median(times) },
            [KEPT_BY_REFUSALS]: { measured: keptMb },
          };
        }
      } finally {
        await refusals.return(undefined as never);
      }
    },
  },
  {
    name: 'fleets/view',
    file: FILE,
    rows: [
      { name: FIRST_BYTES_COLD, ...inMs, goals: { measured: 1_000 } },
      { name: WHOLE_COLD, ...inMs, goals: { measured: 10_000 } },
      { name: OTHERS_COLD, ...inMs, goals: { toLimit: 1.5 } },
      { name: FIRST_BYTES, ...inMs, goals: { measured: 1_000 } },
      { name: WHOLE, ...inMs, goals: { measured: 5_000 } },
      { name: OTHERS, ...inMs, goals: { toLimit: 1.5 } },
    ],
    rounds: 3,
    about:
      '1,000 households over 30 days at quarter hours by HTTP; the other partner is measured beside itself alone',
    measure: async function* () {
      const views = measureViews();
      try {
        await views.next();
        yield {};
        for (;;) yield (await views.next()).value;
      } finally {
        await views.return(undefined as never);
      }
    },
  },
];

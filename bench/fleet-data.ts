// What a fleet of a thousand households did together over 30 days at quarter hours, under prices of the hour, as the jobs of a
// fleet's data compute it. Times are CPU times of the process: those of one core.
import { randomUUID } from 'node:crypto';
import { DAY_MS, HOUR_MS, QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../src/domain/api/durations.ts';
import { NO_PRICE_REVISIONS } from '../src/domain/prices/price-revisions.ts';
import { sumHouseholds } from '../src/households/household-sums.ts';
import { HOUSEHOLDS_PER_JOB } from '../src/operations/household-pages.ts';
import { RESOLUTIONS } from '../src/operations/summed-data.ts';
import { toPriceRevisions } from '../src/simulation/control/price-book.ts';
import { resolveDefinition } from '../src/simulation/definition/resolve-definition.ts';
import { buildHouseholds } from '../src/simulation/household/household.ts';
import type { Group } from './group.ts';
import type { Samples } from './row.ts';

const START_MS = Date.UTC(2026, 0, 2);
const FIRST = START_MS / QUARTER_HOUR_MS;
const DAYS = 30;
const HOUSEHOLDS = 1_000;
const ROUNDS = 3;

const FIRST_DAY = 'fleet data of 1,000, the first day';
const FIRST_LOOK = 'fleet data of 1,000 over 30 days, first look';
const NEXT_LOOK = 'fleet data of 1,000 over 30 days, once planned';

/** Prices of the hours, known since noon of the day before; the amplitude of a day is that of a winter market. */
const PRICES = toPriceRevisions(
  Array.from({ length: 24 * (DAYS + 10) }, (_, hour) => {
    const at = START_MS - 8 * DAY_MS + hour * HOUR_MS;
    const receivedAt = new Date(Math.floor(at / DAY_MS) * DAY_MS - DAY_MS / 2);
    return { at: new Date(at), price: 80 + 45 * Math.sin(hour / 3.8), receivedAt };
  }),
);

/** A fleet that nobody has looked at, as the texts of its jobs. */
let seed = 1;
function createJobs(): (days: readonly [from: number, to: number]) => void {
  const body = { request_id: randomUUID(), count: HOUSEHOLDS, seed: seed++, ev_ownership_fraction: 0.5 };
  const resolution = resolveDefinition(body, new Date(START_MS));
  if (!resolution.ok) throw new Error(JSON.stringify(resolution.errors));
  const households = buildHouseholds(resolution.definition, null, new Date(START_MS - 10 * DAY_MS));
  const pages = Array.from({ length: HOUSEHOLDS / HOUSEHOLDS_PER_JOB }, (_, page) =>
    JSON.stringify(households.slice(page * HOUSEHOLDS_PER_JOB, (page + 1) * HOUSEHOLDS_PER_JOB)),
  );
  const orgId = body.request_id;
  const known = { own: PRICES, parent: NO_PRICE_REVISIONS };
  const prices = { orgId, partnerId: orgId, version: '1', known };
  const now = new Date(START_MS + DAYS * DAY_MS);
  return ([from, to]) => {
    const span = { first: FIRST + from * QUARTER_HOURS_PER_DAY, end: FIRST + to * QUARTER_HOURS_PER_DAY };
    for (const attributes of pages)
      sumHouseholds(
        { orgId, attributes, checkpoints: '[]', prices, controls: new Map(), span, quarters: 1, now },
        () => 0,
      );
  };
}

/** CPU milliseconds of a piece of work. */
function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function measure(): Samples {
  const run = createJobs();
  const { daysAtOnce } = RESOLUTIONS['15MIN'];
  const rest = (): void => {
    for (let from = 1; from < DAYS; from += daysAtOnce) run([from, Math.min(DAYS, from + daysAtOnce)]);
  };
  const firstDay = cpuMsOf(() => run([0, 1]));
  const others = cpuMsOf(rest);
  const again = cpuMsOf(() => {
    run([0, 1]);
    rest();
  });
  return {
    [FIRST_DAY]: { measured: firstDay },
    [FIRST_LOOK]: { measured: firstDay + others },
    [NEXT_LOOK]: { measured: again },
  };
}

const inMs = { unit: 'ms', better: 'less' } as const;

export const FLEET_DATA_GROUPS: readonly Group[] = [
  {
    name: 'simulation/fleet-data',
    file: 'fleet-data.ts',
    rows: [
      { name: FIRST_DAY, ...inMs, goals: { measured: 1_000 } },
      { name: FIRST_LOOK, ...inMs, goals: { measured: 10_000 } },
      { name: NEXT_LOOK, ...inMs, goals: { measured: 5_000 } },
    ],
    rounds: ROUNDS,
    about: 'nothing: the sums of a fleet with prices, by processor time',
    measure: async function* () {
      // What compiles the code.
      measure();
      yield {};
      for (;;) yield measure();
    },
  },
];

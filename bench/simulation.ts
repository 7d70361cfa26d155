// The pure core of the simulator: how many household-years it computes a second, what a look at a fleet costs that
// nobody has looked at, and how both grow. Times are CPU times of the process, its helper threads included.
import { DAY_MS, QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../src/domain/api/durations.ts';
import { resolveDefinition } from '../src/simulation/definition/resolve-definition.ts';
import type { FleetDefinitionBody } from '../src/simulation/definition/fleet-definition.ts';
import { UNSTEERED } from '../src/simulation/control/steering.ts';
import { buildHouseholds } from '../src/simulation/household/household.ts';
import type { Household } from '../src/simulation/household/household.ts';
import { createHouseholdModel } from '../src/simulation/model/model.ts';
import { NOISE_CHANNEL, hashInStream, splitSeed, hashStream } from '../src/simulation/kernel/noise.ts';
import { evenDensity } from '../tools/validate/sample-fleets.ts';
import type { Group } from './group.ts';
import type { Row, Sample, Samples } from './row.ts';

const REQUEST_ID = '5b0d5c1e-6c0f-4a34-8d53-0a5f2a1f7c11';
const NOW_MS = Date.UTC(2026, 10, 21, 10, 7, 30);
const FIRST_DAY = Date.UTC(2025, 0, 1) / DAY_MS;
const DAYS = 365;
const SMALLEST = 10;
/** Ten households are drawn anew so many times, since no ten are like others. */
const SMALL_FLEETS = 20;
const SIZES = [100, 1000, 10_000, 100_000];
const ROUNDS = 5;
const AGES = [1, 7, 30, 90, 365, 3652];

/** Places: all at one, or each at its own. */
const PLACES = { 'one place': {}, 'own places': { density: evenDensity('DE') } } as const;
type Places = keyof typeof PLACES;
const PLACE_NAMES = ['one place', 'own places'] as const satisfies readonly Places[];

/** A fleet whose history began `ageDays` ago; each seed is one that no cache knows. */
let seed = 1000;
function fleetOf(count: number, places: Places, anchorMs: number): Household[] {
  const body: FleetDefinitionBody = {
    request_id: REQUEST_ID,
    count: Math.min(count, 1000),
    seed: seed++,
    ...PLACES[places],
  };
  const resolution = resolveDefinition(body, new Date(NOW_MS));
  if (!resolution.ok) throw new Error(JSON.stringify(resolution.errors));
  const expansions = count > 1000 ? [count - 1000] : [];
  return buildHouseholds(resolution.definition, resolution.density, new Date(anchorMs), expansions);
}

/** CPU seconds of a piece of work. */
function cpuOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function runYear(household: Household): void {
  const model = createHouseholdModel(household, UNSTEERED);
  for (let day = FIRST_DAY; day < FIRST_DAY + DAYS; day++) model.day(day);
}

/** The limit: a year of nothing but a hash, a curve, a tilted plane and a battery, in rows that are made once. */
const curve = new Float64Array(QUARTER_HOURS_PER_DAY).fill(1.1);
const light = new Float64Array(QUARTER_HOURS_PER_DAY).fill(300);
const grid = new Int32Array(QUARTER_HOURS_PER_DAY);
function bareYear(index: number): number {
  const bursts = hashStream(splitSeed(seed), index, NOISE_CHANNEL.quarterLevel);
  let x = 5e6;
  for (let day = 0; day < DAYS; day++) {
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      const load = Math.round(
        (curve[i] ?? 0) * (hashInStream(bursts, day * QUARTER_HOURS_PER_DAY + i) < 5e8 ? 3.2e5 : 6e4),
      );
      const level = light[i] ?? 0;
      const plane = level * 0.9 + level * 0.02 + Math.max(0, 0.3 * level - 0.2 * level + 0.8 * level);
      const pv = Math.round(Math.min(5000, 5 * plane * 0.825 * (1 - 0.004 * (0.03 * plane - 10))) * 25);
      const next = Math.min(1e7, Math.max(5e5, x + Math.round((pv - load) * 0.95)));
      grid[i] = load - pv + next - x;
      x = next;
    }
  }
  return x;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, each) => sum + each, 0) / values.length;

const yearsName = (places: Places): string => `household-years, ${places}`;
const snapshotName = (size: number, places: Places): string => `cold snapshot of ${size}, ${places}`;
const firstName = (age: number): string => `counters after ${age} days, first look`;
const secondName = (age: number): string => `counters after ${age} days, second look`;
const resumedName = (age: number): string => `counters after ${age} days, from a checkpoint`;

/** Household-years a second and core, and those of the bare loop. */
function measureYears(places: Places, isLimitFirst: boolean): Sample {
  const count = 40;
  const fleet = fleetOf(count, places, FIRST_DAY * DAY_MS);
  const bare = (): number => cpuOf(() => fleet.forEach((_, index) => void bareYear(index)));
  const before = isLimitFirst ? bare() : undefined;
  const ours = cpuOf(() => fleet.forEach(runYear));
  return { measured: count / ours, limit: count / (before ?? bare()) };
}

/** Powers and charges of every household now, a month after the start of the history, from cold caches; milliseconds. */
function snapshotMs(size: number, places: Places): number {
  const index = Math.floor(NOW_MS / QUARTER_HOUR_MS);
  const fleet = fleetOf(size, places, NOW_MS - (NOW_MS % QUARTER_HOUR_MS) - 30 * DAY_MS);
  return (
    cpuOf(() => fleet.forEach((household) => createHouseholdModel(household, UNSTEERED).quarter(index))) *
    1000
  );
}

/** Beside as many households in fleets of ten. */
function measureSnapshots(places: Places): Samples {
  const small = Array.from({ length: SMALL_FLEETS }, () => snapshotMs(SMALLEST, places) / SMALLEST);
  const smallMs = mean(small);
  return Object.fromEntries(
    SIZES.map((size) => [
      snapshotName(size, places),
      { measured: snapshotMs(size, places), limit: smallMs * size },
    ]),
  );
}

/** Counters are sums since the anchor: a first look at an old fleet sums its days from there, or from a checkpoint. */
function measureCounters(age: number): Samples {
  const index = Math.floor(NOW_MS / QUARTER_HOUR_MS);
  const weekAgo = Math.floor(NOW_MS / DAY_MS) - 7;
  const fleet = fleetOf(100, 'one place', NOW_MS - (NOW_MS % QUARTER_HOUR_MS) - age * DAY_MS);
  const models = fleet.map((household) => createHouseholdModel(household, UNSTEERED));
  const cold = cpuOf(() => models.forEach((model) => model.countersBefore(index)));
  const warm = cpuOf(() => models.forEach((model) => model.countersBefore(index + 1)));
  const kept = models.map((model) => model.counters.checkpointAt(weekAgo));
  const fresh = fleet.map((household) => createHouseholdModel(household, UNSTEERED));
  const resumed = cpuOf(() =>
    fresh.forEach((model, i) => {
      if (kept[i]) model.counters.restore(kept[i]);
      model.countersBefore(index);
    }),
  );
  return {
    [firstName(age)]: { measured: cold * 1000 },
    [secondName(age)]: { measured: warm * 1000 },
    [resumedName(age)]: { measured: resumed * 1000 },
  };
}

const FILE = 'simulation.ts';
const inMs = { unit: 'ms', better: 'less' } as const;

/** A thousand are one look of a partner; from there on a household costs no more in a larger fleet. */
function snapshotRow(size: number, places: Places): Row {
  const goals = size === 1000 ? { measured: 100, toLimit: FLAT } : { toLimit: FLAT };
  return { name: snapshotName(size, places), ...inMs, goals };
}
/** Beyond what the smallest fleet's ten draws differ by. */
const FLAT = 1.2;

export const SIMULATION_GROUPS: readonly Group[] = [
  {
    name: 'simulation/years',
    file: FILE,
    rows: PLACE_NAMES.map((places) => ({
      name: yearsName(places),
      unit: '/s',
      better: 'more',
      goals: { measured: 100 },
    })),
    rounds: ROUNDS,
    about: 'a bare loop of one hash, curve, tilted plane and battery step a quarter; by processor time',
    measure: async function* () {
      const measure = (round: number): Samples =>
        Object.fromEntries(
          PLACE_NAMES.map((places) => [yearsName(places), measureYears(places, round % 2 === 0)]),
        );
      // What compiles the code.
      measure(0);
      yield {};
      for (let round = 0; ; round += 1) yield measure(round);
    },
  },
  {
    name: 'simulation/snapshots',
    file: FILE,
    rows: PLACE_NAMES.flatMap((places) => SIZES.map((size) => snapshotRow(size, places))),
    rounds: ROUNDS,
    about: 'as many households in fleets of ten; by processor time',
    measure: async function* () {
      for (const places of PLACE_NAMES) snapshotMs(1000, places);
      yield {};
      for (;;) yield { ...measureSnapshots('one place'), ...measureSnapshots('own places') };
    },
  },
  {
    name: 'simulation/counters',
    file: FILE,
    rows: AGES.flatMap((age) =>
      [firstName(age), secondName(age), resumedName(age)].map((name) => ({ name, ...inMs, goals: {} })),
    ),
    rounds: ROUNDS,
    about: 'nothing: sums since the anchor grow with its age; 100 households, by processor time',
    measure: async function* () {
      measureCounters(AGES[0] ?? 1);
      yield {};
      for (;;) yield Object.assign({}, ...AGES.map(measureCounters)) as Samples;
    },
  },
];

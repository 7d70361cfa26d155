// The pure core of the simulator: how many household-years it computes a second, what a look at a fleet costs that
// nobody has looked at, and how both grow. Times are CPU times of the process, its helper threads included.
import { DAY_MS, QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../src/domain/api/durations.ts';
import { resolveDefinition } from '../src/simulation/definition/resolve-definition.ts';
import type { FleetDefinitionBody } from '../src/simulation/definition/fleet-definition.ts';
import { alwaysMid } from '../src/simulation/devices/schedule-states.ts';
import { buildHouseholds } from '../src/simulation/household/household.ts';
import type { Household } from '../src/simulation/household/household.ts';
import { createHouseholdModel } from '../src/simulation/model/model.ts';
import { NOISE_CHANNEL, hashInStream, splitSeed, hashStream } from '../src/simulation/kernel/noise.ts';
import { evenDensity } from '../tools/fidelity/sample-fleets.ts';

const REQUEST_ID = '5b0d5c1e-6c0f-4a34-8d53-0a5f2a1f7c11';
const NOW_MS = Date.UTC(2026, 10, 21, 10, 7, 30);
const FIRST_DAY = Date.UTC(2025, 0, 1) / DAY_MS;
const DAYS = 365;
const SIZES = [10, 100, 1000, 10_000, 100_000];
const ROUNDS = 5;

/** Places: all at one, or each at its own. */
const PLACES = { 'one place': {}, 'own places': { density: evenDensity('DE') } } as const;
type Places = keyof typeof PLACES;

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

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

function runYear(household: Household): void {
  const model = createHouseholdModel(household, alwaysMid);
  for (let day = FIRST_DAY; day < FIRST_DAY + DAYS; day++) model.day(day);
}

/** The limit: a year of nothing but a hash, a curve, a tilted plane and a battery, in rows that are made once. */
const curve = new Float64Array(QUARTER_HOURS_PER_DAY).fill(1.1);
const light = new Float64Array(QUARTER_HOURS_PER_DAY).fill(300);
const grid = new Int32Array(QUARTER_HOURS_PER_DAY);
function bareYear(index: number): number {
  const bursts = hashStream(splitSeed(seed), index, NOISE_CHANNEL.loadSpike);
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

function benchYears(places: Places): void {
  const count = 40;
  const ratios: number[] = [];
  const rates: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const fleet = fleetOf(count, places, FIRST_DAY * DAY_MS);
    const bare = () => cpuOf(() => fleet.forEach((_, index) => void bareYear(index)));
    const before = round % 2 === 0 ? bare() : undefined;
    const ours = cpuOf(() => fleet.forEach(runYear));
    const limit = before ?? bare();
    // The first round warms the compiler.
    if (round > 0) {
      ratios.push(limit / ours);
      rates.push(count / ours);
    }
  }
  const name = `household-years, ${places}`;
  console.log(`${name.padEnd(46)} ${median(ratios).toFixed(3)}   (${median(rates).toFixed(0)}/s/core)`);
}

/** Powers and charges of every household now, a month after the start of the history, from cold caches. */
function benchSnapshots(places: Places): void {
  const index = Math.floor(NOW_MS / QUARTER_HOUR_MS);
  const each: number[] = [];
  for (const size of SIZES) {
    const rounds = size > 1000 ? 1 : ROUNDS;
    const costs = Array.from({ length: rounds }, () => {
      const fleet = fleetOf(size, places, NOW_MS - (NOW_MS % QUARTER_HOUR_MS) - 30 * DAY_MS);
      return cpuOf(() =>
        fleet.forEach((household) => createHouseholdModel(household, alwaysMid).quarter(index)),
      );
    });
    const cost = median(costs);
    each.push(cost / size);
    const name = `cold snapshot of ${size}, ${places}`;
    const ratio = (cost / size / (each[0] ?? cost)).toFixed(2);
    console.log(`${name.padEnd(46)} ${ratio}    (${(cost * 1000).toFixed(1)} ms)`);
  }
}

/** Counters are sums since the anchor: a first look at an old fleet sums its days from there, or from a checkpoint. */
function benchCounters(): void {
  const index = Math.floor(NOW_MS / QUARTER_HOUR_MS);
  const weekAgo = Math.floor(NOW_MS / DAY_MS) - 7;
  for (const age of [1, 7, 30, 90, 365, 3652]) {
    const fleet = fleetOf(100, 'one place', NOW_MS - (NOW_MS % QUARTER_HOUR_MS) - age * DAY_MS);
    const models = fleet.map((household) => createHouseholdModel(household, alwaysMid));
    const cold = cpuOf(() => models.forEach((model) => model.countersBefore(index)));
    const warm = cpuOf(() => models.forEach((model) => model.countersBefore(index + 1)));
    const kept = models.map((model) => model.counters.checkpointAt(weekAgo));
    const fresh = fleet.map((household) => createHouseholdModel(household, alwaysMid));
    const resumed = cpuOf(() =>
      fresh.forEach((model, i) => {
        if (kept[i]) model.counters.restore(kept[i]);
        model.countersBefore(index);
      }),
    );
    const name = `counters of 100 households after ${age} days`;
    const [first, then, from] = [cold * 1000, warm * 1000, resumed * 1000];
    console.log(
      `${name.padEnd(46)} ${first.toFixed(1)} ms, then ${then.toFixed(2)} ms; ${from.toFixed(1)} ms from a checkpoint a week old`,
    );
  }
}

export function benchSimulation(): void {
  console.log(
    '\nSimulator. Years: ratio to a bare loop; snapshots: cost of a household over that in a fleet of 10.\n',
  );
  for (const places of ['one place', 'own places'] as const) benchYears(places);
  for (const places of ['one place', 'own places'] as const) benchSnapshots(places);
  benchCounters();
}

// Schedules of heat pumps: what it costs to plan a day of ten thousand homes that nobody has looked at, and one pump's next day; and
// household-years under prices, planned once and again. Times are CPU times of the process: those of one core.
import { DAY_MS } from '../src/domain/api/durations.ts';
import { steeringOf } from '../src/simulation/control/steering.ts';
import { resolveDefinition } from '../src/simulation/definition/resolve-definition.ts';
import { buildHouseholds } from '../src/simulation/household/household.ts';
import type { Household } from '../src/simulation/household/household.ts';
import { computeHeatPumpSchedule } from '../src/simulation/model/heat-pump-schedule.ts';
import { createHouseholdModel } from '../src/simulation/model/model.ts';
import { priceYear } from '../tools/validate/price-year.ts';
import { evenDensity } from '../tools/validate/sample-fleets.ts';
import type { Group } from './group.ts';
import type { Samples } from './row.ts';

const FIRST_DAY = Date.UTC(2025, 0, 1) / DAY_MS;
/** A day in the heating season, planned from 14:00 on. */
const PLANNED_MS = (FIRST_DAY + 20) * DAY_MS + 14 * 3_600_000;
const HOMES = 10_000;
const PUMPS = 40;
const PUMP_DAYS = 30;
const YEARS = 10;
const ROUNDS = 3;

const FLEET = 'a day of 10,000 homes planned, own places';
const PUMP_DAY = 'a pump-day planned';
const YEARS_PLANNED = 'household-years under prices, once planned';
const YEARS_FIRST = 'household-years under prices, first look';

const prices = priceYear('DE', FIRST_DAY, 365);

/** Each fleet has a seed that no cache knows. */
let seed = 1;
function fleetOf(count: number): Household[] {
  const resolution = resolveDefinition(
    {
      request_id: '5b0d5c1e-6c0f-4a34-8d53-0a5f2a1f7c11',
      count: Math.min(count, 1000),
      seed: seed++,
      density: evenDensity('DE'),
      ev_ownership_fraction: 0.5,
    },
    new Date(PLANNED_MS),
  );
  if (!resolution.ok) throw new Error(JSON.stringify(resolution.errors));
  const anchor = new Date(FIRST_DAY * DAY_MS);
  const expansions = count > 1000 ? [count - 1000] : [];
  return buildHouseholds(resolution.definition, resolution.density, anchor, expansions);
}

/** CPU milliseconds of a piece of work. */
function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function planDays(households: readonly Household[], days: number): void {
  const [from, to] = [new Date(PLANNED_MS), new Date(PLANNED_MS + days * DAY_MS)];
  for (const household of households) {
    Array.from(computeHeatPumpSchedule(household, steeringOf(prices), from, to));
  }
}

/** What each further day of a schedule costs, once its first day is there. */
function pumpDayMs(): number {
  const pumps = fleetOf(1_000)
    .filter(({ heat_pump: pump }) => pump !== null)
    .slice(0, PUMPS);
  const one = cpuMsOf(() => planDays(pumps, 1));
  return (cpuMsOf(() => planDays(pumps, 1 + PUMP_DAYS)) - one) / (PUMPS * PUMP_DAYS);
}

function yearsASecond(): { readonly first: number; readonly again: number } {
  const models = fleetOf(YEARS).map((household) => createHouseholdModel(household, steeringOf(prices)));
  const run = (): void => {
    for (const model of models) for (let day = FIRST_DAY; day < FIRST_DAY + 365; day++) model.day(day);
  };
  const [first, again] = [cpuMsOf(run), cpuMsOf(run)];
  return { first: (YEARS * 1_000) / first, again: (YEARS * 1_000) / again };
}

function measure(): Samples {
  const homes = fleetOf(HOMES);
  const years = yearsASecond();
  return {
    [FLEET]: { measured: cpuMsOf(() => planDays(homes, 1)) },
    [PUMP_DAY]: { measured: pumpDayMs() },
    [YEARS_FIRST]: { measured: years.first },
    [YEARS_PLANNED]: { measured: years.again },
  };
}

const inMs = { unit: 'ms', better: 'less' } as const;
const aSecond = { unit: '/s', better: 'more' } as const;

export const PLAN_GROUPS: readonly Group[] = [
  {
    name: 'simulation/plans',
    file: 'plans.ts',
    rows: [
      { name: FLEET, ...inMs, goals: { measured: 10_000 } },
      { name: PUMP_DAY, ...inMs, goals: { measured: 1 } },
      { name: YEARS_FIRST, ...aSecond, goals: {} },
      { name: YEARS_PLANNED, ...aSecond, goals: { measured: 60 } },
    ],
    rounds: ROUNDS,
    about: 'nothing: schedules of heat pumps under prices, by processor time',
    measure: async function* () {
      // What compiles the code.
      pumpDayMs();
      yearsASecond();
      yield {};
      for (;;) yield measure();
    },
  },
];

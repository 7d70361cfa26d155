/** Exactness: balance, bounds, counters, determinism (docs/simulation.md#validation). */
import { createHash } from 'node:crypto';
import { QUARTER_HOURS_PER_DAY } from '../../src/domain/api/durations.ts';
import { resolveDefinition } from '../../src/simulation/definition/resolve-definition.ts';
import type { Household } from '../../src/simulation/household/household.ts';
import type { DayRows } from '../../src/simulation/model/day-rows.ts';
import { UNSTEERED } from '../../src/simulation/control/steering.ts';
import { createHouseholdModel } from '../../src/simulation/model/model.ts';
import { previewFleet } from '../../src/simulation/preview/preview.ts';
import type { Picture } from './picture.ts';
import { rowWithin } from './row.ts';
import type { Row } from './row.ts';
import { FIRST_DAY, LAST_DAY, eachDay, households } from './sample-fleets.ts';

export const SEEDS = [42, 42 + 2 ** 32, 42 + 2 ** 33, 2 ** 53 - 1] as const;
const FLEET = 20;
const DEFINITION = { count: 8, ev_ownership_fraction: 0.5, latitude: 48.2, longitude: 16.4 };

/** SHA-256 of what a fleet's households are and do, from all numbers of its first 40 days. */
export function fleetHash(seed: number): string {
  const hash = createHash('sha256');
  for (const household of households({ ...DEFINITION, seed })) {
    // The seed itself must not make the difference.
    hash.update(JSON.stringify({ ...household, seed: 0 }));
    const model = createHouseholdModel(household, UNSTEERED);
    for (let day = FIRST_DAY; day < FIRST_DAY + 40; day++) {
      for (const [name, row] of Object.entries(model.day(day)) as [string, Int32Array | Uint8Array][]) {
        // What is asked of a heat pump and by whom follows from prices, of which there are none.
        if (name !== 'asked' && name !== 'follows') hash.update(Array.from(row).join());
      }
    }
  }
  return hash.digest('hex');
}

/** A room or a tank changes by less within a quarter hour, mK. */
const LARGEST_STEP_MK = { indoor: 1500, hotWater: 22_000 } as const;

/** What may not happen, counted over the days of a fleet. */
class Faults {
  residual = 0;
  chargesOutside = 0;
  negative = 0;
  jumps = 0;
  apart = 0;
  /** Stored energies and temperatures at the end of the day before, by household. */
  #ends: readonly number[] | undefined;

  startHousehold(): void {
    this.#ends = undefined;
  }

  add(household: Household, rows: DayRows): void {
    const { battery, electric_vehicle: vehicle } = household;
    const outside = (stored: number, capacityKwh: number, leastPercent: number): boolean => {
      const percent = stored / capacityKwh / 1e4;
      return percent < leastPercent - 1e-4 || percent > 100;
    };
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      const at = (row: Int32Array, index = i): number => row[index] ?? 0;
      const used = at(rows.load) + at(rows.ev) + at(rows.hp) + at(rows.charge) - at(rows.discharge);
      this.residual += Math.abs(at(rows.grid) - (used - at(rows.pv)));
      if (outside(at(rows.stored), battery.capacity_kwh, 5)) this.chargesOutside += 1;
      if (vehicle && outside(at(rows.vehicleStored), vehicle.battery_kwh, 0)) this.chargesOutside += 1;
      if ([rows.load, rows.pv, rows.ev, rows.hp, rows.heat].some((row) => at(row) < 0)) this.negative += 1;
      for (const name of ['indoor', 'hotWater'] as const) {
        if (Math.abs(at(rows[name], i + 1) - at(rows[name])) > LARGEST_STEP_MK[name]) this.jumps += 1;
      }
    }
    const courses = [rows.stored, rows.vehicleStored, rows.indoor, rows.hotWater];
    if (this.#ends?.some((end, i) => end !== courses[i]?.[0])) this.apart += 1;
    this.#ends = courses.map((course) => course[QUARTER_HOURS_PER_DAY] ?? 0);
  }
}

/** How often a counter is lower a week later. */
function countFalling(household: Household): number {
  let falling = 0;
  const model = createHouseholdModel(household, UNSTEERED);
  let last = model.countersBefore(FIRST_DAY * QUARTER_HOURS_PER_DAY);
  for (let day = FIRST_DAY; day <= LAST_DAY; day += 7) {
    const next = model.countersBefore(day * QUARTER_HOURS_PER_DAY + 37);
    if (Object.entries(next).some(([name, value]) => value < last[name as keyof typeof last])) falling += 1;
    last = next;
  }
  return falling;
}

/** The rows; each counts what may not happen. */
export function measure(): Promise<Row[]> {
  const fleet = households({ ...DEFINITION, count: FLEET });
  const faults = new Faults();
  let falling = 0;
  for (const household of fleet) {
    faults.startHousehold();
    eachDay(household, (rows) => faults.add(household, rows));
    falling += countFalling(household);
  }
  const row = (id: string, figure: string, value: number, wanted = 0): Row =>
    rowWithin({ id, figure, truth: String(wanted), source: 'by construction' }, value, [wanted, wanted], 0);
  return Promise.resolve([
    row('balance', `Energy balance of ${FLEET} households, sum of residuals of a year, mWh`, faults.residual),
    row('charge', 'Quarter hours with a battery or a car charged out of bounds', faults.chargesOutside),
    row('negative', 'Quarter hours with a negative load, yield or heat', faults.negative),
    row(
      'jumps',
      'Quarter hours in which a room changes by more than 1.5 K or a tank by more than 22 K',
      faults.jumps,
    ),
    row('apart', 'Days that do not begin as the day before ended', faults.apart),
    row('counters', 'Counters that fall', falling),
    row(
      'seeds',
      `Different fleets of seeds ${SEEDS.join(', ')}`,
      new Set(SEEDS.map(fleetHash)).size,
      SEEDS.length,
    ),
    row('access', 'Households whose random access differs from walking', countJumps(fleet)),
    row('expand', 'Households changed by expanding', countChanged()),
    row('preview', 'Households of a preview that creation changes', countPreviewed()),
  ]);
}

/** There is nothing to see. */
export const draw = (): Picture[] => [];

function countJumps(fleet: readonly Household[]): number {
  let wrong = 0;
  for (const household of fleet) {
    const walked = createHouseholdModel(household, UNSTEERED);
    for (let day = FIRST_DAY; day < FIRST_DAY + 60; day++) walked.day(day);
    const index = (FIRST_DAY + 59) * QUARTER_HOURS_PER_DAY + 50;
    const jumped = createHouseholdModel(household, UNSTEERED).quarter(index);
    if (JSON.stringify(jumped) !== JSON.stringify(walked.quarter(index))) wrong += 1;
  }
  return wrong;
}

function countChanged(): number {
  const before = households(DEFINITION);
  const after = households(DEFINITION, [5, 20]);
  return before.filter((household, i) => JSON.stringify(household) !== JSON.stringify(after[i])).length;
}

function countPreviewed(): number {
  const now = new Date(Date.UTC(2024, 11, 1));
  const request_id = '5b0d5c1e-6c0f-4a34-8d53-0a5f2a1f7c11';
  const resolution = resolveDefinition({ request_id, ...DEFINITION }, now);
  if (!resolution.ok) throw new Error(JSON.stringify(resolution.errors));
  const shown = previewFleet('00000000-0000-4000-8000-000000000000', resolution, now).households;
  return households(DEFINITION).filter((household, i) => {
    const other = shown[i];
    return (
      other?.pv_rating_kw !== household.pv.rating_kw ||
      other.battery_capacity_kwh !== household.battery.capacity_kwh ||
      other.profile !== household.profile ||
      other.time_shift_minutes !== household.time_shift_minutes
    );
  }).length;
}

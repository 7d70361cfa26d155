/** Exactness: balance, bounds, counters, determinism (docs/simulation.md#targets). */
import { createHash } from 'node:crypto';
import { resolveDefinition } from '../../src/simulation/definition/resolve-definition.ts';
import type { Household } from '../../src/simulation/household/household.ts';
import { createHouseholdModel } from '../../src/simulation/model/model.ts';
import { previewFleet } from '../../src/simulation/preview/preview.ts';
import { FIRST_DAY, LAST_DAY, eachDay, households, within } from './sample-fleets.ts';
import type { Check } from './sample-fleets.ts';
import { QUARTER_HOURS_PER_DAY } from '../../src/domain/api/durations.ts';

export const SEEDS = [42, 42 + 2 ** 32, 42 + 2 ** 33, 2 ** 53 - 1] as const;
const DEFINITION = { count: 8, ev_ownership_fraction: 0.5, latitude: 48.2, longitude: 16.4 };

/** SHA-256 of what a fleet's households are and do, from all numbers of its first 40 days. */
export function fleetHash(seed: number): string {
  const hash = createHash('sha256');
  for (const household of households({ ...DEFINITION, seed })) {
    // The seed itself must not make the difference.
    hash.update(JSON.stringify({ ...household, seed: 0 }));
    const model = createHouseholdModel(household, () => 'mid');
    for (let day = FIRST_DAY; day < FIRST_DAY + 40; day++) {
      const rows = model.day(day);
      for (const row of Object.values(rows) as (Int32Array | Uint8Array)[])
        hash.update(Array.from(row).join());
    }
  }
  return hash.digest('hex');
}

export function measureInvariants(): Check[] {
  const fleet = households({ ...DEFINITION, count: 20 });
  let [residual, outside, falling] = [0, 0, 0];
  for (const household of fleet) {
    const { capacity_kwh: capacity } = household.battery;
    eachDay(household, (rows) => {
      for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
        const at = (row: Int32Array) => row[i] ?? 0;
        const used = at(rows.load) + at(rows.ev) + at(rows.hp) + at(rows.charge) - at(rows.discharge);
        residual += Math.abs(at(rows.grid) - (used - at(rows.pv)));
        const percent = at(rows.stored) / capacity / 1e4;
        if (percent < 5 - 1e-4 || percent > 100) outside += 1;
        if ([rows.pv, rows.ev, rows.hp, rows.heat].some((row) => at(row) < 0)) falling += 1;
      }
    });
    const model = createHouseholdModel(household, () => 'mid');
    let last = model.countersBefore(FIRST_DAY * QUARTER_HOURS_PER_DAY);
    for (let day = FIRST_DAY; day <= LAST_DAY; day += 7) {
      const next = model.countersBefore(day * QUARTER_HOURS_PER_DAY + 37);
      if (Object.entries(next).some(([name, value]) => value < last[name as keyof typeof last])) falling += 1;
      last = next;
    }
  }
  const hashes = new Set(SEEDS.map(fleetHash));
  return [
    within('Energy balance, sum of residuals, mWh', residual, 0, 0, 0),
    within('Quarters with a charge out of bounds', outside, 0, 0, 0),
    within('Counters that fall', falling, 0, 0, 0),
    within(`Different fleets of seeds ${SEEDS.join(', ')}`, hashes.size, 4, 4, 0),
    within('Random access that differs from walking', countJumps(fleet), 0, 0, 0),
    within('Households changed by expanding', countChanged(), 0, 0, 0),
    within('Households of a preview that creation changes', countPreviewed(), 0, 0, 0),
  ];
}

function countJumps(fleet: readonly Household[]): number {
  let wrong = 0;
  for (const household of fleet) {
    const walked = createHouseholdModel(household, () => 'mid');
    for (let day = FIRST_DAY; day < FIRST_DAY + 60; day++) walked.day(day);
    const index = (FIRST_DAY + 59) * QUARTER_HOURS_PER_DAY + 50;
    const jumped = createHouseholdModel(household, () => 'mid').quarter(index);
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

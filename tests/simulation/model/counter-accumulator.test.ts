import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import type { Checkpoint } from '../../../src/simulation/model/counter-accumulator.ts';
import { UNSTEERED, steeringOf } from '../../../src/simulation/control/steering.ts';
import type { Steering } from '../../../src/simulation/control/steering.ts';
import type { Household } from '../../../src/simulation/household/household.ts';
import { createHouseholdModel } from '../../../src/simulation/model/model.ts';
import { createPriceBook } from '../../../src/simulation/control/price-book.ts';
import type { PriceEntry } from '../../../src/simulation/control/price-book.ts';
import { first, households } from '../fleet.ts';
import { DAY_MS, QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../../../src/domain/api/durations.ts';

const START = Date.UTC(2019, 0, 1);

/** Batteries from quick ones to one that keeps the charge of the anchor for a century. */
const FLEETS = [
  {},
  { battery_capacity_kwh: 1000, max_charge_power_w: 1, max_discharge_power_w: 1, initial_soc_percent: 61 },
  { battery_capacity_kwh: 100, pv_rating_kw: 5, initial_soc_percent_range: { min: 5, max: 100 } },
  { pv_rating_kw: 0, annual_consumption_kwh: 3000, annual_consumption_with_ev_kwh: 3000 },
] as const;

const anyHousehold = fc
  .record({
    fleet: fc.constantFrom(...FLEETS),
    seed: fc.maxSafeNat(),
    ev: fc.boolean(),
    member: fc.nat(7),
    // 1970 is the earliest that a definition may ask for.
    anchorMs: fc.integer({ min: 0, max: Date.UTC(2026, 0, 1) }),
    place: fc.constantFrom({ latitude: 47.1, longitude: 15.4 }, { latitude: -33.9, longitude: 151.2 }),
  })
  .map(({ fleet, seed, ev, member, anchorMs, place }): Household => {
    const body = { ...fleet, count: 8, seed, ev_ownership_fraction: ev ? 1 : 0, ...place };
    return households(body, new Date(anchorMs))[member] ?? first([]);
  });

/** Where a household stood, as a table gives it back. */
function checkpointOf(household: Household, day: number, steering: Steering = UNSTEERED): Checkpoint {
  const kept = createHouseholdModel(household, steering).counters.checkpointAt(day);
  return JSON.parse(JSON.stringify(kept)) as Checkpoint;
}

const firstDayOf = (household: Household): number => Math.floor(household.anchor_ms / DAY_MS);

describe('from a checkpoint', () => {
  test('counters, charges and powers of any instant are those from the anchor', () => {
    fc.assert(
      fc.property(
        anyHousehold,
        fc.integer({ min: 1, max: 150 }),
        fc.array(fc.integer({ min: -30, max: 90 }), { minLength: 1, maxLength: 4 }),
        fc.nat(QUARTER_HOURS_PER_DAY - 1),
        (household, age, ways, quarter) => {
          const day = firstDayOf(household) + age;
          const walked = createHouseholdModel(household, UNSTEERED);
          const model = createHouseholdModel(household, UNSTEERED);
          model.counters.restore(checkpointOf(household, day));
          for (const way of ways) {
            const index = (day + way) * QUARTER_HOURS_PER_DAY + quarter;
            expect(model.countersBefore(index)).toEqual(walked.countersBefore(index));
            expect(model.quarter(index)).toEqual(walked.quarter(index));
          }
        },
      ),
    );
  });

  test('nothing before it is summed again', () => {
    const household = first(households({ count: 1 }, new Date(START)));
    const day = firstDayOf(household) + 200;
    const asked: number[] = [];
    const model = createHouseholdModel(household, UNSTEERED);
    const checkpoint = checkpointOf(household, day);
    model.counters.restore({ ...checkpoint, counters: { ...checkpoint.counters, pv: 1e15 } });
    for (const ahead of [0, 1, 40]) {
      asked.push(model.countersBefore((day + ahead) * QUARTER_HOURS_PER_DAY).pv);
    }
    expect(asked.every((pv) => pv >= 1e15)).toBe(true);
    expect(model.countersBefore((day - 1) * QUARTER_HOURS_PER_DAY).pv).toBeLessThan(1e15);
  });

  test('a heat pump goes on as its prices say, and prices that come in later change no past quarter', () => {
    const heated = households({ count: 40, ev_ownership_fraction: 0 }, new Date(START)).filter(
      (household) => household.heat_pump,
    );
    const anyPrice = (from: number, to: number) =>
      fc.array(
        fc
          .record({ hour: fc.nat(40 * 24), price: fc.integer({ min: -50, max: 400 }), lag: fc.nat(36) })
          .map(({ hour, price, lag }): PriceEntry => {
            const at = START + hour * 3_600_000;
            const receivedAt = Math.min(to, Math.max(from, at - lag * 3_600_000));
            return { at: new Date(at), price, receivedAt: new Date(receivedAt) };
          }),
        { maxLength: 60 },
      );
    const made = START + 20 * DAY_MS;
    fc.assert(
      fc.property(
        fc.constantFrom(...heated),
        anyPrice(START, made - 1),
        anyPrice(made, made + 15 * DAY_MS),
        fc.integer({ min: 20 * QUARTER_HOURS_PER_DAY, max: 40 * QUARTER_HOURS_PER_DAY }),
        (household, known, later, after) => {
          const planner = (entries: readonly PriceEntry[]) => steeringOf(createPriceBook(entries));
          const day = firstDayOf(household) + 20;
          const model = createHouseholdModel(household, planner([...known, ...later]));
          model.counters.restore(checkpointOf(household, day, planner(known)));
          const walked = createHouseholdModel(household, planner([...known, ...later]));
          const index = firstDayOf(household) * QUARTER_HOURS_PER_DAY + after;
          expect(model.countersBefore(index)).toEqual(walked.countersBefore(index));
          expect(model.quarter(index)).toEqual(walked.quarter(index));
        },
      ),
    );
  });
});

describe('a walk', () => {
  test('goes no further than it is let', () => {
    const household = first(households({ count: 1 }, new Date(START)));
    const walk = createHouseholdModel(household, UNSTEERED).counters.startAdvancingTo(
      firstDayOf(household) + 41,
    );
    const reached = [8, 8, 8, 8, 8, 1].map((days) => walk(days)?.day);
    expect(reached).toEqual([...Array<undefined>(5), firstDayOf(household) + 41]);
  });

  test('shares what others at once have done, and ends where it would alone', () => {
    const household = first(households({ count: 1, ev_ownership_fraction: 1 }, new Date(START)));
    const start = firstDayOf(household);
    const model = createHouseholdModel(household, UNSTEERED);
    const targets = [700, 90, 333, 512, 41, 700];
    const open = new Set(targets.map((days) => model.counters.startAdvancingTo(start + days)));
    let steps = 0;
    while (open.size > 0) {
      for (const walk of open) {
        steps += 1;
        if (walk(8) !== undefined) open.delete(walk);
      }
    }
    expect(steps).toBeLessThanOrEqual(Math.ceil(700 / 8) + 2 * targets.length);
    for (const days of targets) {
      expect(model.counters.checkpointAt(start + days)).toEqual(
        createHouseholdModel(household, UNSTEERED).counters.checkpointAt(start + days),
      );
    }
  });

  test('over ten years leaves milestones, so that a look back stays short', () => {
    const household = first(households({ count: 1 }, new Date(START - 3000 * DAY_MS)));
    const start = firstDayOf(household);
    const model = createHouseholdModel(household, UNSTEERED);
    model.counters.checkpointAt(start + 3652);
    const back = model.counters.startAdvancingTo(start + 1801);
    expect(back(256)?.day).toBe(start + 1801);
    const end =
      (start + 1801) * QUARTER_HOURS_PER_DAY + Math.floor((household.anchor_ms % DAY_MS) / QUARTER_HOUR_MS);
    expect(model.countersBefore(end)).toEqual(createHouseholdModel(household, UNSTEERED).countersBefore(end));
  });
});

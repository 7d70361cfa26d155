import fc from 'fast-check';
import highs from 'highs';
import { expect, test } from 'vitest';
import { feedInPriceOf } from '../../../src/simulation/control/own-power.ts';
import type { BatteryLimits } from '../../../src/simulation/devices/battery.ts';
import {
  chargedEnergy,
  dischargedEnergy,
  fullEnergyOf,
  lackEnergyOf,
  ownEnergyOf,
  storedBySelfConsumption,
  storedWithin,
} from '../../../src/simulation/devices/battery-levels.ts';
import type { BatteryLevels } from '../../../src/simulation/devices/battery-levels.ts';
import { planBattery } from '../../../src/simulation/devices/battery-plan.ts';

// The package's types are those of its other build, in which the loader is a property.
const loadSolver = highs as unknown as typeof highs.default;

const LIMITS: BatteryLimits = {
  capacity: 10_000_000,
  reserve: 500_000,
  initial: 5_000_000,
  chargeLimit: 1_250_000,
  dischargeLimit: 1_250_000,
  efficiency: 0.94,
};

interface Day {
  readonly prices: readonly number[];
  readonly surplus: readonly number[];
  readonly start: number;
  readonly gridCharging: boolean;
}

const anyDay = (lowest: number): fc.Arbitrary<Day> =>
  fc
    .array(
      fc.record({
        price: fc.integer({ min: lowest, max: 400 }),
        surplus: fc.integer({ min: -1_500_000, max: 2_000_000 }),
      }),
      { minLength: 1, maxLength: 40 },
    )
    .chain((quarters) =>
      fc.record({
        prices: fc.constant(quarters.map(({ price }) => price)),
        surplus: fc.constant(quarters.map(({ surplus }) => surplus)),
        start: fc.integer({ min: LIMITS.reserve, max: LIMITS.capacity }),
        gridCharging: fc.boolean(),
      }),
    );

/** Goes through a day; cost in mWh times EUR/MWh. */
function run({ prices, surplus, start }: Day, levels?: BatteryLevels) {
  let x = start;
  let cost = 0;
  const stored: number[] = [];
  surplus.forEach((left, i) => {
    const next = levels
      ? storedWithin(LIMITS, levels, i, left, x)
      : storedBySelfConsumption(LIMITS, LIMITS.reserve, left, x);
    const delta = next - x;
    const charged = delta > 0 ? chargedEnergy(LIMITS, left, delta) : 0;
    const given = delta < 0 ? dischargedEnergy(LIMITS, left, -delta) : 0;
    const grid = charged - given - left;
    cost += grid > 0 ? grid * (prices[i] ?? 0) : grid * feedInPriceOf(prices[i] ?? 0);
    stored.push((x = next));
  });
  return { end: x, cost, stored };
}

const plan = (day: Day, end: number): BatteryLevels =>
  planBattery({ limits: LIMITS, reserve: LIMITS.reserve, count: day.prices.length, end, ...day });

/** Rounding: at most a few mWh a quarter hour at the dearest price. */
const ROUNDING = 40 * 10 * 400;

test('a day by plan ends with the charge of self-consumption at least, and is never dearer', () => {
  fc.assert(
    fc.property(anyDay(-100), (day) => {
      const unsteered = run(day);
      const planned = run(day, plan(day, unsteered.end));
      expect(planned.end).toBeGreaterThanOrEqual(unsteered.end - 2);
      expect(planned.cost).toBeLessThanOrEqual(unsteered.cost + ROUNDING);
    }),
    { numRuns: 500 },
  );
});

test('the charge stays within its bounds, and the battery never feeds into the grid nor takes from it unasked', () => {
  fc.assert(
    fc.property(anyDay(-100), (day) => {
      const levels = plan(day, run(day).end);
      const { stored } = run(day, levels);
      let x = day.start;
      for (const [i, next] of stored.entries()) {
        const left = day.surplus[i] ?? 0;
        expect(next).toBeGreaterThanOrEqual(LIMITS.reserve);
        expect(next).toBeLessThanOrEqual(LIMITS.capacity);
        if (next < x)
          expect(dischargedEnergy(LIMITS, left, x - next)).toBeLessThanOrEqual(Math.max(0, -left));
        if (next > x && !day.gridCharging)
          expect(chargedEnergy(LIMITS, left, next - x)).toBeLessThanOrEqual(Math.max(0, left));
        x = next;
      }
    }),
  );
});

test('more charge before a quarter hour is never less after it', () => {
  fc.assert(
    fc.property(anyDay(-100), fc.integer({ min: 0, max: LIMITS.capacity }), (day, other) => {
      const levels = plan(day, 3_000_000);
      const [low = 0, high = 0] = [day.start, other].sort((a, b) => a - b);
      const after = (x: number) => storedWithin(LIMITS, levels, 0, day.surplus[0] ?? 0, x);
      expect(after(low)).toBeLessThanOrEqual(after(high));
    }),
  );
});

test('a battery that keeps the usual reserve does what it does by itself, and one below it is charged only', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: LIMITS.capacity }),
      fc.integer({ min: -2_000_000, max: 2_000_000 }),
      (x, surplus) => {
        const next = storedBySelfConsumption(LIMITS, LIMITS.reserve, surplus, x);
        const own = ownEnergyOf(LIMITS, surplus);
        const lack = lackEnergyOf(LIMITS, surplus);
        if (x < LIMITS.reserve) expect(next).toBe(x + own);
        else expect(next).toBe(Math.min(LIMITS.capacity, Math.max(LIMITS.reserve, x + own - lack)));
      },
    ),
  );
});

/** The same problem for a solver of linear programs: charge from own power, from the grid, and discharge, of each quarter hour. */
function problemOf({ prices, surplus, start, gridCharging }: Day, end: number): string {
  const { capacity, reserve, efficiency } = LIMITS;
  const objective: string[] = [];
  const rules: string[] = [];
  const bounds: string[] = [];
  prices.forEach((price, i) => {
    const own = ownEnergyOf(LIMITS, surplus[i] ?? 0);
    const charge = fullEnergyOf(LIMITS);
    const discharge = lackEnergyOf(LIMITS, surplus[i] ?? 0);
    objective.push(`${feedInPriceOf(price) / efficiency} o${i}`, `${price / efficiency} g${i}`);
    objective.push(`${-price * efficiency} d${i}`);
    const before = i === 0 ? '' : `- x${i - 1} `;
    rules.push(`e${i}: x${i} ${before}- o${i} - g${i} + d${i} = ${i === 0 ? start : 0}`);
    rules.push(`p${i}: o${i} + g${i} <= ${gridCharging ? charge : own}`);
    bounds.push(`${reserve} <= x${i} <= ${capacity}`, `0 <= o${i} <= ${own}`);
    bounds.push(`0 <= g${i} <= ${gridCharging ? charge : 0}`, `0 <= d${i} <= ${discharge}`);
  });
  rules.push(`end: x${prices.length - 1} >= ${end}`);
  const sum = objective.join(' + ').replaceAll('+ -', '- ');
  return `Minimize\n obj: ${sum}\nSubject To\n ${rules.join('\n ')}\nBounds\n ${bounds.join('\n ')}\nEnd\n`;
}

test('no plan is cheaper: a solver of linear programs finds the same cost', async () => {
  const solver = await loadSolver();
  const days = fc.sample(anyDay(0), { numRuns: 60, seed: 13 });
  for (const day of days) {
    const unsteered = run(day);
    const planned = run(day, plan(day, unsteered.end));
    const nothing = day.surplus.reduce((sum, left, i) => {
      const price = day.prices[i] ?? 0;
      return sum - left * (left > 0 ? feedInPriceOf(price) : price);
    }, 0);
    const solved = solver.solve(problemOf(day, unsteered.end));
    expect(solved.Status).toBe('Optimal');
    expect(Math.abs(planned.cost - nothing - solved.ObjectiveValue)).toBeLessThanOrEqual(ROUNDING);
  }
});

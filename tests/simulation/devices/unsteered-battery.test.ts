/** What a battery by price looks back for: in pieces, and the same as at once. */
import { describe, expect, test } from 'vitest';
import { QUARTER_HOURS_PER_DAY } from '../../../src/domain/api/durations.ts';
import { UNCONTROLLED } from '../../../src/simulation/control/household-control.ts';
import { DEFAULT_INVERTER_PREFERENCES } from '../../../src/simulation/control/preferences.ts';
import type { InverterPreferences } from '../../../src/simulation/control/preferences.ts';
import { batteryLimitsOf } from '../../../src/simulation/devices/battery.ts';
import { SteeredBattery } from '../../../src/simulation/devices/steered-battery.ts';
import type { BatterySource } from '../../../src/simulation/devices/steered-battery.ts';
import { RESTLESS } from '../steered.ts';

const DAY = 20_000;
const batteryOfKwh = (capacity: number, powerW: number) =>
  batteryLimitsOf({
    capacity_kwh: capacity,
    initial_soc_percent: 50,
    max_charge_power_w: powerW,
    max_discharge_power_w: powerW,
    efficiency: 0.95,
  });
/** Never full nor empty: a thousand years would not do. */
const SLOW = batteryOfKwh(1000, 1);

const surplusOf = (day: number): Int32Array =>
  Int32Array.from({ length: QUARTER_HOURS_PER_DAY }, (_, i) => {
    return i > 40 && i < 60 ? 300_000 + (day % 7) * 900 : -80_000 - ((day * 31 + i) % 50) * 1000;
  });

/** A battery by price whose history is `age` days long, and on which days its surplus was looked at. */
function batteryOf(
  age: number,
  source: Partial<BatterySource> = {},
  preferences: Partial<InverterPreferences> = {},
) {
  const lookedAt = new Set<number>();
  const value = { ...DEFAULT_INVERTER_PREFERENCES, price_response: true, ...preferences };
  const inverter = { preferences: [{ from: 0, value }], boosts: [], unsteered: [] };
  const battery = new SteeredBattery({
    timeZone: 'Europe/Vienna',
    limits: SLOW,
    surplusOn: (day) => {
      lookedAt.add(day);
      return surplusOf(day);
    },
    approach: () => true,
    expectedOn: surplusOf,
    firstOf: (day) => (day > DAY - age ? 0 : QUARTER_HOURS_PER_DAY),
    hasPanels: true,
    steering: { ...RESTLESS, control: { ...UNCONTROLLED, inverter } },
    ...source,
  });
  return { battery, lookedAt };
}

/** A day's levels, copied. */
const levelsOn = (battery: SteeredBattery, day: number) => structuredClone(battery.on(day));

function approach(battery: SteeredBattery, day = DAY): number {
  let pieces = 1;
  while (!battery.approach(day)) pieces += 1;
  return pieces;
}

describe('a battery that its whole history counts for', () => {
  test('forgets searches that nobody goes on with when 256 others have begun', () => {
    const { battery } = batteryOf(1000);
    for (let piece = 0; piece < 100; piece += 1) battery.approach(DAY);
    for (let other = 1; other <= 300; other += 1) battery.approach(DAY - other);
    // From its beginning, and not from the hundredth day on.
    expect(approach(battery)).toBe(approach(batteryOf(1000).battery));
  });

  test('follows a day in a piece, two in the last, and some around the one that is asked for then', () => {
    const { battery, lookedAt } = batteryOf(1000);
    const lookedAtIn: number[] = [];
    const all = new Set<number>();
    for (let isThere = false; !isThere;) {
      lookedAt.clear();
      isThere = battery.approach(DAY);
      lookedAtIn.push(lookedAt.size);
      for (const day of lookedAt) all.add(day);
    }
    // The first plan of the day ends by the day before, the second by the day itself.
    expect(lookedAtIn.pop()).toBeLessThanOrEqual(2);
    expect(Math.max(...lookedAtIn)).toBe(1);
    expect(all.size).toBeGreaterThan(990);
    lookedAt.clear();
    battery.on(DAY);
    expect(lookedAt.size).toBeLessThanOrEqual(2);
  });

  test('comes nearer to the days before those that it looks at', () => {
    const pieces: string[] = [];
    let approached = NaN;
    const { battery } = batteryOf(20, {
      surplusOn: (day) => {
        pieces.push(day === approached ? 'near' : 'far');
        return surplusOf(day);
      },
      // Each day takes a piece before it is near.
      approach: (day) => {
        const isNear = day === approached;
        approached = day;
        return isNear;
      },
    });
    approach(battery);
    expect(new Set(pieces)).toEqual(new Set(['near']));
  });

  test('needs no piece where nothing goes by prices, and few more on the next day', () => {
    expect(approach(batteryOf(1000, {}, { price_response: false }).battery)).toBe(1);
    const { battery } = batteryOf(1000);
    approach(battery);
    battery.on(DAY);
    expect(approach(battery, DAY + 1)).toBeLessThanOrEqual(2);
  });
});

test.for([
  ['a slow battery', SLOW, true],
  ['a usual battery', batteryOfKwh(10, 5000), true],
  ['a battery without panels', batteryOfKwh(10, 5000), false],
] as const)(
  '%s has the same levels at once, in pieces, and with others between these',
  ([, limits, hasPanels]) => {
    // Days whose places in what is remembered are the same, and neighbours.
    const days = [DAY, DAY - 64, DAY - 16, DAY - 1, DAY + 1];
    const create = () => batteryOf(200, { limits, hasPanels }, { grid_charging: true }).battery;
    const together = create();
    const left = new Set(days);
    let rounds = 0;
    for (; left.size > 0 && rounds < 5000; rounds++) {
      for (const day of left) if (together.approach(day)) left.delete(day);
    }
    expect(rounds).toBeLessThan(5000);
    for (const day of days) {
      const atOnce = levelsOn(create(), day);
      const alone = create();
      approach(alone, day);
      expect(levelsOn(alone, day)).toEqual(atOnce);
      expect(levelsOn(together, day)).toEqual(atOnce);
    }
  },
);

test('of days on which a battery without panels keeps all for certain 256 are a piece', () => {
  const { battery, lookedAt } = batteryOf(10_000, { hasPanels: false }, { reserve_percent: 100 });
  const pieces = approach(battery);
  expect(pieces).toBeGreaterThan(10_000 / 256);
  expect(pieces).toBeLessThan(200);
  expect(lookedAt.size).toBe(0);
});

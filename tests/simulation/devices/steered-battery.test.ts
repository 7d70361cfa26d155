import { expect, test } from 'vitest';
import { QUARTER_HOURS_PER_DAY } from '../../../src/domain/api/durations.ts';
import { UNCONTROLLED } from '../../../src/simulation/control/household-control.ts';
import type { Place } from '../../../src/simulation/control/household-control.ts';
import { DEFAULT_INVERTER_PREFERENCES } from '../../../src/simulation/control/preferences.ts';
import type { InverterPreferences } from '../../../src/simulation/control/preferences.ts';
import type { Revision } from '../../../src/simulation/control/revisions.ts';
import { batteryLimitsOf } from '../../../src/simulation/devices/battery.ts';
import { BatterySettingsLookup } from '../../../src/simulation/devices/battery-settings.ts';
import { SteeredBattery } from '../../../src/simulation/devices/steered-battery.ts';
import { RESTLESS } from '../steered.ts';

const DAY = 20_000;
const LIMITS = batteryLimitsOf({
  capacity_kwh: 10,
  initial_soc_percent: 50,
  max_charge_power_w: 5000,
  max_discharge_power_w: 5000,
  efficiency: 0.95,
});
const NEEDY = new Int32Array(QUARTER_HOURS_PER_DAY).fill(-100_000);

const BY_PRICE = { ...DEFAULT_INVERTER_PREFERENCES, price_response: true, grid_charging: true };

/** A battery in a household without panels whose history is `age` days long, and how often its days were looked at. */
function batteryOf(
  preferences: readonly Revision<InverterPreferences>[],
  age: number,
  places: readonly Revision<Place>[] = [],
) {
  const asked = { surplus: 0, expected: 0, places: [] as (Place | null)[] };
  const inverter = { preferences, boosts: [], unsteered: [] };
  const battery = new SteeredBattery({
    timeZone: 'Europe/Vienna',
    limits: LIMITS,
    surplusOn: () => {
      asked.surplus += 1;
      return NEEDY;
    },
    approach: () => true,
    expectedOn: (_day, _withVehicle, place) => {
      asked.expected += 1;
      asked.places.push(place);
      return NEEDY;
    },
    firstOf: (day) => (day > DAY - age ? 0 : QUARTER_HOURS_PER_DAY),
    hasPanels: false,
    steering: { ...RESTLESS, control: { ...UNCONTROLLED, inverter, places } },
  });
  return { asked, battery };
}

test('a plan lasts when people have asked for something else since its window began', () => {
  // The window begins at 13:00 UTC; the change comes five hours later.
  const changed = DAY * QUARTER_HOURS_PER_DAY + 72;
  const preferences = [
    { from: 0, value: { ...BY_PRICE, reserve_percent: 20 } },
    { from: changed, value: { ...BY_PRICE, reserve_percent: 10 } },
  ];
  const { asked, battery } = batteryOf(preferences, 3);
  battery.on(DAY);
  // Three plans: that of the window before, at 13:00 and at the change; each looks at three days at most.
  expect(asked.expected).toBeLessThanOrEqual(9);
});

test('a plan expects the place where the household is, and is made anew once it has moved', () => {
  const place = { latitude: 37, longitude: -6 };
  const { asked, battery } = batteryOf([{ from: 0, value: BY_PRICE }], 3, [
    { from: DAY * QUARTER_HOURS_PER_DAY + 72, value: place },
  ]);
  battery.on(DAY);
  expect(asked.places).toEqual(
    asked.places.toSorted((one, other) => Number(one === place) - Number(other === place)),
  );
  expect(new Set(asked.places)).toEqual(new Set([null, place]));
});

test('what holds is one object for each span, whatever else is asked meanwhile', () => {
  const inverter = {
    preferences: [{ from: 10, value: BY_PRICE }],
    boosts: [{ first: 20, end: 30 }],
    unsteered: [],
  };
  const settings = new BatterySettingsLookup({ ...UNCONTROLLED, inverter }, LIMITS.capacity);
  const quarters = [0, 10, 20, 30];
  const before = quarters.map((quarter) => settings.at(quarter));
  expect(quarters.map((quarter) => settings.at(quarter + 9))).toEqual(before);
  for (const [i, quarter] of quarters.entries()) expect(settings.at(quarter + 5)).toBe(before[i]);
  expect(new Set(before).size).toBe(quarters.length);
});

test.for([
  ['a reserve that holds from the start', [{ from: 0, value: BY_PRICE }]],
  ['a reserve below the usual one', [{ from: 0, value: { ...BY_PRICE, reserve_percent: 0 } }]],
  [
    'a reserve that was raised long ago',
    [{ from: (DAY - 900) * QUARTER_HOURS_PER_DAY, value: { ...BY_PRICE, reserve_percent: 60 } }],
  ],
] as const)('without panels a history of 1,000 days costs a few: %s', ([, preferences]) => {
  const { asked, battery } = batteryOf(preferences, 1000);
  battery.on(DAY);
  expect(asked.surplus).toBeLessThan(64);
});

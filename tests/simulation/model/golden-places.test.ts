import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { DAY_MS, QUARTER_HOURS_PER_DAY } from '../../../src/domain/api/durations.ts';
import { UNCONTROLLED } from '../../../src/simulation/control/household-control.ts';
import type { HouseholdControl } from '../../../src/simulation/control/household-control.ts';
import { DEFAULT_HEAT_PUMP_PREFERENCES } from '../../../src/simulation/control/preferences.ts';
import type { HeatPumpPreferences } from '../../../src/simulation/control/preferences.ts';
import { UNSTEERED, steeringOf } from '../../../src/simulation/control/steering.ts';
import type { Steering } from '../../../src/simulation/control/steering.ts';
import { MODEL_VERSION } from '../../../src/simulation/household/household.ts';
import { createHouseholdModel } from '../../../src/simulation/model/model.ts';
import { dayAheadPrices, toldFromStart } from '../controlled.ts';
import { households } from '../fleet.ts';

// As the golden hashes of a fleet in Vienna in winter, of what is not to be seen there.
const HOUSEHOLDS = 6;
const DAYS = 6;
/** The histories begin so many days before what is hashed, and so do the prices. */
const DAYS_BEFORE = 10;

type Steer = (day: number) => Steering;

const dayOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / DAY_MS;

/** SHA-256 of all that households do in some days. */
function hashOf(place: readonly [number, number], date: string, steer: Steer): string {
  const [latitude, longitude] = place;
  const day = dayOf(date);
  const anchor = new Date((day - DAYS_BEFORE) * DAY_MS);
  const fleet = households(
    { count: 40, seed: 9, ev_ownership_fraction: 1, latitude, longitude },
    anchor,
  ).filter(({ heat_pump: pump }) => pump !== null);
  expect(fleet.length).toBeGreaterThanOrEqual(HOUSEHOLDS);
  const hash = createHash('sha256');
  for (const household of fleet.slice(0, HOUSEHOLDS)) {
    const model = createHouseholdModel(household, steer(day));
    for (let at = day; at < day + DAYS; at++)
      for (const [name, row] of Object.entries(model.day(at)) as [string, Int32Array | Uint8Array][])
        hash.update(`${name} ${Array.from(row).join()}`);
  }
  return hash.digest('hex');
}

const unsteered: Steer = () => UNSTEERED;

/** Prices and preferences of all devices; `heatPump` in so many quarter hours after the beginning. */
function steered(heatPump: readonly (readonly [after: number, asked: Partial<HeatPumpPreferences>])[]) {
  return (day: number): Steering => {
    const start = day * QUARTER_HOURS_PER_DAY;
    const control: HouseholdControl = {
      ...UNCONTROLLED,
      ...toldFromStart({
        vehicle: { charge_policy: 'smart', target_soc_percent: 90 },
        battery: { price_response: true, grid_charging: true, reserve_percent: 10 },
      }),
      heatPump: {
        preferences: heatPump.map(([after, asked]) => ({
          from: start + after,
          value: { ...DEFAULT_HEAT_PUMP_PREFERENCES, ...asked },
        })),
        boosts: [{ first: start + 170, end: start + 178 }],
        unsteered: [{ first: start + 300, end: start + 340 }],
      },
    };
    return steeringOf(dayAheadPrices(day - DAYS_BEFORE, DAYS_BEFORE + DAYS - 1), control);
  };
}

const VIENNA = [48.2, 16.4] as const;
const TROMSO = [69.65, 18.96] as const;

type Case = readonly [name: string, place: readonly [number, number], date: string, steer: Steer];

const CASES: readonly Case[] = [
  ['Vienna in summer', VIENNA, '2025-07-05', unsteered],
  ['Tromsø in the polar night', TROMSO, '2025-01-05', unsteered],
  ['Tromsø in the midnight sun', TROMSO, '2025-06-20', unsteered],
  ['Melbourne in winter', [-37.8, 145], '2025-07-05', unsteered],
  ['Singapore', [1.35, 103.8], '2025-04-10', unsteered],
  [
    'Vienna in winter by prices and preferences',
    VIENNA,
    '2025-02-10',
    steered([[40, { comfort_temperature_c: 19 }]]),
  ],
  ['Vienna in spring by prices, across the clock change', VIENNA, '2025-03-27', steered([])],
  [
    'Tromsø in winter, asked for little',
    TROMSO,
    '2025-01-05',
    steered([[0, { comfort_temperature_c: 10, setback_k: 4 }]]),
  ],
];

const GOLDEN: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  2: {
    'Vienna in summer': 'bdad2d4f58acf0af95072f9d39f4e1029f0856f3ad6a239b8442b9a3f7ae739c',
    'Tromsø in the polar night': '78ee0afeb597ad4e19f248eb64a3d388b0c159ddfeafaf0276455c3eb2e5f8e7',
    'Tromsø in the midnight sun': '07a329c98798992d82595d7998f2bd2a3525dc44f4b3890470d692ce6e8e488e',
    'Melbourne in winter': '46df3427a30deb7c3a35b19953d73533c25f6802e4a7381a70e0fc3a317fefd7',
    Singapore: 'cdf69376459acf37e7ba4ae18ece0cd290e3c5bf3b12192acb8b60301dfff11d',
    'Vienna in winter by prices and preferences':
      '3c76ec3b5fa5748b2ede2135743a0f163e8dd8b84125cbbc308c5fe2db1fd459',
    'Vienna in spring by prices, across the clock change':
      '22d1e03c407e75c6a1402c01f326909ff4aca9e5f773b307448aca59686dd389',
    'Tromsø in winter, asked for little': '587b9fb0054a2b13a35e88ac4f095bf2535973aba143ae46016652a24265164b',
  },
};

test.each(CASES)('this version of the model computes what it always did: %s', (name, place, date, steer) => {
  expect(hashOf(place, date, steer)).toBe(GOLDEN[MODEL_VERSION]?.[name]);
});

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
    'Vienna in summer': '197fbd2b2ea602e06e737c7e39b36bb9f3557d365b1206c2e0dae4b79fdd81d7',
    'Tromsø in the polar night': '21616a0908adc5b9e28d516f743867d81a5f00fd64cd16e69bbc33828930e9f1',
    'Tromsø in the midnight sun': '6ac0dccaa8e53442b8906631779c6ff1b00b64fbe13cdf6dfb18232d381fd6ba',
    'Melbourne in winter': '09428aad4c732b2ce148525925d24ee9a2d30bdc0916428780737a6552190c4b',
    Singapore: 'b42a611671d5ca781d723be55ac4ebee53af93ec5e8e302926fe1445ac9344f6',
    'Vienna in winter by prices and preferences':
      '393f55c5276d077d40f4b51fed7470d648f65b09f90b7a640a7ba907e8c48f73',
    'Vienna in spring by prices, across the clock change':
      '7d5477dfed16afbc57732e992cec4a8be7f164f57d75ec3827a67cf589227474',
    'Tromsø in winter, asked for little': 'ba2da41ba76d16ddda55145d3066ee4facc796c97b1eb242bb6441886bdd71e6',
  },
};

test.each(CASES)('this version of the model computes what it always did: %s', (name, place, date, steer) => {
  expect(hashOf(place, date, steer)).toBe(GOLDEN[MODEL_VERSION]?.[name]);
});

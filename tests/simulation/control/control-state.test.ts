import { expect, test } from 'vitest';
import {
  heatPumpControlAt,
  inverterControlAt,
  vehicleControlAt,
} from '../../../src/simulation/control/control-state.ts';
import { UNCONTROLLED } from '../../../src/simulation/control/household-control.ts';
import type { HouseholdControl } from '../../../src/simulation/control/household-control.ts';
import { DEFAULT_PREFERENCES } from '../../../src/simulation/control/preference-changes.ts';
import { createPriceBook } from '../../../src/simulation/control/price-book.ts';
import { steeringOf } from '../../../src/simulation/control/steering.ts';

const QUARTER_MS = 900_000;
/** Prices are known for the quarter hours 100 to 103. */
const prices = createPriceBook([{ at: new Date(100 * QUARTER_MS), price: 80, receivedAt: new Date(0) }]);

/** From quarter hour 100 on the devices want what differs from the defaults; boosted in 102, not steered in 103. */
const asked: HouseholdControl = {
  electricVehicle: {
    preferences: [{ from: 100, value: { ...DEFAULT_PREFERENCES.electric_vehicle, charge_policy: 'smart' } }],
    boosts: [{ first: 102, end: 103 }],
    unsteered: [{ first: 103, end: 104 }],
  },
  heatPump: {
    preferences: [{ from: 100, value: { ...DEFAULT_PREFERENCES.heat_pump, price_response: false } }],
    boosts: [{ first: 102, end: 103 }],
    unsteered: [{ first: 103, end: 104 }],
  },
  inverter: {
    preferences: [{ from: 100, value: { ...DEFAULT_PREFERENCES.inverter, price_response: true } }],
    boosts: [{ first: 102, end: 103 }],
    unsteered: [{ first: 103, end: 104 }],
  },
  places: [],
};

const CONTROL_AT = {
  electric_vehicle: vehicleControlAt,
  heat_pump: heatPumpControlAt,
  inverter: inverterControlAt,
} as const;

const preference = { mode: 'automatic', reason: 'preference' };
const noPrices = { mode: 'automatic', reason: 'no_prices' };
const schedule = { mode: 'schedule', reason: 'cheapest_quarters' };
const boost = { mode: 'boost', reason: 'boost_requested' };
const interrupted = { mode: 'interrupted', reason: 'not_steered' };

test.each([
  [
    'electric_vehicle',
    'nothing asked',
    UNCONTROLLED,
    [preference, preference, preference, preference, preference],
  ],
  ['heat_pump', 'nothing asked', UNCONTROLLED, [noPrices, schedule, schedule, schedule, noPrices]],
  ['inverter', 'nothing asked', UNCONTROLLED, [preference, preference, preference, preference, preference]],
  ['electric_vehicle', 'something asked', asked, [preference, schedule, boost, interrupted, noPrices]],
  ['heat_pump', 'something asked', asked, [noPrices, preference, boost, interrupted, preference]],
  ['inverter', 'something asked', asked, [preference, schedule, boost, interrupted, noPrices]],
] as const)('what decides about an %s with %s', (type, _case, control, states) => {
  const steering = steeringOf(prices, control);
  expect([99, 101, 102, 103, 104].map((quarter) => CONTROL_AT[type](steering, quarter))).toEqual(states);
});

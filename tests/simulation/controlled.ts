/** Households that people have told what to do, and prices that come in day by day, for the tests of what they do then. */
import fc from 'fast-check';
import { DAY_MS, HOUR_MS, QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../../src/domain/api/durations.ts';
import { UNCONTROLLED } from '../../src/simulation/control/household-control.ts';
import type {
  DeviceControl,
  HouseholdControl,
  Place,
} from '../../src/simulation/control/household-control.ts';
import {
  DEFAULT_INVERTER_PREFERENCES,
  DEFAULT_VEHICLE_PREFERENCES,
  WEEKDAYS,
} from '../../src/simulation/control/preferences.ts';
import type {
  HeatPumpPreferences,
  InverterPreferences,
  VehiclePreferences,
  Weekday,
} from '../../src/simulation/control/preferences.ts';
import { createPriceBook } from '../../src/simulation/control/price-book.ts';
import type { PriceBook, PriceEntry } from '../../src/simulation/control/price-book.ts';
import type { QuarterSpan, Revision } from '../../src/simulation/control/revisions.ts';
import type { HouseholdModel } from '../../src/simulation/model/model.ts';

/** Of so many days from a UTC day (since 1970) on, each known from 13:00 of the day before; peaks in mornings and evenings. */
export function dayAheadEntries(firstDay: number, days: number): PriceEntry[] {
  const entries: PriceEntry[] = [];
  for (let day = firstDay; day < firstDay + days; day++) {
    const level = 60 + 40 * Math.sin(day * 1.7);
    for (let hour = 0; hour < 24; hour++) {
      const peak = 50 * Math.exp(-(((hour - 7) / 2) ** 2)) + 80 * Math.exp(-(((hour - 18) / 2.5) ** 2));
      const sun = 70 * Math.exp(-(((hour - 12) / 2.5) ** 2)) * (1 + Math.sin(day * 2.9));
      const price = Math.round(100 * (level + peak - sun + 9 * Math.sin(day * 7 + hour * 5))) / 100;
      const at = new Date(day * DAY_MS + hour * HOUR_MS);
      entries.push({ at, price, receivedAt: new Date((day - 1) * DAY_MS + 13 * HOUR_MS) });
    }
  }
  return entries;
}

export const dayAheadPrices = (firstDay: number, days: number): PriceBook =>
  createPriceBook(dayAheadEntries(firstDay, days));

/** A household whose car or battery is told something from the start. */
export const toldFromStart = ({
  vehicle,
  battery,
}: {
  readonly vehicle?: Partial<VehiclePreferences>;
  readonly battery?: Partial<InverterPreferences>;
}): HouseholdControl => ({
  ...UNCONTROLLED,
  electricVehicle: told(vehicle && { ...DEFAULT_VEHICLE_PREFERENCES, ...vehicle }),
  inverter: told(battery && { ...DEFAULT_INVERTER_PREFERENCES, ...battery }),
});

function told<Preferences>(value: Preferences | undefined): DeviceControl<Preferences> {
  return { preferences: value === undefined ? [] : [{ from: 0, value }], boosts: [], unsteered: [] };
}

const anyTime = fc
  .tuple(fc.nat(23), fc.nat(59))
  .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`);

const anyReadyBy = fc.record(
  Object.fromEntries(WEEKDAYS.map((day) => [day, fc.option(anyTime)])) as Record<
    Weekday,
    fc.Arbitrary<string | null>
  >,
);

const anyVehiclePreferences: fc.Arbitrary<VehiclePreferences> = fc.record({
  charge_policy: fc.constantFrom('smart', 'smart', 'immediate'),
  target_soc_percent: fc.option(fc.integer({ min: 0, max: 100 })),
  minimum_soc_percent: fc.integer({ min: 0, max: 100 }),
  ready_by: anyReadyBy,
});

const anyInverterPreferences: fc.Arbitrary<InverterPreferences> = fc.record({
  reserve_percent: fc.integer({ min: 0, max: 100 }),
  grid_charging: fc.boolean(),
  price_response: fc.constantFrom(true, true, false),
});

const anyHeatPumpPreferences: fc.Arbitrary<HeatPumpPreferences> = fc.record({
  comfort_temperature_c: fc.option(fc.integer({ min: 10, max: 26 })),
  setback_k: fc.constantFrom(0, 1.5, 4),
  boost_k: fc.constantFrom(0, 1.5, 3),
  hot_water_temperature_c: fc.option(fc.integer({ min: 45, max: 60 })),
  price_response: fc.constantFrom(true, true, false),
});

/** Anywhere on earth. */
export const anyPlace: fc.Arbitrary<Place> = fc.record({
  latitude: fc.oneof(fc.double({ min: -90, max: 90, noNaN: true }), fc.constantFrom(-90, 0, 69.65, 90)),
  longitude: fc.oneof(fc.double({ min: -180, max: 180, noNaN: true }), fc.constantFrom(-180, 179.99)),
});

/** Values that are told at quarter hours, in order. */
const revisionsAt = <Value>(
  quarters: fc.Arbitrary<number[]>,
  value: fc.Arbitrary<Value>,
): fc.Arbitrary<Revision<Value>[]> =>
  quarters.chain((at) =>
    fc.tuple(...at.sort((a, b) => a - b).map((from) => value.map((told) => ({ from, value: told })))),
  );

/** Asked, taken back and interrupted at any time of some days from a quarter hour on. */
const anyDeviceControl = <Preferences>(
  preferences: fc.Arbitrary<Preferences>,
  start: number,
  days: number,
): fc.Arbitrary<DeviceControl<Preferences>> => {
  const quarter = fc.integer({ min: start, max: start + days * QUARTER_HOURS_PER_DAY });
  const revisions = revisionsAt(fc.uniqueArray(quarter, { minLength: 1, maxLength: 4 }), preferences);
  const spans = fc
    .uniqueArray(quarter, { maxLength: 4 })
    .map((ends) => ends.sort((a, b) => a - b))
    .map((ends) =>
      ends.flatMap((first, i): QuarterSpan[] =>
        i % 2 === 0 ? [{ first, end: ends[i + 1] ?? first + 9 }] : [],
      ),
    );
  return fc.record({ preferences: revisions, boosts: spans, unsteered: spans });
};

/** Both devices told anything at any time of some days from a quarter hour on. */
export const anyControl = (start: number, days: number): fc.Arbitrary<HouseholdControl> =>
  fc.record({
    electricVehicle: anyDeviceControl(anyVehiclePreferences, start, days),
    inverter: anyDeviceControl(anyInverterPreferences, start, days),
    heatPump: fc.constant(UNCONTROLLED.heatPump),
    places: fc.constant([]),
  });

/** All devices told anything, and the household moved anywhere, at any time of some days from a quarter hour on. */
export const anyHouseControl = (start: number, days: number): fc.Arbitrary<HouseholdControl> => {
  const quarter = fc.integer({ min: start, max: start + days * QUARTER_HOURS_PER_DAY });
  return fc
    .tuple(
      anyControl(start, days),
      anyDeviceControl(anyHeatPumpPreferences, start, days),
      revisionsAt(fc.uniqueArray(quarter, { maxLength: 2 }), anyPlace),
    )
    .map(([control, heatPump, places]) => ({ ...control, heatPump, places }));
};

/** What of a control had been said as a quarter hour began. */
export function saidBefore(control: HouseholdControl, quarter: number): HouseholdControl {
  const cut = <Preferences>(device: DeviceControl<Preferences>): DeviceControl<Preferences> => ({
    preferences: device.preferences.filter(({ from }: Revision<Preferences>) => from < quarter),
    boosts: device.boosts.filter(({ first }) => first < quarter),
    unsteered: device.unsteered.filter(({ first }) => first < quarter),
  });
  return {
    electricVehicle: cut(control.electricVehicle),
    heatPump: cut(control.heatPump),
    inverter: cut(control.inverter),
    places: control.places,
  };
}

/** What had come in of prices before a quarter hour. */
export const arrivedBefore = (entries: readonly PriceEntry[], quarter: number): PriceEntry[] =>
  entries.filter(({ receivedAt }) => receivedAt.getTime() < quarter * QUARTER_HOUR_MS);

/** All rows of a day, copied. */
export const copyDay = (model: HouseholdModel, day: number): Record<string, number[]> =>
  Object.fromEntries(
    Object.entries(model.day(day)).map(([name, row]) => [name, Array.from(row as Int32Array)]),
  );

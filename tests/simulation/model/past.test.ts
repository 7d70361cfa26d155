// What is asked later never changes what was: neither the values of quarter hours that are over, nor what was stored of them.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { QUARTER_HOUR_MS } from '../../../src/domain/api/durations.ts';
import { UNCONTROLLED } from '../../../src/simulation/control/household-control.ts';
import type {
  DeviceControl,
  HouseholdControl,
  Place,
} from '../../../src/simulation/control/household-control.ts';
import { DEFAULT_PREFERENCES } from '../../../src/simulation/control/preference-changes.ts';
import { createPriceBook } from '../../../src/simulation/control/price-book.ts';
import type { PriceEntry } from '../../../src/simulation/control/price-book.ts';
import type { QuarterSpan, Revision } from '../../../src/simulation/control/revisions.ts';
import { steeringOf } from '../../../src/simulation/control/steering.ts';
import { createModelledHousehold } from '../../../src/simulation/model/device-state.ts';
import { households } from '../fleet.ts';

const ANCHOR = new Date('2026-01-10T05:30:00Z');
const START = ANCHOR.getTime() / QUARTER_HOUR_MS;
const DAY = 96;
/** Until when something is asked, and prices are known. */
const END = START + 4 * DAY;

const FLEET = households(
  { count: 8, seed: 77, latitude: 48.2, longitude: 16.4, ev_ownership_fraction: 1, pv_rating_kw: 6 },
  ANCHOR,
);
const anyHousehold = fc.constantFrom(...FLEET);

const percent = fc.integer({ min: 10, max: 80 });
const readyBy = fc.constantFrom('05:30', '07:00', '18:45', null);
const anyVehicle = fc.record({
  charge_policy: fc.constantFrom('immediate' as const, 'smart' as const),
  target_soc_percent: fc.constantFrom(null, 80, 100),
  minimum_soc_percent: percent,
  ready_by: fc.record({
    monday: readyBy,
    tuesday: readyBy,
    wednesday: readyBy,
    thursday: readyBy,
    friday: readyBy,
    saturday: readyBy,
    sunday: readyBy,
  }),
});
const anyHeatPump = fc.record({
  comfort_temperature_c: fc.constantFrom(null, 10, 18, 22.5, 26),
  setback_k: fc.constantFrom(0, 1.5, 4),
  boost_k: fc.constantFrom(0, 1.5, 3),
  hot_water_temperature_c: fc.constantFrom(null, 45, 60),
  price_response: fc.boolean(),
});
const anyInverter = fc.record({
  reserve_percent: fc.constantFrom(0, 5, 50, 100),
  grid_charging: fc.boolean(),
  price_response: fc.boolean(),
});
const anyPlace = fc.record({
  latitude: fc.integer({ min: 36, max: 66 }),
  longitude: fc.integer({ min: -8, max: 28 }),
});

const quarterIn = (first: number, end: number) => fc.integer({ min: first, max: end - 1 });

function revisionsIn<T>(first: number, end: number, value: fc.Arbitrary<T>): fc.Arbitrary<Revision<T>[]> {
  return fc
    .uniqueArray(fc.record({ from: quarterIn(first, end), value }), {
      maxLength: 3,
      selector: ({ from }) => from,
    })
    .map((revisions) => revisions.toSorted((a, b) => a.from - b.from));
}

function spansIn(first: number, end: number): fc.Arbitrary<QuarterSpan[]> {
  return fc
    .uniqueArray(quarterIn(first, end), { maxLength: 6 })
    .map((ends) => ends.toSorted((a, b) => a - b))
    .map((ends) =>
      Array.from({ length: ends.length >> 1 }, (_, i) => ({
        first: ends[2 * i] ?? first,
        end: ends[2 * i + 1] ?? end,
      })),
    );
}

const deviceIn = <P>(first: number, end: number, preferences: fc.Arbitrary<P>) =>
  fc.record({
    preferences: revisionsIn(first, end, preferences),
    boosts: spansIn(first, end),
    unsteered: spansIn(first, end),
  });

/** What is asked in a span of quarter hours. */
const controlIn = (first: number, end: number): fc.Arbitrary<HouseholdControl> =>
  fc.record({
    electricVehicle: deviceIn(first, end, anyVehicle),
    heatPump: deviceIn(first, end, anyHeatPump),
    inverter: deviceIn(first, end, anyInverter),
    places: revisionsIn<Place>(first, end, anyPlace),
  });

/** What is known at `now`, and the same with what is asked from then on: a span that was to go on may end earlier. */
function join(
  before: HouseholdControl,
  after: HouseholdControl,
  now: number,
  isCut: boolean,
): HouseholdControl {
  const spans = (known: readonly QuarterSpan[], more: readonly QuarterSpan[]): QuarterSpan[] => [
    ...known.map(({ first, end }) => ({ first, end: isCut ? Math.min(end, now) : end })),
    ...more.filter(({ first }) => first >= Math.max(now, known.at(-1)?.end ?? 0)),
  ];
  const device = <P>(known: DeviceControl<P>, more: DeviceControl<P>): DeviceControl<P> => ({
    preferences: [...known.preferences, ...more.preferences],
    boosts: spans(known.boosts, more.boosts),
    unsteered: spans(known.unsteered, more.unsteered),
  });
  return {
    electricVehicle: device(before.electricVehicle, after.electricVehicle),
    heatPump: device(before.heatPump, after.heatPump),
    inverter: device(before.inverter, after.inverter),
    places: [...before.places, ...after.places],
  };
}

/** A boost that was asked for before `now` may go on for a day. */
const goesOn = (control: HouseholdControl, now: number, quarters: number): HouseholdControl => {
  const { heatPump } = control;
  const last = heatPump.boosts.at(-1);
  if (last === undefined || quarters === 0) return control;
  const boosts = [...heatPump.boosts.slice(0, -1), { first: last.first, end: now + quarters }];
  return { ...control, heatPump: { ...heatPump, boosts } };
};

const anyPrices = fc
  .array(fc.integer({ min: -50, max: 400 }), { minLength: 24, maxLength: 24 })
  .map((prices) =>
    Array.from({ length: 4 * 24 }, (_, hour): PriceEntry => {
      const at = new Date((START + 4 * hour) * QUARTER_HOUR_MS);
      return { at, price: prices[(hour * 7) % 24] ?? 0, receivedAt: new Date(at.getTime() - 36 * 3_600_000) };
    }),
  );

const anyStory = fc.integer({ min: START + DAY, max: START + 3 * DAY }).chain((now) =>
  fc.record({
    now: fc.constant(now),
    household: anyHousehold,
    before: fc
      .tuple(controlIn(START, now), fc.nat(DAY))
      .map(([control, quarters]) => goesOn(control, now, quarters)),
    after: controlIn(now, END),
    isCut: fc.boolean(),
    entries: anyPrices,
    laterPrice: fc.integer({ min: -500, max: 500 }),
  }),
);

test('values of past quarter hours are the same, byte for byte, whatever is asked and priced later', () => {
  fc.assert(
    fc.property(anyStory, ({ now, household, before, after, isCut, entries, laterPrice }) => {
      const receivedAt = new Date(now * QUARTER_HOUR_MS - 1);
      const later = entries.map(({ at }): PriceEntry => ({ at, price: laterPrice, receivedAt }));
      const valuesOf = (control: HouseholdControl, prices: readonly PriceEntry[]): string => {
        const { model } = createModelledHousehold(household, steeringOf(createPriceBook(prices), control));
        const quarters = Array.from({ length: DAY }, (_, i) => model.quarter(now - 1 - i));
        return JSON.stringify([quarters, model.countersBefore(now)]);
      };
      const joined = valuesOf(join(before, after, now, isCut), [...entries, ...later]);
      expect(joined).toBe(valuesOf(before, entries));
    }),
    { numRuns: 20 },
  );
});

test('a household that moves in the middle of the day has done before what it did anyway', () => {
  const prices = createPriceBook(
    Array.from({ length: 4 * 24 }, (_, hour): PriceEntry => {
      const at = new Date((START + 4 * hour) * QUARTER_HOUR_MS);
      return { at, price: hour % 7 === 0 ? 5 : 60 + 40 * (hour % 5), receivedAt: ANCHOR };
    }),
  );
  for (const household of FLEET.filter(({ heat_pump: pump }) => pump !== null)) {
    const valuesBefore = (now: number, places: HouseholdControl['places']): string => {
      const control = { ...UNCONTROLLED, places };
      const { model } = createModelledHousehold(household, steeringOf(prices, control));
      return JSON.stringify(Array.from({ length: DAY / 2 }, (_, i) => model.quarter(now - 1 - i)));
    };
    for (let now = START + 2 * DAY + 3; now < START + 3 * DAY; now += 13) {
      const moved = [{ from: now, value: { latitude: 36, longitude: 0 } }];
      expect(valuesBefore(now, moved)).toBe(valuesBefore(now, []));
    }
  }
});

test('a checkpoint of the past stays true, whatever is asked later', () => {
  fc.assert(
    fc.property(anyStory, ({ now, household, before, after, isCut, entries }) => {
      const modelOf = (control: HouseholdControl) =>
        createModelledHousehold(household, steeringOf(createPriceBook(entries), control)).model;
      const checkpoint = modelOf(before).counters.checkpointAt(Math.floor(now / DAY));
      const joined = join(before, after, now, isCut);
      const [fresh, restored] = [modelOf(joined), modelOf(joined)];
      restored.counters.restore(checkpoint);
      expect(restored.countersBefore(END)).toEqual(fresh.countersBefore(END));
      expect(restored.quarter(END - 1)).toEqual(fresh.quarter(END - 1));
    }),
    { numRuns: 10 },
  );
});

test('and nothing asked is the same as the defaults asked', () => {
  const [household] = FLEET;
  if (household === undefined) throw new Error('empty');
  const device = <P>(value: P): DeviceControl<P> => ({
    preferences: [{ from: START, value }],
    boosts: [],
    unsteered: [],
  });
  const defaults: HouseholdControl = {
    electricVehicle: device(DEFAULT_PREFERENCES.electric_vehicle),
    heatPump: device(DEFAULT_PREFERENCES.heat_pump),
    inverter: device(DEFAULT_PREFERENCES.inverter),
    places: [],
  };
  const prices = createPriceBook([]);
  const asked = createModelledHousehold(household, steeringOf(prices, defaults)).model;
  expect(asked.countersBefore(END)).toEqual(createModelledHousehold(household).model.countersBefore(END));
});

/** Prices that came in at any time and anything that people and faults may do, for properties of steered houses. */
import fc from 'fast-check';
import { QUARTER_HOUR_MS } from '../../../src/domain/api/durations.ts';
import { UNCONTROLLED } from '../../../src/simulation/control/household-control.ts';
import type { DeviceControl, HouseholdControl } from '../../../src/simulation/control/household-control.ts';
import { DEFAULT_HEAT_PUMP_PREFERENCES } from '../../../src/simulation/control/preferences.ts';
import type { HeatPumpPreferences } from '../../../src/simulation/control/preferences.ts';
import { createPriceBook } from '../../../src/simulation/control/price-book.ts';
import type { PriceEntry } from '../../../src/simulation/control/price-book.ts';
import type { QuarterSpan } from '../../../src/simulation/control/revisions.ts';
import { steeringOf } from '../../../src/simulation/control/steering.ts';
import type { Steering } from '../../../src/simulation/control/steering.ts';

/** Everything that steers a house over some days, so that it can be cut where it was not yet known. */
export interface Story {
  readonly entries: readonly PriceEntry[];
  readonly preferences: DeviceControl<HeatPumpPreferences>['preferences'];
  readonly boosts: readonly QuarterSpan[];
  readonly unsteered: readonly QuarterSpan[];
  readonly places: HouseholdControl['places'];
}

/** A story that begins in quarter hour `first` and lasts `days` days. */
export function anyStory(first: number, days: number): fc.Arbitrary<Story> {
  const quarter = fc.integer({ min: first, max: first + days * 96 });
  const upload = fc
    .record({
      at: quarter,
      ahead: fc.integer({ min: -20, max: 80 }),
      hours: fc.integer({ min: 1, max: 40 }),
      prices: fc.array(fc.integer({ min: -60, max: 400 }), { minLength: 5, maxLength: 5 }),
    })
    .map(({ at, ahead, hours, prices }) =>
      Array.from({ length: hours }, (_, hour) => ({
        at: new Date((at + ahead + 4 * hour) * QUARTER_HOUR_MS),
        price: prices[hour % prices.length] ?? 0,
        receivedAt: new Date(at * QUARTER_HOUR_MS),
      })),
    );
  const spans = fc
    .array(fc.tuple(quarter, fc.integer({ min: 1, max: 60 })), { maxLength: 2 })
    .map((found) => toDisjoint(found));
  const preferences = fc.record({
    from: quarter,
    value: fc.record({
      comfort_temperature_c: fc.constantFrom(null, 10, 19, 22.5, 26),
      setback_k: fc.constantFrom(0, 1.5, 4),
      boost_k: fc.constantFrom(0, 1.5, 3),
      hot_water_temperature_c: fc.constantFrom(null, 45, 58),
      price_response: fc.constantFrom(true, true, false),
    }),
  });
  const places = fc.record({
    from: quarter,
    value: fc.record({ latitude: fc.constantFrom(47, 60.5), longitude: fc.constantFrom(8, 16) }),
  });
  const inOrder = <T extends { readonly from: number }>(found: readonly T[]): T[] =>
    found.toSorted((a, b) => a.from - b.from);
  return fc.record({
    entries: fc.array(upload, { maxLength: 5 }).map((found) => found.flat()),
    preferences: fc.array(preferences, { maxLength: 2 }).map(inOrder),
    boosts: spans,
    unsteered: spans,
    places: fc.array(places, { maxLength: 1 }).map(inOrder),
  });
}

function toDisjoint(found: readonly (readonly [number, number])[]): QuarterSpan[] {
  const spans: QuarterSpan[] = [];
  for (const [first, length] of found.toSorted((a, b) => a[0] - b[0])) {
    const from = Math.max(first, spans.at(-1)?.end ?? -Infinity);
    spans.push({ first: from, end: from + length });
  }
  return spans;
}

/** What steers a house whose story is known up to and with quarter hour `known`. */
export function steeringOfStory(story: Story, known = Infinity): Steering {
  const isKnown = ({ from }: { readonly from: number }): boolean => from <= known;
  const cut = (spans: readonly QuarterSpan[]): QuarterSpan[] =>
    spans
      .filter(({ first }) => first <= known)
      .map(({ first, end }) => ({ first, end: end <= known ? end : Number.MAX_SAFE_INTEGER }));
  const entries = story.entries.filter(({ receivedAt }) => receivedAt.getTime() <= known * QUARTER_HOUR_MS);
  return steeringOf(createPriceBook(entries), {
    ...UNCONTROLLED,
    heatPump: {
      preferences: story.preferences.filter(isKnown),
      boosts: cut(story.boosts),
      unsteered: cut(story.unsteered),
    },
    places: story.places.filter(isKnown),
  });
}

/** Preferences other than the defaults, from the beginning on. */
export const preferring = (value: Partial<HeatPumpPreferences>): HouseholdControl => ({
  ...UNCONTROLLED,
  heatPump: {
    ...UNCONTROLLED.heatPump,
    preferences: [{ from: 0, value: { ...DEFAULT_HEAT_PUMP_PREFERENCES, ...value } }],
  },
});

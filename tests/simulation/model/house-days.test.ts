import { expect, test } from 'vitest';
import { UNCONTROLLED } from '../../../src/simulation/control/household-control.ts';
import { NO_PRICES } from '../../../src/simulation/control/price-book.ts';
import { steeringOf } from '../../../src/simulation/control/steering.ts';
import { HouseDays } from '../../../src/simulation/model/house-days.ts';
import { first, households } from '../fleet.ts';

const ANCHOR = new Date('2026-05-01T00:00:00Z');
const DAY = ANCHOR.getTime() / 86_400_000 + 20;
const SEVILLE = { latitude: 37.4, longitude: -6 };
const home = first(
  households(
    { count: 30, seed: 5, latitude: 59.9, longitude: 10.7, pv_rating_kw: 6, ev_ownership_fraction: 0 },
    ANCHOR,
  ).filter(({ heat_pump: pump }) => pump !== null),
);

const daysOf = (household: typeof home, places = UNCONTROLLED.places): HouseDays =>
  new HouseDays(
    household,
    steeringOf(NO_PRICES, { ...UNCONTROLLED, places }),
    (day) => (day < DAY - 20 ? 96 : 0),
    () => undefined,
  );

test('what plans expect of a household is that of the place they name, sun and heat', () => {
  const moved = daysOf(home, [{ from: (DAY + 30) * 96, value: SEVILLE }]);
  const there = [...daysOf({ ...home, ...SEVILLE }).expectedOn(DAY, false, null)];
  const here = [...daysOf(home).expectedOn(DAY, false, null)];
  expect([...moved.expectedOn(DAY, false, SEVILLE)]).toEqual(there);
  expect([...moved.expectedOn(DAY, false, null)]).toEqual(here);
  expect(there).not.toEqual(here);
});

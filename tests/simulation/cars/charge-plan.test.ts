import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chargeOf, createChargeOffers, ruleOf, setOffer } from '../../../src/simulation/cars/charge-plan.ts';
import type { ChargeOffers } from '../../../src/simulation/cars/charge-plan.ts';
import { feedInPriceOf } from '../../../src/simulation/control/own-power.ts';

const STEP = 2_475_000;

interface Offered {
  readonly price: number | null;
  readonly own: number;
}

const quarters = fc.array(
  fc.record({
    price: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: -100, max: 500 }) }, fc.constant(null)),
    own: fc.oneof(fc.constant(0), fc.constant(STEP), fc.integer({ min: 0, max: STEP })),
  }),
  { minLength: 1, maxLength: 60 },
);

function offersOf(stay: readonly Offered[], from = 0): ChargeOffers {
  const offers = createChargeOffers(stay.length);
  offers.count = stay.length - from;
  stay.slice(from).forEach(({ price, own }, i) => setOffer(offers, i, price, own, STEP));
  return offers;
}

/** The energies of the quarter hours of a stay in which `need` is missing at first. */
function charge(stay: readonly Offered[], need: number): number[] {
  const offers = offersOf(stay);
  let left = need;
  return stay.map((_, i) => {
    const charged = chargeOf(ruleOf(offers, i), left);
    left -= charged;
    return charged;
  });
}

/** What they cost, in EUR/MWh times mWh. */
const costOf = (stay: readonly Offered[], charged: readonly number[]): number =>
  charged.reduce((sum, energy, i) => {
    const { price, own } = stay[i] ?? { price: 0, own: 0 };
    const used = Math.min(own, energy);
    return sum + used * feedInPriceOf(price ?? 0) + (energy - used) * (price ?? 0);
  }, 0);

test('a stay brings what is needed, or all that it can', () => {
  fc.assert(
    fc.property(quarters, fc.integer({ min: 0, max: 70 * STEP }), (stay, need) => {
      const charged = charge(stay, need);
      expect(charged.every((energy) => energy >= 0 && energy <= STEP)).toBe(true);
      expect(charged.reduce((sum, energy) => sum + energy, 0)).toBe(Math.min(need, stay.length * STEP));
    }),
  );
});

test('no exchange of energy between two quarter hours makes it cheaper', () => {
  const priced = quarters.map((stay) =>
    stay.map(({ price, own }) => ({ price: Math.max(0, price ?? 0), own })),
  );
  fc.assert(
    fc.property(priced, fc.integer({ min: 0, max: 60 * STEP }), (stay, need) => {
      const charged = charge(stay, need);
      const cost = costOf(stay, charged);
      for (const [from, energy] of charged.entries()) {
        for (const to of charged.keys()) {
          const moved = Math.min(energy, STEP - (charged[to] ?? 0), 250_000);
          if (moved <= 0 || from === to) continue;
          const other = charged.with(from, energy - moved);
          other[to] = (other[to] ?? 0) + moved;
          expect(costOf(stay, other)).toBeGreaterThanOrEqual(cost - 1);
        }
      }
    }),
    { numRuns: 40 },
  );
});

test('of two cars the fuller one stays the fuller, and their distance never grows', () => {
  fc.assert(
    fc.property(
      quarters,
      fc.integer({ min: 0, max: 70 * STEP }),
      fc.integer({ min: 0, max: 2 * STEP }),
      (stay, need, apart) => {
        const offers = offersOf(stay);
        const [more, less] = [need + apart, need].map((each) => each - chargeOf(ruleOf(offers, 0), each));
        expect((more ?? 0) - (less ?? 0)).toBeGreaterThanOrEqual(0);
        expect((more ?? 0) - (less ?? 0)).toBeLessThanOrEqual(apart);
      },
    ),
  );
});

test('a plan that is made again with the same prices goes on as it was', () => {
  fc.assert(
    fc.property(quarters, fc.integer({ min: 0, max: 60 * STEP }), (stay, need) => {
      let left = need;
      const again = stay.map((_, i) => {
        const charged = chargeOf(ruleOf(offersOf(stay, i), 0), left);
        left -= charged;
        return charged;
      });
      expect(again).toEqual(charge(stay, need));
    }),
    { numRuns: 50 },
  );
});

test('own power comes before the cheapest price, and what has no price is used last, at once', () => {
  const stay = [
    { price: null, own: 0 },
    { price: null, own: 0 },
    { price: 90, own: 0 },
    { price: 80, own: STEP },
    { price: 60, own: 0 },
  ];
  const order = [1, 2, 3, 4, 5].map((count) => charge(stay, count * STEP).map((energy) => energy > 0));
  expect(order).toEqual([
    [false, false, false, true, false],
    [false, false, false, true, true],
    [false, false, true, true, true],
    [true, false, true, true, true],
    [true, true, true, true, true],
  ]);
});

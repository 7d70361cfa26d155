import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { PLANNED_HEAT_FRACTION } from '../../../src/simulation/control/schedule-states.ts';
import { createPriceBook } from '../../../src/simulation/control/price-book.ts';
import { computeHeatPumpSchedule, planHeatPumpDay } from '../../../src/simulation/house/schedule.ts';
import type { PlannedQuarter } from '../../../src/simulation/house/schedule.ts';
import { first, households } from '../fleet.ts';

const day = (prices: (number | null)[], need = 1000): PlannedQuarter[] =>
  prices.map((price) => ({ price, need }));
const LIMITS = { maxHeat: 2000 };
const ANCHOR = new Date('2026-01-10T00:00:00Z');
const HOUSE = first(households({ count: 20 }, ANCHOR).filter((household) => household.heat_pump));

describe('a day', () => {
  test('without prices is normal throughout', () => {
    const states = planHeatPumpDay(day(new Array<null>(96).fill(null)), LIMITS);
    expect(new Set(states)).toEqual(new Set(['mid']));
  });

  test('on which no heat is needed is normal throughout, whatever the prices', () => {
    const prices = new Array<number>(96).fill(80).fill(10, 8, 16).fill(200, 70, 74);
    expect(new Set(planHeatPumpDay(day(prices, 0), LIMITS))).toEqual(new Set(['mid']));
  });

  test('with one price throughout is normal throughout', () => {
    expect(new Set(planHeatPumpDay(day(new Array<number>(96).fill(80)), LIMITS))).toEqual(new Set(['mid']));
  });

  test('boosts the cheapest quarters and blocks the dearest', () => {
    const prices = new Array<number>(96).fill(80);
    prices.fill(10, 8, 16).fill(200, 70, 74);
    const states = planHeatPumpDay(day(prices), LIMITS);
    expect(states.slice(8, 16)).toEqual(new Array(8).fill('max'));
    expect(states.slice(70, 74)).toEqual(new Array(4).fill('min'));
  });

  test("keeps the day's heat and the bounds of comfort, whatever the prices", () => {
    const price = fc.oneof(fc.integer({ min: -100, max: 500 }), fc.constant(50));
    fc.assert(
      fc.property(fc.array(price, { minLength: 96, maxLength: 96 }), (prices) => {
        const states = planHeatPumpDay(day(prices), LIMITS);
        const heat = states.reduce((sum, state) => sum + PLANNED_HEAT_FRACTION[state], 0);
        expect(Math.abs(heat - 96)).toBeLessThanOrEqual(1);
        expect(states.filter((state) => state === 'min').length).toBeLessThanOrEqual(24);
        expect(states.join(' ')).not.toContain(new Array(9).fill('min').join(' '));
        const mean = (of: string) => {
          const chosen = prices.filter((_, i) => states[i] === of);
          return chosen.reduce((a, b) => a + b, 0) / chosen.length;
        };
        if (states.includes('max') && states.includes('min')) expect(mean('max')).toBeLessThan(mean('min'));
      }),
    );
  });
});

describe('prices', () => {
  const received = (text: string) => new Date(text);
  const at = new Date('2026-01-12T00:00:00Z');

  test('hold until the next entry and an hour at most', () => {
    const book = createPriceBook([
      { at, price: 50, receivedAt: ANCHOR },
      { at: new Date(at.getTime() + 900_000), price: -3, receivedAt: ANCHOR },
    ]);
    const seen = [0, 1, 4, 5].map((quarter) => book.priceAt(at.getTime() + quarter * 900_000, at.getTime()));
    expect(seen).toEqual([50, -3, -3, null]);
    expect(book.priceAt(at.getTime() - 900_000, at.getTime())).toBeNull();
  });

  test('count from their arrival on, and a later one replaces the earlier', () => {
    const book = createPriceBook([
      { at, price: 70, receivedAt: received('2026-01-11T13:00:00Z') },
      { at, price: 50, receivedAt: received('2026-01-11T12:00:00Z') },
    ]);
    const seen = ['11:59', '12:00', '13:00'].map((time) =>
      book.priceAt(at.getTime(), Date.parse(`2026-01-11T${time}:00Z`)),
    );
    expect(seen).toEqual([null, 50, 70]);
    expect(
      ['11:59', '12:00', '13:00'].map((time) => book.revisionAt(Date.parse(`2026-01-11T${time}:00Z`))),
    ).toEqual([0, 1, 2]);
  });
});

describe('a schedule', () => {
  const from = new Date('2026-01-12T00:00:00Z');
  const to = new Date('2026-01-13T00:00:00Z');
  const entries = (receivedAt: Date, swing: number) =>
    Array.from({ length: 24 }, (_, hour) => ({
      at: new Date(from.getTime() + hour * 3_600_000),
      price: 80 + swing * Math.sin(hour),
      receivedAt,
    }));

  test('has one entry for each quarter hour of the range', () => {
    const schedule = computeHeatPumpSchedule(
      HOUSE,
      createPriceBook([]),
      from,
      new Date('2026-01-12T00:05:00Z'),
      new Date('2026-01-12T01:00:01Z'),
    );
    expect(schedule.map(({ time }) => time.toISOString().slice(11, 16))).toEqual([
      '00:00',
      '00:15',
      '00:30',
      '00:45',
      '01:00',
    ]);
  });

  test('follows the prices that were known when each quarter began; later ones change no past quarter', () => {
    const noon = new Date('2026-01-12T12:00:00Z');
    const early = entries(ANCHOR, 60);
    const before = computeHeatPumpSchedule(HOUSE, createPriceBook(early), to, from, to);
    const revised = computeHeatPumpSchedule(
      HOUSE,
      createPriceBook([...early, ...entries(noon, -60)]),
      to,
      from,
      to,
    );
    expect(before.some(({ state }) => state === 'max')).toBe(true);
    expect(revised.slice(0, 48)).toEqual(before.slice(0, 48));
    expect(revised.slice(48)).not.toEqual(before.slice(48));
  });

  test('seen from before uses what is known now', () => {
    const book = createPriceBook(entries(new Date('2026-01-11T12:00:00Z'), 60));
    const unaware = computeHeatPumpSchedule(HOUSE, book, new Date('2026-01-11T11:00:00Z'), from, to);
    expect(new Set(unaware.map(({ state }) => state))).not.toContain('max');
    const aware = computeHeatPumpSchedule(HOUSE, book, new Date('2026-01-11T12:00:00Z'), from, to);
    expect(aware).toEqual(computeHeatPumpSchedule(HOUSE, book, to, from, to));
  });

  test('does not depend on the range asked for', () => {
    const book = createPriceBook(entries(ANCHOR, 60));
    const whole = computeHeatPumpSchedule(HOUSE, book, to, from, to);
    const part = computeHeatPumpSchedule(
      HOUSE,
      book,
      to,
      new Date('2026-01-12T09:00:00Z'),
      new Date('2026-01-12T10:00:00Z'),
    );
    expect(part).toEqual(whole.slice(36, 40));
  });

  test('covers days of 23 and 25 hours, and boosts in the cheapest of each', () => {
    for (const date of ['2026-03-28', '2026-10-24']) {
      const start = new Date(`${date}T00:00:00Z`);
      const prices = Array.from({ length: 5 * 24 }, (_, hour) => ({
        at: new Date(start.getTime() + (hour - 24) * 3_600_000),
        price: hour % 24 === 11 ? 20 : 80,
        receivedAt: ANCHOR,
      }));
      const schedule = computeHeatPumpSchedule(
        HOUSE,
        createPriceBook(prices),
        start,
        start,
        new Date(start.getTime() + 3 * 86_400_000),
      );
      expect(schedule).toHaveLength(288);
      const boosted = schedule.filter(({ state }) => state === 'max').map(({ time }) => time.getUTCHours());
      expect(boosted.length).toBeGreaterThan(0);
      expect(new Set(boosted)).toEqual(new Set([11]));
    }
  });
});

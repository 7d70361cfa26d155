import { describe, expect, test } from 'vitest';
import { HOUR_MS, QUARTER_HOUR_MS } from '../../../src/domain/api/durations.ts';
import { UNCONTROLLED } from '../../../src/simulation/control/household-control.ts';
import type { HouseholdControl } from '../../../src/simulation/control/household-control.ts';
import { DEFAULT_HEAT_PUMP_PREFERENCES } from '../../../src/simulation/control/preferences.ts';
import { createPriceBook } from '../../../src/simulation/control/price-book.ts';
import type { PriceEntry } from '../../../src/simulation/control/price-book.ts';
import { computeHeatPumpSchedule } from '../../../src/simulation/model/heat-pump-schedule.ts';
import { first, households } from '../fleet.ts';

const ANCHOR = new Date('2026-01-05T00:00:00Z');
const HOUSE = first(households({ count: 20 }, ANCHOR).filter((household) => household.heat_pump));
const FROM = new Date('2026-01-12T13:00:00Z');
const TO = new Date('2026-01-13T13:00:00Z');

function scheduleOf(
  entries: readonly PriceEntry[],
  now: Date,
  [from, to]: readonly Date[] = [FROM, TO],
  control: HouseholdControl = UNCONTROLLED,
) {
  const steering = { prices: createPriceBook(entries), knownUntilMs: now.getTime(), control };
  const work = computeHeatPumpSchedule(HOUSE, steering, from ?? FROM, to ?? TO);
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}
const statesOf = (entries: readonly PriceEntry[], now: Date, range?: readonly Date[]) =>
  scheduleOf(entries, now, range).entries.map(({ state }) => state);

/** Two days of hourly prices from before the range on. */
const entries = (receivedAt: Date, swing: number): PriceEntry[] =>
  Array.from({ length: 48 }, (_, hour) => ({
    at: new Date(FROM.getTime() + (hour - 12) * 3_600_000),
    price: 80 + swing * Math.sin(hour),
    receivedAt,
  }));

describe('a schedule', () => {
  test('has one entry for each quarter hour of the range', () => {
    const range = [new Date('2026-01-12T00:05:00Z'), new Date('2026-01-12T01:00:01Z')];
    const { entries: found, prices } = scheduleOf([], FROM, range);
    expect(found.map(({ time, state }) => [time.toISOString().slice(11, 16), state])).toEqual([
      ['00:00', 'mid'],
      ['00:15', 'mid'],
      ['00:30', 'mid'],
      ['00:45', 'mid'],
      ['01:00', 'mid'],
    ]);
    expect(prices).toEqual(['default']);
  });

  test('follows the prices that were known when each quarter began; later ones change no past quarter', () => {
    const later = new Date('2026-01-13T01:00:00Z');
    const before = statesOf(entries(ANCHOR, 60), TO);
    const revised = statesOf([...entries(ANCHOR, 60), ...entries(later, -60)], TO);
    expect(new Set(before)).toEqual(new Set(['min', 'low', 'mid', 'max']));
    expect(revised.slice(0, 48)).toEqual(before.slice(0, 48));
    expect(revised.slice(48)).not.toEqual(before.slice(48));
  });

  test('seen from before uses what is known now', () => {
    const known = entries(new Date('2026-01-11T12:00:00Z'), 60);
    const unaware = statesOf(known, new Date('2026-01-11T11:00:00Z'));
    expect(new Set(unaware)).toEqual(new Set(['mid']));
    const aware = statesOf(known, new Date('2026-01-11T12:00:00Z'));
    expect(aware).toEqual(statesOf(known, TO));
  });

  test('does not depend on the range asked for', () => {
    const whole = statesOf(entries(ANCHOR, 60), TO);
    const part = [new Date('2026-01-12T22:00:00Z'), new Date('2026-01-12T23:00:00Z')];
    expect(statesOf(entries(ANCHOR, 60), TO, part)).toEqual(whole.slice(36, 40));
  });

  test('says whose prices it goes by', () => {
    const half = entries(ANCHOR, 60).filter(({ at }) => at < new Date('2026-01-13T00:00:00Z'));
    expect(scheduleOf(half, TO).prices).toEqual(['default', 'own']);
    expect(scheduleOf(entries(ANCHOR, 60), TO).prices).toEqual(['own']);
  });

  test('goes by no price where people want none, while it is boosted, and while nobody steers it', () => {
    const all = { first: FROM.getTime() / QUARTER_HOUR_MS, end: TO.getTime() / QUARTER_HOUR_MS };
    const morning = { ...all, end: all.first + 16 };
    const { heatPump } = UNCONTROLLED;
    const unwilling = { ...DEFAULT_HEAT_PUMP_PREFERENCES, price_response: false };
    const pricesUnder = (asked: Partial<HouseholdControl['heatPump']>) =>
      scheduleOf(entries(ANCHOR, 60), TO, undefined, {
        ...UNCONTROLLED,
        heatPump: { ...heatPump, ...asked },
      }).prices;
    expect(pricesUnder({ preferences: [{ from: all.first, value: unwilling }] })).toEqual(['default']);
    expect(pricesUnder({ boosts: [all] })).toEqual(['default']);
    expect(pricesUnder({ unsteered: [all] })).toEqual(['default']);
    expect(pricesUnder({ unsteered: [morning] })).toEqual(['default', 'own']);
  });

  test('asks for max, not for what the tank does, while a house that was set back is heated with all there is', () => {
    const cheap = Date.parse('2026-01-12T21:00:00Z');
    const known = Array.from({ length: 24 }, (_, hour) => {
      const at = new Date(FROM.getTime() + hour * HOUR_MS);
      const isCheap = at.getTime() >= cheap && at.getTime() < cheap + 3 * HOUR_MS;
      return { at, price: isCheap ? -20 : 200, receivedAt: ANCHOR };
    });
    const range = [new Date(cheap), new Date(cheap + 2 * HOUR_MS)];
    expect(new Set(statesOf(known, TO, range))).toEqual(new Set(['max']));
  });

  test('covers days of 23 and 25 hours, and boosts before the dear hours of each', () => {
    for (const date of ['2026-03-28', '2026-10-24']) {
      const start = new Date(`${date}T00:00:00Z`);
      const range = [start, new Date(start.getTime() + 3 * 86_400_000)];
      const dear = Array.from({ length: 5 * 24 }, (_, hour) => ({
        at: new Date(start.getTime() + (hour - 24) * 3_600_000),
        price: hour % 24 === 5 ? 400 : 80,
        receivedAt: ANCHOR,
      }));
      const { entries: found } = scheduleOf(dear, range[1] ?? start, range);
      expect(found).toHaveLength(288);
      const dearStates = found.filter(({ time }) => time.getUTCHours() === 5).map(({ state }) => state);
      expect(dearStates).not.toContain('max');
      expect(found.map(({ state }) => state)).toContain('max');
    }
  });
});

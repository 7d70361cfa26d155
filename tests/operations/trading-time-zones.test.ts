import { expect, test } from 'vitest';
import { priceFixture } from '../support/price-fixture.ts';
import type { PriceEntry } from '../support/price-fixture.ts';
import { parts, refusal } from './refusal.ts';

const prices = priceFixture();
const { upload, stored } = prices;

test('naive timestamps are UTC without a zone; with one an offset wins', async () => {
  const naive = (day: string) => [
    { timestamp: `2026-${day}T12:30:00`, price: 1 },
    { timestamp: `2026-${day}T18:00:00-01:00`, price: 2 },
  ];
  await upload(naive('07-01'));
  await upload(naive('07-02'), 'Europe/Vienna');
  await upload(naive('12-01'), 'Asia/Kathmandu');
  expect(await stored()).toEqual({
    '2026-07-01T12:30:00.000Z': 1,
    '2026-07-01T19:00:00.000Z': 2,
    '2026-07-02T10:30:00.000Z': 1,
    '2026-07-02T19:00:00.000Z': 2,
    '2026-12-01T06:45:00.000Z': 1,
    '2026-12-01T19:00:00.000Z': 2,
  });
});

test('naive timestamps that daylight-saving time skips or repeats are refused, their neighbours taken', async () => {
  prices.api.clock.set('2026-01-15T12:00:00Z');
  const at = (timestamp: string): PriceEntry => ({ timestamp, price: 1 });
  const spring = ['01:45:00', '02:00:00', '02:45:00', '03:00:00'].map((time) => at(`2026-03-29T${time}`));
  expect(refusal(await upload(spring, 'Europe/Vienna'))).toEqual([
    422,
    'validation_failed',
    '/data/1/timestamp timestamp_gap',
    '/data/2/timestamp timestamp_gap',
  ]);
  const autumn = ['01:45:00', '02:00:00', '02:45:00', '03:00:00'].map((time) => at(`2026-10-25T${time}`));
  expect(refusal(await upload(autumn, 'Europe/Vienna'))).toEqual([
    422,
    'validation_failed',
    '/data/1/timestamp timestamp_ambiguous',
    '/data/2/timestamp timestamp_ambiguous',
  ]);
  const whole = [...spring, ...autumn].filter((_, i) => i % 4 === 0 || i % 4 === 3);
  const told = ['2026-10-25T02:00:00+02:00', '2026-10-25T02:00:00+01:00'].map(at);
  expect(parts(await upload([...whole, ...told], 'Europe/Vienna'), 'state')).toEqual([200, 'success']);
  expect(Object.keys(await stored())).toEqual([
    '2026-03-29T00:45:00.000Z',
    '2026-03-29T01:00:00.000Z',
    '2026-10-24T23:45:00.000Z',
    '2026-10-25T00:00:00.000Z',
    '2026-10-25T01:00:00.000Z',
    '2026-10-25T02:00:00.000Z',
  ]);
});

test('an unknown time zone is refused', async () => {
  for (const zone of ['Europe/Atlantis', '+02:00', 'local time']) {
    expect(refusal(await upload([{ timestamp: '2026-06-15T13:00:00', price: 1 }], zone))).toEqual([
      422,
      'validation_failed',
      '/metadata/timezone_override time_zone_unknown',
    ]);
  }
});

test('a naive timestamp that its zone moves out of the years 0000 to 9999 is refused', async () => {
  const late = await upload([{ timestamp: '9999-12-31T23:45:00', price: 1 }], 'America/Los_Angeles');
  expect(late).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '/data/0/timestamp', code: 'timestamp_out_of_range' }] },
  });
});

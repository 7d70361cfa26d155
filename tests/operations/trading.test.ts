import { describe, expect, test } from 'vitest';
import { priceFixture } from '../support/price-fixture.ts';
import type { PriceEntry } from '../support/price-fixture.ts';
import { parts, refusal } from './refusal.ts';

const prices = priceFixture();
const { upload, list, stored } = prices;

const revisions = () =>
  prices.api.db
    .selectFrom('day_ahead_prices')
    .select(['starts_at', 'received_at', 'price'])
    .where('org_id', '=', prices.orgId)
    .orderBy('starts_at')
    .orderBy('received_at')
    .execute();

describe('an upload', () => {
  test('is stored with its bids and read back in order', async () => {
    const answer = await upload([
      { timestamp: '2026-06-15T13:00:00Z', price: -1.5, best_bid: [1, -2.25, 1e-7], best_ask: [] },
      { timestamp: '2026-06-15T12:15:00+00:00', price: 84.12 },
      { timestamp: '2026-06-15T14:30:00+02:00', price: 0.1, best_ask: [3] },
    ]);
    expect([answer.status, answer.body]).toEqual([
      200,
      { state: 'success', next_load_curve_calculation: '2026-06-15T12:15:00.000Z', error: '' },
    ]);
    const listed = (time: string, price: number, bids: number[], asks: number[], until: string) => ({
      timestamp: `2026-06-15T${time}:00.000Z`,
      price,
      best_bid: bids,
      best_ask: asks,
      origin: 'own',
      received_at: '2026-06-15T12:07:30.000Z',
      valid_from: `2026-06-15T${time}:00.000Z`,
      valid_until: `2026-06-15T${until}:00.000Z`,
      replaced: [],
    });
    expect((await list()).body).toEqual({
      data: [
        listed('12:15', 84.12, [], [], '12:30'),
        listed('12:30', 0.1, [], [3], '13:00'),
        listed('13:00', -1.5, [1, -2.25, 1e-7], [], '14:00'),
      ],
    });
  });

  test('without entries is empty', async () => {
    expect(parts(await upload([]), 'state', 'error')).toEqual([200, 'empty', '']);
  });

  test('names the next quarter hour, on a quarter hour the one after', async () => {
    prices.api.clock.set('2026-06-15T23:45:00Z');
    expect(parts(await upload([]), 'next_load_curve_calculation')).toEqual([200, '2026-06-16T00:00:00.000Z']);
  });

  test('of the same values exists already, even in other words and when it is late by then', async () => {
    const price = { timestamp: '2026-06-15T12:15:00Z', price: 5, best_bid: [1], best_ask: [2] };
    expect(parts(await upload([price]), 'state')).toEqual([200, 'success']);
    const same = { ...price, timestamp: '2026-06-15T14:15:00', price: 5.0 };
    expect(parts(await upload([same], 'Europe/Vienna'), 'state')).toEqual([200, 'existing']);
    prices.api.clock.set('2026-06-16T00:00:00Z');
    expect(parts(await upload([price]), 'state')).toEqual([200, 'existing']);
    expect(await revisions()).toHaveLength(1);
  });

  test('is late when the last delivery quarter is over, and stores nothing', async () => {
    const past = [
      { timestamp: '2026-06-15T11:30:00Z', price: 1 },
      { timestamp: '2026-06-15T11:45:00Z', price: 2 },
    ];
    expect(parts(await upload(past), 'state', 'error')).toEqual([200, 'late', '']);
    expect(await stored()).toEqual({});
    const running = { timestamp: '2026-06-15T12:00:00Z', price: 3 };
    expect(parts(await upload([...past, running]), 'state')).toEqual([200, 'success']);
    expect(Object.values(await stored())).toEqual([1, 2, 3]);
  });

  test('keeps a revision of each price that differs, and of no other', async () => {
    const [a, b] = ['2026-06-15T13:00:00Z', '2026-06-15T14:00:00Z'];
    await upload([
      { timestamp: a, price: 1 },
      { timestamp: b, price: 1 },
    ]);
    prices.api.clock.advance(1000);
    expect(
      parts(
        await upload([
          { timestamp: a, price: 2 },
          { timestamp: b, price: 1 },
        ]),
        'state',
      ),
    ).toEqual([200, 'success']);
    // In the same millisecond, and back to the first value.
    await upload([{ timestamp: a, price: 1 }]);
    await upload([{ timestamp: b, price: 1, best_bid: [9] }]);
    expect(
      (await revisions()).map(({ starts_at, received_at, price }) => [starts_at, received_at, price]),
    ).toEqual([
      [new Date(a), new Date('2026-06-15T12:07:30.000Z'), 1],
      [new Date(a), new Date('2026-06-15T12:07:31.000Z'), 2],
      [new Date(a), new Date('2026-06-15T12:07:31.001Z'), 1],
      [new Date(b), new Date('2026-06-15T12:07:30.000Z'), 1],
      [new Date(b), new Date('2026-06-15T12:07:31.000Z'), 1],
    ]);
    expect(Object.values(await stored())).toEqual([1, 1]);
  });

  test('of the same prices ten times at once is stored once', async () => {
    const data = [{ timestamp: '2026-06-15T15:00:00Z', price: 7 }];
    const answers = await Promise.all(Array.from({ length: 10 }, () => upload(data)));
    const states = answers.map((answer) => parts(answer, 'state')[1]);
    expect(states.toSorted()).toEqual([...Array<string>(9).fill('existing'), 'success']);
    expect(await revisions()).toHaveLength(1);
  });

  test('holds 10,000 entries and no more', async () => {
    const first = Date.parse('2026-06-16T00:00:00Z');
    const entry = (i: number): PriceEntry => ({
      timestamp: new Date(first + i * 900_000).toISOString(),
      price: i / 100,
    });
    const data = Array.from({ length: 10_001 }, (_, i) => entry(i));
    expect(refusal(await upload(data))).toEqual([422, 'validation_failed', '/data max_items']);
    expect(parts(await upload(data.slice(0, 10_000)), 'state')).toEqual([200, 'success']);
    expect(await revisions()).toHaveLength(10_000);
    expect(parts(await upload(data.slice(0, 10_000)), 'state')).toEqual([200, 'existing']);
  });
});

describe('a faulty upload', () => {
  const good = { timestamp: '2026-06-15T13:00:00Z', price: 1 };

  test('stores nothing and names every fault', async () => {
    const data = [
      good,
      { timestamp: '2026-06-15T13:01:00Z', price: 1 },
      { timestamp: '2026-06-15T15:00:00+02:00', price: 2 },
      { timestamp: '2026-06-15T13:15:00.001Z', price: 2 },
    ];
    expect(refusal(await upload(data))).toEqual([
      422,
      'validation_failed',
      '/data/1/timestamp timestamp_alignment',
      '/data/2/timestamp timestamp_duplicate',
      '/data/3/timestamp timestamp_alignment',
    ]);
    expect(await revisions()).toEqual([]);
  });

  test('has no price, bid or ask beyond 10,000 EUR/MWh, and 10,000 itself is one', async () => {
    const timestamp = good.timestamp;
    const bounds = { timestamp, price: -10_000, best_bid: [10_000, -10_000], best_ask: [-10_000, 10_000] };
    expect(parts(await upload([bounds]), 'state')).toEqual([200, 'success']);
    const beyond = [
      { timestamp, price: 1e308 },
      { timestamp: '2026-06-15T13:15:00Z', price: -10_000.01, best_bid: [10_001], best_ask: [0, -1e308] },
    ];
    expect(refusal(await upload(beyond)).toSorted()).toEqual([
      '/data/0/price maximum',
      '/data/1/best_ask/1 minimum',
      '/data/1/best_bid/0 maximum',
      '/data/1/price minimum',
      422,
      'validation_failed',
    ]);
    expect((await revisions()).map(({ price }) => price)).toEqual([-10_000]);
  });

  test('is refused by the schema with every fault', async () => {
    const body = {
      data: [{ timestamp: 'noon', price: '1', best_bid: ['x'], volume: 1 }, { price: 1 }],
      metadata: { zone: 'x' },
    };
    const answer = await prices.api.call('uploadDayAheadPrices', {
      path: { org_id: prices.orgId },
      token: prices.token,
      body,
    });
    expect(new Set(refusal(answer))).toEqual(
      new Set([
        422,
        'validation_failed',
        '/data/0/timestamp format',
        '/data/0/price type',
        '/data/0/best_bid/0 type',
        '/data/0/volume unknown_property',
        '/data/1/timestamp required',
        '/metadata/zone unknown_property',
      ]),
    );
  });
});

describe('the list', () => {
  test('begins inclusively and ends exclusively', async () => {
    await upload(
      ['13:00', '13:15', '13:30'].map((time, price) => ({ timestamp: `2026-06-15T${time}:00Z`, price })),
    );
    const answer = await list('2026-06-15T13:00:00Z', '2026-06-15T15:30:00+02:00');
    expect((answer.body as { data: PriceEntry[] }).data.map(({ price }) => price)).toEqual([0, 1]);
  });

  test('of several pages is the same text as one of a single page, the latest revision of each price', async () => {
    const values = [-0, 0, 1e-7, 5e-324, 0.1 + 0.2, -9_999.999_999_999_998, 10_000, 1 / 3, 123.45];
    const count = 1_203;
    const start = Date.parse('2026-06-16T00:00:00Z');
    // Whole pages of short lists, then of long ones.
    const data = Array.from({ length: count }, (_, at) => ({
      timestamp: new Date(start + at * 900_000).toISOString(),
      price: values[at % values.length] ?? 0,
      best_bid: Array.from({ length: at < 600 ? 0 : at % 101 }, (_each, n) => values[n % values.length] ?? 0),
      best_ask: Array.from(
        { length: at < 600 ? 1 : 100 },
        (_each, n) => values[(at + n) % values.length] ?? 0,
      ),
    }));
    await upload(data.map((entry) => ({ ...entry, price: 7, best_ask: [1] })));
    await upload(data);
    const answer = await list('2026-06-16', '2026-12-31');
    const texts = (answer.body as { data: PriceEntry[] }).data.map(
      ({ timestamp, price, best_bid, best_ask }) => JSON.stringify({ timestamp, price, best_bid, best_ask }),
    );
    expect(texts).toEqual(data.map((entry) => JSON.stringify(entry)));
  });

  test('tells when a price came and the ten prices before it, the last first', async () => {
    const timestamp = '2026-06-15T13:00:00.000Z';
    for (let price = 0; price < 13; price++) {
      await upload([{ timestamp, price }]);
      prices.api.clock.advance(1_000);
    }
    const { data } = (await list()).body as { data: unknown[] };
    const receivedAt = (price: number) => `2026-06-15T12:07:${30 + price}.000Z`;
    expect(data).toEqual([
      expect.objectContaining({
        price: 12,
        received_at: receivedAt(12),
        replaced: Array.from({ length: 10 }, (_, i) => ({ price: 11 - i, received_at: receivedAt(11 - i) })),
      }),
    ]);
  });

  test('refuses a range that is no range', async () => {
    expect(refusal(await list('2026-06-15', '2026-06-15'))).toEqual([
      422,
      'validation_failed',
      'from_dt range_order',
    ]);
    expect(refusal(await list('2026-06-15', '2027-06-17'))).toEqual([
      422,
      'validation_failed',
      'to_dt range_too_long',
    ]);
    expect((await list('2026-06-15', '2027-06-16')).status).toBe(200);
    expect(refusal(await list('soon', 'later'))).toEqual([
      422,
      'validation_failed',
      'from_dt format',
      'to_dt format',
    ]);
    const bare = await prices.api.call('listDayAheadPrices', {
      path: { org_id: prices.orgId },
      token: prices.token,
    });
    expect(refusal(bare)).toEqual([422, 'validation_failed', 'from_dt required', 'to_dt required']);
  });

  test('and the upload take the first and the last instants that can be written', async () => {
    const ends = ['0000-01-01T00:00:00.000Z', '0050-06-01T00:00:00.000Z', '9999-12-31T23:45:00.000Z'];
    const data = ends.map((timestamp) => ({ timestamp, price: 1 }));
    expect(parts(await upload(data), 'state')).toEqual([200, 'success']);
    expect((await revisions()).map(({ starts_at }) => starts_at.toISOString())).toEqual(ends);
    expect((await list('0000-01-01', '0000-12-31')).body).toMatchObject({ data: [{ timestamp: ends[0] }] });
    expect((await list('9999-01-01', '9999-12-31T23:59:59.999Z')).body).toMatchObject({
      data: [{ timestamp: ends[2], valid_until: '9999-12-31T23:59:59.999Z' }],
    });
    const beyond = [{ timestamp: '9999-12-31T23:45:00-23:45', price: 1 }];
    expect(refusal(await upload(beyond))).toEqual([422, 'validation_failed', '/data/0/timestamp format']);
  });
});

test('prices of one organization are not those of another, and users see none', async () => {
  await upload([{ timestamp: '2026-06-15T13:00:00Z', price: 1 }]);
  const query = { from_dt: '2026-01-01', to_dt: '2026-12-31' };
  expect((await prices.api.call('listDayAheadPrices', { query })).body).toEqual({ data: [] });
  expect(
    refusal(await prices.api.call('listDayAheadPrices', { query, token: prices.api.own.user.token })),
  ).toEqual([403, 'role_forbidden']);
  const body = { data: [] };
  expect(
    refusal(await prices.api.call('uploadDayAheadPrices', { body, token: prices.api.own.user.token })),
  ).toEqual([403, 'role_forbidden']);
});

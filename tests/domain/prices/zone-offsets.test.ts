import { expect, test } from 'vitest';
import { createZoneOffsetLookup } from '../../../src/domain/prices/zone-offsets.ts';
import { countCalls } from '../../support/call-counts.ts';

const HOUR_MS = 3_600_000;

test('a format is made once for each zone, however often and in whatever case it is asked for', async () => {
  const names = ['Europe/Vienna', 'europe/vienna', 'EUROPE/VIENNA', 'Asia/Kathmandu', 'Asia/kathmandu'];
  for (const name of ['Europe/Vienna', 'Asia/Kathmandu']) createZoneOffsetLookup(name);
  const calls = await countCalls('prices/zone-offsets.ts', () => {
    for (let times = 0; times < 20; times += 1) {
      const offsets = names.map((name) => createZoneOffsetLookup(name)?.(Date.UTC(2000 + times, 0, 1)));
      expect(offsets).toEqual([HOUR_MS, HOUR_MS, HOUR_MS, 5.75 * HOUR_MS, 5.75 * HOUR_MS]);
    }
    return Promise.resolve();
  });
  expect(calls.get('createFormat') ?? 0).toBe(0);
});

test('a letter whose small one is in a name makes no name of it', () => {
  expect(createZoneOffsetLookup('Asia/Tokyo')?.(0)).toBe(9 * HOUR_MS);
  expect(createZoneOffsetLookup('Asia/To\u212Ayo')).toBeUndefined();
  expect(createZoneOffsetLookup('Asia/Nowhere')).toBeUndefined();
  expect(createZoneOffsetLookup('+09:00')).toBeUndefined();
});

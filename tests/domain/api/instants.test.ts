import { describe, expect, test } from 'vitest';
import { tryParseInstant } from '../../../src/domain/api/instants.ts';

describe('an instant', () => {
  test.each([
    ['0000-01-01', '0000-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.9999Z', '9999-12-31T23:59:59.999Z'],
    ['2026-11-21 08:15', '2026-11-21T08:15:00.000Z'],
    ['2026-11-21T08:15:00,5+0130', '2026-11-21T06:45:00.500Z'],
    ['2024-02-29t00:00z', '2024-02-29T00:00:00.000Z'],
  ])('is read from %s', (text, instant) => {
    expect(tryParseInstant(text)?.toISOString()).toBe(instant);
  });

  test.each([
    '',
    '2026-02-29',
    '2026-11-21T24:00',
    '2026-11-21T08:15:60Z',
    '2026-11-21T08:15+24:00',
    '2026-11-21T08:15Z\n',
    '+12026-11-21',
    '20261121',
    // Beyond the years that RFC 3339 can write.
    '0000-01-01T00:00+00:01',
    '9999-12-31T23:59-00:01',
  ])('is not read from %j', (text) => {
    expect(tryParseInstant(text)).toBeUndefined();
  });
});

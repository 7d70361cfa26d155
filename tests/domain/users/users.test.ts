import { expect, test } from 'vitest';
import { isAssignedCountryCode } from '../../../src/domain/users/countries.ts';
import { decodeCursor, encodeCursor } from '../../../src/domain/api/cursor.ts';

test('the assigned country codes number 249, in upper case', () => {
  const letters = Array.from({ length: 26 }, (_, i) => String.fromCharCode(65 + i));
  const codes = letters.flatMap((a) => letters.map((b) => a + b));
  expect(codes.filter(isAssignedCountryCode)).toHaveLength(249);
  expect(['AT', 'XK', 'UK', 'EU', 'at', ''].map(isAssignedCountryCode)).toEqual([
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});

test('a cursor has one form alone', () => {
  const keyset = { createdAt: new Date(1_770_000_000_123), id: '8a1f0c52-6f0e-4a57-9d53-0f6c1e2b7a90' };
  const cursor = encodeCursor(keyset);
  expect(decodeCursor(cursor)).toEqual(keyset);
  const padded = Buffer.from(`0${keyset.createdAt.getTime()}~${keyset.id}`).toString('base64url');
  const beyond = Buffer.from(`999999999999999999~${keyset.id}`).toString('base64url');
  for (const other of ['', `${cursor}=`, ` ${cursor}`, padded, beyond])
    expect(decodeCursor(other)).toBeUndefined();
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maskJson, maskPath, maskPointer, maskQuery } from '../../../src/domain/requests/masked.ts';

const ID = '5f0c2c1e-9b7e-4a57-8f6a-3d1f4be7a001';

test('of a body names of the document, numbers, ids, instants and its own words are left', () => {
  const body = {
    email: 'eva@example.com',
    first_name: 'Eva',
    latitude: 48.21,
    role: 'admin',
    country: 'AT',
    count: 12,
    external_user_id: ID,
    request_id: ID,
    groups: [{ name: 'Our best customers', count: 3, from: '2026-03-01T00:00:00Z' }],
    'eva@example.com': true,
    first_payment: null,
  };
  expect(maskJson(body)).toEqual({
    email: '…',
    first_name: '…',
    latitude: '…',
    role: 'admin',
    country: '…',
    count: 12,
    external_user_id: '…',
    request_id: ID,
    groups: [{ name: '…', count: 3, from: '2026-03-01T00:00:00Z' }],
    '…': null,
  });
});

test('paths, queries and pointers keep what a body may keep', () => {
  const template = '/api/partners/v2.0/org/{org_id}/users/external/{external_user_id}';
  expect(maskPath(template, `/api/partners/v2.0/org/${ID}/users/external/eva%40example.com`)).toBe(
    `/api/partners/v2.0/org/${ID}/users/external/…`,
  );
  expect(maskQuery('limit=50&email=eva%40example.com&pin=abc&code=device_offline')).toBe(
    '?limit=50&email=…&…=…&code=device_offline',
  );
  expect(maskQuery('')).toBe('');
  expect(maskPointer('/groups/0/eva@example.com')).toBe('/groups/0/…');
});

test('no address is left of any value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.emailAddress(), (value, email) => {
      const text = JSON.stringify(maskJson({ email, nested: [value, { name: email, [email]: email }] }));
      expect(text).not.toContain(email);
    }),
  );
});

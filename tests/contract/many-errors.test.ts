import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAX_FIELD_ERRORS } from '../../generated/problems.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

test.each([
  ['the document', 'noon'],
  ['the operation', '2026-11-21T08:07:00Z'],
  ['the document and the rule of storable text', 'noon\0'],
])('of too many faults against %s the first are told', async (_whose, timestamp) => {
  const data = Array.from({ length: MAX_FIELD_ERRORS + 1 }, () => ({ timestamp, price: 1 }));
  const { status, body } = await api.call('uploadDayAheadPrices', { body: { data } });
  expect(status).toBe(422);
  expect(body.detail).toBe(
    `The request breaks more than ${MAX_FIELD_ERRORS} rules; see the first ${MAX_FIELD_ERRORS} in errors.`,
  );
  expect(body).toHaveProperty('errors_truncated', true);
  const pointers = (body.errors as { pointer: string }[]).map(({ pointer }) => pointer);
  expect(pointers).toEqual(
    Array.from({ length: MAX_FIELD_ERRORS }, (_, index) => `/data/${index}/timestamp`),
  );
});

test.each(['noon', '2026-11-21T08:07:00Z'])(
  'of as many faults as an answer holds all are told, and that is all (%s)',
  async (timestamp) => {
    const data = Array.from({ length: MAX_FIELD_ERRORS }, () => ({ timestamp, price: 1 }));
    const { body } = await api.call('uploadDayAheadPrices', { body: { data } });
    expect(body.errors).toHaveLength(MAX_FIELD_ERRORS);
    expect(body).not.toHaveProperty('errors_truncated');
    expect(body.detail).toBe(`The request breaks ${MAX_FIELD_ERRORS} rules; see errors.`);
  },
);

test('of too many properties of a body that has none the first are told', async () => {
  const { body: fleet } = await api.call('createFleet', { body: { request_id: randomUUID(), count: 1 } });
  const properties = Array.from({ length: 10 * MAX_FIELD_ERRORS }, (_, index) => [`p${index}`, index]);
  const { status, body } = await api.call('cancelFleet', {
    path: { job_id: fleet.job_id as string },
    body: Object.fromEntries(properties) as Record<string, null>,
  });
  expect(status).toBe(422);
  expect(body).toHaveProperty('errors_truncated', true);
  expect(body.errors).toEqual(
    Array.from({ length: MAX_FIELD_ERRORS }, (_, index) => ({
      pointer: `/p${index}`,
      code: 'unknown_property',
      detail: `"p${index}" is not known here; remove it.`,
    })),
  );
});

test('the document says how many faults an answer holds', () => {
  const path = join(import.meta.dirname, '../../generated/openapi.json');
  const { components } = JSON.parse(readFileSync(path, 'utf8')) as {
    components: { schemas: { Problem: { properties: { errors: { maxItems: number } } } } };
  };
  expect(components.schemas.Problem.properties.errors.maxItems).toBe(MAX_FIELD_ERRORS);
});

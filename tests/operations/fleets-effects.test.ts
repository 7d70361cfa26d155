import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';
import { base, density } from './effect-base.ts';
import type { Preview, Values } from './effect-base.ts';
import { rows } from './effect-rows.ts';

// Every field of a definition is changed alone; the preview changes where that field has its effect, and nowhere else.

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

async function previewOf(body: Values): Promise<Preview> {
  const answer = await api.call('previewFleet', { body });
  expect([answer.status, answer.body?.errors]).toEqual([200, undefined]);
  return answer.body as Preview;
}

/** Where two values differ, as paths with a star for each index and without what lies below a new object. */
function differences(a: unknown, b: unknown, path = ''): string[] {
  if (Object.is(a, b)) return [];
  const bothObjects = [a, b].every((value) => typeof value === 'object' && value !== null);
  if (!bothObjects || Array.isArray(a) !== Array.isArray(b)) return [path];
  if (Array.isArray(a) && a.length !== (b as unknown[]).length) return [path];
  const names = new Set([...Object.keys(a as object), ...Object.keys(b as object)]);
  return [...names].flatMap((name) => {
    const step = Array.isArray(a) ? '*' : name;
    return differences((a as Values)[name], (b as Values)[name], path === '' ? step : `${path}.${step}`);
  });
}

test.each(rows)('$title has its effect and no other', async ({ to, given = {}, effect, holds }) => {
  const before = await previewOf({ ...base, ...given });
  const after = await previewOf({ ...base, ...given, ...to });
  const found = differences(before, after).map((path) => path.replace(/(archetype_counts).*/, '$1'));
  expect([...new Set(found)].toSorted()).toEqual([...new Set(effect)].toSorted());
  expect(holds?.(after, before) ?? true).toBe(true);
});

test('no field of the definition is left out of the table', () => {
  const titles = rows.map(({ title }) => title.split('/').slice(0, 2).join('/').split(/[ ,]/)[0] ?? '');
  const ranges = Object.keys(base).filter((name) => /_kw$|battery|_w$|initial/.test(name));
  const fields = [
    ...Object.keys(base).filter((name) => name !== 'request_id' && name !== 'groups'),
    ...ranges.map((name) => `${name}_range`),
    ...Object.keys(density).map((name) => `density/${name}`),
    ...['name', 'count', 'percentage', 'profile', 'weights', 'annual_consumption_kwh'].map(
      (n) => `groups/${n}`,
    ),
    ...['annual_consumption_with_ev_kwh', 'max_time_shift_minutes', 'variation_fraction'].map(
      (n) => `groups/${n}`,
    ),
  ];
  expect(fields.filter((field) => !titles.includes(field))).toEqual([]);
});

test('the request id changes the ids and nothing else', async () => {
  const [before, after] = [
    await previewOf(base),
    await previewOf({ ...base, request_id: '7d0f5e0a-9d2b-4a53-8c11-5b7a2f6e4c11' }),
  ];
  expect([...new Set(differences(before, after))].toSorted()).toEqual([
    'definition.request_id',
    'households.*.devices.*.device_id',
    'households.*.user_id',
    'job_id',
  ]);
});

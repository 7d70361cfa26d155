import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';
import { deepDefinitions, hostileDefinitions } from './hostile-definitions.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

test('there are at least 200 hostile definitions, all different', () => {
  expect(new Set(hostileDefinitions.map(({ text }) => text)).size).toBe(hostileDefinitions.length);
  expect(hostileDefinitions.length).toBeGreaterThanOrEqual(200);
});

test.each(hostileDefinitions)('$title is told at $pointer and nowhere else', async ({ text, pointer }) => {
  for (const operation of ['previewFleet', 'createFleet'] as const) {
    const answer = await api.call(operation, { raw: text });
    expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed']);
    const pointers = (answer.body.errors as { pointer: string }[]).map((fault) => fault.pointer);
    expect(new Set(pointers)).toEqual(new Set([pointer]));
    // What is told does not grow with what was sent.
    expect(answer.text.length).toBeLessThan(4000);
  }
});

test.each(deepDefinitions)('$title is refused before it is built', async ({ text }) => {
  for (const operation of ['previewFleet', 'createFleet'] as const) {
    const answer = await api.call(operation, { raw: text });
    expect([answer.status, answer.body.code]).toEqual([400, 'malformed_json']);
    expect(answer.text.length).toBeLessThan(4000);
  }
});

test('nothing was created', async () => {
  expect((await api.call('listFleets')).body).toEqual([]);
});

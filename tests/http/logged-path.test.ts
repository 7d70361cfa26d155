import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

test('of a long path the log has the first 200 characters', async () => {
  const answer = await fetch(`${api.baseUrl}/${'a'.repeat(8_000)}`);
  await answer.arrayBuffer();
  // The line is written when the answer is out.
  await expect.poll(() => api.log.text).toContain('"request"');
  expect(api.log.text).toContain(`"path":"/${'a'.repeat(199)}…"`);
  expect(api.log.text.length).toBeLessThan(1_000);
});

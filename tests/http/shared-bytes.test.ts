// What is the same for everybody is not made, or copied, for each answer.
import { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

test.each([
  '/api/partners/v2.0/openapi.json',
  '/api/partners/v2.0/openapi.yaml',
  '/docs',
  '/docs/operations/createUser.md',
])('%s is made once: all answers send the same bytes of memory', async (path) => {
  const end = vi.spyOn(ServerResponse.prototype, 'end');
  try {
    for (let count = 0; count < 2; count += 1) expect((await api.fetch('get', path)).status).toBe(200);
    const sent = end.mock.calls.map(([chunk]) => chunk as unknown);
    expect(sent).toEqual([expect.any(Buffer), expect.any(Buffer)]);
    expect(sent[0]).toBe(sent[1]);
  } finally {
    end.mockRestore();
  }
});

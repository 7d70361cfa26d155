import { expect, test } from 'vitest';
import { startApi } from '../support/api.ts';

test.each(['/livez/', '/readyz/', '/metrics/', '/METRICS'])(
  '%s is no other name of a probe',
  async (path) => {
    const api = await startApi();
    try {
      const answer = await fetch(`${api.baseUrl}${path}`);
      await answer.arrayBuffer();
      expect(answer.status).toBe(404);
    } finally {
      await api.close();
    }
  },
);

test('health checks and scrapes that succeed are not in the log', async () => {
  const api = await startApi();
  try {
    for (const path of ['/livez', '/readyz', '/metrics', '/docs']) {
      const answer = await fetch(`${api.baseUrl}${path}`);
      expect([path, answer.status]).toEqual([path, 200]);
      await answer.arrayBuffer();
    }
    // The line is written when the answer is out, in the order of the answers.
    await expect.poll(() => api.log.text).toContain('"path":"/docs"');
    expect(api.log.text).not.toMatch(/"path":"\/(?:livez|readyz|metrics)"/);
  } finally {
    await api.close();
  }
});

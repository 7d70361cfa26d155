import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { DEFAULT_RATE_LIMITS } from '../../src/config/rate-limits.ts';
import { RefusalLog } from '../../src/http/refusal-log.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';
import { until } from '../process/partner.ts';
import { RecordingLog } from '../support/secret-leaks.ts';

type Line = Readonly<Record<string, unknown>>;

const linesOf = (log: RecordingLog): Line[] =>
  log.text
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text) as Line);

const countEach = (texts: readonly string[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(texts, (text) => text)].map(([text, all]) => [text, all.length]));

describe('lines for refusals', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  test('are one a second of each kind: the first one whole, then how many more', () => {
    const log = new RecordingLog();
    const refusals = new RefusalLog(log, () => Date.now());
    const add = (count: number, status: number, code?: string): void => {
      for (let n = 0; n < count; n += 1) refusals.add(status, code, { request_id: `${status} ${n}` });
    };
    let before = 0;
    const lines = (): Line[] => {
      const added = linesOf(log).slice(before);
      before += added.length;
      return added;
    };
    const whole = (id: string): Line => ({ level: 'info', message: 'request', request_id: id });
    const counted = (status: number, code: string, count: number): Line => ({
      level: 'info',
      message: 'requests refused',
      status,
      code,
      count,
      span_ms: 1_000,
    });

    add(500, 429, 'quota_exceeded');
    add(1, 503, 'overloaded');
    add(1, 503);
    expect(lines()).toEqual([whole('429 0'), whole('503 0'), whole('503 0')]);
    vi.advanceTimersByTime(999);
    expect(lines()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(lines()).toEqual([counted(429, 'quota_exceeded', 499)]);
    // Of a kind that goes on none is written whole; of one that was quiet for a second the next one is.
    add(2, 429, 'quota_exceeded');
    add(2, 503, 'overloaded');
    expect(lines()).toEqual([whole('503 0')]);
    vi.advanceTimersByTime(1_000);
    expect(lines()).toEqual([counted(429, 'quota_exceeded', 2), counted(503, 'overloaded', 1)]);
    vi.advanceTimersByTime(1_000);
    expect([lines(), vi.getTimerCount()]).toEqual([[], 0]);
    add(1, 429, 'quota_exceeded');
    expect(lines()).toEqual([whole('429 0')]);
  });
});

describe('the log of the service', () => {
  const QUOTA = 4;
  let api: Api;
  beforeAll(async () => {
    const few = { quota: QUOTA, windowSeconds: 60 };
    api = await startApi({ rateLimits: { ...DEFAULT_RATE_LIMITS, default: few } });
  });
  afterAll(() => api.close());

  /** Status and path of requests that have a line each, once that of the path `last` is there. */
  async function findLines(last: string): Promise<string[]> {
    const lines = (): Line[] => linesOf(api.log).filter(({ message }) => message === 'request');
    const found = await until(lines, (all) => all.some(({ path }) => path === last));
    return found.map(({ status, path }) => `${String(status)} ${String(path)}`);
  }

  async function ask(path: string, status: number, token?: string): Promise<void> {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const answer = await fetch(`${api.baseUrl}${path}`, { headers });
    expect([path, answer.status]).toEqual([path, status]);
    await answer.arrayBuffer();
  }

  test('has no line for each refusal of a stranger, but one for each of a partner', async () => {
    const users = `/api/partners/v2.0/org/${api.own.orgId}/users`;
    const long = `/${'a'.repeat(9_000)}`;
    const shown = `${long.slice(0, 200)}…`;
    const { token } = api.own.admin;
    for (let n = 0; n < 2; n += 1) await ask(long, 414);
    for (let n = 0; n < QUOTA - 2; n += 1) await ask('/not-there', 404);
    for (let n = 0; n < 10; n += 1) await ask(`/refused/${n}`, 429);
    for (let n = 0; n < QUOTA; n += 1) await ask(users, 200, token);
    for (let n = 0; n < 3; n += 1) await ask(users, 429, token);
    // What is refused before tokens are read is a partner's, too, once its token has been seen.
    for (let n = 0; n < 3; n += 1) await ask(long, 429, token);
    const last = `/api/partners/v2.0/org/${api.foreign.orgId}/users`;
    await ask('/livez', 200);
    await ask(last, 200, api.foreign.admin.token);
    expect(countEach(await findLines(last))).toEqual({
      [`414 ${shown}`]: 1,
      '404 /not-there': QUOTA - 2,
      '429 /refused/0': 1,
      [`200 ${users}`]: QUOTA,
      [`429 ${users}`]: 3,
      [`429 ${shown}`]: 3,
      [`200 ${last}`]: 1,
    });
  });
});

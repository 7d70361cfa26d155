import { expect, test } from 'vitest';
import { Backoff } from '../../src/loops/backoff.ts';

test('the wait doubles with each failure of a piece of work, up to a limit', () => {
  const backoff = new Backoff(250, 1_000);
  expect([1, 2, 3, 4].map(() => backoff.nextMs('a'))).toEqual([250, 500, 1_000, 1_000]);
  expect(backoff.nextMs('b')).toBe(250);
  backoff.forget('a');
  expect(backoff.nextMs('a')).toBe(250);
});

import { expect, test } from 'vitest';
import { throttle } from '../../src/loops/throttle.ts';

test('calls in quick succession become two: the first at once, the others together', async () => {
  let calls = 0;
  const second = Promise.withResolvers<undefined>();
  const wake = throttle(
    async () => {
      calls += 1;
      if (calls === 2) second.resolve(undefined);
    },
    () => undefined,
    5,
  );
  for (let count = 0; count < 100; count += 1) wake();
  expect(calls).toBe(1);
  await second.promise;
  expect(calls).toBe(2);
});

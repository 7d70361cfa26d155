import { expect, test } from 'vitest';
import { shareAnswer } from '../../../src/domain/api/shared-answer.ts';

/** A question whose answers are given by hand, and a clock. */
function start() {
  const asked: PromiseWithResolvers<string>[] = [];
  const time = { ms: 0 };
  const ask = shareAnswer(
    () => {
      const question = Promise.withResolvers<string>();
      asked.push(question);
      return question.promise;
    },
    { maxAgeMs: 1_000, monotonicMs: () => time.ms },
  );
  return { asked, time, ask };
}

test('callers share a question that is under way, however long it takes', async () => {
  const { asked, time, ask } = start();
  const first = ask();
  time.ms = 5_000;
  const second = ask();
  expect(asked).toHaveLength(1);
  asked[0]?.resolve('an answer');
  expect(await Promise.all([first, second])).toEqual(['an answer', 'an answer']);
});

test('an answer serves until it is too old', async () => {
  const { asked, time, ask } = start();
  const first = ask();
  asked[0]?.resolve('an answer');
  await first;
  time.ms = 999;
  expect(await ask()).toBe('an answer');
  time.ms = 1_000;
  const next = ask();
  asked[1]?.resolve('another');
  expect(await next).toBe('another');
});

test('a failure is told to those who wait for it, and the next caller asks again', async () => {
  const { asked, ask } = start();
  const waiting = [ask(), ask()];
  asked[0]?.reject(new Error('no answer'));
  for (const each of await Promise.allSettled(waiting)) expect(each.status).toBe('rejected');
  const next = ask();
  asked[1]?.resolve('an answer');
  expect(await next).toBe('an answer');
});

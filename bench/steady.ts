// A partner that asks at fixed instants, whatever becomes of the answers.
import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from './statistics.ts';

/** Asks so many times a second until it is over; the p99 of the times of the answers, each from the instant at which it was due, ms. */
export async function askSteadily(
  perSecond: number,
  ask: (count: number) => Promise<unknown>,
  isOver: () => boolean,
): Promise<number> {
  const times: Promise<number>[] = [];
  const startedAt = performance.now();
  for (let count = 0; !isOver(); count++) {
    const dueAt = startedAt + (count * 1000) / perSecond;
    await sleep(Math.max(0, dueAt - performance.now()));
    times.push(ask(count).then(() => performance.now() - dueAt));
  }
  return percentile(await Promise.all(times), 0.99);
}

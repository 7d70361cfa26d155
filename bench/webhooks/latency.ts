// Targets 2 and 3: from the event to the receipt, idle and beside endpoints that do not answer.
import { setTimeout as sleep } from 'node:timers/promises';
import { startDatabase } from '../database.ts';
import type { Samples } from '../row.ts';
import { percentile } from '../statistics.ts';
import { addEvent, addWebhooks, newDispatcher, newExchange, startReceivers } from './world.ts';

export const IDLE_P50 = 'event to receipt, idle: p50';
export const IDLE_P99 = 'event to receipt, idle: p99';
export const BESIDE_DEAD = 'p99 at healthy endpoints, 10 % dead';
const [HEALTHY, DEAD, EVENTS, EVENT_MS] = [45, 5, 600, 10];
const [IDLE_EVENTS, IDLE_MS] = [150, 30];
/** In which a delivery to a dead endpoint has ended. */
const DEAD_ATTEMPT_MS = 5_500;

/** Milliseconds, by percentiles of the events of a round. */
export async function* measureLatency(): AsyncGenerator<Samples, never> {
  const receivers = await startReceivers(HEALTHY, DEAD);
  const database = await startDatabase();
  const client = newExchange(receivers.ca);
  const { dispatcher } = newDispatcher(database, client);
  try {
    const alive = await addWebhooks(database, receivers.ports.slice(0, HEALTHY));
    const gone = await addWebhooks(database, receivers.ports.slice(HEALTHY));
    await dispatcher.start();
    const send = async (orgId = ''): Promise<void> => {
      await addEvent(database, orgId);
      dispatcher.wake();
    };
    const sendIdle = async (): Promise<number[]> => {
      for (let each = 0; each < IDLE_EVENTS; each += 1) {
        await send(alive[each % 3]);
        await sleep(IDLE_MS);
      }
      await sleep(200);
      return (await receivers.report()).latencies;
    };
    const sendMany = async (withDead: boolean): Promise<number[]> => {
      const pending: Promise<void>[] = [];
      for (let each = 0; each < EVENTS; each += 1) {
        pending.push(send(alive[each % alive.length]));
        if (withDead && each % 9 === 0) pending.push(send(gone[(each / 9) % gone.length]));
        await sleep(EVENT_MS);
      }
      await Promise.all(pending);
      await sleep(500);
      return (await receivers.report()).latencies;
    };
    await sendMany(false);
    yield {};
    for (;;) {
      const idle = await sendIdle();
      const [without, beside] = [await sendMany(false), await sendMany(true)];
      // The dead ones' attempts end, so that the next round begins without them.
      await sleep(DEAD_ATTEMPT_MS);
      await database.pool.query("delete from deliveries where state = 'pending'");
      yield {
        [IDLE_P50]: { measured: percentile(idle, 0.5) },
        [IDLE_P99]: { measured: percentile(idle, 0.99) },
        [BESIDE_DEAD]: { measured: percentile(beside, 0.99), limit: percentile(without, 0.99) },
      };
    }
  } finally {
    await dispatcher.stop();
    await client.close();
    await database.remove();
    receivers.stop();
  }
}

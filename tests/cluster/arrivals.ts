// What the partner's endpoint has received.
import { until } from '../faults/environment.ts';
import type { Receiver } from '../support/receiver.ts';
import { eventKey } from './load.ts';

export interface Arrival {
  readonly messageId: string;
  /** As `Write.key` of the event. */
  readonly key: string;
  readonly at: number;
}

interface Message {
  readonly message_id: string;
  readonly data: { readonly device_id: string; readonly notice?: string };
}

/** Some attempts are always in flight when a fault begins. */
const ANSWER_AFTER_MS = 300;

/** Notes when each message arrives, and answers 204 a little later. */
export function recordArrivals(receiver: Receiver): Arrival[] {
  const arrivals: Arrival[] = [];
  receiver.answer = ({ body }, response) => {
    const { message_id: messageId, data } = JSON.parse(body.toString()) as Message;
    arrivals.push({ messageId, key: eventKey(data.device_id, data.notice ?? ''), at: performance.now() });
    setTimeout(() => response.writeHead(204).end(), ANSWER_AFTER_MS);
  };
  return arrivals;
}

/** Until the message of every event is there; what is not when the patience ends is lost. */
export async function waitForArrivals(
  arrivals: readonly Arrival[],
  keys: readonly string[],
  patienceMs: number,
): Promise<void> {
  const countMissing = (): number => {
    const arrived = new Set(arrivals.map(({ key }) => key));
    return keys.filter((key) => !arrived.has(key)).length;
  };
  await until('every message has arrived', countMissing, (missing) => missing === 0, patienceMs).catch(
    () => undefined,
  );
}

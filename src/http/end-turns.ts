import { performance } from 'node:perf_hooks';
import { TurnLoop } from '../loops/turn-loop.ts';

/** What the ends of one turn of the event loop may take, in milliseconds; an end costs some 0.1 ms. */
const TURN_MS = 2;

/** What is to be ended, in the order in which it was added. */
const WAITING = new Map<object, () => void>();

const LOOP = new TurnLoop({
  turnMs: TURN_MS,
  monotonicMs: () => performance.now(),
  hasNext: () => WAITING.size > 0,
  doNext: endNext,
});

/**
 * Calls `end` in one of the next turns of the event loop: what falls due at once for thousands of connections is done in
 * helpings of 2 ms, with others served between. An owner waits once at a time; what `end` is to end may be gone by then.
 */
export function endInTurn(owner: object, end: () => void): void {
  if (!WAITING.has(owner)) WAITING.set(owner, end);
  LOOP.start();
}

function endNext(): void {
  for (const [owner, end] of WAITING) {
    WAITING.delete(owner);
    end();
    return;
  }
}

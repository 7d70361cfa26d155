/** What the ends of one turn of the event loop may take, in milliseconds; an end costs some 0.1 ms. */
const TURN_MS = 2;

/** What is to be ended, in the order in which it was added. */
const WAITING = new Map<object, () => void>();
let isRunning = false;
let turnBeganMs = 0;

/**
 * Calls `end` in one of the next turns of the event loop: what falls due at once for thousands of connections is done in
 * helpings of 2 ms, with others served between. An owner waits once at a time; what `end` is to end may be gone by then.
 */
export function endInTurn(owner: object, end: () => void): void {
  if (!WAITING.has(owner)) WAITING.set(owner, end);
  if (isRunning) return;
  isRunning = true;
  setImmediate(runTurn);
}

function runTurn(): void {
  turnBeganMs = performance.now();
  runNext();
}

function runNext(): void {
  const [next] = WAITING;
  if (next === undefined) {
    isRunning = false;
    return;
  }
  if (performance.now() - turnBeganMs >= TURN_MS) {
    setImmediate(runTurn);
    return;
  }
  const [owner, end] = next;
  WAITING.delete(owner);
  try {
    end();
  } finally {
    // Behind all that the end does without waiting: that is of its turn too.
    queueMicrotask(() => process.nextTick(runNext));
  }
}

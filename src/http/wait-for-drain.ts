import { once } from 'node:events';
import type { Response } from 'express';

/** Waits until the client has read on, or has gone. */
export async function waitForDrain(response: Response): Promise<void> {
  if (response.destroyed) return;
  const abort = new AbortController();
  const gone = once(response, 'close', { signal: abort.signal });
  const ready = once(response, 'drain', { signal: abort.signal });
  try {
    await Promise.race([gone, ready]);
  } finally {
    abort.abort();
    await Promise.allSettled([gone, ready]);
  }
}

import { LRUCache } from 'lru-cache';
import type { RefusedHost } from './destination.ts';

const INTERVAL_MS = 60_000;
/** Webhooks whose last telling is remembered. */
const MAX_WEBHOOKS = 10_000;

/** An attempt that was not made. Of the endpoint's address the host alone: path and query may hold a secret. */
export interface RefusedDestination extends RefusedHost {
  readonly webhookId: string;
}

/** The last of some such attempts of a webhook, and how many they are since it was told of before. */
export interface RefusedAttempts extends RefusedDestination {
  readonly attempts: number;
}

/**
 * Tells of each webhook that leads to an address that must not be called, once a minute at most: such an attempt ends at once, so
 * that one partner could fill a log in which others are looked for. What is counted after the last telling is told with the next one.
 */
export class RefusedDestinations {
  readonly #tell: (refused: RefusedAttempts) => void;
  readonly #monotonicMs: () => number;
  readonly #told = new LRUCache<string, { readonly atMs: number; untold: number }>({ max: MAX_WEBHOOKS });

  /** `monotonicMs`: milliseconds that never run backwards. */
  constructor(tell: (refused: RefusedAttempts) => void, monotonicMs: () => number) {
    this.#tell = tell;
    this.#monotonicMs = monotonicMs;
  }

  add(refused: RefusedDestination): void {
    const nowMs = this.#monotonicMs();
    const last = this.#told.get(refused.webhookId);
    if (last !== undefined && nowMs - last.atMs < INTERVAL_MS) {
      last.untold += 1;
      return;
    }
    this.#told.set(refused.webhookId, { atMs: nowMs, untold: 0 });
    this.#tell({ ...refused, attempts: 1 + (last?.untold ?? 0) });
  }
}

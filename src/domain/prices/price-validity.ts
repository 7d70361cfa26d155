import { QUARTER_HOUR_MS } from '../api/durations.ts';
import { PRICE_VALIDITY_MS } from './prices.ts';
import type { PriceOrigin } from './prices.ts';

/** Starts of delivery, ms since 1970, at which there is a price of each origin. */
export type PriceStarts = Readonly<Record<PriceOrigin, ReadonlySet<number>>>;

/** From when to when a price is in force, ms since 1970. */
export interface PriceValidity {
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * When a price is in force: until the next one of its origin, for an hour at most, and a parent's only while no own one is.
 * Null when it never is. It is one span, since an own price that is followed by none holds as long as any other can.
 */
export function findPriceValidity(
  startMs: number,
  origin: PriceOrigin,
  starts: PriceStarts,
): PriceValidity | null {
  const held: number[] = [];
  for (let at = startMs; at < startMs + PRICE_VALIDITY_MS; at += QUARTER_HOUR_MS) {
    if (at > startMs && starts[origin].has(at)) break;
    if (origin === 'own' || !isHeld(starts.own, at)) held.push(at);
  }
  const [first, last] = [held[0], held.at(-1)];
  if (first === undefined || last === undefined) return null;
  return { fromMs: first, untilMs: last + QUARTER_HOUR_MS };
}

/** Whether a price of these starts is in force in the quarter hour. */
function isHeld(starts: ReadonlySet<number>, quarterMs: number): boolean {
  for (let start = quarterMs; start > quarterMs - PRICE_VALIDITY_MS; start -= QUARTER_HOUR_MS) {
    if (starts.has(start)) return true;
  }
  return false;
}

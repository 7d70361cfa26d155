import { FairShare, toAtMostOf } from './fair-share.ts';
import type { FairShareOptions } from './fair-share.ts';
import { acquireInLine, runWith } from './held-units.ts';

/** Who asks for a unit: a partner that has been proven, or an address of which nothing else is known. */
export type TurnCaller = { readonly partnerId: string } | { readonly address: string };

export interface TurnOptions extends FairShareOptions {
  /** Units that all addresses together have at most; one where it is left out. */
  readonly strangerUnits?: number | undefined;
}

/** Gives units by turns of their callers. */
export interface Turns {
  /** One unit, as `FairShare.acquire` gives it. Throws the problem overloaded (503); the reason of the signal when that is aborted. */
  acquire(caller: TurnCaller, signal?: AbortSignal): Promise<() => void>;
  /** Does work with one unit. Throws the problem overloaded (503), and what the work throws. */
  run<Result>(caller: TurnCaller, work: () => Promise<Result>): Promise<Result>;
}

/** The one party of all addresses; no partner's id is like it. */
const STRANGERS = 'strangers';

/**
 * Divides units among partners as `FairShare` does, where all addresses together are one party that has `strangerUnits` at a time:
 * however many strangers wait, they keep nobody who is known from the other units. Among themselves the addresses share those
 * as partners do, and each may have `maxWaiting` callers that wait: up to `waitMs` for the turn of its address, and as long
 * again behind the partners.
 */
export function createTurns({ strangerUnits = 1, atMost, ...options }: TurnOptions): Turns {
  const ofPartner = toAtMostOf({ ...options, atMost });
  const units = new FairShare({
    ...options,
    atMost: (partnerId) => (partnerId === STRANGERS ? strangerUnits : ofPartner(partnerId)),
  });
  const addresses = new FairShare({
    ...options,
    capacity: strangerUnits,
    asOfRight: undefined,
  });
  const acquire: Turns['acquire'] = (caller, signal) =>
    'partnerId' in caller
      ? units.acquire(caller.partnerId, signal)
      : acquireInLine(
          () => addresses.acquire(caller.address, signal),
          () => units.acquire(STRANGERS, signal),
        );
  return { acquire, run: (caller, work) => runWith(() => acquire(caller), work) };
}

import { FairShare } from './fair-share.ts';
import type { FairShareOptions } from './fair-share.ts';

/** Who asks for a unit: a partner that has been proven, or an address of which nothing else is known. */
type TurnCaller = { readonly partnerId: string } | { readonly address: string };

/** Gives a unit to work by turns of its callers. */
interface Turns {
  /** Throws the problem overloaded (503), and what the work throws. */
  run<Result>(caller: TurnCaller, work: () => Promise<Result>): Promise<Result>;
}

/** The one party of all addresses; no partner's id is like it. */
const STRANGERS = 'strangers';

/**
 * Divides units among partners as `FairShare` does, where all addresses together are one party that has one unit at a time: however
 * many strangers wait, they keep nobody who is known from the other units. Among themselves the addresses take turns, and each
 * may have `maxWaiting` callers that wait: up to `waitMs` for the turn of its address, and as long again behind the partners.
 */
export function createTurns(options: FairShareOptions): Turns {
  const units = new FairShare(options);
  const addresses = new FairShare({ ...options, capacity: 1 });
  return {
    run: (caller, work) =>
      'partnerId' in caller
        ? units.run(caller.partnerId, work)
        : addresses.run(caller.address, () => units.run(STRANGERS, work)),
  };
}

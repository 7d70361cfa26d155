import type { Response } from 'express';
import type { EndReason } from '../streams/token-checks.ts';
import { isUnwanted } from './given-up.ts';

/** Until when whoever called may have an answer that takes long. */
export interface CallerRules {
  /** Asked before each event, and each further part of a list; not knowing ends the answer. */
  readonly isStillAllowed: () => Promise<boolean>;
  /** Calls `end` when the caller may not listen any more, or nobody knows, until the returned function is called. */
  readonly watchCaller: (end: (reason: EndReason) => void) => () => void;
}

/**
 * Whether a list goes on: somebody is there to read it, and may. Where they may not, or nobody knows, its connection is broken, which alone
 * shows that it is incomplete. Lists of operations without a token have no rules.
 */
export async function mayGoOn(
  response: Response,
  caller: Pick<CallerRules, 'isStillAllowed'> | undefined,
): Promise<boolean> {
  if (isUnwanted(response)) return false;
  const isAllowed = caller === undefined || (await caller.isStillAllowed().catch(() => false));
  if (!isAllowed) response.destroy();
  return isAllowed && !isUnwanted(response);
}

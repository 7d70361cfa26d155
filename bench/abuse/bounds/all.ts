// What each attack would do without its bound: places in the source where a bound is taken out of a copy of it. A test
// finds every place, so that none is forgotten when the source changes. Rate limits are no bounds of this list: an
// unbounded service has none.
import type { Bound } from './bound.ts';
import { boundsOfAnswers } from './of-answers.ts';
import { boundsOfBodies } from './of-bodies.ts';
import { boundsOfHeavyWork } from './of-heavy-work.ts';
import { boundsOfPages } from './of-pages.ts';
import { boundsOfPartners } from './of-partners.ts';
import { boundsOfRequests } from './of-requests.ts';
import { boundsOfTurns } from './of-turns.ts';

export const BOUNDS: readonly Bound[] = [
  ...boundsOfTurns,
  ...boundsOfRequests,
  ...boundsOfBodies,
  ...boundsOfAnswers,
  ...boundsOfHeavyWork,
  ...boundsOfPartners,
  ...boundsOfPages,
];

/** Attacks without a bound that could be taken out, and why. */
export const WITHOUT_BOUND: Readonly<Record<string, string>> = {
  churn:
    'a connection for each request costs what the kernel and Node take to accept it; an address has 128 open at most, which 64 at once do not reach',
};

/** The bounds that hold an attack up; none for those of `WITHOUT_BOUND`. */
export function boundsOf(attack: string): readonly Bound[] {
  return BOUNDS.filter(({ attacks }) => attacks.includes(attack));
}

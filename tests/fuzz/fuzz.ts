// Random requests of each operation, so many that the document allows and so many that it does not, and what is wrong with answers.
import type { OperationId } from '../../generated/routes.ts';
import { OPERATIONS } from '../../bench/equivalence/document.ts';
import type { AskedOperation } from '../../bench/equivalence/document.ts';
import { Exchange } from '../../bench/equivalence/exchange.ts';
import type { Answer } from '../../bench/equivalence/exchange.ts';
import type { RandomRequest } from '../../bench/equivalence/requests.ts';
import { Session } from '../../bench/equivalence/session.ts';
import type { SessionOptions } from '../../bench/equivalence/session.ts';
import { spoilRequest } from './spoil.ts';
import { failureOf, faultOf, isAllowed } from './verify.ts';

export interface FuzzOptions extends SessionOptions {
  readonly baseUrl: string;
  /** Requests of each operation and of each kind. */
  readonly count: number;
  readonly onProgress?: (operation: OperationId, tally: Tally) => void;
}

/** Requests of an operation. */
export interface Tally {
  allowed: number;
  refused: number;
  /** Neither: of another method or path, whose answer must only be none of the service's own faults. */
  strange: number;
}

export interface Fault {
  readonly what: string;
  readonly request: RandomRequest;
  readonly answer: Answer;
}

export interface Fuzzed {
  readonly tallies: ReadonlyMap<OperationId, Tally>;
  readonly faults: readonly Fault[];
}

/** For each of these no more are drawn than so many; there are fewer of a kind then. */
const MOST_DRAWN = 20;

/** Rejects when the first tokens cannot be had. */
export async function fuzz({ baseUrl, count, onProgress, ...options }: FuzzOptions): Promise<Fuzzed> {
  const exchange = new Exchange(baseUrl);
  const session = new Session(options, (request, clockMs) => exchange.send(request, clockMs));
  const tallies = new Map<OperationId, Tally>();
  const faults: Fault[] = [];
  try {
    await session.walk();
    for (const operation of OPERATIONS) {
      const tally = { allowed: 0, refused: 0, strange: 0 };
      tallies.set(operation.id, tally);
      for (let drawn = 0; isWanting(tally, count) && drawn < MOST_DRAWN * count; drawn += 1) {
        const fault = await askOnce(session, operation, tally, count);
        if (fault !== undefined) faults.push(fault);
      }
      onProgress?.(operation.id, tally);
    }
  } finally {
    exchange.close();
  }
  return { tallies, faults };
}

/** Whether there are fewer requests of a kind than were asked for. */
export function isWanting({ allowed, refused }: Tally, count: number): boolean {
  return allowed < count || refused < count;
}

/** Draws a request and sends it, unless there are enough of its kind. */
async function askOnce(
  session: Session,
  operation: AskedOperation,
  tally: Tally,
  count: number,
): Promise<Fault | undefined> {
  const drawn = session.draw(operation);
  const request = tally.allowed < count ? drawn : spoilRequest(drawn, operation, session.dice);
  const isMeant = await isAllowed(operation, request);
  const kind = isMeant === undefined ? 'strange' : isMeant ? 'allowed' : 'refused';
  if (tally[kind] >= count) return undefined;
  tally[kind] += 1;
  const answer = await session.send(request);
  const what = isMeant === undefined ? failureOf(answer) : faultOf(operation, answer);
  return what === undefined ? undefined : { what: `${operation.id}, ${what}`, request, answer };
}

import { kindOf } from '../domain/security/quota-subjects.ts';
import type { QuotaSubject } from '../domain/security/quota-subjects.ts';

export interface WaitingLimits {
  /** What may wait of one caller. */
  readonly maxOfCaller: number;
  /** What may wait of all callers of a party. */
  readonly maxOfParty: number;
}

/** The callers of a party with what waits of each; whose turn it was goes to the end. */
interface Party<Item> {
  readonly callers: Map<QuotaSubject, Set<Item>>;
  size: number;
}

/** The one party of all addresses; no partner is called like it. */
const STRANGERS = 'strangers';

/**
 * What waits for turns of callers. Parties take turns: each partner is one, and all of whom only the address is known are one
 * together, however many they are, in which the addresses take turns.
 */
export class CallerTurns<Item> {
  readonly #limits: WaitingLimits;
  /** Whose turn it was goes to the end. */
  readonly #parties = new Map<string, Party<Item>>();

  constructor(limits: WaitingLimits) {
    this.#limits = limits;
  }

  get isEmpty(): boolean {
    return this.#parties.size === 0;
  }

  /** How many wait in all. */
  get size(): number {
    let sum = 0;
    for (const { size } of this.#parties.values()) sum += size;
    return sum;
  }

  /**
   * Adds what waits, and returns what cannot wait and is not there any more: the item itself behind as many of its caller; where
   * its party has as many as it may, the last of the caller that has most, or the item where that would have no fewer then.
   */
  add(caller: QuotaSubject, item: Item): Item | undefined {
    const name = toPartyName(caller);
    const party = this.#parties.get(name) ?? { callers: new Map<QuotaSubject, Set<Item>>(), size: 0 };
    const waiting = party.callers.get(caller) ?? new Set<Item>();
    const { maxOfCaller, maxOfParty } = this.#limits;
    if (waiting.size >= maxOfCaller) return item;
    const isFull = party.size >= maxOfParty;
    const last = isFull ? takeLastOfMost(party, waiting.size + 1) : undefined;
    if (isFull && last === undefined) return item;
    waiting.add(item);
    party.callers.set(caller, waiting);
    party.size += 1;
    this.#parties.set(name, party);
    return last;
  }

  /** Takes out what waits no longer. */
  remove(caller: QuotaSubject, item: Item): void {
    const name = toPartyName(caller);
    const party = this.#parties.get(name);
    const waiting = party?.callers.get(caller);
    if (party === undefined || waiting?.delete(item) !== true) return;
    party.size -= 1;
    if (waiting.size === 0) party.callers.delete(caller);
    if (party.size === 0) this.#parties.delete(name);
  }

  /** What waits of the caller whose turn it is, in the order in which it came; nothing when nothing waits. */
  next(): ReadonlySet<Item> | undefined {
    const party = takeFirst(this.#parties);
    return party && takeFirst(party.callers);
  }

  /** The same of the next partner of whom no more than so many wait. */
  nextOfFew(most: number): ReadonlySet<Item> | undefined {
    const party = takeFirst(this.#parties, ({ size }, name) => name !== STRANGERS && size <= most);
    return party && takeFirst(party.callers);
  }
}

export function toPartyName(caller: QuotaSubject): string {
  return kindOf(caller) === 'partner' ? caller : STRANGERS;
}

/** Takes the last of the caller that has most, if those are more than `least`, which is one or more. */
function takeLastOfMost<Item>(party: Party<Item>, least: number): Item | undefined {
  let most: Set<Item> | undefined;
  for (const waiting of party.callers.values()) if (waiting.size > (most?.size ?? least)) most = waiting;
  if (most === undefined) return undefined;
  const last = [...most].at(-1);
  if (last !== undefined && most.delete(last)) party.size -= 1;
  return last;
}

/** The first value, or the first that is wanted, which goes to the end. */
function takeFirst<Key, Value>(
  turns: Map<Key, Value>,
  isWanted: (value: Value, key: Key) => boolean = () => true,
): Value | undefined {
  for (const [key, value] of turns) {
    if (!isWanted(value, key)) continue;
    turns.delete(key);
    turns.set(key, value);
    return value;
  }
  return undefined;
}

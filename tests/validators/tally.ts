// What one validator says of all exchanges, and of those that are made wrong.
import type { RecordedExchange } from '../support/recorded-exchanges.ts';
import { CANARY_KINDS, canariesOf } from './canaries.ts';
import type { Canary, CanaryKind } from './canaries.ts';
import { complaintsAbout, isOverlooked } from './validator.ts';
import type { Validator } from './validator.ts';

/** So many exchanges of an operation and status are looked at for one of which each kind of canary can be made. */
const MOST_LOOKED_AT = 8;

export class Tally {
  readonly validator: Validator;
  exchanges = 0;
  answers = 0;
  /** Requests that the service finds to break the document and the validator does not. */
  overlooked = 0;
  /** What was found in how many exchanges, by the operation, its status and the validator's words. */
  readonly complaints = new Map<string, number>();
  /** Of the kinds that the validator looks at. */
  readonly canaries: ReadonlyMap<CanaryKind, { made: number; caught: number }>;
  readonly missed: string[] = [];

  constructor(validator: Validator) {
    this.validator = validator;
    const kinds = CANARY_KINDS.filter((kind) => !validator.overlooks.includes(kind));
    this.canaries = new Map(kinds.map((kind) => [kind, { made: 0, caught: 0 }]));
  }

  async add(exchange: RecordedExchange): Promise<void> {
    const violations = await this.validator.validate(exchange);
    this.exchanges += 1;
    if (violations.response !== undefined) this.answers += 1;
    if (isOverlooked(exchange, violations)) this.overlooked += 1;
    for (const complaint of complaintsAbout(exchange, violations)) {
      const what = `${pairOf(exchange)}, ${complaint}`;
      this.complaints.set(what, (this.complaints.get(what) ?? 0) + 1);
    }
  }

  /** Leaves out what the validator does not look at. */
  async addCanary({ kind, side, exchange }: Canary): Promise<void> {
    const counts = this.canaries.get(kind);
    if (counts === undefined) return;
    const found = (await this.validator.validate(exchange))[side];
    if (found === undefined) return;
    counts.made += 1;
    if (found.length > 0) counts.caught += 1;
    else this.missed.push(`${pairOf(exchange)}, ${kind}: ${exchange.answer.text.slice(0, 400)}`);
  }
}

/** Chooses for each operation and status the first exchanges of which canaries of each kind can be made. */
export class CanaryChoice {
  readonly #pairs = new Map<string, { looked: number; kinds: Set<string> }>();

  take(exchange: RecordedExchange): Canary[] {
    const pair = this.#pairs.get(pairOf(exchange)) ?? { looked: 0, kinds: new Set() };
    this.#pairs.set(pairOf(exchange), pair);
    pair.looked += 1;
    if (pair.looked > MOST_LOOKED_AT || pair.kinds.size === CANARY_KINDS.length) return [];
    const canaries = canariesOf(exchange).filter(({ kind }) => !pair.kinds.has(kind));
    for (const { kind } of canaries) pair.kinds.add(kind);
    return canaries;
  }

  /** The operations with the statuses of their answers. */
  get pairs(): ReadonlySet<string> {
    return new Set(this.#pairs.keys());
  }
}

function pairOf({ operationId, answer }: RecordedExchange): string {
  return `${operationId} ${answer.status}`;
}

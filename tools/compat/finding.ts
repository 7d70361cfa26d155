import type { RuleId } from './rules.ts';

/**
 * `breaking`: a client that went by the old document may fail. `additive`: it goes on. `beta`: it may fail, but all that is
 * concerned was marked `x-beta`. `unmarked`: something new does not say since when it is there.
 */
export type Verdict = 'breaking' | 'additive' | 'beta' | 'unmarked';

/** A change and what it means for a client. */
export interface Finding {
  readonly rule: RuleId;
  readonly verdict: Verdict;
  /** JSON pointer into the new document, or into the old one where the new one has no such place. */
  readonly place: string;
  /** The property, parameter, status or the like that is concerned. */
  readonly name: string | undefined;
  /** What is concerned: `GET /users`, `webhook service.test`; `document` for all. */
  readonly operations: readonly string[];
  readonly old: unknown;
  readonly new: unknown;
}

/** Where a change was found. */
export interface Origin {
  readonly operation: string;
  /** The released operation was marked `x-beta`. */
  readonly isBeta: boolean;
}

/** What is said for all operations. */
export const DOCUMENT: Origin = { operation: 'document', isBeta: false };

export type Change = Omit<Finding, 'operations' | 'verdict' | 'name'> & {
  readonly isBreaking: boolean;
  readonly name?: string | undefined;
};

/** Collects changes; one that many operations share is one finding. */
export class Findings {
  readonly #found = new Map<string, Finding>();

  add(origin: Origin, change: Change): void {
    const { isBreaking, name, ...rest } = change;
    const verdict = isBreaking ? (origin.isBeta ? 'beta' : 'breaking') : 'additive';
    const key = toKey(change, isBreaking);
    const known = this.#found.get(key);
    const operations = [...new Set([...(known?.operations ?? []), origin.operation])];
    const isFirm = known?.verdict === 'breaking';
    this.#found.set(key, { ...rest, name, verdict: isFirm ? 'breaking' : verdict, operations });
  }

  /** Those that break first, each kind in the order in which it was found. What breaks is not told as additive, too. */
  list(): readonly Finding[] {
    const order: readonly Verdict[] = ['breaking', 'beta', 'additive'];
    const told = [...this.#found.values()].filter(
      (finding) => finding.verdict !== 'additive' || !this.#found.has(toKey(finding, true)),
    );
    return told.toSorted((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict));
  }
}

function toKey({ rule, place, name }: Pick<Change, 'rule' | 'place' | 'name'>, isBreaking: boolean): string {
  return [rule, isBreaking ? 'breaking' : 'additive', place, name ?? ''].join('\n');
}

import type { Response } from 'express';
import type { OperationId } from '../../generated/routes.ts';
import type { Policy, RateLimits } from '../config/rate-limits.ts';
import { Problem } from '../domain/api/problem.ts';
import { addressSubject, kindOf } from '../domain/security/quota-subjects.ts';
import type { QuotaSubject } from '../domain/security/quota-subjects.ts';
import { markAsOfPartner } from './known-callers.ts';
import type { QuotaCounters, QuotaState } from './quota-counters.ts';

export interface QuotaUse {
  readonly policy: Policy;
  readonly subject: QuotaSubject;
}

interface CountedUse {
  readonly isAllowed: boolean;
  readonly retryAfterSeconds: number;
  /** Undoes the use. */
  readonly giveBack: () => void;
}

/** Policies beside `default`, by operation; with a token they are counted by partner, otherwise by address. */
export const OPERATION_POLICIES: Readonly<Partial<Record<OperationId, Policy>>> = {
  requestSignup: 'signup',
  previewFleet: 'preview',
  testWebhook: 'webhook_test',
  broadcastInformation: 'broadcast',
};

/** Counts requests against policies, refuses them beyond a quota and tells what is left. */
export class RateLimiter {
  readonly #limits: RateLimits;
  readonly #counters: QuotaCounters;
  /** What a request was counted against so far: its headers name all of it. */
  readonly #counted = new WeakMap<Response, readonly QuotaState[]>();

  constructor(limits: RateLimits, counters: QuotaCounters) {
    this.#limits = limits;
    this.#counters = counters;
  }

  /**
   * Counts a request against every use of the list, and sets `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-10).
   * Resolves to what `giveBack` takes. A caller who is known by the address of the connection alone loses it with the refusal.
   * @throws Problem quota_exceeded when a policy's quota is used up.
   */
  async countRequest(response: Response, list: readonly QuotaUse[]): Promise<readonly QuotaState[]> {
    if (list.some(({ subject }) => kindOf(subject) === 'partner')) markAsOfPartner(response);
    const limits = this.#limits;
    if (limits === undefined) return [];
    const counted = await Promise.all(
      list.map(({ policy, subject }) => this.#counters.use(policy, subject, limits[policy])),
    );
    const uses = keepTightestOfEachPolicy([...(this.#counted.get(response) ?? []), ...counted]);
    this.#setHeaders(response, uses);
    const exceeded = uses.find((use) => use.used > use.quota.quota);
    if (exceeded !== undefined) {
      const { policy, quota, resetSeconds } = exceeded;
      throw new Problem(
        'quota_exceeded',
        `The policy "${policy}" allows ${quota.quota} requests in ${quota.windowSeconds} s; try again in ${resetSeconds} s.`,
        {
          headers: {
            'Retry-After': String(resetSeconds),
            ...(isOfConnection(list, response) ? { Connection: 'close' } : {}),
          },
        },
      );
    }
    return counted;
  }

  /** Undoes uses that `countRequest` has counted for this response, and says so in its headers. */
  giveBack(response: Response, states: readonly QuotaState[]): void {
    for (const state of states) this.#counters.giveBack(state);
    const uses = this.#counted.get(response) ?? [];
    this.#setHeaders(
      response,
      uses.map((use) => (states.includes(use) ? { ...use, used: use.used - 1 } : use)),
    );
  }

  /**
   * Counts a request to an endpoint of OAuth by its address: to be called before its body is read, so that a refused one costs
   * its head alone. Resolves to what `giveBack` takes.
   * @throws Problem quota_exceeded.
   */
  countTokenRequest(response: Response, address: string | undefined): Promise<readonly QuotaState[]> {
    return this.countRequest(response, [{ policy: 'token_address', subject: addressSubject(address) }]);
  }

  /** Counts a request without a token, unless it was counted before: by its session or its address. Throws the problem quota_exceeded. */
  async countUnlessCounted(response: Response, subject: QuotaSubject): Promise<void> {
    if (response.hasHeader('RateLimit')) return;
    await this.countRequest(response, [{ policy: 'default', subject }]);
  }

  /**
   * Counts a request of a signed-in person for the partner.
   * @throws Problem quota_exceeded.
   */
  async countByPartner(response: Response, partnerId: string): Promise<void> {
    await this.countRequest(response, [{ policy: 'partner', subject: `partner ${partnerId}` }]);
  }

  /** Counts one use of a policy where there is no answer to put headers on: the portal's login. */
  async countUse(policy: Policy, subject: QuotaSubject): Promise<CountedUse> {
    if (this.#limits === undefined) return { isAllowed: true, retryAfterSeconds: 0, giveBack: () => {} };
    const state = await this.#counters.use(policy, subject, this.#limits[policy]);
    return {
      isAllowed: state.used <= state.quota.quota,
      retryAfterSeconds: state.resetSeconds,
      giveBack: () => this.#counters.giveBack(state),
    };
  }

  #setHeaders(response: Response, uses: readonly QuotaState[]): void {
    this.#counted.set(response, uses);
    response.setHeader(
      'RateLimit-Policy',
      uses.map((use) => `"${use.policy}";q=${use.quota.quota};w=${use.quota.windowSeconds}`).join(', '),
    );
    response.setHeader(
      'RateLimit',
      uses
        .map((use) => `"${use.policy}";r=${Math.max(0, use.quota.quota - use.used)};t=${use.resetSeconds}`)
        .join(', '),
    );
  }
}

/** Whether nothing is known but the address, and the connection is from there: that of a proxy is others' too. */
function isOfConnection(list: readonly QuotaUse[], { req: request }: Response): boolean {
  const own = addressSubject(request.socket.remoteAddress);
  return list.every(({ subject }) => subject === own);
}

/** Of several uses of one policy the one with the least left: the headers name a policy once. */
function keepTightestOfEachPolicy(uses: readonly QuotaState[]): readonly QuotaState[] {
  return [...Map.groupBy(uses, ({ policy }) => policy).values()].flatMap((same) =>
    same.toSorted((a, b) => b.used - a.used).slice(0, 1),
  );
}

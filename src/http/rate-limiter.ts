import { LRUCache } from 'lru-cache';
import type { Response } from 'express';
import type { OperationId } from '../../generated/routes.ts';
import type { Policy, Quota, RateLimits } from '../config/rate-limits.ts';
import { Problem } from '../domain/api/problem.ts';

const MAX_SUBJECTS = 100_000;

/** Counts one use of a quota that several processes share, in the database. */
export type CountSharedUse = (
  policy: string,
  subject: string,
  quota: Quota,
) => Promise<{ used: number; resetSeconds: number }>;

export interface QuotaUse {
  readonly policy: Policy;
  readonly subject: string;
}

/** Policies beside `default`, by operation. */
export const OPERATION_POLICIES: Readonly<Partial<Record<OperationId, Policy>>> = {
  requestSignup: 'signup',
  previewFleet: 'preview',
  testWebhook: 'webhook_test',
  issueToken: 'token',
  issueTokenAtRoot: 'token',
  revokeToken: 'token',
};

interface QuotaState {
  readonly policy: Policy;
  readonly quota: Quota;
  readonly used: number;
  readonly resetSeconds: number;
}

/**
 * Fixed windows. `default` is counted in the process (a write for every request would halve the throughput); the
 * narrow policies are counted in the database, so that many processes share one quota.
 */
export class RateLimiter {
  readonly #limits: RateLimits;
  readonly #shared: CountSharedUse;
  readonly #clock: () => number;
  readonly #windows = new LRUCache<string, { startedAt: number; used: number }>({ max: MAX_SUBJECTS });

  constructor(limits: RateLimits, shared: CountSharedUse, clock: () => number) {
    this.#limits = limits;
    this.#shared = shared;
    this.#clock = clock;
  }

  /**
   * Counts a request against every use of the list, and sets `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-10).
   * @throws Problem quota_exceeded when a policy's quota is used up.
   */
  async countRequest(response: Response, list: readonly QuotaUse[]): Promise<void> {
    const limits = this.#limits;
    if (limits === undefined) return;
    const uses = keepTightestOfEachPolicy(
      await Promise.all(list.map(({ policy, subject }) => this.#use(policy, subject, limits[policy]))),
    );
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
    const exceeded = uses.find((use) => use.used > use.quota.quota);
    if (exceeded !== undefined) {
      const { policy, quota, resetSeconds } = exceeded;
      throw new Problem(
        'quota_exceeded',
        `The policy "${policy}" allows ${quota.quota} requests in ${quota.windowSeconds} s; try again in ${resetSeconds} s.`,
        {
          headers: { 'Retry-After': String(resetSeconds) },
        },
      );
    }
  }

  /** Counts a request whose caller is not known by its address, unless it was counted before. */
  async countByAddressUnlessCounted(response: Response, address: string | undefined): Promise<void> {
    if (response.hasHeader('RateLimit')) return;
    await this.countRequest(response, [{ policy: 'default', subject: address ?? 'unknown' }]);
  }

  /** Counts one use of a policy where there is no answer to put headers on: the portal's login. */
  async countUse(
    policy: Policy,
    subject: string,
  ): Promise<{ isAllowed: boolean; retryAfterSeconds: number }> {
    if (this.#limits === undefined) return { isAllowed: true, retryAfterSeconds: 0 };
    const { used, quota, resetSeconds } = await this.#use(policy, subject, this.#limits[policy]);
    return { isAllowed: used <= quota.quota, retryAfterSeconds: resetSeconds };
  }

  async #use(policy: Policy, subject: string, quota: Quota): Promise<QuotaState> {
    const left =
      policy === 'default' ? this.#local(subject, quota) : await this.#shared(policy, subject, quota);
    return { policy, quota, ...left };
  }

  #local(subject: string, quota: Quota): { used: number; resetSeconds: number } {
    const now = this.#clock();
    const lengthMs = quota.windowSeconds * 1000;
    let window = this.#windows.get(subject);
    if (window === undefined || now - window.startedAt >= lengthMs) {
      window = { startedAt: now, used: 0 };
      this.#windows.set(subject, window);
    }
    window.used += 1;
    return {
      used: window.used,
      resetSeconds: Math.max(1, Math.ceil((window.startedAt + lengthMs - now) / 1000)),
    };
  }
}

/** Of several uses of one policy the one with the least left: the headers name a policy once. */
function keepTightestOfEachPolicy(uses: readonly QuotaState[]): readonly QuotaState[] {
  return [...Map.groupBy(uses, ({ policy }) => policy).values()].flatMap((same) =>
    same.toSorted((a, b) => b.used - a.used).slice(0, 1),
  );
}

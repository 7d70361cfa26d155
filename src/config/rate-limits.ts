import { optionalTextField } from './fields.ts';
import { readNamedValues } from './named-values.ts';
import type { NamedValues } from './named-values.ts';

export interface Quota {
  readonly quota: number;
  readonly windowSeconds: number;
}

/** The policies that requests are counted against; one request may count against several. */
export const POLICIES = [
  'default',
  'partner',
  'token',
  'token_address',
  'login',
  'login_address',
  'login_account',
  'signup',
  'preview',
  'webhook_test',
  'broadcast',
] as const;
export type Policy = (typeof POLICIES)[number];

/** Undefined: limits are off. */
export type RateLimits = Readonly<Record<Policy, Quota>> | undefined;

/** What holds for a policy that RATE_LIMITS does not name. */
export const DEFAULT_RATE_LIMITS: Readonly<Record<Policy, Quota>> = {
  default: { quota: 60_000, windowSeconds: 60 },
  partner: { quota: 120_000, windowSeconds: 60 },
  token: { quota: 600, windowSeconds: 60 },
  token_address: { quota: 1_200, windowSeconds: 60 },
  login: { quota: 10, windowSeconds: 60 },
  login_address: { quota: 100, windowSeconds: 60 },
  login_account: { quota: 100, windowSeconds: 3_600 },
  signup: { quota: 30, windowSeconds: 60 },
  preview: { quota: 120, windowSeconds: 60 },
  webhook_test: { quota: 60, windowSeconds: 60 },
  broadcast: { quota: 60, windowSeconds: 60 },
};

const LIMIT_VALUES: NamedValues<Policy, Quota> = {
  names: POLICIES,
  words: 'off, or policy=quota/seconds with the policies',
  rule: 'quota/seconds, whole numbers from 1 on of 9 and 6 digits at most',
  parse: parseLimit,
};

function parseLimit(text: string): Quota | undefined {
  const [, quota = NaN, windowSeconds = NaN] = (/^(\d{1,9})\/(\d{1,6})$/.exec(text) ?? []).map(Number);
  return quota >= 1 && windowSeconds >= 1 ? { quota, windowSeconds } : undefined;
}

/** `RATE_LIMITS`: `off`, or `policy=quota/seconds,…` on top of the defaults. */
export const rateLimitsField = optionalTextField.transform((text, context): RateLimits => {
  if (text === 'off') return undefined;
  return { ...DEFAULT_RATE_LIMITS, ...Object.fromEntries(readNamedValues(text, LIMIT_VALUES, context)) };
});

/** How long the longest window lasts, in milliseconds; counts that began before that are of no use any more. */
export function longestWindowMs(limits: RateLimits): number {
  return 1000 * Math.max(...Object.values(limits ?? DEFAULT_RATE_LIMITS).map((each) => each.windowSeconds));
}

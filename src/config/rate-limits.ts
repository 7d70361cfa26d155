import { optionalTextField, splitList } from './fields.ts';

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

const LIMIT_PATTERN = /^([a-z_]+)=(\d{1,9})\/(\d{1,6})$/;

/** `RATE_LIMITS`: `off`, or `policy=quota/seconds,…` on top of the defaults. */
export const rateLimitsField = optionalTextField.transform((text, context): RateLimits => {
  if (text?.trim() === 'off') return undefined;
  const items = splitList(text);
  const limits: Record<Policy, Quota> = { ...DEFAULT_RATE_LIMITS };
  for (const item of items) {
    const [, name, quota, seconds] = LIMIT_PATTERN.exec(item) ?? [];
    const policy = POLICIES.find((each) => each === name);
    if (policy === undefined || Number(quota) < 1 || Number(seconds) < 1) {
      const message = `must be off, or policy=quota/seconds with the policies ${POLICIES.join(', ')}`;
      context.addIssue({ code: 'custom', message, params: { shown: item } });
    } else {
      limits[policy] = { quota: Number(quota), windowSeconds: Number(seconds) };
    }
  }
  return limits;
});

/** How long the longest window lasts, in milliseconds; counts that began before that are of no use any more. */
export function longestWindowMs(limits: RateLimits): number {
  return 1000 * Math.max(...Object.values(limits ?? DEFAULT_RATE_LIMITS).map((each) => each.windowSeconds));
}

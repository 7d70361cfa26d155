import { Problem } from './problem.ts';

/** What is bounded for a partner: its own organization together with its simulation organizations. */
export const QUOTA_NAMES = [
  'fleets',
  'households',
  'webhooks',
  'applications',
  'users',
  'event_streams',
  'price_quarters',
  'price_revisions',
  'pending_deliveries',
  'control_revisions',
  'idempotency_keys',
  'fleet_requests',
] as const;
export type QuotaName = (typeof QUOTA_NAMES)[number];
export type Quotas = Readonly<Record<QuotaName, number>>;

/** What a partner may have unless the installation or the partner has a quota of its own; the document prints them. */
export const DEFAULT_QUOTAS: Quotas = {
  fleets: 100,
  households: 100_000,
  webhooks: 100,
  applications: 100,
  users: 1_000_000,
  event_streams: 50,
  // Five years of 365.25 days.
  price_quarters: 175_320,
  price_revisions: 20,
  pending_deliveries: 100_000,
  control_revisions: 1_000,
  idempotency_keys: 100_000,
  fleet_requests: 10_000,
};

/** The quota of what is not bounded. */
export const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** What a quota has to be that people write. */
export const QUOTA_RULE = 'a whole number of 12 digits at most';

/** A quota as people write it; undefined for a text that breaks the rule. */
export const parseQuota = (text: string): number | undefined =>
  /^\d{1,12}$/.test(text) ? Number(text) : undefined;

interface Kind {
  /** Follows a number: "100 fleets". */
  readonly what: string;
  /** Follows what is counted where that is not all of a partner's: "20 prices in turn for a quarter hour". */
  readonly each?: string;
  /** What the caller can do. */
  readonly cure: string;
}

const KINDS: Readonly<Record<Exclude<QuotaName, 'event_streams'>, Kind>> = {
  fleets: { what: 'fleets', cure: 'Purge fleets that are not needed' },
  households: { what: 'simulated households', cure: 'Purge fleets that are not needed' },
  webhooks: { what: 'webhooks', cure: 'Delete webhooks that are not needed' },
  applications: { what: 'applications', cure: 'Delete applications that are not needed' },
  users: { what: 'users', cure: 'Delete users that are not needed' },
  price_quarters: {
    what: 'quarter hours with a price',
    cure: 'Purge fleets that have prices of their own',
  },
  price_revisions: {
    what: 'prices in turn',
    each: 'for a quarter hour',
    cure: 'Send a price only when it has changed',
  },
  pending_deliveries: {
    what: 'pending deliveries',
    cure: 'Disable or delete webhooks whose endpoints do not answer',
  },
  control_revisions: {
    what: 'changes of what is asked',
    each: 'of a device, or of where a user lives',
    cure: 'Send a change only where people ask for one',
  },
  idempotency_keys: {
    what: 'keys of the header Idempotency-Key, each for 24 hours,',
    cure: 'Send a key only where a repeat would do harm',
  },
  fleet_requests: {
    what: 'creations, expansions and events of fleets, each for 30 days,',
    cure: 'Create fleets at the size that is needed, and keep them',
  },
};

/** 422 `quota_reached`: names the quota, what is there, what was asked for beside it, and the cure. */
export function quotaReachedProblem(
  name: Exclude<QuotaName, 'event_streams'>,
  { quota, used, more }: { readonly quota: number; readonly used: number; readonly more: number },
): Problem {
  const { what, each = 'a partner', cure } = KINDS[name];
  const detail =
    `The quota "${name}" is ${quota} ${what} ${each}; there are ${used}, and ${more} more would exceed it. ` +
    `${cure}, or ask the operator of the service for a higher quota.`;
  return new Problem('quota_reached', detail);
}

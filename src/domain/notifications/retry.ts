/** The part of an exchange that failed before a response; an invalid response counts as a failed connection. */
export type UnreachableClass = 'dns' | 'connect' | 'tls';

/** How one attempt ended; the retry rule, the attempt log and the metrics derive from it. */
export type AttemptOutcome =
  | { readonly kind: 'delivered'; readonly status: number }
  | { readonly kind: 'rejected'; readonly status: number; readonly retryAfter: string | undefined }
  | { readonly kind: 'redirected'; readonly status: number }
  | { readonly kind: 'unreachable'; readonly class: UnreachableClass; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'timed_out'; readonly afterMs: number }
  | { readonly kind: 'unsigned' };

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The waits after the first, second, … failed attempt. When an attempt fails that has none, the delivery is exhausted. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  24 * HOUR_MS,
];

/** Attempts that a delivery gets by itself; after more of them, which somebody asked for one by one, none follows either. */
export const MOST_ATTEMPTS = RETRY_DELAYS_MS.length + 1;

/** How long a delivery may be tried from its next attempt on, after `attempts` that failed: about, since waits vary. */
export function measureRetriesLeftMs(attempts: number): number {
  return RETRY_DELAYS_MS.slice(attempts).reduce((sum, delayMs) => sum + delayMs, 0);
}

const JITTER = 0.2;
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;

/**
 * After how many milliseconds a delivery is due again after its `attempts`-th attempt; undefined when it was delivered or no
 * attempt is left. `now` is read with a `Retry-After` that is a date. The wait varies by 20 % in either direction. A `Retry-After` with status 429 or 503 can lengthen it, up to 24 hours,
 * never shorten it. `random` is uniform in [0, 1).
 */
export function nextAttemptDelayMs(
  attempts: number,
  outcome: AttemptOutcome,
  now: Date,
  random: () => number,
): number | undefined {
  if (outcome.kind === 'delivered') return undefined;
  const delayMs = RETRY_DELAYS_MS[attempts - 1];
  if (delayMs === undefined) return undefined;
  const jittered = Math.round(delayMs * (1 - JITTER + 2 * JITTER * random()));
  return Math.max(jittered, requestedWaitMs(outcome, now));
}

function requestedWaitMs(outcome: AttemptOutcome, now: Date): number {
  if (outcome.kind !== 'rejected' || outcome.retryAfter === undefined) return 0;
  if (outcome.status !== 429 && outcome.status !== 503) return 0;
  return Math.min(parseRetryAfterMs(outcome.retryAfter, now) ?? 0, MAX_RETRY_AFTER_MS);
}

/**
 * A `Retry-After` header (RFC 9110, 10.2.3) in milliseconds from `now`: whole seconds, or an HTTP date in the preferred
 * form (5.6.7). Undefined for anything else.
 */
export function parseRetryAfterMs(value: string, now: Date): number | undefined {
  const text = value.trim();
  if (/^\d+$/.test(text)) return Number(text) * SECOND_MS;
  if (!/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}

/** An outcome as one sentence, for the attempt log and for the `detail` of a test message. */
export function describeOutcome(outcome: AttemptOutcome): string {
  switch (outcome.kind) {
    case 'delivered':
      return `The endpoint accepted the message with status ${outcome.status}.`;
    case 'rejected':
      return `The endpoint answered with status ${outcome.status}; only 2xx accepts a message.`;
    case 'redirected':
      return `The endpoint answered with the redirect ${outcome.status}; redirects are not followed.`;
    case 'unreachable':
      return outcome.reason;
    case 'refused':
      return outcome.reason;
    case 'timed_out':
      return `The endpoint did not answer within ${outcome.afterMs / SECOND_MS} seconds.`;
    case 'unsigned':
      return 'The signing secret could not be read: its encryption key is not configured (ENCRYPTION_KEY_PREVIOUS).';
    default:
      return outcome satisfies never;
  }
}

export type ErrorClass = UnreachableClass | 'refused_address' | 'timeout' | 'redirect' | 'status' | 'secret';

/** The error class of an outcome in the attempt log and the metrics; undefined for a success. */
export function errorClassOf(outcome: AttemptOutcome): ErrorClass | undefined {
  switch (outcome.kind) {
    case 'delivered':
      return undefined;
    case 'rejected':
      return 'status';
    case 'redirected':
      return 'redirect';
    case 'unreachable':
      return outcome.class;
    case 'refused':
      return 'refused_address';
    case 'timed_out':
      return 'timeout';
    case 'unsigned':
      return 'secret';
    default:
      return outcome satisfies never;
  }
}

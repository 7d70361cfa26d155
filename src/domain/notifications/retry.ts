/** Where an exchange broke before an answer was there; a broken answer counts as a broken connection. */
export type UnreachableClass = 'dns' | 'connect' | 'tls';

/** How one attempt ended. It keeps this shape until the retry rule and the attempt log have read it. */
export type Outcome =
  | { readonly kind: 'delivered'; readonly status: number }
  | { readonly kind: 'rejected'; readonly status: number; readonly retryAfter: string | undefined }
  | { readonly kind: 'redirected'; readonly status: number }
  | { readonly kind: 'unreachable'; readonly class: UnreachableClass; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'timed_out'; readonly afterMs: number }
  | { readonly kind: 'unsigned' };

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Waits after the first, second, … failed attempt. After the last one the delivery is exhausted. */
export const retryDelaysMs: readonly number[] = [
  5 * second,
  30 * second,
  2 * minute,
  10 * minute,
  30 * minute,
  2 * hour,
  6 * hour,
  12 * hour,
  24 * hour,
];

const jitter = 0.2;
const longestRetryAfterMs = 24 * hour;

/**
 * When a delivery is due again after its `attempts`-th attempt; undefined when it is not: it was
 * delivered, or no attempt is left. The wait varies by 20 % either way. A `Retry-After` of 429 or
 * 503 can lengthen it, up to 24 hours, never shorten it. `random` is uniform in [0, 1).
 */
export function nextAttemptAt(
  attempts: number,
  outcome: Outcome,
  now: Date,
  random: () => number,
): Date | undefined {
  if (outcome.kind === 'delivered') return undefined;
  const delayMs = retryDelaysMs[attempts - 1];
  if (delayMs === undefined) return undefined;
  const jittered = Math.round(delayMs * (1 - jitter + 2 * jitter * random()));
  return new Date(now.getTime() + Math.max(jittered, askedWaitMs(outcome, now)));
}

function askedWaitMs(outcome: Outcome, now: Date): number {
  if (outcome.kind !== 'rejected' || outcome.retryAfter === undefined) return 0;
  if (outcome.status !== 429 && outcome.status !== 503) return 0;
  return Math.min(retryAfterMs(outcome.retryAfter, now) ?? 0, longestRetryAfterMs);
}

/** `Retry-After` (RFC 9110, 10.2.3): whole seconds, or an HTTP date in its preferred form. */
export function retryAfterMs(value: string, now: Date): number | undefined {
  const text = value.trim();
  if (/^\d+$/.test(text)) return Number(text) * second;
  if (!/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}

/** One sentence for the attempt log and for the `detail` of a test message. */
export function describeOutcome(outcome: Outcome): string {
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
      return `The endpoint did not answer within ${outcome.afterMs / second} seconds.`;
    case 'unsigned':
      return 'The signing secret could not be read: its encryption key is not configured (ENCRYPTION_KEY_PREVIOUS).';
    default:
      return outcome satisfies never;
  }
}

export type ErrorClass = UnreachableClass | 'refused_address' | 'timeout' | 'redirect' | 'status' | 'secret';

/** The attempt log's class of a failure; undefined for a success. */
export function errorClass(outcome: Outcome): ErrorClass | undefined {
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

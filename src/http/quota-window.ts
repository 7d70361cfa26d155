import type { Policy, Quota } from '../config/rate-limits.ts';
import type { QuotaSubject } from '../domain/security/quota-subjects.ts';

/** Uses in a window that began at an instant: those to add (below 0 when more were given back), or the total of all processes. */
export interface WindowUses {
  readonly policy: string;
  readonly subject: string;
  readonly windowStartedAt: Date;
  readonly used: number;
}

/** One fixed window of a policy and a subject, aligned to the clock. */
export interface Window {
  readonly policy: Policy;
  readonly subject: QuotaSubject;
  readonly quota: Quota;
  startedAt: number;
  /** Uses of all processes as last heard, this one's first `told` uses among them. */
  known: number;
  /** Uses that this process has counted without those given back, and how many of them the others have been told. */
  counted: number;
  told: number;
  /** When the others were last asked although the quota is used up. */
  askedAt: number;
}

/** What tells the windows of a process apart. */
export function keyOf(policy: string, subject: string): string {
  return `${policy} ${subject}`;
}

/** Uses of all processes as far as this one knows. */
export function totalOf(window: Window): number {
  return window.known + window.counted - window.told;
}

/** In milliseconds. */
export function lengthOf(quota: Quota): number {
  return quota.windowSeconds * 1000;
}

/** Milliseconds since 1970. */
export function endOf({ startedAt, quota }: Window): number {
  return startedAt + lengthOf(quota);
}

/** What the others are told of a window whose uses were counted up to `until`. */
export function toUses({ policy, subject, startedAt, told }: Window, until: number): WindowUses {
  return { policy, subject, windowStartedAt: new Date(startedAt), used: until - told };
}

/**
 * Takes the total of all processes over. That of a newer window says that this process' clock is behind; one that is more
 * than a window ahead is of other settings, and this process counts for itself.
 */
export function adopt(window: Window, until: number, total: WindowUses | undefined): void {
  const aheadMs = total === undefined ? Infinity : total.windowStartedAt.getTime() - window.startedAt;
  if (total !== undefined && aheadMs <= lengthOf(window.quota)) {
    window.known = total.used;
    window.startedAt += aheadMs;
  } else {
    window.known += until - window.told;
  }
  window.told = until;
}

/** The newest attempts of each message that are looked at: it has ten by itself, and any number when it is sent again and again. */
export const MOST_ATTEMPTS_OF_MESSAGE = 20;

/** The attempts of a webhook in one period of a span of time. */
export interface AttemptPeriod {
  /** Periods since the beginning, from 0. */
  readonly period: number;
  readonly accepted: number;
  readonly failed: number;
  /** How long the accepted ones took, in milliseconds: half of them at most so long, and 95 of 100. Null where there are none. */
  readonly medianMs: number | null;
  readonly p95Ms: number | null;
}

/** Failed attempts that have their cause in common. */
export interface FailureGroup {
  readonly errorClass: string;
  readonly statusCode: number | null;
  readonly attempts: number;
  readonly messages: number;
  /** Those of the messages that were given up, and those that are still tried. */
  readonly givenUp: number;
  readonly pending: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  /** When the first of those that are still tried is due; null where there is none. */
  readonly nextAt: Date | null;
}

/** What became of the newest messages of a webhook. */
export interface WebhookStatistics {
  readonly periods: readonly AttemptPeriod[];
  /** The most frequent first. */
  readonly failures: readonly FailureGroup[];
  /** The messages that were looked at, and whether there are more. */
  readonly messages: number;
  readonly isCapped: boolean;
  /** Whether one of them had more attempts than are looked at. */
  readonly hasOlderAttempts: boolean;
}

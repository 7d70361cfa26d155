/** Deliveries of one webhook that have state and period in common. */
export interface DeliveryCount {
  readonly webhookId: string;
  readonly url: string;
  readonly state: 'pending' | 'delivered' | 'exhausted' | 'cancelled';
  /** Periods since the beginning of the time that was asked for, from 0. */
  readonly period: number;
  readonly count: number;
  /** Whether the webhook has more: only its newest ones were counted. */
  readonly isCapped: boolean;
}

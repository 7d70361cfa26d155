import type { CursorPosition } from '../api/cursor.ts';
import type { Topic } from './topics.ts';

/** What can become of a message on its way to a webhook. */
export const DELIVERY_STATES = ['pending', 'delivered', 'exhausted', 'cancelled'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Which deliveries of a webhook are looked for; all that is given must hold. */
export interface DeliveryFilter {
  readonly state?: DeliveryState | undefined;
  readonly topic?: Topic | undefined;
  /** By the instant at which the message was put into the queue: from this one on. */
  readonly since?: Date | undefined;
  /** Before this one. */
  readonly until?: Date | undefined;
  readonly messageId?: string | undefined;
}

/** A delivery that was found. */
export interface FoundDelivery {
  readonly messageId: string;
  readonly topic: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly createdAt: Date;
  readonly dueAt: Date;
  readonly finishedAt: Date | null;
  readonly cancelReason: string | null;
}

/** A page of what was found, newest first. */
export interface FoundDeliveries {
  readonly items: readonly FoundDelivery[];
  /** Where the next page begins; undefined where nothing is left to look through. */
  readonly next: CursorPosition | undefined;
  /** Whether as many were looked through as a page may cost, before the page was full. */
  readonly isCutOff: boolean;
}

import type { DeliveryState } from '../domain/notifications/delivery-filter.ts';

/** States of a delivery as people call them. */
export const STATE_WORDS: Readonly<Record<DeliveryState, string>> = {
  pending: 'Pending',
  delivered: 'Arrived',
  exhausted: 'Given up',
  cancelled: 'Dropped',
};

const STATE_MARKS: Readonly<Record<DeliveryState, string>> = {
  pending: 'neutral',
  delivered: 'ok',
  exhausted: 'error',
  cancelled: 'neutral',
};

const DROP_REASONS: Readonly<Record<string, string>> = {
  disabled: 'the webhook was disabled',
  deleted: 'the webhook was deleted',
  topic_removed: 'the webhook was no longer subscribed to its topic',
  quota_reached: 'as many messages were pending as may be',
};

/** Icon and word of a state. */
export function markState(state: DeliveryState, attempts: number) {
  const isRetried = state === 'pending' && attempts > 0;
  return {
    kind: isRetried ? 'warning' : STATE_MARKS[state],
    word: isRetried ? 'Retrying' : STATE_WORDS[state],
    ...(state === 'pending' && !isRetried ? { icon: 'progress' } : {}),
  };
}

/** Why a delivery was dropped, as the end of a sentence. */
export function describeDropReason(reason: string | null): string {
  return DROP_REASONS[reason ?? ''] ?? 'the reason is not known';
}

/** Whether a delivery can be sent again. */
export function isRedeliverable(state: DeliveryState): boolean {
  return state === 'delivered' || state === 'exhausted';
}
